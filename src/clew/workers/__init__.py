"""Worker processes that read and judge pages, and the way of pages to them and back."""

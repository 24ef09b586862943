"""Who finds pages by words and back-links by URL: search engines, wikis, link files."""

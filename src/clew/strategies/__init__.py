"""Where to go next: one file a paper."""

"""A project: a folder on disk as a source of crawls, and what can be asked of it between them."""

"""Canonical URLs, their keys, and which of them belong to a crawl."""

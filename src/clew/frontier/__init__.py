"""The best link that may be fetched now."""

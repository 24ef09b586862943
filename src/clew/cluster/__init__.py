"""The same loop as shards (filled by a later issue)."""

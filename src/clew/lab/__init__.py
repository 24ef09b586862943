"""Compare strategies on one web (filled by a later issue)."""

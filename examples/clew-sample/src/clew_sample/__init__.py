"""Parts for Clew: one of each kind."""

"""Hand the collection over."""

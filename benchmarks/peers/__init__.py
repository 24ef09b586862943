"""Other crawlers, run for comparison."""

"""Examples: from the pages that a user, or the crawl itself, names to a trained judge with its measured interest."""

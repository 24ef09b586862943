"""From bytes to a page: charset, HTML, terms, DOM offsets."""

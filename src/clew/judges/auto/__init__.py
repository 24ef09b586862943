"""The judge that chooses and blends by what there is: words and meaning; examples, keywords, the crawl itself."""

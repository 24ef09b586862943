"""The judge that chooses and blends by what there is: words, pairs of words and meaning; examples, keywords, a crawl."""

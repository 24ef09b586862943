"""The loop: take the best link, fetch, judge, learn, score, remember; adapt after every session."""

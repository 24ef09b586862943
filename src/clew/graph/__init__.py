"""What links say: hubs and authorities, paths from nugget to nugget, back links, communities.

Pure functions on arrays; nothing here knows a store, a world or a strategy.
"""

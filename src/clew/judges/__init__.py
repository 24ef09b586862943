"""Is this page it?"""

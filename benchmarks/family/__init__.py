"""A family of tasks run with several strategies and judges, and tables over all of it."""

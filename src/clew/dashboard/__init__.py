"""The pages you watch and steer a crawl on: a REST API over what projects can do, and static files that use it.

A request passes ``guard`` (token, host, origin), reaches a module of ``api``, which asks the rooms below, and answers
with plain typed data. Nothing is decided here: what the dashboard does, the command line and Python do too.
"""

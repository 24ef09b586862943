"""The live web over HTTP: robots.txt obeyed, hosts spared, private addresses closed, every page bounded."""

from clew.web.live.world import LiveWorld

__all__ = ["LiveWorld"]

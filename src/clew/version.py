"""The version of Clew, apart from the public names, so that a room which says it in a header imports nothing else."""

__version__ = "0.1.0"

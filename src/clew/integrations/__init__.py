"""Clew inside other tools (filled by a later issue)."""

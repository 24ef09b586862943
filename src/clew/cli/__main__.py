"""``python -m clew.cli`` is the ``clew`` command."""

from clew.cli.main import run

run()

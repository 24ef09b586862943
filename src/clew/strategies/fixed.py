"""What strategies have in common that learn nothing and never adapt."""

from __future__ import annotations

from clew.model import Session, Visit
from clew.strategies.base import Quiet, View


class FixedStrategy(Quiet):
    """A strategy whose scores never change; subclasses give ``name``, ``score`` and ``explain``."""

    def begin(self, view: View) -> None:
        """Nothing to train."""

    def learn(self, visit: Visit) -> None:
        """Nothing to learn."""

    def adapt(self, session: Session) -> bool:
        return False

    def state(self) -> bytes:
        return b""

    def restore(self, state: bytes) -> None:
        """Nothing to take up."""

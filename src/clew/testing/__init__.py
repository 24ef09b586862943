"""For tests of parts of your own: contract suites, and pages, links and a view of a crawl to try them with.

Subclass a suite in a test module of your package, say how your part is made, and pytest collects its tests::

    class TestBusyHosts(StrategyContract):
        def make(self):
            return BusyHosts(BusyHosts.Settings())

Clew's own parts pass the same suites (tests/contracts). Nothing here needs a network, nor anything besides pytest.
"""

from __future__ import annotations

from clew.testing.contract import Contract
from clew.testing.exporters import ExporterContract
from clew.testing.judges import JudgeContract
from clew.testing.pages import batch_of, html_page, text_page, visit_of
from clew.testing.providers import BacklinkProviderContract, SearchProviderContract
from clew.testing.strategies import StrategyContract
from clew.testing.view import StubView
from clew.testing.worlds import WorldContract

__all__ = [
    "BacklinkProviderContract", "Contract", "ExporterContract", "JudgeContract", "SearchProviderContract",
    "StrategyContract", "StubView", "WorldContract", "batch_of", "html_page", "text_page", "visit_of",
]  # fmt: skip

"""The true link graph of a simulated web, page by page number: what measurements of the web itself need."""

from __future__ import annotations

import numpy as np

from clew.web.simulated.hashing import Numbers
from clew.web.simulated.web import SimulatedWeb


def link_graph(web: SimulatedWeb) -> tuple[Numbers, Numbers, Numbers]:
    """(hosts int64[n], targets int64[m], starts int64[n + 1]) of all n pages, of which page i links to
    ``targets[starts[i]:starts[i + 1]]``, each once, sorted. Redirects are followed; broken links and links into traps
    are left out. Takes about .4 ms a page.
    """
    hosts, locals_ = web.located(0, web.pages)
    rows = [np.unique(row) for row in web.linked(hosts, locals_)]
    return hosts, np.concatenate(rows), np.cumsum([0, *map(len, rows)])

"""bytecrawl's Shark-Search and OPIC. Run in its own environment.

python bytecrawl_focused.py SPEC.json shark|opic     SPEC: {"seeds": [...], "start": ..., "keywords": [...]}

Its crawlers take one start URL: the seed, or a page that links to all seeds. Its limits are lifted: the proxy keeps
the budget, in which the failures that bytecrawl would count are no fetches.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ENDLESS = 10**9


def crawl(strategy: str) -> None:
    """Crawl what the file in the first argument says: {"seeds": [...], "start": ..., "keywords": [...]}."""
    from bytecrawl.crawl.strategies import STRATEGIES  # type: ignore[import-not-found]

    spec = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    crawler = STRATEGIES[strategy](query=" ".join(spec["keywords"]), delay=0.0, same_domain=False)
    result = crawler.crawl(spec["start"], max_pages=ENDLESS, max_depth=ENDLESS)
    print(json.dumps(result.stats))


if __name__ == "__main__":
    crawl(sys.argv[2])

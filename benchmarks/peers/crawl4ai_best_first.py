"""crawl4ai's best-first strategy with its keyword scorer, over plain HTTP (no browser). Run in its own environment.

python crawl4ai_best_first.py SPEC.json     SPEC: {"seeds": [...], "start": ..., "keywords": [...], "proxy": ...}

It takes one start URL: the seed, or a page that links to all seeds. Batches of ten stay as they are; within a batch
pages are fetched one by one, so that runs repeat. Its waits between requests are off.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

ENDLESS = 10**9


async def crawl(spec: dict[str, Any]) -> int:
    """Crawl until nothing is left: the number of pages."""
    from crawl4ai import (  # type: ignore[import-not-found]
        AsyncWebCrawler,
        CacheMode,
        CrawlerRunConfig,
        HTTPCrawlerConfig,
        LXMLWebScrapingStrategy,
        ProxyConfig,
    )
    from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy  # type: ignore[import-not-found]
    from crawl4ai.deep_crawling import BestFirstCrawlingStrategy  # type: ignore[import-not-found]
    from crawl4ai.deep_crawling.scorers import KeywordRelevanceScorer  # type: ignore[import-not-found]

    strategy = BestFirstCrawlingStrategy(
        max_depth=ENDLESS,
        include_external=True,
        url_scorer=KeywordRelevanceScorer(keywords=spec["keywords"], weight=1.0),
    )
    config = CrawlerRunConfig(
        deep_crawl_strategy=strategy,
        scraping_strategy=LXMLWebScrapingStrategy(),
        cache_mode=CacheMode.BYPASS,
        proxy_config=ProxyConfig(server=spec["proxy"]),
        semaphore_count=1,
        mean_delay=0.0,
        max_range=0.0,
        stream=True,
        verbose=False,
    )
    pages = 0
    async with AsyncWebCrawler(crawler_strategy=AsyncHTTPCrawlerStrategy(HTTPCrawlerConfig())) as crawler:
        async for result in await crawler.arun(spec["start"], config=config):
            if not result.success:
                print(result.url, result.error_message)  # into the log
            pages += bool(result.success)
    return pages


def main() -> None:
    spec = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    print(json.dumps({"pages": asyncio.run(crawl(spec))}))


if __name__ == "__main__":
    main()

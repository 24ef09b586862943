"""Scrapy with the settings its documentation names for broad crawls, and a link extractor. Nothing else.

python -m benchmarks.peers.scrapy_broad SEED PAGES     prints one line of JSON: pages, seconds
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

SETTINGS: dict[str, Any] = {
    "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
    "CONCURRENT_REQUESTS": 100,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "DOWNLOAD_DELAY": 0,
    "REACTOR_THREADPOOL_MAXSIZE": 20,
    "LOG_LEVEL": "ERROR",
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "REDIRECT_ENABLED": False,
    "AJAXCRAWL_ENABLED": False,
    "DOWNLOAD_TIMEOUT": 15,
    "ROBOTSTXT_OBEY": True,
    "TELNETCONSOLE_ENABLED": False,
}


class FollowSpider(scrapy.Spider):
    """Follows every link."""

    name = "follow"
    extractor = LinkExtractor()
    pages = 0

    def parse(self, response: Any) -> Iterator[Any]:
        """Count the page and follow its links."""
        type(self).pages += 1
        for link in self.extractor.extract_links(response):
            yield scrapy.Request(link.url, callback=self.parse)


def main() -> None:
    """Crawl from the seed until PAGES pages came."""
    seed, pages = sys.argv[1], int(sys.argv[2])
    process = CrawlerProcess({**SETTINGS, "CLOSESPIDER_PAGECOUNT": pages})
    started = time.monotonic()
    process.crawl(FollowSpider, start_urls=[seed])
    process.start()
    print(json.dumps({"pages": FollowSpider.pages, "seconds": time.monotonic() - started}), flush=True)


if __name__ == "__main__":
    main()

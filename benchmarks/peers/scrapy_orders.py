"""Scrapy following every link, one request at a time, in one of two orders. Run in its own environment.

python scrapy_orders.py SPEC.json breadth-first|default     the proxy is in http_proxy
SPEC: {"seeds": [...], "start": ..., "keywords": [...]}

breadth-first: by the settings its documentation names, and with the queue that minds depth alone; the usual queue takes
hosts in turn, whatever their depth. default: as it comes, which takes the latest link first, so that it goes deep.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

ORDERS: dict[str, dict[str, Any]] = {
    "breadth-first": {
        "DEPTH_PRIORITY": 1,
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    },
    "default": {},
}
SETTINGS: dict[str, Any] = {
    "CONCURRENT_REQUESTS": 1,
    "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": True,
    "RETRY_ENABLED": False,
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "ERROR",
}


class EveryLinkSpider(scrapy.Spider):
    """Follows every link."""

    name = "every-link"
    extractor = LinkExtractor()

    def parse(self, response: Any) -> Iterator[Any]:
        """Follow the links of a page."""
        if not isinstance(response, scrapy.http.TextResponse):
            return
        for link in self.extractor.extract_links(response):
            yield scrapy.Request(link.url, callback=self.parse)


def main() -> None:
    spec = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    process = CrawlerProcess(SETTINGS | ORDERS[sys.argv[2]])
    process.crawl(EveryLinkSpider, start_urls=spec["seeds"])
    process.start()


if __name__ == "__main__":
    main()

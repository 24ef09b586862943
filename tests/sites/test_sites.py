"""Small sites with lists of what must, and must not, be fetched; each served over HTTP and crawled live.

A site is a TOML file beside this one. ``pages`` are URLs with a body, and perhaps status and headers; ``/*`` is any
other of its host; hosts end in ``.test``. ``crawl`` are lines of [crawl], ``settings`` other tables of clew.toml.
``fetch`` and ``never`` list URLs that the server must and must not have been asked for, ``before`` pairs of URLs in
their right order, ``once`` URLs asked for exactly once, ``relevant`` the URLs of the exported collection. ``spared``
are lines of never.txt.
"""

from __future__ import annotations

import asyncio
import threading
import tomllib
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from support import clew_json, exported, write_project

SITES = sorted(Path(__file__).parent.glob("*.toml"))


class Site:
    """Serves the pages of a site at one loopback address and notes what is asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.asked: list[str] = []
        self.port = 0
        self.pages: dict[str, Any] = {}

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        url = f"http://{request.host}{request.raw_path}"
        self.asked.append(url)
        page = self.pages.get(url) or self.pages.get(f"http://{request.host}/*")
        if page is None:
            return web.Response(status=404, text="nothing here")
        headers = {"Content-Type": "text/html; charset=utf-8", **page.get("headers", {})}
        return web.Response(status=page.get("status", 200), body=page.get("body", "").encode(), headers=headers)

    def load(self, port: int) -> dict[str, Any]:
        """The site with its port in every URL."""
        self.port = port
        site = tomllib.loads(self.text.replace(".test/", f".test:{port}/").replace(".test./", f".test.:{port}/"))
        self.pages = site["pages"]
        return site


@contextmanager
def served(site: Site) -> Iterator[dict[str, Any]]:
    """The site on loopback, in a thread."""
    loop = asyncio.new_event_loop()
    ready: Future[int] = Future()

    async def begin() -> None:
        runner = web.ServerRunner(web.Server(site.answer), shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.4.1", 0).start()
        ready.set_result(runner.addresses[0][1])
        stop.add_done_callback(lambda _: None)
        await asyncio.wrap_future(stop)
        await runner.cleanup()

    stop: Future[None] = Future()
    thread = threading.Thread(target=lambda: loop.run_until_complete(begin()))
    thread.start()
    try:
        yield site.load(ready.result(10))
    finally:
        stop.set_result(None)
        thread.join()
        loop.close()


@pytest.mark.parametrize("path", SITES, ids=[path.stem for path in SITES])
def test_site(path: Path, tmp_path: Path) -> None:
    site = Site(path.read_text(encoding="utf-8"))
    with served(site) as spec:
        project = write_project(
            tmp_path / "p",
            spec["seeds"],
            {"good.html": "<html lang=en><p>sailing boats and regattas on the sea, a sailing harbour with boats"},
            {"bad.html": "<html lang=en><p>taxes, budgets and pensions debated in parliament by ministers"},
            f'[crawl]\n{spec.get("crawl", "")}\ncontact = "test@example.org"\nhosts_at_once = 1\n'
            "[politeness]\ndelay_s = 0.0\nadaptive = 0.0\n"
            'max_delay_s = 0.2\n[web.live]\nallow_private = true\n[web.live.resolve]\n"*.test" = "127.0.4.1"\n'
            + spec.get("settings", ""),
        )
        (project / "never.txt").write_text("\n".join(spec.get("spared", ())), encoding="utf-8")
        options = ["--strategy", spec.get("strategy", "breadth-first"), "--workers", "0", "--quiet"]
        result = clew_json("crawl", project, *options, "--max-pages", spec.get("max_pages", 100))
    check(spec, site, exported(project, "--all"), exported(project), result)


def check(
    spec: dict[str, Any], site: Site, rows: list[dict[str, Any]], best: list[dict[str, Any]], result: dict[str, Any]
) -> None:
    asked = site.asked
    for url in spec.get("fetch", []):
        assert url in asked, f"{url} was not fetched; fetched: {asked}"
    for url in spec.get("never", []):
        assert url not in asked, f"{url} was fetched"
    for first, second in spec.get("before", []):
        assert asked.index(first) < asked.index(second), asked
    for url in spec.get("once", []):
        assert asked.count(url) == 1, asked
    if "relevant" in spec:
        assert sorted(row["url"] for row in best) == sorted(spec["relevant"])
    for url, reason in spec.get("reasons", {}).items():
        found = {row["url"]: row["reason"] for row in rows}
        assert reason in found[url], found
    for name, value in spec.get("result", {}).items():
        assert result[name] == value, (name, result)

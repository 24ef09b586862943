"""A real browser for tests: found or installed, run in a thread of its own, and watched while it shows a page."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, Request, expect, sync_playwright

P = ParamSpec("P")
T = TypeVar("T")

NAMES = ("chromium", "chromium-browser", "google-chrome")

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]

PATIENCE_MS = 60_000
"""How long a page may take to show what a test waits for: no busy machine makes one fail."""

REPORT = """
window.__broken = [];
addEventListener("securitypolicyviolation", (event) =>
  window.__broken.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
"""
"""Runs before every page: what its policy forbade."""


def chromium() -> str:
    """The browser's path. Skips the test where there is none and none can be installed."""
    with only_one("clew-tests-chromium"):
        found = _found() or _installed()
    if found is None:
        pytest.skip("no Chromium: install it (Debian: apt-get install chromium)")
    return found


def _found() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def _installed() -> str | None:
    """Debian's package, where this is root; None where it cannot be had."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return None
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
        whole = ["apt-get", "-qq", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20", *command]
        done = subprocess.run(whole, capture_output=True, timeout=600, check=False, env=environment)
        if done.returncode:
            return None
    return _found()


@contextmanager
def only_one(name: str) -> Iterator[None]:
    """Holds a lock among all processes of this machine: test workers do what follows one after the other."""
    with (Path(tempfile.gettempdir()) / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class Browsing:
    """A browser and the thread in which alone it may be used: Playwright leaves an event loop running in its thread,
    where asyncio tests could start none."""

    def __init__(self) -> None:
        path = chromium()
        expect.set_options(timeout=PATIENCE_MS)
        self._thread = ThreadPoolExecutor(1, "browser")
        self._playwright: Playwright = self.run(lambda: sync_playwright().start())
        self.browser: Browser = self.run(
            lambda: self._playwright.chromium.launch(executable_path=path, args=FLAGS, timeout=PATIENCE_MS)
        )

    def run(self, act: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Call in the browser's thread, and wait."""
        return self._thread.submit(act, *args, **named).result()

    def close(self) -> None:
        self.run(self.browser.close)
        self.run(self._playwright.stop)
        self._thread.shutdown()


class Watched:
    """A browser context all of whose pages are watched; ``check`` fails for whatever went wrong in one.

    ``own``: the origins that may be asked. ``allowed``: pieces of messages that a test expects, such as "409"
    (Chromium writes every answer of 400 and above to the console).
    """

    def __init__(self, context: BrowserContext, *own: str) -> None:
        self.context, self.own = context, {origin_of(one) for one in own}
        self.allowed: list[str] = []
        self.heard: list[str] = []
        self.foreign: list[str] = []
        context.set_default_timeout(PATIENCE_MS)
        context.set_default_navigation_timeout(PATIENCE_MS)
        context.add_init_script(REPORT)
        context.on("console", lambda said: said.type in ("error", "warning") and self.heard.append(said.text))
        context.on("weberror", lambda fault: self.heard.append(f"page error: {fault.error}"))
        context.on("dialog", self._dialog)
        context.on("request", self._asked)

    def _dialog(self, dialog: Any) -> None:
        self.heard.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _asked(self, request: Request) -> None:
        scheme = urlsplit(request.url).scheme
        if scheme not in ("data", "about", "blob") and origin_of(request.url) not in self.own:
            self.foreign.append(request.url)

    def check(self) -> None:
        """Nothing was logged as an error, forbidden by the policy, or asked of others."""
        for page in self.context.pages:
            self.heard += [f"{page.url}: {one}" for one in page.evaluate("window.__broken || []")]
        wrong = [one for one in self.heard if not any(piece in one for piece in self.allowed)]
        assert not wrong, "\n".join(wrong)
        assert not self.foreign, f"other origins were asked: {self.foreign}"


def origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


THERE = """() => {
  const heading = document.querySelector("main h1"), main = document.querySelector("main");
  if (!heading || document.querySelector("main [aria-busy=true]") || /Loading …/.test(main.textContent)) return false;
  return / – Clew$/.test(document.title) || /^(Projects|Something is missing)$/.test(heading.textContent);
}"""


def settled(page: Page) -> None:
    """Waits until a page of the dashboard is there: its title is set last."""
    page.wait_for_function(THERE)


def visit(page: Page, address: str) -> None:
    """Go to an address of the dashboard, and wait until its page is there."""
    page.evaluate("document.title = ''")
    if page.url == address:
        page.reload()
    else:
        page.goto(address)
    settled(page)

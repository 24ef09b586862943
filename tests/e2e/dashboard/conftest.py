"""A browser a test worker, and a dashboard that it shows.

A test that has the fixture ``browsing`` runs in the browser's thread: it may use Playwright's objects as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Browsing, Watched, settled
from playwright.sync_api import Page
from projects_served import Served, make_english, once, serve


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs a test that uses the browser in the browser's thread."""
    browsing = pyfuncitem.funcargs.get("browsing")
    if not isinstance(browsing, Browsing):
        return None
    named = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    browsing.run(pyfuncitem.obj, **named)
    return True


@pytest.fixture(scope="session")
def browsing() -> Iterator[Browsing]:
    found = Browsing()
    yield found
    found.close()


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder of this run that all test workers have in common."""
    base = tmp_path_factory.getbasetemp()
    return base if worker_id == "master" else base.parent


@pytest.fixture(scope="session")
def english(shared_folder: Path) -> Path:
    """A project that was crawled; not to be changed."""
    return once(shared_folder / "english", make_english)


@pytest.fixture(scope="session")
def served(english: Path) -> Iterator[Served]:
    """The dashboard of ``english``."""
    with serve(english) as found:
        yield found


@pytest.fixture
def watched(browsing: Browsing, served: Served) -> Iterator[Watched]:
    """A browser that knows nothing yet, and fails the test for errors, forbidden scripts and requests to others."""
    context = browsing.run(browsing.browser.new_context, viewport={"width": 1280, "height": 900})
    found = browsing.run(Watched, context, served.origin)
    yield found
    try:
        browsing.run(found.check)
    finally:
        browsing.run(context.close)


@pytest.fixture
def page(browsing: Browsing, watched: Watched, served: Served) -> Page:
    """The dashboard of ``english``, opened by the address that was printed."""

    def opened() -> Page:
        page = watched.context.new_page()
        page.goto(served.url)
        settled(page)
        return page

    return browsing.run(opened)

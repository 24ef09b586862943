"""A small site in a folder, crawled, and a client of its dashboard's API: what the tests of the collection look at."""

from __future__ import annotations

from pathlib import Path

from starlette.testclient import TestClient

from clew.dashboard.app import plain_app
from clew.dashboard.projects import Shelf
from support import clew, write_project

SEA = "<p>sailing boats harbour wind sea rope anchor mast keel regatta</p>"
BAD = "<p>law court judge tax</p>"
BASE = "/api/projects/p"

HOSTILE = """<!DOCTYPE html><html lang=en><head><title>Hostile \u202e<script>document.title="ran"</script></title>
<meta http-equiv="refresh" content="0; url=http://evil.test/refreshed">
<base href="http://evil.test/" target="_top"><LINK rel=stylesheet href="http://evil.test/a.css">
<link/rel="dns-prefetch" href="//evil.test"><meta charset="utf-7">
<script>fetch("/api/projects").then(() => { top.location = "http://evil.test/"; })</script></head>
<body onload="document.title='ran'">{sea}<img src=x onerror="document.title='ran'"><img src="http://evil.test/pixel.png">
<a id=out href="http://evil.test/" target="_top">out</a> <a id=script href="javascript:document.title='ran'">script</a>
<form action="/api/projects/p/labels" method="post"><button id=send>send</button></form>
<svg onload="document.title='ran'"><script>document.title='ran'</script></svg>
<iframe src="/api/projects"></iframe><iframe srcdoc="<script>top.document.title='ran'</script>"></iframe>
+ADw-script+AD4-document.title='ran'+ADw-/script+AD4- \u2028 {sea}</body></html>""".replace("{sea}", SEA)


def article(title: str, text: str, links: str = "", head: str = "", lang: str = "en") -> str:
    """A page about the sea."""
    return (
        f"<html lang={lang}><head><title>{title}</title>{head}</head><body><article><h1>{title}</h1>{SEA}<p>{text}</p>"
        f"{SEA}</article>{links}</body></html>"
    )


LINKS = (
    "<a href=tidal.html>tides &amp; power</a> <a href=nuclear.html>n</a> <a href=hostile.html>h</a> <a href=gone.html>"
    "gone</a> <a href=note.txt>note</a> <a href=http://sub.g.test/d.html>d</a> <a href=off.html>law</a>"
)
DATED = '<meta name=author content="Ada Tide"><meta property="article:published_time" content="2021-03-04">'
PAGES = {
    "h.test": {
        "index.html": article("Start", "all about tides", LINKS),
        "tidal.html": article("Tidal power", "a tidal power plant by the sea", "<a href=nuclear.html>on</a>", DATED),
        "nuclear.html": article("Tidal and nuclear", "power of a tidal plant, and a nuclear power plant"),
        "hostile.html": HOSTILE,
        "off.html": f"<html><title>court</title><body>{BAD}<p>tidal law</p>{BAD}</body></html>",
        "note.txt": "sailing boats harbour wind sea rope <script>document.title='ran'</script> anchor mast regatta",
    },
    "sub.g.test": {"d.html": article("Gezeiten", "Das Gezeitenkraftwerk auf Rügen ist tidal", lang="de")},
}


def crawled_site(folder: Path, pages: dict[str, dict[str, str]] = PAGES, settings: str = "") -> Path:
    """The project ``p`` in ``folder``, with its site crawled."""
    for host, files in pages.items():
        (folder / "site" / host).mkdir(parents=True)
        for name, html in files.items():
            (folder / "site" / host / name).write_text(html, encoding="utf-8")
    project = uncrawled(folder, settings)
    clew("crawl", project, "--quiet")
    return project


def uncrawled(folder: Path, settings: str = "") -> Path:
    """The same project before its first crawl."""
    return write_project(
        folder / "p",
        ["http://h.test/index.html", "http://h.test/off.html"],
        {"good.html": SEA, "more.html": f"{SEA}<p>crew</p>"},
        {"bad.html": BAD, "worse.html": f"{BAD}<p>lawyer</p>"},
        f'[project]\nweb = "folder:{folder / "site"}"\n{settings}',
    )


def client_of(project: Path) -> TestClient:
    """A client that needs no token."""
    return TestClient(plain_app(Shelf([project])), raise_server_exceptions=False)

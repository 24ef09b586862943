"""A site whose every word is an attack on whoever shows it, and pages that attack the dashboard from outside."""

from __future__ import annotations

import html
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from clew.config import quoted
from support import clew, write_project

SAILING = "<p>sailing boats harbour wind sea rope anchor mast keel regatta</p>" * 3
HIT = "window.__hit=1"
SCRIPT = f"<script>{HIT}</script>"
BEACON = "/beacon"
"""Asked for by nobody but a browser that shows a page's markup as it came."""

ATTACK = (
    f"sailing {SCRIPT}\"'><img src={BEACON} onerror={HIT}><svg onload={HIT}></svg></textarea></title></style>-->"
    f"<iframe srcdoc='{SCRIPT}'></iframe><a href=javascript:{HIT}>x</a>{{{{constructor.constructor('{HIT}')()}}}}"
)
HARD = html.escape(ATTACK)
PATH = "/q/%3Cscript%3Ewindow.__hit=1%3C/script%3E"

FIRST = (
    f"<html lang='&quot;&gt;{html.escape(SCRIPT)}'><title>{HARD}</title><meta name=description content=\"{HARD}\">"
    f'<meta name=author content="{HARD}"><meta property=article:published_time content="{HARD}"><h1>{HARD}</h1>'
    f'{SAILING}<p>{HARD}</p><h2>{HARD}</h2><a href="/q?a={HARD}">{HARD}</a><a href="{PATH}">{HARD}</a>'
    f"<a href='/calls'>{HARD}</a><a href='/utf7'>sailing</a><a href='/iso2022'>sailing</a><a href='/plain'>sailing</a>"
    f"<a href='/moved'>{HARD}</a><a href='/gone?{HARD}'>{HARD}</a><a href='javascript:{HIT}'>sailing</a>"
    f"<a href='data:text/html,{html.escape(SCRIPT)}'>sailing</a><a href='/xhtml'>sailing</a>"
    f"<a href='http://x.invalid/?{HARD}'>{HARD}</a>"
)

CALLS = f"""<html><title>sailing calls</title><base href="/" target=_top>
<meta http-equiv=refresh content="0; url={BEACON}">
<link rel=stylesheet href="{BEACON}"><link rel=prefetch href="{BEACON}"><style>@import "{BEACON}";</style>
<script>{HIT}; top.location = "{BEACON}"; fetch("/api/projects", {{method: "POST"}}); open("{BEACON}")</script>
<script src="{BEACON}"></script><body onload="{HIT}; top.location='{BEACON}'" background="{BEACON}">{SAILING}
<form id=f action="{BEACON}" target=_top method=post><button autofocus onfocus="{HIT}">go</button></form>
<a id=top href="{BEACON}" target=_top>top</a><a id=new href="{BEACON}" target=_blank>new</a>
<img src="{BEACON}" onerror="{HIT}"><iframe src="{BEACON}"></iframe><object data="{BEACON}"></object>
<embed src="{BEACON}"><video src="{BEACON}" autoplay></video><svg onload="{HIT}"><script>{HIT}</script></svg>
<a href="javascript:{HIT}">js</a>"""
"""A page that does what an archived page must not be able to do."""

Answered = tuple[str, bytes]
UTF7 = SCRIPT.replace("<", "+ADw-").replace(">", "+AD4-").encode()
XHTML = (
    f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>sailing</title></head><body>{SAILING}'
    f"<script>{HIT}</script></body></html>"
)

PAGES: dict[str, Answered] = {
    "/": ("text/html; charset=utf-8", FIRST.encode()),
    "/calls": ("text/html; charset=utf-8", CALLS.encode()),
    "/utf7": ("text/html; charset=utf-7", b"<title>sailing " + UTF7 + b"</title>" + SAILING.encode() + UTF7),
    "/iso2022": ("text/html; charset=iso-2022-jp", b"<title>sailing \x1b$B</title>\x1b(B" + SAILING.encode() + UTF7),
    "/plain": ("text/plain", f"{SAILING} {ATTACK}".encode()),
    "/xhtml": ("application/xhtml+xml", XHTML.encode()),
}  # fmt: skip


@dataclass(slots=True)
class Site:
    """A server of two addresses: ``near`` is the same site to browsers as the dashboard, ``far`` another. ``asked`` and
    ``headers``: what a browser asked for, and all it sent with that. ``attack``: a page for /attack."""

    near: str = ""
    far: str = ""
    asked: list[str] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    attack: str = ""

    def answer(self, path: str) -> bytes:
        bare = path.partition("?")[0]
        if bare == "/moved":
            return b"HTTP/1.1 302 F\r\nLocation: /q?<script>window.__hit=1</script>\r\nContent-Length: 0\r\n\r\n"
        if bare in ("/attack", BEACON):
            kind, body = "text/html; charset=utf-8", (self.attack if bare == "/attack" else "beacon").encode()
        elif bare.startswith("/q"):
            kind, body = "text/html", f"<title>{HARD}</title>{SAILING}<a href='/'>{HARD}</a>".encode()
        else:
            kind, body = PAGES.get(bare, ("", b""))
        status = "200 OK" if kind else f"404 {SCRIPT}"
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind or 'text/html'}\r\nContent-Length: {len(body)}\r\n"
        return f"{head}Connection: close\r\n\r\n".encode() + body


@contextmanager
def serve_site() -> Iterator[Site]:
    """The site, on 127.0.0.1 and 127.0.0.2."""
    site = Site()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            first = self.rfile.readline().decode("latin-1").split()
            lines = []
            while (line := self.rfile.readline()).strip():
                lines.append(line.decode("latin-1").strip())
            if len(first) < 2:  # browsers open connections that they do not use
                return
            browser = any("chrome" in one.lower() for one in lines)
            if browser:
                site.asked.append(first[1])
                site.headers += lines
            self.wfile.write(site.answer(first[1]))

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True

        def handle_error(self, request: object, address: object) -> None:
            """A browser that goes away is no fault."""

    servers = [Server((address, 0), Handler) for address in ("127.0.0.1", "127.0.0.2")]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    site.near, site.far = (f"http://{server.server_address[0]}:{server.server_address[1]}" for server in servers)
    try:
        yield site
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


def crawl_it(site: Site, folder: Path) -> Path:
    """A project that crawled the site."""
    settings = (
        f"[project]\nname = {quoted(ATTACK)}\n"
        '[crawl]\ncontact = "a@example.org"\nworkers = 0\n[politeness]\ndelay_s = 0.0\n'
        "[web.live]\nallow_private = true\n"
    )
    write_project(
        folder,
        [f"{site.near}/"],
        {"a.html": SAILING, "b.html": SAILING + "<p>crew</p>"},
        {"c.html": "<p>law court judge tax</p>", "d.html": "<p>bank shares stock</p>"},
        settings,
    )
    clew("crawl", folder)
    return folder

"""Serving the dashboard: the socket, the address that is opened, the server."""

from __future__ import annotations

import html
import os
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import IO
from urllib.parse import quote

from clew.dashboard.guard import LOOPBACK, Access
from clew.dashboard.projects import Shelf
from clew.errors import InputError

LOCAL = "127.0.0.1"
PORT = 8711
"""Where the dashboard is unless another port is named; where it is taken, the next free one serves."""

TRIED = 20

ANYWHERE = ("0.0.0.0", "::")

GO_ON_S = 2
"""Seconds for answers that are under way when the server ends; streams end then."""


def bound(host: str, port: int | None) -> socket.socket:
    """A socket that listens on an address and port, or on the first free one from ``PORT`` on; 0: any that is free.
    Raises InputError."""
    ports = range(PORT, PORT + TRIED) if port is None else (port,)
    for one in ports:
        try:
            return _listening(host, one)
        except OverflowError as error:
            raise InputError(f"--port {one}: ports are 0 to 65535") from error
        except OSError as error:
            if one == ports[-1]:
                raise InputError(f"{host}:{one} cannot be listened on: {error.strerror or error}") from error
    raise AssertionError


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere the option would let two programs have one port
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(128)
    except BaseException:
        found.close()
        raise
    return found


def access_of(listening: socket.socket, host: str, given: str = "") -> Access:
    """Who may ask there: by the names of loopback, or where others may reach it by its address. ``given``: a token
    that the user chose. Raises InputError for one that is too short to be a secret."""
    if given and len(given) < 16:
        raise InputError("CLEW_TOKEN is too short for a secret: 16 characters at least")
    if not (given.isascii() and given.isprintable()) or " " in given:
        raise InputError("CLEW_TOKEN may have letters, digits and signs of ASCII, without spaces")
    if host in ANYWHERE:
        raise InputError(f"--host {host} has no name to open: give the address by which this machine is reached")
    port = int(listening.getsockname()[1])
    shown = f"[{host}]" if ":" in host else host.lower()
    hosts = tuple(dict.fromkeys((*LOOPBACK, shown)))
    return Access(port, given, hosts=hosts) if given else Access(port, hosts=hosts)


def address(access: Access, host: str = LOCAL) -> str:
    """The address to open, with the token."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{access.port}/?token={quote(access.token, safe='')}"


def run(
    shelf: Shelf,
    access: Access,
    listening: socket.socket,
    ready: Callable[[], None] = lambda: None,
    until_eof: IO[str] | None = None,
) -> None:
    """Serve until Ctrl-C or SIGTERM, or until ``until_eof`` ends; ``ready`` is called when requests are answered."""
    import uvicorn

    from clew.dashboard.app import make_app

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            shelf.close()  # streams end by themselves then
            await super().shutdown(sockets)

    config = uvicorn.Config(
        make_app(shelf, access), log_level="error", access_log=False, server_header=False,
        timeout_graceful_shutdown=GO_ON_S, lifespan="off", h11_max_incomplete_event_size=64_000,
    )  # fmt: skip
    server = Server(config)

    def wait_for_end() -> None:
        assert until_eof is not None
        while until_eof.read(1):
            pass
        server.should_exit = True

    if until_eof is not None:
        threading.Thread(target=wait_for_end, daemon=True).start()
    server.run(sockets=[listening])


def open_browser(url: str) -> None:
    """Open the address in the user's browser, where there is one and a terminal to see it. The token stays out of the
    command line of the browser, which other users of this machine can read: a file of this user's leads there."""
    if not sys.stdin.isatty() or not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.name == "nt"
                                      or sys.platform == "darwin"):  # fmt: skip
        return
    folder = Path(tempfile.mkdtemp(prefix="clew-"))
    page = folder / "open.html"
    page.touch(mode=0o600)
    page.write_text(f'<meta http-equiv="refresh" content="0; url={html.escape(url)}">', encoding="utf-8")
    webbrowser.open(page.as_uri())

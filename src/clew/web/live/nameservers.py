"""Asks name servers for addresses, many names at once and without threads of ours (c-ares).

The machine's hosts file, search order and resolv.conf count as they do for other programs. A name's time begins when
its question is sent.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Sequence

import aiodns
import pycares

from clew.errors import InputError

TRIES = 3
"""Times that a question is sent."""

_MISSING = {pycares.errno.ARES_ENOTFOUND, pycares.errno.ARES_ENODATA}
_NONSENSE = {pycares.errno.ARES_EBADNAME, pycares.errno.ARES_EBADQUERY, pycares.errno.ARES_EBADSTR}


class NoHostError(OSError):
    """There is no such name, or it has no address."""


class BadNameError(OSError):
    """That is no host name."""


class NameServers:
    """A client of name servers. Needs a running event loop. ``servers``: IP addresses with a port if need be; none:
    those of this machine. Raises InputError for what is no address."""

    def __init__(self, servers: Sequence[str], timeout_s: float) -> None:
        for server in servers:
            _check(server)
        # the first try gets a quarter of the time, since each further one waits longer
        self._resolver = aiodns.DNSResolver(list(servers) or None, timeout=timeout_s / 4, tries=TRIES)
        self._family = socket.AF_UNSPEC if _has_ipv6() else socket.AF_INET

    async def addresses(self, name: str) -> tuple[str, ...]:
        """The addresses of a name. Raises NoHostError, BadNameError, or OSError when the name servers failed."""
        try:
            found = await self._resolver.getaddrinfo(name, family=self._family, type=socket.SOCK_STREAM)
        except aiodns.error.DNSError as error:
            number, words = error.args[0], str(error.args[1])
            if number in _MISSING:
                raise NoHostError(words) from error
            raise (BadNameError if number in _NONSENSE else OSError)(words) from error
        return tuple(dict.fromkeys(node.addr[0].decode() for node in found.nodes))

    async def close(self) -> None:
        """Forget the questions that are open."""
        await self._resolver.close()


def _has_ipv6() -> bool:
    """Whether this machine has a way to IPv6 addresses. Connecting a UDP socket sends nothing."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            probe.connect(("2001:db8::1", 53))
    except OSError:
        return False
    return True


def _check(server: str) -> None:
    text = server
    if server.startswith("[") or server.count(":") == 1:
        text, _, port = server.rpartition(":")
        if not (port.isascii() and port.isdigit() and 0 < int(port) < 65_536):
            raise InputError(f"web.live.nameservers: {server!r} has no valid port; write 9.9.9.9 or 9.9.9.9:53")
    try:
        ipaddress.ip_address(text.strip("[]"))
    except ValueError as error:
        raise InputError(f"web.live.nameservers: {server!r} is no IP address; write 9.9.9.9 or 9.9.9.9:53") from error

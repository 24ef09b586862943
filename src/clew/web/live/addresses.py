"""Host names to IP addresses: a static map before DNS, answers kept for a while, and only checked ones handed on.

``CheckedResolver`` is what the HTTP client asks when it connects. It knows only the addresses that the world has
chosen and checked, so a name that resolves differently the second time (DNS rebinding) changes nothing.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from clew.config import LiveSettings
from clew.errors import InputError
from clew.web.base import Clock
from clew.web.live.guard import is_local_name, why_closed

FAILURE_FRESH_S = 30.0
"""A name that could not be resolved is not asked for again before."""

CACHE_NAMES = 20_000
"""Names that are kept, at most."""

_MISSING = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}


@dataclass(frozen=True, slots=True)
class Lookup:
    """What a name resolves to. ``addresses`` may be visited; when there is none, ``reason`` says why.

    ``temporary``: the name servers failed, another try may do better.
    """

    addresses: tuple[str, ...] = ()
    reason: str = ""
    temporary: bool = False


class AddressBook:
    """Looks names up, checks what comes back, and remembers it."""

    def __init__(self, settings: LiveSettings, timeout_s: float, clock: Clock) -> None:
        self._settings = settings
        self._timeout_s = timeout_s
        self._clock = clock
        self._static = {name.lower().rstrip("."): _address(name, text) for name, text in settings.resolve.items()}
        self._known: dict[str, tuple[float, Lookup]] = {}
        self._dns = ThreadedResolver()

    async def lookup(self, host: str) -> Lookup:
        """The addresses of a host name or of a literal address (an IPv6 one in brackets)."""
        kept = self._known.get(host)
        if kept is not None and kept[0] > self._clock.now():
            return kept[1]
        found = await self._look_up(host)
        self._keep(host, found)
        return found

    async def _look_up(self, host: str) -> Lookup:
        static = _mapped(self._static, host.rstrip("."))
        if static:
            return self._checked((static,))
        if is_local_name(host):
            return self._checked(("127.0.0.1", "::1"))
        literal = host.strip("[]")
        if _is_address(literal):
            return self._checked((literal,))
        return await self._ask(host)

    async def _ask(self, host: str) -> Lookup:
        try:
            async with asyncio.timeout(self._timeout_s):
                answers = await self._dns.resolve(host, 0, socket.AF_UNSPEC)
        except TimeoutError:
            return Lookup(reason=f"no address for {host} within {self._timeout_s:g} s", temporary=True)
        except UnicodeError:
            return Lookup(reason=f"{host[:80]} is no host name")
        except OSError as error:
            return _unresolved(host, error)
        return self._checked(tuple(answer["host"] for answer in answers))

    def _checked(self, addresses: tuple[str, ...]) -> Lookup:
        """The addresses that may be visited, IPv4 first: it works everywhere."""
        if self._settings.allow_private:
            return Lookup(tuple(sorted(dict.fromkeys(addresses), key=_is_ipv6)))
        closed = {address: why_closed(address) for address in addresses}
        usable = tuple(sorted((address for address, why in closed.items() if not why), key=_is_ipv6))
        return Lookup(usable, "" if usable else next(iter(closed.values()), "the name has no address"))

    def _keep(self, host: str, found: Lookup) -> None:
        now = self._clock.now()
        if len(self._known) >= CACHE_NAMES:
            self._known = {name: entry for name, entry in self._known.items() if entry[0] > now}
            if len(self._known) >= CACHE_NAMES:
                self._known.clear()
        fresh_s = self._settings.dns_fresh_s if found.addresses else FAILURE_FRESH_S
        self._known[host] = (now + fresh_s, found)


class CheckedResolver(AbstractResolver):
    """Answers the HTTP client with the one address chosen for a host, and with nothing else."""

    def __init__(self) -> None:
        self.chosen: dict[str, str] = {}

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        address = self.chosen.get(host.rstrip("."))
        if address is None:
            raise OSError(f"no address was chosen for {host}")
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if _is_ipv6(address) else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
        ]

    async def close(self) -> None:
        """Nothing to let go of."""


def guarded_socket(allow_private: bool) -> Callable[[aiohttp.AddrInfoType], socket.socket]:
    """A maker of sockets that looks at the very address about to be connected to: the last line of defence."""

    def make(info: aiohttp.AddrInfoType) -> socket.socket:
        family, kind, protocol, _, place = info
        why = "" if allow_private else why_closed(str(place[0]))
        if why:
            raise PermissionError(f"refused to connect: {why}")
        return socket.socket(family, kind, protocol)

    return make


def _unresolved(host: str, error: OSError) -> Lookup:
    if error.errno in _MISSING:
        return Lookup(reason=f"there is no host {host}")
    return Lookup(reason=f"the address of {host} cannot be looked up: {error.strerror or error}", temporary=True)


def _mapped(table: Mapping[str, str], host: str) -> str:
    """The static address of a host: its own entry, else that of the nearest ``*.parent``."""
    if not table:
        return ""
    labels = host.split(".")
    names = [host, *("*." + ".".join(labels[i:]) for i in range(1, len(labels)))]
    return next((table[name] for name in names if name in table), "")


def _address(name: str, text: str) -> str:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError as error:
        raise InputError(f"web.live.resolve: {name} = {text!r} is no IP address") from error


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_ipv6(address: str) -> bool:
    return ":" in address

"""Host names to IP addresses: a static map before DNS, answers kept for a while, and only checked ones handed on.

``CheckedResolver`` is what the HTTP client asks when it connects. It knows only the addresses that the world has
chosen and checked, so a name that resolves differently the second time (DNS rebinding) changes nothing.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from clew.config import LiveSettings, PolitenessSettings
from clew.errors import SHORTAGES, InputError
from clew.web.base import Clock
from clew.web.live.allowance import allowed
from clew.web.live.guard import is_local_name, why_closed
from clew.web.live.machine import Machine
from clew.web.live.nameservers import BadNameError, NameServers, NoHostError
from clew.web.live.silence import Silence

A_SECOND = 500
"""Names that are asked for in a second, at most; others come later, and their waiting is no part of their time."""

AT_ONCE = 5_000
"""Names that are asked for at the same time, at most: by then most of them are dead, and no good one waits for them."""

CACHE_NAMES = 20_000
"""Names that are kept, at most."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """What a name resolves to. ``addresses`` may be visited; when there is none, ``reason`` says why.

    ``again_at``: a time at which another look-up may do better, None when it cannot. ``queued``: the name was not asked
    for at all. ``given_up``: a run with nothing else to do does not wait for it.
    """

    addresses: tuple[str, ...] = ()
    reason: str = ""
    again_at: float | None = None
    queued: bool = False
    given_up: bool = False


class AddressBook:
    """Looks names up, checks what comes back, and remembers it. Needs a running event loop."""

    def __init__(
        self,
        settings: LiveSettings,
        politeness: PolitenessSettings,
        timeout_s: float,
        clock: Clock,
        machine: Machine | None = None,
    ) -> None:
        self._settings = settings
        self._politeness = politeness
        self._timeout_s = timeout_s
        self._clock = clock
        self._machine = machine or Machine(1, 0, clock)
        self._static = {name.lower().rstrip("."): _address(name, text) for name, text in settings.resolve.items()}
        self._known: dict[str, tuple[float, Lookup]] = {}
        self._silent: dict[str, Silence] = {}
        self._under_way: dict[str, asyncio.Task[Lookup]] = {}
        self._turns: dict[str, float] = {}
        self._next_turn = 0.0
        self._dns = NameServers(settings.nameservers, timeout_s)

    async def close(self) -> None:
        """Forget what is under way."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._dns.close()

    def known(self, host: str) -> Lookup | None:
        """What is known of a host name or literal address (an IPv6 one in brackets) without asking anybody."""
        kept = self._known.get(host)
        if kept is not None and kept[0] > self._clock.now():
            return kept[1]
        static = _mapped(self._static, host.rstrip("."))
        if static:
            return self._checked((static,))
        if is_local_name(host):
            return self._checked(("127.0.0.1", "::1"))
        literal = host.strip("[]")
        return self._checked((literal,)) if _is_address(literal) else None

    async def lookup(self, host: str) -> Lookup:
        """The addresses of a host name or of a literal address (an IPv6 one in brackets)."""
        known = self.known(host)
        if known is not None:
            return known
        task = self._under_way.get(host)
        if task is None:
            turn = self._turn(host)
            if turn > self._clock.now():
                return Lookup(reason=f"{host} waits to be looked up", again_at=turn, queued=True)
            task = self._under_way[host] = asyncio.ensure_future(self._ask(host))
            task.add_done_callback(lambda _: self._under_way.pop(host, None))
        return await asyncio.shield(task)

    def _turn(self, host: str) -> float:
        """When a name is asked for: each is told its own time once, in the order they come."""
        now = self._clock.now()
        if len(self._under_way) >= AT_ONCE:
            return now + 1.0
        turn = self._turns.pop(host, None)
        if turn is None:
            turn = max(self._next_turn, now - 0.1)  # a tenth of a second's worth may come at once
            self._next_turn = turn + 1 / A_SECOND
        if turn > now:
            if len(self._turns) >= CACHE_NAMES:
                self._turns.clear()
            self._turns[host] = turn
        return turn

    async def _ask(self, host: str) -> Lookup:
        found = self._unasked(host) or await self._answer(host)
        if not found.addresses:
            found = self._unasked(host) or found  # what was lacking for an answer is no answer
        if found.queued:
            return found
        now = self._clock.now()
        if found.addresses or found.again_at is None:
            self._silent.pop(host, None)
        else:
            found = self._rests(host, found, now)
        self._keep(host, found, now)
        return found

    def _unasked(self, host: str) -> Lookup | None:
        """What is known of a name while this machine cannot open what it takes to ask; None when it can."""
        number = self._machine.lacks()
        if not number:
            return None
        reason = f"{host} cannot be looked up: {SHORTAGES[number].partition(':')[0]}"
        return Lookup(reason=reason, again_at=self._machine.again_at, queued=True)

    async def _answer(self, host: str) -> Lookup:
        try:
            async with allowed(self._timeout_s):
                return self._checked(await self._dns.addresses(host))
        except TimeoutError:
            return Lookup(reason=f"no address for {host} within {self._timeout_s:g} s", again_at=0.0)
        except NoHostError:
            return Lookup(reason=f"there is no host {host}", again_at=0.0, given_up=True)
        except (BadNameError, UnicodeError):
            return Lookup(reason=f"{host[:80]} is no host name")
        except OSError as error:
            return Lookup(reason=f"the address of {host} cannot be looked up: {error}", again_at=0.0)

    def _rests(self, host: str, found: Lookup, now: float) -> Lookup:
        """A name that was not found is asked for again, later and later."""
        if len(self._silent) >= CACHE_NAMES:
            self._silent.clear()
        silence = self._silent.setdefault(host, Silence())
        silence.miss(found.reason, now, self._settings.dns_failed_s, self._politeness.longest_rest_s)
        often = silence.times >= self._politeness.give_up_after + self._politeness.probes
        return replace(found, again_at=silence.until, given_up=found.given_up or often)

    def _checked(self, addresses: tuple[str, ...]) -> Lookup:
        """The addresses that may be visited, IPv4 first: it works everywhere."""
        if self._settings.allow_private:
            return Lookup(tuple(sorted(dict.fromkeys(addresses), key=_is_ipv6)))
        closed = {address: why_closed(address) for address in addresses}
        usable = tuple(sorted((address for address, why in closed.items() if not why), key=_is_ipv6))
        return Lookup(usable, "" if usable else next(iter(closed.values()), "the name has no address"))

    def _keep(self, host: str, found: Lookup, now: float) -> None:
        if len(self._known) >= CACHE_NAMES:
            self._known = {name: entry for name, entry in self._known.items() if entry[0] > now}
            if len(self._known) >= CACHE_NAMES:
                self._known.clear()
        self._known[host] = (now + self._settings.dns_fresh_s if found.again_at is None else found.again_at, found)


class CheckedResolver(AbstractResolver):
    """Answers the HTTP client with the one address chosen for a host, and with nothing else.

    ``proxies``: the addresses of proxies, by host and port.
    """

    def __init__(self) -> None:
        self.chosen: dict[str, str] = {}
        self.proxies: dict[tuple[str, int], str] = {}

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        address = self.proxies.get((host, port)) or self.chosen.get(host.rstrip("."))
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


def guarded_socket(
    allow_private: bool, proxies: Container[tuple[str, int]] = ()
) -> Callable[[aiohttp.AddrInfoType], socket.socket]:
    """A maker of sockets that looks at the very address about to be connected to: the last line of defence.

    ``proxies``: addresses and ports of proxies, which users chose themselves.
    """

    def make(info: aiohttp.AddrInfoType) -> socket.socket:
        family, kind, protocol, _, place = info
        free = allow_private or (str(place[0]), place[1]) in proxies
        why = "" if free else why_closed(str(place[0]))
        if why:
            raise PermissionError(f"refused to connect: {why}")
        return socket.socket(family, kind, protocol)

    return make


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


@lru_cache(maxsize=1 << 12)
def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_ipv6(address: str) -> bool:
    return ":" in address

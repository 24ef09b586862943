"""Proxies between us and the web: which one a URL goes through, and how SOCKS ones are spoken to.

Proxies come from [web.live] or, as for curl and wget, from http_proxy, https_proxy, all_proxy and no_proxy in the
environment (in small letters or capitals; small ones count first). An HTTP proxy gets the name of the host and looks
it up itself; so does a socks5h one; a socks5 one gets the address that was looked up, and checked, here.
"""

from __future__ import annotations

import base64
import ipaddress
import os
import re
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

import aiohttp
from python_socks import ProxyConnectionError, ProxyError, ProxyTimeoutError, ProxyType
from python_socks.async_.asyncio import Proxy as Client

from clew.config import LiveSettings
from clew.errors import ConfigError, shown
from clew.web.live.guard import SWITCH, is_local_name
from clew.web.live.targets import Target, take_apart

ENVIRONMENT: Final = "env"
"""What the settings say for: as the environment says."""

_PORTS: Final = {"http": 80, "socks5": 1080, "socks5h": 1080}
_PROXY_URL = re.compile(r"(?:(?P<scheme>[a-z0-9+.-]+)://)?(?:(?P<user>.*)@)?(?P<place>[^@/?#\s]+)/?", re.IGNORECASE)


class ProxyDownError(aiohttp.ClientError):
    """The proxy itself cannot be reached."""


class ProxyRefusedError(aiohttp.ClientError):
    """The proxy does not connect us to the host."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy. ``scheme``: http, socks5 or socks5h; ``name`` is how messages call it, without credentials."""

    scheme: str
    host: str
    port: int
    user: str = ""
    password: str = ""

    @property
    def name(self) -> str:
        return f"{self.scheme}://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def authorization(self) -> str:
        """The Proxy-Authorization header; "" without credentials."""
        if not (self.user or self.password):
            return ""
        return f"Basic {base64.b64encode(f'{self.user}:{self.password}'.encode()).decode()}"

    def tunnels(self, target: Target) -> bool:
        """Whether it connects us to the host of a URL (by SOCKS or CONNECT); else it is asked for the page."""
        return self.scheme != "http" or target.origin.startswith("https:")

    async def connect(self, place: str, port: int, timeout_s: float | None) -> socket.socket:
        """A connection to an IP address or host name. Raises ProxyDownError, ProxyRefusedError and TimeoutError."""
        kind = ProxyType.HTTP if self.scheme == "http" else ProxyType.SOCKS5
        user, password = (self.user, self.password) if self.user or self.password else (None, None)
        client = Client(kind, self.host, self.port, user, password, rdns=True)
        try:
            return await client.connect(place.strip("[]"), port, timeout=timeout_s)
        except ProxyConnectionError as error:
            raise ProxyDownError(f"the proxy {self.name} cannot be reached: {_words(error)}") from error
        except ProxyTimeoutError as error:
            raise TimeoutError(f"the proxy {self.name} did not answer in time") from error
        except ProxyError as error:
            words = str(error) or "nothing, and hangs up"
            raise ProxyRefusedError(f"the proxy {self.name} says: {words}") from error


class Proxies:
    """Which proxy each URL goes through. Raises ConfigError for settings that name none."""

    def __init__(self, live: LiveSettings, environment: Mapping[str, str] = os.environ) -> None:
        self._guarded = not live.allow_private
        self._trusted = live.proxy_resolves
        known = Environment(environment)
        from_environment = live.proxy.strip() == ENVIRONMENT
        own = None if from_environment else _proxy(live.proxy.strip(), "web.live.proxy")
        own_https = _proxy(live.https_proxy.strip(), "web.live.https_proxy")
        self._by_scheme = {
            "http": known.proxy("http") if from_environment else own,
            "https": own_https or (known.proxy("https") if from_environment else own),
        }
        self._direct = Exceptions([*live.no_proxy, *known.exceptions()])
        for proxy in self.all():
            self._check(proxy)

    def all(self) -> list[Proxy]:
        """The proxies that there are, each once."""
        return list(dict.fromkeys(proxy for proxy in self._by_scheme.values() if proxy is not None))

    def of(self, target: Target) -> Proxy | None:
        """The proxy for a URL; None: it is asked directly."""
        proxy = self._by_scheme[target.origin.partition(":")[0]]
        return None if proxy is None or self._direct.take_in(target.host, target.port) else proxy

    def resolves(self, target: Target) -> bool:
        """Whether the proxy alone looks the host of a URL up, so that its address is neither known nor checked here."""
        proxy = self.of(target)
        if proxy is None or proxy.scheme == "socks5":
            return False
        if not self._guarded:
            return True
        return self._trusted and not (_address(target.host) or is_local_name(target.host))

    def _check(self, proxy: Proxy) -> None:
        if proxy.scheme == "socks5h" and self._guarded and not self._trusted:
            raise ConfigError(
                f"the proxy {proxy.name} looks names up itself, where the address guard cannot see what it finds: "
                f"say socks5:// to look them up here, or set web.live.proxy_resolves (or {SWITCH})"
            )


class Environment:
    """The variables that curl and wget know."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables

    def proxy(self, scheme: str) -> Proxy | None:
        """The proxy for a scheme. Raises ConfigError naming the variable."""
        names = [f"{scheme}_proxy", f"{scheme}_proxy".upper(), "all_proxy", "ALL_PROXY"]
        if self._variables.get("REQUEST_METHOD"):  # in a CGI script that one is a header of the visitor
            names = [name for name in names if name != "HTTP_PROXY"]
        name = next((name for name in names if self._variables.get(name, "").strip()), "")
        return _proxy(self._variables[name].strip(), name) if name else None

    def exceptions(self) -> list[str]:
        """What no_proxy names."""
        text = self._variables.get("no_proxy") or self._variables.get("NO_PROXY") or ""
        return [one for one in re.split(r"[,\s]+", text) if one]


class Exceptions:
    """Hosts that are asked without a proxy: ``*`` for all, ``example.org`` and ``.example.org`` for a domain with its
    subdomains, addresses, networks (10.0.0.0/8), each perhaps with a port. Host names are not looked up for them."""

    def __init__(self, entries: Iterable[str]) -> None:
        self._all = False
        self._names: set[tuple[str, int]] = set()
        self._networks: list[tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, int]] = []
        for entry in entries:
            self._add(entry.strip().lower())

    def take_in(self, host: str, port: int) -> bool:
        """Whether a host (a name, or an address; of IPv6 in brackets) is an exception."""
        if self._all:
            return True
        address = _address(host)
        if address is not None:
            found = (network for network, only in self._networks if only in (0, port))
            return any(address.version == network.version and address in network for network in found)
        labels = host.rstrip(".").split(".")
        names = (".".join(labels[i:]) for i in range(len(labels)))
        return any((name, only) in self._names for name in names for only in (0, port))

    def _add(self, entry: str) -> None:
        if entry == "*":
            self._all = True
            return
        found = re.fullmatch(r"(\[[^\]]*\](?:/[0-9]+)?|[^:]+)(?::([0-9]{1,5}))?", entry)
        name, port = (found[1], int(found[2] or 0)) if found is not None else (entry, 0)
        try:
            self._networks.append((ipaddress.ip_network(name.replace("[", "").replace("]", ""), strict=False), port))
        except ValueError:
            self._names.add((name.removeprefix("*").strip("."), port))


def _proxy(text: str, where: str) -> Proxy | None:
    """A proxy as users write it: http://me:secret@proxy.example.org:3128, or without the scheme. Raises ConfigError."""
    if not text:
        return None
    found = _PROXY_URL.fullmatch(text)
    scheme = (found["scheme"] or "http").lower() if found is not None else ""
    scheme = {"socks": "socks5"}.get(scheme, scheme)
    try:
        if found is None or scheme not in _PORTS:
            raise ValueError("its scheme is none of: http, socks5, socks5h")
        place = take_apart(f"http://{found['place']}/")
        given = re.search(r":([0-9]+)\Z", found["place"])
        user, _, password = (found["user"] or "").partition(":")
        port = int(given[1]) if given is not None else _PORTS[scheme]
        return Proxy(scheme, place.host.strip("[]"), port, unquote(user), unquote(password))
    except ValueError as error:
        raise ConfigError(
            f"{where} = {shown(text)!r} is no proxy ({error}): write http://HOST:PORT or socks5://HOST:PORT, with "
            "USER:PASSWORD@ before the host if it wants them"
        ) from error


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None


def _words(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)

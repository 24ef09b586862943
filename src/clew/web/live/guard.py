"""The address guard: where a crawler must never be led to.

A public page may name any host, and DNS may answer with any address. Without a guard a link could make the crawler
read the router, a database without a password or the metadata service of a cloud. The networks are those of IANA's
registries of special-purpose addresses (IPv4 and IPv6), written down here so that the answer does not depend on the
version of Python; of IPv6 only global unicast (2000::/3) is open at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

SWITCH: Final = "web.live.allow_private"
"""The setting that takes the guard away."""

_METADATA: Final = frozenset(
    ip_address(text)
    for text in (
        "169.254.169.254", "169.254.170.2", "fd00:ec2::254", "fe80::a9fe:a9fe",  # Amazon, and most others
        "fd20:ce::254", "100.100.100.200", "168.63.129.16", "192.0.0.192",  # Google, Alibaba, Azure, Oracle
    )
)  # fmt: skip

_NETWORKS: Final = tuple(
    (ip_network(network), kind)
    for kind, networks in {
        "a loopback address": ("127.0.0.0/8", "::1/128"),
        "an unspecified address": ("0.0.0.0/32", "::/128"),
        "a broadcast address": ("255.255.255.255/32",),
        "a link-local address": ("169.254.0.0/16", "fe80::/10"),
        "a multicast address": ("224.0.0.0/4", "ff00::/8"),
        "a private address": (
            "0.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10", "64:ff9b:1::/48",
        ),
        "a shared address of providers (CGNAT)": ("100.64.0.0/10",),
        "an address for documentation or tests": (
            "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "198.18.0.0/15", "2001:db8::/32", "3fff::/20",
        ),
        "a reserved address": ("192.0.0.0/24", "192.88.99.0/24", "240.0.0.0/4", "2001::/23", "100::/64", "5f00::/16"),
    }.items()
    for network in networks
)  # fmt: skip
_UNICAST: Final = IPv6Network("2000::/3")

_NAT64: Final = IPv6Network("64:ff9b::/96")  # RFC 6052
_AT_THE_END: Final = (
    _NAT64,
    IPv6Network("::/96"),  # compatible with IPv4 (RFC 4291, obsolete)
    IPv6Network("::ffff:0:0:0/96"),  # translated (RFC 2765)
)
_ONE_BIT: Final = IPv6Network("::/127")  # unspecified and loopback: they are no compatible addresses
_ISATAP: Final = frozenset((0x0000_5EFE, 0x0200_5EFE))  # RFC 5214 section 6.1

BAD_PORTS: Final = frozenset((
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
    532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060,
    5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
))  # fmt: skip
"""Ports of mail, name and file servers that browsers refuse too (Fetch Standard section 2.9): some of these servers
take a request for commands."""


def why_closed(address: str) -> str:
    """Why ``address`` must not be visited, in words; an empty string when it may be."""
    try:
        ip = ip_address(address)
    except ValueError:
        return f"{address[:80]!r} is no IP address"
    kind = _kind(ip)
    return f"{address} is {kind} ({SWITCH})" if kind else ""


def why_bad_port(port: int) -> str:
    """Why no port ``port`` must be visited, in words; an empty string when it may be."""
    return f"port {port} is not for web servers ({SWITCH})" if port in BAD_PORTS else ""


def is_local_name(host: str) -> bool:
    """Whether a name means this machine whatever name servers say (RFC 6761 section 6.3)."""
    return host.rstrip(".").rpartition(".")[2].lower() == "localhost"


def _kind(ip: IPv4Address | IPv6Address) -> str:
    if ip in _METADATA or _without_zone(ip) in _METADATA:
        return "a metadata service"
    if isinstance(ip, IPv6Address):
        inner = next((kind for one in _embedded(ip) if (kind := _kind(one))), "")
        if inner or _is_translated(ip):
            return inner
    for network, kind in _NETWORKS:
        if ip.version == network.version and ip in network:
            return kind
    if isinstance(ip, IPv6Address) and ip not in _UNICAST:
        return "a reserved address"
    return ""


def _is_translated(ip: IPv6Address) -> bool:
    """Whether packets to ``ip`` go to an IPv4 address in any network, so that that address alone decides."""
    return ip.ipv4_mapped is not None or ip in _NAT64 or ip.sixtofour is not None


def _embedded(ip: IPv6Address) -> Iterator[IPv4Address]:
    """The IPv4 addresses that packets to ``ip`` may end up at: mapped, compatible, translated, NAT64, 6to4, Teredo
    (server and client) and ISATAP."""
    number = int(ip)
    if ip in _ONE_BIT:
        return
    if ip.ipv4_mapped is not None:
        yield ip.ipv4_mapped
    if ip.sixtofour is not None:
        yield ip.sixtofour
    if ip.teredo is not None:
        yield from ip.teredo
    if any(ip in network for network in _AT_THE_END) or (number >> 32) & 0xFFFF_FFFF in _ISATAP:
        yield IPv4Address(number & 0xFFFF_FFFF)


def _without_zone(ip: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    return ip_address(int(ip)) if isinstance(ip, IPv6Address) else ip

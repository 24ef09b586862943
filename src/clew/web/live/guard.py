"""The address guard: which IP addresses a crawler must never be led to.

A public page may name any host, and DNS may answer with any address. Without a guard a link could make the crawler
read the router, a database without a password or the metadata service of a cloud.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

_METADATA = frozenset(
    ip_address(text) for text in ("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16")
)
_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052
_NAT64_LOCAL = IPv6Network("64:ff9b:1::/48")  # RFC 8215
_KINDS = (
    ("is_loopback", "a loopback address"),
    ("is_unspecified", "an unspecified address"),
    ("is_link_local", "a link-local address"),
    ("is_multicast", "a multicast address"),
    ("is_site_local", "a private address"),
    ("is_private", "a private address"),
    ("is_reserved", "a reserved address"),
)


def why_closed(address: str) -> str:
    """Why ``address`` must not be visited, in words; an empty string when it may be."""
    try:
        ip = ip_address(address)
    except ValueError:
        return f"{address[:80]!r} is no IP address"
    kind = _kind(ip)
    return f"{address} is {kind} (web.live.allow_private)" if kind else ""


def _kind(ip: IPv4Address | IPv6Address) -> str:
    if ip in _METADATA:
        return "a metadata service"
    if isinstance(ip, IPv6Address):
        if ip in _NAT64_LOCAL:
            return "a private address"
        inner = _embedded(ip)
        if inner is not None:
            return _kind(inner)
    for attribute, words in _KINDS:
        if getattr(ip, attribute, False):
            return words
    return "" if ip.is_global else "not a public address"


def _embedded(ip: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that packets to ``ip`` end up at: mapped, 6to4 or NAT64."""
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFF_FFFF)
    return ip.ipv4_mapped or ip.sixtofour

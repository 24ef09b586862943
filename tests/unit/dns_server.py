"""A name server on loopback, for tests: it knows some names, and answers others as it is told to, late or never."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import cast

NXDOMAIN, SERVFAIL = 3, 2


class NameServer(asyncio.DatagramProtocol):
    """``answer`` says for a name: its addresses (text), NXDOMAIN, SERVFAIL, or None for silence. ``asked`` holds the
    names of all questions, twice where both families were asked for."""

    def __init__(self, answer: Callable[[str], list[str] | int | None], late_s: float = 0.0) -> None:
        self.answer = answer
        self.late_s = late_s
        self.asked: list[str] = []
        self.port = 0

    @property
    def address(self) -> str:
        """What stands in web.live.nameservers."""
        return f"127.0.0.1:{self.port}"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)
        self.port = int(transport.get_extra_info("sockname")[1])

    def datagram_received(self, data: bytes, sender: tuple[str | bytes, int]) -> None:
        name, kind, end = _question(data)
        self.asked.append(name)
        told = self.answer(name)
        if told is None:
            return
        found = [ip_address(text) for text in told] if isinstance(told, list) else []
        wanted = {1: 4, 28: 6}.get(kind, 0)
        packed = [ip.packed for ip in found if ip.version == wanted]
        head = data[:2] + struct.pack(">HHHHH", 0x8180 | (told if isinstance(told, int) else 0), 1, len(packed), 0, 0)
        body = b"".join(b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(raw)) + raw for raw in packed)
        reply = head + data[12:end] + body
        asyncio.get_running_loop().call_later(self.late_s, self._transport.sendto, reply, sender)


def _question(data: bytes) -> tuple[str, int, int]:
    """Name, type and end of the question."""
    labels, at = [], 12
    while size := data[at]:
        labels.append(data[at + 1 : at + 1 + size].decode().lower())
        at += 1 + size
    return ".".join(labels), int.from_bytes(data[at + 1 : at + 3], "big"), at + 5


@asynccontextmanager
async def naming(answer: Callable[[str], list[str] | int | None], late_s: float = 0.0) -> AsyncIterator[NameServer]:
    """A name server that runs."""
    loop = asyncio.get_running_loop()
    transport, server = await loop.create_datagram_endpoint(
        lambda: NameServer(answer, late_s), local_addr=("127.0.0.1", 0)
    )
    try:
        yield server
    finally:
        transport.close()

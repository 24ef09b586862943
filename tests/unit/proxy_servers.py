"""An HTTP proxy and a SOCKS5 proxy on loopback, for the tests of the live world. They look no name up: the host they
reach is always 127.0.0.1, so names of hosts come to them as they were sent, and no test asks a name server."""

from __future__ import annotations

import asyncio
import base64
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

HERE = "127.0.0.1"


@dataclass
class ProxyServer:
    """``asked``: the places that it was asked for, as they were written. ``credentials``: user:password it wants.
    ``refuses``: an HTTP status, or a SOCKS reply, that it gives instead of a connection."""

    credentials: str = ""
    refuses: int = 0
    asked: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    port: int = 0

    async def http(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection: requests in absolute form, or a tunnel."""
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            self.heads.append(head)
            method, place, _ = head.split(" ", 2)
            self.asked.append(f"CONNECT {place}" if method == "CONNECT" else place)
            wanted = base64.b64encode(self.credentials.encode()).decode()
            if self.credentials and f"Proxy-Authorization: Basic {wanted}" not in head:
                writer.write(b"HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n")
                continue
            if self.refuses:
                writer.write(f"HTTP/1.1 {self.refuses} No\r\nContent-Length: 0\r\n\r\n".encode())
                continue
            if method == "CONNECT":
                upstream = await asyncio.open_connection(HERE, int(place.rpartition(":")[2]))
                writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
                await relay(reader, writer, *upstream)
                return
            await self._forward(place, head, writer)

    async def _forward(self, url: str, head: str, writer: asyncio.StreamWriter) -> None:
        place, _, path = url.partition("//")[2].partition("/")
        lines = [line for line in head.split("\r\n")[1:] if line and not line.lower().startswith("proxy-")]
        answers, upstream = await asyncio.open_connection(HERE, int(place.rpartition(":")[2]))
        upstream.write("\r\n".join([f"GET /{path} HTTP/1.1", *lines, "", ""]).encode())
        head = (await answers.readuntil(b"\r\n\r\n")).decode()
        length = int(head.lower().partition("content-length: ")[2].partition("\r\n")[0])
        writer.write(head.encode() + await answers.readexactly(length))
        await closed(upstream)

    async def socks(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection (RFC 1928, RFC 1929)."""
        _, count = await reader.readexactly(2)
        await reader.readexactly(count)
        if self.credentials:
            writer.write(b"\x05\x02")
            await reader.readexactly(1)
            user = await reader.readexactly((await reader.readexactly(1))[0])
            password = await reader.readexactly((await reader.readexactly(1))[0])
            good = f"{user.decode()}:{password.decode()}" == self.credentials
            writer.write(b"\x01\x00" if good else b"\x01\x01")
            if not good:
                return
        else:
            writer.write(b"\x05\x00")
        _, _, _, kind = await reader.readexactly(4)
        if kind == 3:
            place = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
        elif kind == 1:
            place = socket.inet_ntop(socket.AF_INET, await reader.readexactly(4))
        else:
            place = socket.inet_ntop(socket.AF_INET6, await reader.readexactly(16))
        port = int.from_bytes(await reader.readexactly(2), "big")
        self.asked.append(f"{place}:{port}")
        if self.refuses:
            writer.write(bytes((5, self.refuses, 0, 1, 0, 0, 0, 0, 0, 0)))
            return
        upstream = await asyncio.open_connection(HERE, port)
        writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
        await relay(reader, writer, *upstream)


async def relay(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    upstream: asyncio.StreamReader,
    upstream_writer: asyncio.StreamWriter,
) -> None:
    """Bytes both ways until both sides are through."""

    async def copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await source.read(65_536):
                sink.write(data)
        sink.close()

    try:
        await asyncio.gather(copy(reader, upstream_writer), copy(upstream, writer))
    finally:
        await closed(upstream_writer)


async def closed(writer: asyncio.StreamWriter) -> None:
    """Close a connection and wait for it."""
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


@asynccontextmanager
async def proxying(kind: str, credentials: str = "", refuses: int = 0, port: int = 0) -> AsyncIterator[ProxyServer]:
    """A proxy of a kind, http or socks."""
    proxy = ProxyServer(credentials, refuses)
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await (proxy.http if kind == "http" else proxy.socks)(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            await closed(writer)

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accept, HERE, port)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()

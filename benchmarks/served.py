"""Any web of the lab (sim:..., archive:FILE) over real HTTP on loopback, every answer late.

    python -m benchmarks.served WEB --port N [--addresses 40] [--latency 0.05 0.2] [--certificate FILE]

Every address answers for every host. A server is asked for a path, with the host in the Host header; or, as a proxy,
for a whole URL, or for a tunnel (CONNECT), at whose end it speaks TLS for any host with the certificate and key in
FILE. The latency of a URL is drawn from the range by the URL. robots.txt is missing everywhere, which allows all. It
serves until standard input closes.
"""

from __future__ import annotations

import argparse
import asyncio
import ssl
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from clew.config import ArchiveSettings, Settings, WebSettings
from clew.model import Request, Response
from clew.web.base import World
from clew.web.registry import make as make_world

HEAD_BYTES = 1 << 16
_FRAMING = frozenset(("content-length", "content-encoding", "transfer-encoding", "connection", "keep-alive", "trailer"))
"""Headers that say how a body was sent: here it is sent otherwise."""


def address(number: int) -> str:
    """The loopback address of a host by its number."""
    return f"127.0.{16 + number // 250}.{number % 250 + 1}"


@dataclass(frozen=True, slots=True)
class Server:
    """Answers from ``world``; ``latency``: the least and the greatest, in seconds; ``tls``: for tunnels."""

    world: World
    latency: tuple[float, float]
    tls: ssl.SSLContext | None = None

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            origin = ""
            while True:
                lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                method, target, _ = lines[0].split(" ", 2)
                if method == "CONNECT":
                    writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
                    assert self.tls is not None, "a tunnel needs --certificate"
                    await writer.start_tls(self.tls)
                    origin = f"https://{target.removesuffix(':443')}"
                    continue
                url = target if "://" in target else (origin or f"http://{_host(lines)}") + target
                await asyncio.sleep(self.wait(url))
                writer.write(await self.answer(url))
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the crawl hung up, or the server ends
        finally:
            writer.close()

    def wait(self, url: str) -> float:
        """Seconds before the answer to a URL."""
        low, high = self.latency
        return low + (high - low) * zlib.crc32(url.encode()) / 0xFFFF_FFFF

    async def answer(self, url: str) -> bytes:
        """The message that answers a request."""
        if url.split("/", 3)[3:] == ["robots.txt"]:
            return b"HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n"
        return _message(await self.world.fetch(Request(url)))


def _host(lines: list[str]) -> str:
    return next(line.partition(":")[2].strip() for line in lines if line.lower().startswith("host:"))


def _message(found: Response) -> bytes:
    lines = [f"HTTP/1.1 {found.status or 502} Answer", f"Content-Length: {len(found.body)}"]
    lines += [f"{name}: {value}" for name, value in found.headers if name.lower() not in _FRAMING]
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + found.body


async def serve(web: str, addresses: list[str], port: int, latency: tuple[float, float], certificate: str) -> None:
    """Serve until standard input closes."""
    tls = None
    if certificate:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(certificate)
    world, _ = make_world(web, Settings(web=WebSettings(archive=ArchiveSettings(closed=False))))
    await world.open()
    server = await asyncio.start_server(Server(world, latency, tls).connection, addresses, port, limit=HEAD_BYTES)
    print("ready", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    server.close()
    await world.close()


def make_certificate(folder: Path) -> Path:
    """A new certificate and its key, in one file, by the openssl program."""
    file = folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=loopback.test"]
    subprocess.run([*command, "-keyout", str(file), "-out", str(file)], check=True, capture_output=True)
    return file


@contextmanager
def running(
    web: str, port: int, latency: tuple[float, float], *, addresses: int = 1, certificate: Path | None = None
) -> Iterator[None]:
    """The web served by a process of its own, on so many addresses."""
    command = [sys.executable, "-m", "benchmarks.served", web, "--port", str(port), "--addresses", str(addresses)]
    command += ["--latency", *map(str, latency), *(["--certificate", str(certificate)] if certificate else [])]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdin is not None
    try:
        if process.stdout.readline() != "ready\n":
            raise RuntimeError(f"{web} could not be served on port {port}")
        yield
    finally:
        process.stdin.close()
        try:
            process.wait(timeout=20)
        finally:
            process.kill()
            process.stdout.close()


def main() -> None:
    """Serve what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--addresses", type=int, default=1)
    parser.add_argument("--latency", type=float, nargs=2, default=(0.05, 0.2))
    parser.add_argument("--certificate", default="")
    given = parser.parse_args()
    addresses = [address(number) for number in range(given.addresses)]
    asyncio.run(serve(given.web, addresses, given.port, tuple(given.latency), given.certificate))


if __name__ == "__main__":
    main()

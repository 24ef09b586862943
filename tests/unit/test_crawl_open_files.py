"""A machine that lends few open files: no host is blamed, no page is lost, and it is said once. Real limits, in
processes of their own."""

from __future__ import annotations

import asyncio
import errno
import json
import socket
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey
from outages_web import Servers, page
from web_live_site import answer

from clew.config import LimitSettings
from clew.errors import SHORTAGES, shortage
from clew.web.live.faults import BrokenError, explain
from clew.web.live.proxies import ProxyDownError

pytest.importorskip("resource")

IPS = [f"127.0.7.{number}" for number in range(1, 21)]

CRAWL = """
import json, logging, os, resource, sys, threading, time
from clew import Crawl

def few(left):
    "Open files until only so many more can be."
    held = []
    try:
        while True:
            held.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        for _ in held[:left]:
            os.close(held.pop())
    return held

def limited(most, hard=None):
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard or most))

class Saying(logging.Handler):
    def emit(self, record):
        said.append(f"{record.levelname} {getattr(record, 'event', '')} {record.getMessage()}")

said = []
logging.getLogger("clew").addHandler(Saying())
given = json.loads(sys.argv[1])
hog = lambda: None
crawl = Crawl(on_page=lambda page: hog(), strategy="breadth-first", **given)
"""

END = """
result = crawl.run_sync()
print(json.dumps({"fetched": result.fetched, "failed": result.failed, "refused": result.refused,
                  "stopped_by": result.stopped_by, "silent": result.silent_links, "said": said,
                  "seconds": result.seconds, "limit": resource.getrlimit(resource.RLIMIT_NOFILE)[0]}))
"""


LAST = answer(b"<p>sailing", Connection="close")


under_way: list[int] = []
most = [0]


async def slow(writer: asyncio.StreamWriter) -> None:
    under_way.append(1)
    most[0] = max(most[0], len(under_way))
    await asyncio.sleep(0.05)
    under_way.pop()
    writer.write(answer(b"<p>sailing <a href=/1>x</a> <a href=/2>x</a>", Connection="close"))


async def crawled(code: str, servers: Servers, folder: Path, **crawl: Any) -> dict[str, Any]:
    """What a crawl of all servers came to, in a process that runs ``code`` first; and what it said from warnings on."""
    settings = {
        "interest": {"keywords": {"sailing": 1.0}},
        "judge": {"name": "keywords"},
        "crawl": {"contact": "me@example.org", "workers": 0, "hosts_at_once": 64, **crawl},
        "politeness": {"delay_s": 0.02, "adaptive": 0.0, "max_delay_s": 0.1, "give_up_after": 1, "probes": 0},
        "traps": {"same_pages": 0, "soft_404": 0, "farm_hosts": 0},
        "duplicates": {"find": False},
        "web": {"live": {"allow_private": True}},
    }
    servers.site.pages["/start"] = page([servers.url(ip=ip) for ip in servers.ips])
    given = json.dumps({"seeds": [servers.url("/start")], "settings": settings, "folder": str(folder)})
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CRAWL + code + END, given, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    found: dict[str, Any] = json.loads(out)
    return found


def site() -> Servers:
    return Servers({"/": slow, "/1": LAST, "/2": LAST}, IPS)


def check(servers: Servers, result: dict[str, Any]) -> list[str]:
    """Every page came once and no host is blamed; returns the warnings about open files."""
    pages = 1 + 3 * len(IPS)
    assert {name: result[name] for name in ("fetched", "failed", "refused", "silent", "stopped_by")} == {
        "fetched": pages, "failed": 0, "refused": 0, "silent": 0, "stopped_by": "frontier"
    }, result  # fmt: skip
    assert len(servers.pages()) == len(set(servers.pages())) == pages
    assert not [text for text in result["said"] if "host given up" in text or "line " in text.partition(" ")[2]]
    return [text for text in result["said"] if "ulimit -n" in text]


async def test_a_low_limit_is_said_and_kept_within(tmp_path: Path) -> None:
    most[0] = 0
    async with site() as servers:
        said = check(servers, result := await crawled("limited(50)", servers, tmp_path))
    (text,) = said
    before, _, after = text.partition("which is enough for ")
    assert before == "WARNING  this process may open 50 files (ulimit -n), "
    assert 1 <= most[0] <= int(after.split()[0]) < len(IPS)
    assert text.endswith("for 64 hosts (crawl.hosts_at_once): raise ulimit -n, or lower crawl.hosts_at_once")
    assert result["limit"] == 50


async def test_a_limit_that_may_be_raised_is_raised(tmp_path: Path) -> None:
    async with site() as servers:
        said = check(servers, result := await crawled("limited(56, 1024)", servers, tmp_path))
    assert not said and 56 < result["limit"] <= 1024


@pytest.mark.parametrize("left", [3, 8])
async def test_files_that_run_out_under_way_cost_nothing(left: int, tmp_path: Path) -> None:
    """Something else in the process takes all open files but a few after the first page, which leads to all hosts."""
    hog = f"""
held = []
limited(300)
hog = lambda: held or held.extend(few({left}))
"""
    async with site() as servers:
        (text,) = check(servers, await crawled(hog, servers, tmp_path))
    assert text == (
        "WARNING  this process may open no more files: raise ulimit -n, or lower crawl.hosts_at_once. The crawl "
        "goes on with fewer connections at a time; no host is blamed for it"
    )


async def test_when_nothing_can_be_opened_the_crawl_waits(tmp_path: Path) -> None:
    """All open files are taken for two seconds: the crawl says that it waits, and goes on by itself."""
    hog = """
held = []
limited(300)
def let_go():
    while held[1:]:
        os.close(held.pop())
def hog():
    if not held:
        held.append(-1)
        held.extend(few(0))
        threading.Timer(2.0, let_go).start()
"""
    async with site() as servers:
        result = await crawled(hog, servers, tmp_path)
    outage = [text for text in result["said"] if "line " in text.partition(" ")[2]]
    assert [text.partition(" since ")[0] for text in outage][:1] in (
        ["WARNING line down this process may open no more files"], []
    )  # fmt: skip
    result["said"] = [text for text in result["said"] if text not in outage]
    assert len(check(servers, result)) == 1


@pytest.mark.parametrize("number", sorted(SHORTAGES))
def test_what_a_machine_lacks_is_nobodys_fault(number: int) -> None:
    """As the HTTP client reports it, and as a SOCKS client does; no such thing as a name that is not found."""
    error = OSError(number, "no")
    key = ConnectionKey("a.test", 80, False, True, None, None, None)
    wrapped = [aiohttp.ClientConnectorError(key, error), ProxyDownError("down"), BrokenError("broke")]
    for one in wrapped:
        one.__cause__ = error
        fault = explain(one, False, LimitSettings())
        assert fault.shortage == number and not fault.sent and not fault.line
    assert not explain(
        aiohttp.ClientConnectorError(key, OSError(errno.ECONNREFUSED, "no")), False, LimitSettings()
    ).shortage
    assert not shortage(socket.gaierror(number, "not known"))

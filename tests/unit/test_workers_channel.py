"""The line to a worker process: answers in order, of any size, and nobody waits for a worker that is gone."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import spawn
from pathlib import Path

import pytest

from clew.crawl.running import runner
from clew.workers.channel import Channel, WorkerLostError
from clew.workers.worker import received, serve
from support import PATIENCE_S

LONG_S = PATIENCE_S


def reply(request: tuple[str, object]) -> object:
    kind, value = request
    if kind == "end":
        os._exit(3)
    if kind == "sleep":
        time.sleep(60)
    if kind == "fault":
        raise ValueError(value)
    if kind == "burn":
        until = time.process_time() + float(str(value))  # a slow start may have cost a second already
        while time.process_time() < until:
            pass
    return value


def replying(line: socket.socket) -> None:
    serve(line, reply)


def failing(line: socket.socket) -> None:
    raise ImportError("cannot start")


class Untouchable:
    """Can be packed, but not unpacked."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return int, ("not a number",)


@contextmanager
def channel_to(target: Callable[..., None], *given: object, first: bytes = b"") -> Iterator[Channel]:
    channel = Channel(target, *given, first=first)
    try:
        yield channel
    finally:
        channel.end(5)
        assert not channel.process.is_alive()


def ended_by_itself(channel: Channel) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while channel.process.is_alive() and time.monotonic() < deadline:
        time.sleep(0.02)
    return not channel.process.is_alive()


async def many(channel: Channel) -> list[object]:
    return await asyncio.gather(*(channel.ask(("say", i), LONG_S) for i in range(200)))


@pytest.mark.parametrize("make", [asyncio.Runner, runner])
def test_many_at_once_and_large_ones(make: Callable[[], asyncio.Runner]) -> None:
    async def talk() -> None:
        with channel_to(replying) as channel:
            assert await many(channel) == list(range(200))
            large = os.urandom(30_000_000)
            answers = await asyncio.gather(*(channel.ask(("say", large), LONG_S) for _ in range(2)))
            assert answers == [large, large]
            assert channel.pending == 0

    with make() as own:
        own.run(talk())


async def test_a_worker_that_ends_takes_what_it_was_asked_with_it() -> None:
    with channel_to(replying) as channel:
        requests = [("say", 1), ("end", None), ("say", 2)]
        found = await asyncio.gather(*(channel.ask(one, LONG_S) for one in requests), return_exceptions=True)
        assert found[0] == 1
        assert all(isinstance(one, WorkerLostError) for one in found[1:])
        with pytest.raises(WorkerLostError):
            await channel.ask(("say", 3), LONG_S)


async def test_a_worker_that_is_killed_is_noticed_at_once() -> None:
    with channel_to(replying) as channel:
        await channel.ask(("say", 1), LONG_S)
        asked = asyncio.ensure_future(channel.ask(("sleep", b"x" * 5_000_000), LONG_S))
        await asyncio.sleep(0.1)
        assert channel.process.pid is not None
        os.kill(channel.process.pid, signal.SIGKILL)
        started = time.monotonic()
        with pytest.raises(WorkerLostError):
            await asked
        assert time.monotonic() - started < LONG_S


async def test_an_answer_that_nobody_waits_for_any_more_is_dropped() -> None:
    with channel_to(replying) as channel:
        await channel.ask(("say", 0), LONG_S)
        with pytest.raises(TimeoutError):
            await channel.ask(("burn", 1), 0.05)
        assert await channel.ask(("say", 2), LONG_S) == 2


async def test_faults_are_told() -> None:
    with channel_to(replying) as channel:
        with pytest.raises(RuntimeError, match="ValueError: some fault"):
            await channel.ask(("fault", "some fault"), LONG_S)
        assert await channel.ask(("say", 1), LONG_S) == 1


@pytest.mark.parametrize(("target", "given"), [(failing, ()), (replying, (Untouchable(),))])
async def test_a_worker_that_cannot_start(target: Callable[..., None], given: tuple[object, ...]) -> None:
    with channel_to(target, *given) as channel, pytest.raises(WorkerLostError):
        await channel.ask(("say", 1), LONG_S)


async def test_a_retired_worker_answers_and_ends() -> None:
    with channel_to(replying) as channel:
        asked = [asyncio.ensure_future(channel.ask(("say", i), LONG_S)) for i in range(3)]
        await asyncio.sleep(0)
        channel.retire()
        assert await asyncio.gather(*asked) == [0, 1, 2]
        assert ended_by_itself(channel)


async def test_a_worker_that_is_held_is_killed() -> None:
    channel = Channel(replying)
    asked = asyncio.ensure_future(channel.ask(("sleep", 1), LONG_S))
    await asyncio.sleep(0.5)
    channel.end(0.1)
    assert not channel.process.is_alive()
    with pytest.raises(WorkerLostError):
        await asked


async def test_the_time_of_a_worker_is_counted_as_ours() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with channel_to(replying) as channel:
        await channel.ask(("burn", 1), LONG_S)
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before > 0.5


async def test_ending_twice_or_before_it_was_used() -> None:
    Channel(replying).end(5)
    with channel_to(replying) as channel:
        await channel.ask(("say", 1), LONG_S)
        channel.end(5)
        assert not channel.process.is_alive()


async def test_a_process_that_cannot_be_started_for_want_of_open_files_is_started_later() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with channel_to(replying) as channel:
        await asyncio.sleep(0)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
            asked = asyncio.ensure_future(channel.ask(("say", 7), LONG_S))
            await asyncio.sleep(0.4)
            assert not asked.done() and channel.process.pid is None
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert await asked == 7


def echoing_first(line: socket.socket) -> None:
    first = bytes(received(line))
    serve(line, lambda request: first)


async def test_the_event_loop_does_not_wait_until_a_process_has_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, python = tmp_path / "go", tmp_path / "python"
    python.write_text(f'#!/bin/sh\nwhile [ ! -e "{go}" ]; do sleep 0.05; done\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(spawn, "_python_exe", os.fsencode(python))
    threading.Timer(10.0, go.touch).start()  # else one that waits would wait for ever
    large = os.urandom(3_000_000)
    with channel_to(echoing_first, first=large) as channel:
        asked = asyncio.ensure_future(channel.ask("what came first?", LONG_S))
        while channel.process.pid is None:  # noqa: ASYNC110 - it is a step or two
            await asyncio.sleep(0)
        assert not go.exists(), "it has begun only now"
        go.touch()
        assert await asked == large

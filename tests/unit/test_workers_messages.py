"""Jobs and readings come out of a message as they went in."""

from __future__ import annotations

import pickle
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest

from clew.model import Judgement, LinkKind, Outcome, Page, Response
from clew.workers.messages import Job, Reading, pack_job, pack_reading, unpack_job, unpack_reading
from support import READER

BODY = (
    b"<title>Steam \xc3\xa9</title><meta name=robots content='nofollow'><link rel=canonical href=/there>"
    b"<p>Steam engines <a href=/a>pull trains</a> and <a href='//other.test/b?c=d' rel=nofollow>pump</a> water."
    b"<a href=/a>Again</a>"
)
RESPONSE = Response(
    "http://a.test/", Outcome.OK, 200, (("Content-Type", "text/html"),), BODY, b"encoded", fetched_at=1.5, ip="10.0.0.1"
)


def page_of(body: bytes) -> Page:
    return replace(READER.read(replace(RESPONSE, body=body)), text="")


def assert_equal(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    if is_dataclass(one):
        for part in fields(one):
            assert_equal(getattr(one, part.name), getattr(other, part.name))
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert one.tobytes() == other.tobytes()
        assert other.flags.writeable
    else:
        assert one == other


def sent(reading: Reading) -> Reading:
    return unpack_reading(pickle.loads(pickle.dumps(pack_reading(reading))))


@pytest.mark.parametrize("body", [BODY, b"<p>No links, no title.", b"x", BODY * 50])
def test_readings(body):
    reading = Reading(page_of(body), Judgement(np.array([0.25, 1], np.float32), 1, 0.5), "", b"records")
    assert_equal(reading, sent(reading))


def test_dates():
    page = page_of(BODY)
    dated = replace(page, links=replace(page.links, dates=np.array([np.nan] * len(page.links))))
    assert_equal(Reading(dated), sent(Reading(dated)))


def test_reasons():
    reading = Reading(reason="cannot be read", records=b"records")
    assert_equal(reading, sent(reading))


def test_any_text():
    page = page_of(BODY)
    anchors = ("a\0b", "", "\udc80", "\n")[: len(page.links.anchors)]
    kinds = (LinkKind.BACKLINK, *page.links.kinds[1:])
    page = replace(page, title="\0\ud800", links=replace(page.links, anchors=anchors, kinds=kinds))
    assert_equal(Reading(page), sent(Reading(page)))


def test_jobs():
    job = Job(RESPONSE, {"via": "seed"})
    assert_equal(job, unpack_job(pickle.loads(pickle.dumps(pack_job(job)))))

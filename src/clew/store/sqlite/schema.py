"""Rows of the crawl database: the statements that read and write them, and the records they stand for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from clew.model import Decision, Fingerprint, Judgement, Keys, LinkKind, Outcome, Page, Response, Session, Visit
from clew.store.packed import pack_floats, unpack_floats
from clew.store.records import DecisionRow, Place, PrintRow, Refusal, Rejudged, RunRecord, SessionRow, VisitRow

Row = tuple[Any, ...]

VISIT_COLUMNS = (
    "number", "key", "url", "host", "status", "outcome", "reason", "row", "link_index", "kind", "score", "depth",
    "hops", "tunnel", "relevance", "relevant", "topic", "confidence", "title", "language", "content_type", "charset",
    "canonical", "digest", "bytes", "fetched_at", "elapsed_s", "attempt", "requests", "noindex", "from_cache",
    "location", "warc_file", "warc_offset", "topic_scores",
)  # fmt: skip
"""The fields of VisitRow in their order, and the judge's scores."""


def _insert(table: str, columns: Sequence[str], verb: str = "INSERT") -> str:
    return f"{verb} INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


ADD_VISIT = _insert("visits", VISIT_COLUMNS)
ADD_HEADS = _insert("heads", ("row", "n", "heads", "scores"))
ADD_EVIDENCE = _insert("evidence", ("row", "source", "data"))
ADD_REFUSED = _insert("refused", ("key", "url", "row", "link_index", "outcome", "reason", "at"), "INSERT OR IGNORE")
PUT_RETRY = _insert("retries", ("key", "attempts", "reason", "ready_at"), "INSERT OR REPLACE")
PUT_META = _insert("meta", ("key", "value"), "INSERT OR REPLACE")
PUT_STATE = _insert("states", ("strategy", "visit", "state"), "INSERT OR REPLACE")
ADD_RUN = _insert("runs", ("visit", "strategy", "judge", "web", "threshold"))
ADD_ARCHETYPES = _insert("archetypes", ("topic", "visits"))
ADD_DECISION = _insert("decisions", ("at", "session", "visit", "kind", "facts"))
ADD_SESSION = _insert(
    "sessions",
    ("number", "first_visit", "last_visit", "fetched", "relevant", "fetched_total", "relevant_total", "best_waiting",
     "rescored", "at"),
)  # fmt: skip
ADD_COUNT = _insert("ledger", ("kind", "n")) + " ON CONFLICT (kind) DO UPDATE SET n = n + excluded.n"
PUT_EXAMPLE = (
    _insert("examples", ("line", "topic", "facts", "body"))
    + " ON CONFLICT (line, topic) DO UPDATE SET facts = excluded.facts, body = excluded.body"
)
PUT_HOST = (
    _insert("hosts", ("id", "name", "visits", "relevant", "failures", "ready_at"))
    + " ON CONFLICT (id) DO UPDATE SET visits = excluded.visits, relevant = excluded.relevant,"
    " failures = excluded.failures, ready_at = excluded.ready_at"
)
PUT_SILENT = _insert("silent", ("host", "reason"), "INSERT OR REPLACE")
ADD_PRINT = _insert("prints", ("visit", *Fingerprint._fields, "duplicate_of", "barren"))
PUT_SPENT = _insert("spent", ("host", "fetches"), "INSERT OR REPLACE")
PUT_JUDGED = (
    "UPDATE visits SET topic = ?, confidence = ?, topic_scores = ?, relevance = ?, relevant = ?, tunnel = ?, reason = ?"
    " WHERE number = ?"
)
PUT_TUNNEL = "UPDATE visits SET tunnel = ? WHERE number = ?"
PUT_SOURCE = "UPDATE evidence SET source = ? WHERE row = ?"
PUT_SCORES = "UPDATE heads SET scores = ? WHERE row = ? AND n = ?"

_OUTCOMES = {one.value: one for one in Outcome}
_KINDS = {one.value: one for one in LinkKind}

VISITS = (
    f"SELECT {', '.join(VISIT_COLUMNS[:-1])}, coalesce((SELECT duplicate_of FROM prints WHERE visit = number), 0),"
    " topic_scores FROM visits"
)
AMONG = "WHERE number IN (SELECT value FROM json_each(?))"
PRINTS = (
    f"SELECT visit, {', '.join(Fingerprint._fields)}, duplicate_of, barren FROM prints WHERE visit > :after"
    " ORDER BY visit LIMIT :limit"
)
HEADS = "SELECT ord, row, heads, scores FROM heads WHERE ord > :after ORDER BY ord LIMIT :limit"
SOUND = (
    "SELECT number FROM visits WHERE number <= ? AND outcome = 'ok' AND topic IS NOT NULL AND reason = ''"
    " AND number NOT IN (SELECT visit FROM prints WHERE duplicate_of <> 0) ORDER BY number"
)
KEYS = "SELECT substr(heads, 1, 8 * n), scores FROM heads WHERE n > 0"
DONE = "SELECT key FROM visits UNION ALL SELECT key FROM refused"
PACKED = "SELECT h.heads, e.source, e.data FROM evidence e JOIN heads h ON h.row = e.row"
PACKED_IN_ORDER = (
    "SELECT h.ord, h.row, h.heads, e.source, e.data FROM heads h JOIN evidence e ON e.row = h.row"
    " WHERE h.ord > :after ORDER BY h.ord LIMIT :limit"
)
TOTALS = (
    "SELECT count(*), coalesce(sum(relevant), 0), coalesce(sum(outcome = 'failed'), 0),"
    " coalesce(sum(outcome = 'redirect'), 0), coalesce(sum(bytes), 0), count(DISTINCT host),"
    " (SELECT coalesce(sum(attempts), 0) FROM retries), (SELECT count(*) FROM refused WHERE outcome = 'refused'),"
    " (SELECT count(*) FROM refused WHERE outcome = 'absent'),"
    " coalesce((SELECT n FROM ledger WHERE kind = 'robots'), 0) FROM visits"
)
PACKED_SEEDS = PACKED_IN_ORDER.replace("WHERE", "WHERE h.row <= 0 AND")
LAST_VISIT = "SELECT coalesce(max(number), 0) FROM visits"
JUDGED = (
    "SELECT number, key, host, topic, confidence, relevance, relevant, topic_scores FROM visits"
    " WHERE topic_scores IS NOT NULL AND number > ? ORDER BY number LIMIT ?"
)
REASONS = (
    "SELECT number, reason FROM visits WHERE topic_scores IS NOT NULL AND reason <> '' AND number > ? ORDER BY number"
)
REFUSALS = "SELECT key, url, row, link_index, outcome, reason, at FROM refused"
SESSIONS = (
    "SELECT number, first_visit, last_visit, fetched, relevant, fetched_total, relevant_total, best_waiting,"
    " rescored, at FROM sessions ORDER BY number"
)
LAST_RUN = "SELECT strategy, judge, web, threshold FROM runs ORDER BY number DESC LIMIT 1"
HOST_HISTORY = (
    "SELECT host, count(*), sum(relevant), sum(outcome = 'failed') FROM visits"
    " WHERE number <= ? AND outcome <> 'redirect' GROUP BY host"
)


# -- values -----------------------------------------------------------------------------------------------


def signed(key: int) -> int:
    """A 64-bit key as SQLite keeps it."""
    key = int(key)
    return key - (1 << 64) if key >= 1 << 63 else key


def unsigned(value: int) -> int:
    """A kept key as it is used."""
    return value + (1 << 64) if value < 0 else value


def unsigned_keys(values: Sequence[int]) -> Keys:
    """Kept keys as uint64[n]."""
    return np.array(values, np.int64).view(np.uint64)


def clean(text: str) -> str:
    """Text that can be kept: lone surrogates (bytes that a server sent outside its encoding) become '?'."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _number(value: float | None) -> float:
    """SQLite keeps NaN as NULL."""
    return float("nan") if value is None else value


# -- visits -----------------------------------------------------------------------------------------------


def visit_values(visit: Visit, place: Place, host: int, warc: tuple[str, int] | None) -> Row:
    """A visit as a row of ``visits``, in the order of VISIT_COLUMNS."""
    link, response = visit.link, visit.response
    return (
        visit.number, signed(link.key), clean(link.url), host, int(response.status), response.outcome.value,
        clean(visit.reason), int(place.row), int(place.index), link.kind.value, float(link.score), link.depth,
        int(link.hops), int(visit.tunnel), float(visit.relevance), bool(visit.relevant),
        *_judged(visit.judgement), *_page(visit.page, response), len(response.body),
        float(response.fetched_at), float(response.elapsed_s), int(link.attempt), int(response.requests),
        visit.page is not None and visit.page.noindex, response.from_cache, clean(response.location),
        *(warc or ("", 0)), pack_floats(visit.judgement.scores) if visit.judgement is not None else None,
    )  # fmt: skip


def _judged(judgement: Judgement | None) -> tuple[int | None, float | None]:
    return (None, None) if judgement is None else (int(judgement.topic), float(judgement.confidence))


def _page(page: Page | None, response: Response) -> tuple[str, ...]:
    """title, language, content type, charset, canonical, digest."""
    if page is None:
        return "", "", clean(response.media_type), "", "", ""
    texts = (page.title, page.language, page.content_type, page.charset, page.canonical, page.digest)
    return tuple(map(clean, texts))


def print_values(visit: Visit, page: Page) -> Row:
    """The fingerprint of a visit's page as a row of ``prints``."""
    *hashes, terms = page.fingerprint
    return (visit.number, *map(signed, hashes), terms, visit.duplicate_of, visit.barren)


def print_row(values: Row) -> PrintRow:
    """A row of ``prints`` as a record."""
    number, content, text, body, near, title, terms, original, barren = values
    hashes = map(unsigned, (content, text, body, near, title))
    return PrintRow(number, Fingerprint._make((*hashes, terms)), original, bool(barren))


def judged_values(again: Rejudged) -> Row:
    """A new judgement in the order of PUT_JUDGED."""
    assert again.judgement is not None
    scores = pack_floats(again.judgement.scores)
    values = (float(again.relevance), bool(again.relevant), int(again.tunnel), clean(again.reason), again.number)
    return (*_judged(again.judgement), scores, *values)


def visit_row(values: Row, host_names: Sequence[str]) -> VisitRow:
    """A row of ``VISITS`` as a record."""
    number, key, url, host, status, outcome, reason, row, index, kind, score, *early = values[:17]
    title, language, content_type, charset, canonical, digest, size, fetched_at, elapsed_s, attempt = values[18:28]
    depth, hops, tunnel, relevance, relevant, topic = early
    requests, noindex, from_cache, location, warc_file, warc_offset, duplicate_of, _ = values[28:]
    return VisitRow(
        number, unsigned(key), url, host_names[host], status, _OUTCOMES[outcome], reason, row, index, _KINDS[kind],
        _number(score), depth, hops, tunnel, relevance, bool(relevant), topic, values[17], title, language,
        content_type, charset, canonical, digest, size, fetched_at, elapsed_s, attempt, requests, bool(noindex),
        bool(from_cache), location, warc_file, warc_offset, duplicate_of,
    )  # fmt: skip


def judgement_of(row: VisitRow, scores: bytes | None) -> Judgement | None:
    """The judgement of a visit, if it had one."""
    if row.topic is None or row.confidence is None or scores is None:
        return None
    return Judgement(unpack_floats(scores), row.topic, row.confidence)


def response_of(row: VisitRow) -> Response:
    """What is known of a visit's response: no headers, no body."""
    return Response(
        url=row.url,
        outcome=row.outcome,
        status=row.status,
        reason=row.reason,
        location=row.location,
        fetched_at=row.fetched_at,
        elapsed_s=row.elapsed_s,
        requests=row.requests,
        from_cache=row.from_cache,
    )


# -- the rest ---------------------------------------------------------------------------------------------


def session_values(session: Session, rescored: bool, at: float) -> Row:
    """A session as a row of ``sessions``."""
    counts = (session.number, session.first_visit, session.last_visit, session.fetched, session.relevant)
    totals = (session.fetched_total, session.relevant_total)
    return (*map(int, counts), *map(int, totals), float(session.best_waiting), bool(rescored), float(at))


def session_row(values: Row) -> SessionRow:
    """A row of ``sessions`` as a record."""
    *counts, best, rescored, at = values
    return SessionRow(replace(Session(*counts), best_waiting=_number(best)), bool(rescored), at)


def run_record(values: Row) -> RunRecord:
    """A row of ``runs`` as a record."""
    strategy, judge, web, threshold = values
    return RunRecord(strategy, judge, web, _number(threshold))


def decision_facts(decision: Decision) -> str:
    """Facts as JSON; numbers of numpy become plain ones."""
    return json.dumps(dict(decision.facts), default=lambda value: value.item())


def decision_row(values: Row) -> DecisionRow:
    """A row of ``decisions`` as a record."""
    at, session, visit, kind, facts = values
    return DecisionRow(at, session, visit, Decision(kind, json.loads(facts)))


def refusal(values: Row) -> Refusal:
    """A row of ``refused`` as a record."""
    key, url, row, index, outcome, reason, at = values
    return Refusal(unsigned(key), url, row, index, Outcome(outcome), reason, at)


def example_facts(response: Response) -> str:
    """Everything of a response but its body, as JSON (ASCII, so any header survives)."""
    names = ("url", "status", "headers", "reason", "fetched_at", "elapsed_s", "ip", "requests", "from_cache")
    return json.dumps({"outcome": response.outcome.value, **{name: getattr(response, name) for name in names}})


def example_response(facts: str, body: bytes) -> Response:
    """The response of an example as it was kept."""
    found = json.loads(facts)
    headers = tuple((name, value) for name, value in found.pop("headers"))
    return Response(outcome=Outcome(found.pop("outcome")), headers=headers, body=body, **found)

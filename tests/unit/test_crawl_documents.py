"""Documents that are not read inherit from the best page that links to them (TUN-6), listed or fetched."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from traps_web import MadeUp, crawl_of, stored
from web_live_site import answer, serving, settled

from clew import Crawl, Examples
from clew.config import settings_from
from clew.crawl.reading import scope_of
from clew.model import Doubles, LinkBatch, Outcome, Response, Session
from clew.store.inherited import inherited
from clew.store.records import VisitRow
from clew.strategies.base import Strategy, View
from clew.web.clock import VirtualClock
from clew.web.live import LiveWorld

PDF = b"%PDF-1.4 \x00\x01 no text in here"
SEED = "http://a.test/"
WEAK, STRONG, NONE = "boats on all seas sailing", "sailing sailing sailing sailing", "gardens and flowers of all kinds"


def html(text: str, *links: str, head: str = "") -> str:
    anchors = "".join(f"<a href='{link}'>about {link}</a> " for link in links)
    return f"<html lang=en><head>{head}<title>Boats</title></head><body><p>{text}</p>{anchors}</body></html>"


def document(url: str, kind: str = "application/pdf", body: bytes = PDF) -> Response:
    return Response(url, Outcome.OK, 200, (("Content-Type", kind),), body, fetched_at=1.0)


PAGES = {
    SEED: html(WEAK, "/a", "/b", "/c", "/shared.pdf", "/own.ps.gz?v=1", "/gone.dvi"),
    "http://a.test/a": html(STRONG, "/shared.pdf", "/Strong.PDF"),
    "http://a.test/b": html(NONE, "/shared.pdf", "/gardens.ps"),
    "http://a.test/c": html(WEAK + " again", "/shared.pdf"),
}


def answers(url: str) -> str | Response | None:
    if url in PAGES:
        return PAGES[url]
    return None if "gone" in url or not has_document_name(url) else document(url)


def has_document_name(url: str) -> bool:
    return any(f".{ending}" in url.lower() for ending in ("pdf", "ps", "dvi"))


class Web(MadeUp):
    """PAGES and the documents they link to, or others."""

    def __init__(self, pages: Mapping[str, str | Response] | None = None) -> None:
        super().__init__(answers if pages is None else pages.get)


def crawled(
    folder: Path,
    mode: str,
    web: Web | None = None,
    *,
    pages: int = 100,
    strategy: str = "breadth-first",
    more: Mapping[str, Mapping[str, Any]] | None = None,
    **crawl: Any,
) -> list[str]:
    """What the crawl asked for."""
    web = web or Web()
    tables = {"crawl": {"documents": mode, **crawl}, **(more or {})}
    crawl_of(web, [SEED], folder=folder, settings=tables, strategy=strategy).run_sync(pages)
    return web.asked


def documents(folder: Path) -> dict[str, VisitRow]:
    store = stored(folder)
    try:
        return {row.url.removeprefix(SEED): row for row in inherited(store)}
    finally:
        store.close()


def visits(folder: Path) -> dict[str, VisitRow]:
    store = stored(folder)
    try:
        return {row.url.removeprefix(SEED): row for row in store.visits.rows()}
    finally:
        store.close()


def test_listed_documents_are_never_asked_for_and_have_the_best_pages_relevance_and_topic(tmp_path: Path) -> None:
    asked = crawled(tmp_path, "listed")
    assert asked == [SEED, "http://a.test/a", "http://a.test/b", "http://a.test/c"]
    pages, found = visits(tmp_path), documents(tmp_path)
    assert list(found) == ["own.ps.gz?v=1", "gone.dvi", "shared.pdf", "Strong.PDF", "gardens.ps"]
    shared, own, gardens = found["shared.pdf"], found["own.ps.gz?v=1"], found["gardens.ps"]
    assert pages["a"].relevance > pages["c"].relevance > pages["b"].relevance, "the best page is neither first nor last"
    assert (shared.relevance, shared.relevant, shared.topic) == (pages["a"].relevance, True, 0)
    assert (shared.inherited_from, shared.title) == (pages["a"].number, "about /shared.pdf")
    assert (shared.outcome, shared.number, shared.status) == (Outcome.LISTED, 0, 0)
    assert (own.relevance, own.inherited_from, own.depth) == (pages[""].relevance, pages[""].number, 1)
    assert (gardens.relevance, gardens.relevant, gardens.inherited_from) == (0.0, False, pages["b"].number)
    assert not shared.judged


def test_fetched_documents_are_visits_and_inherit_unless_they_do_not_exist(tmp_path: Path) -> None:
    asked = crawled(tmp_path, "fetched")
    assert {"http://a.test/shared.pdf", "http://a.test/gone.dvi", "http://a.test/own.ps.gz?v=1"} <= set(asked)
    pages, found = visits(tmp_path), documents(tmp_path)
    assert set(found) == {"own.ps.gz?v=1", "shared.pdf", "Strong.PDF", "gardens.ps"}
    shared = found["shared.pdf"]
    assert (shared.number, shared.outcome) == (pages["shared.pdf"].number, Outcome.OK)
    assert (shared.relevance, shared.relevant) == (pages["a"].relevance, True)
    assert shared.inherited_from == pages["a"].number
    assert pages["shared.pdf"].warc_file, "it is in the archive"
    assert not pages["shared.pdf"].relevant, "nobody judged it: it counts for no harvest"


def test_off_they_are_out_of_scope(tmp_path: Path) -> None:
    assert not any(url.lower().partition("?")[0].endswith(("pdf", "ps", "gz")) for url in crawled(tmp_path, "off"))
    assert documents(tmp_path) == {}


def test_which_endings_are_documents_is_a_setting(tmp_path: Path) -> None:
    crawled(tmp_path, "listed", document_endings=["PS", ".dvi"])
    assert list(documents(tmp_path)) == ["gone.dvi", "gardens.ps"]


def test_endings_that_inherit_are_in_scope_even_packed() -> None:
    scope = scope_of(settings_from({"crawl": {"documents": "listed"}}))
    verdicts = scope.accepts([f"http://a.test/x.{ending}" for ending in ("pdf", "ps", "ps.gz", "PS.Z", "gz", "zip")])
    assert verdicts == [True, True, True, True, False, False]
    assert scope_of(settings_from({})).why_not("http://a.test/x.ps.gz") is not None


def test_a_document_that_a_redirect_or_only_its_content_type_tells(tmp_path: Path) -> None:
    moved = Response("http://a.test/get", Outcome.REDIRECT, 302, location="/far.pdf", fetched_at=1.0)
    pages = {
        SEED: html(NONE, "/get", "/dl?id=1", "/a"),
        "http://a.test/a": html(STRONG, "/get", "/dl?id=1"),
        "http://a.test/get": moved,
        "http://a.test/dl?id=1": document("http://a.test/dl?id=1", "Application/PDF; x=1"),
    }
    crawled(tmp_path, "listed", Web(pages))
    found, seen = documents(tmp_path), visits(tmp_path)
    assert (found["far.pdf"].inherited_from, found["far.pdf"].relevance) == (seen[""].number, 0.0)
    assert found["dl?id=1"].number == seen["dl?id=1"].number
    assert found["dl?id=1"].inherited_from == seen["a"].number, "a page that was read later is the best"


def test_what_a_content_type_told_is_known_in_the_next_run_until_it_is_read(tmp_path: Path) -> None:
    pytest.importorskip("pypdf")
    from test_text_documents import drawn, pdf

    paper = "http://a.test/dl?id=1"
    pages: dict[str, str | Response] = {SEED: html(WEAK, "/dl?id=1", "/a"), "http://a.test/a": html(NONE, "/b")}
    pages |= {"http://a.test/b": html(STRONG, "/dl?id=1"), paper: document(paper, body=pdf([drawn("sailing boats")]))}
    crawled(tmp_path, "fetched", Web(pages), pages=2, document_endings=["ps"])
    assert documents(tmp_path)["dl?id=1"].inherited_from == 1
    crawled(tmp_path, "fetched", Web(pages), document_endings=["ps"])
    assert documents(tmp_path)["dl?id=1"].inherited_from == visits(tmp_path)["b"].number
    read = {"limits": {"documents": True}}
    assert crawled(tmp_path, "fetched", Web(pages), document_endings=["ps"], more=read)[0] == paper
    assert visits(tmp_path)["dl?id=1"].judged
    assert documents(tmp_path) == {}, "it was read, and speaks for itself"


def test_links_not_to_be_followed_list_nothing(tmp_path: Path) -> None:
    pages = {
        SEED: html(STRONG, "/a").replace("</body>", "<a rel=nofollow href=/no.pdf>x</a></body>"),
        "http://a.test/a": html(STRONG, "/b", "/deep.pdf"),
        "http://a.test/b": html(STRONG, "/deeper.pdf"),
    }
    crawled(tmp_path / "one", "listed", Web(pages), more={"scope": {"max_depth": 2}})
    assert set(documents(tmp_path / "one")) == {"deep.pdf"}
    crawled(tmp_path / "two", "listed", Web(pages), nofollow=False)
    assert set(documents(tmp_path / "two")) == {"no.pdf", "deep.pdf", "deeper.pdf"}


def test_a_relevant_page_is_better_than_one_that_wants_to_be_in_no_collection(tmp_path: Path) -> None:
    barred = html(STRONG, "/x.pdf", head="<meta name=robots content=noindex>")
    pages = {SEED: html(WEAK, "/a", "/x.pdf"), "http://a.test/a": barred}
    crawled(tmp_path, "listed", Web(pages))
    assert documents(tmp_path)["x.pdf"].inherited_from == visits(tmp_path)[""].number
    assert documents(tmp_path)["x.pdf"].relevant


def test_a_document_that_is_read_is_judged_and_one_that_cannot_be_read_inherits(tmp_path: Path) -> None:
    pytest.importorskip("pypdf")
    from test_text_documents import drawn, pdf

    text = pdf([drawn("gardens and flowers, gardens")])
    pages: dict[str, str | Response] = {SEED: html(STRONG, "/read.pdf", "/broken.pdf", "/other.ps")}
    for name, body in (("read", text), ("broken", PDF)):
        pages[f"http://a.test/{name}.pdf"] = document(f"http://a.test/{name}.pdf", body=body)
    web = Web(pages)
    asked = crawled(tmp_path, "listed", web, more={"limits": {"documents": True}})
    assert asked == [SEED, "http://a.test/read.pdf", "http://a.test/broken.pdf", "http://a.test/more"]
    seen, found = visits(tmp_path), documents(tmp_path)
    assert set(found) == {"broken.pdf", "other.ps"}
    assert (found["broken.pdf"].number, found["broken.pdf"].relevant) == (seen["broken.pdf"].number, True)
    assert seen["read.pdf"].judged
    assert seen["read.pdf"].relevance == 0.0


def test_a_seed_that_is_a_document_is_asked_for(tmp_path: Path) -> None:
    web = Web({"http://a.test/seed.pdf": document("http://a.test/seed.pdf")})
    tables = {"crawl": {"documents": "listed"}}
    crawl_of(web, ["http://a.test/seed.pdf"], folder=tmp_path, settings=tables).run_sync(5)
    assert web.asked == ["http://a.test/seed.pdf"]
    assert documents(tmp_path) == {}, "it has nobody to inherit from"


def test_changed_settings_hold_for_what_was_found_before(tmp_path: Path) -> None:
    crawled(tmp_path, "listed")
    before = documents(tmp_path)
    asked = crawled(tmp_path, "fetched")
    assert "http://a.test/shared.pdf" in asked, "its link was parked, and waits now"
    assert {row.outcome for row in documents(tmp_path).values()} == {Outcome.OK}
    crawled(tmp_path, "off")
    assert documents(tmp_path) == {}
    crawled(tmp_path, "listed")
    after = documents(tmp_path)
    assert {url: row.relevance for url, row in after.items()} == {
        url: row.relevance for url, row in before.items() if "gone" not in url
    }


def test_a_crawl_in_two_runs_lists_what_one_in_one_run_does(tmp_path: Path) -> None:
    for mode in ("listed", "fetched"):
        crawled(tmp_path / f"one {mode}", mode)
        for pages in (2, 3, 100):
            crawled(tmp_path / f"two {mode}", mode, pages=pages)
        one, two = (documents(tmp_path / f"{name} {mode}").values() for name in ("one", "two"))
        kept = ("url", "number", "relevance", "topic", "inherited_from", "row", "link_index")
        assert [[getattr(row, name) for name in kept] for row in one] == [
            [getattr(row, name) for name in kept] for row in two
        ]


def test_papers_of_events_are_no_trap(tmp_path: Path) -> None:
    urls = [f"http://a.test/events/{number}.pdf" for number in range(60)]
    pages: dict[str, str | Response] = {SEED: html(STRONG, *urls, "/more")} | {url: document(url) for url in urls}
    last = "http://a.test/events/99.pdf"
    pages |= {"http://a.test/more": html(STRONG + " more", "/even-more"), last: document(last)}
    strict = {"traps": {"patience": 1}}
    assert set(urls) < set(crawled(tmp_path, "fetched", Web(pages), pages=62, more=strict))
    pages["http://a.test/even-more"] = html(STRONG + " even more", last)
    asked = crawled(tmp_path, "fetched", Web(pages), more=strict)
    assert last in asked, "nor are they one for a crawl that goes on"


@pytest.mark.parametrize(("mode", "outcome"), [("listed", Outcome.FAILED), ("fetched", Outcome.OK)])
async def test_the_live_world_downloads_documents_where_they_are_fetched(mode: str, outcome: Outcome) -> None:
    clock = VirtualClock(1000.0)
    served = {"/x": "application/postscript", "/x.ps.gz": "application/x-gzip", "/x.pdf": "application/octet-stream"}
    pages: dict[str, Any] = {path: answer(PDF, Content_Type=kind) for path, kind in served.items()}
    pages["/film"] = answer(PDF, Content_Type="video/mp4")
    live = {"allow_private": True, "resolve": {"a.test": "127.0.0.1"}}
    tables = {"crawl": {"documents": mode, "contact": "me@example.org"}, "web": {"live": live}}
    async with serving(clock, pages) as site:
        world = LiveWorld.from_spec("", settings_from(tables), clock)
        assert isinstance(world, LiveWorld)
        await world.open()
        found = {path: (await settled(world, clock, site.url(path))).outcome for path in pages}
        await world.close()
    assert found == {**dict.fromkeys(served, outcome), "/film": Outcome.FAILED}


class Retraining(Strategy):
    """Breadth-first; after the first session the last page is an archetype of what is wanted."""

    name = "retraining"

    def begin(self, view: View) -> None:
        self.view = view

    def score(self, links: LinkBatch) -> Doubles:
        return -links.depths.astype(float)

    def adapt(self, session: Session) -> bool:
        if session.number == 1:
            self.view.actions.retrain({0: [session.last_visit]})
        return False


def test_pages_that_are_judged_again_pass_on_what_they_have_now(tmp_path: Path) -> None:
    folder = tmp_path / "examples"
    folder.mkdir()
    texts = {"good": "sailing boat mast keel rudder wind sea crew", "bad": "budget tax levy pension deficit audit"}
    files = {name: folder / f"{name}.html" for name in texts}
    for name, file in files.items():
        file.write_text(html(texts[name]), encoding="utf-8")
    mixed = "dinghy regatta sail tax budget spinnaker jib"
    pages = {
        SEED: html("sailing boat mast", "/a", "/b"),
        "http://a.test/a": html(mixed, "/b", "/x.pdf"),
        "http://a.test/b": html(mixed + " trim", "/x.pdf"),
    }
    examples = Examples(relevant=[files["good"]], irrelevant=[files["bad"]])
    tables = {"crawl": {"documents": "listed", "session_pages": 3}, "store": {"archive": True}}
    Crawl([SEED], examples, world=Web(pages), strategy=Retraining(), settings=tables, folder=tmp_path / "c").run_sync(
        10
    )
    row, seen = documents(tmp_path / "c")["x.pdf"], visits(tmp_path / "c")
    best = max((seen["a"], seen["b"]), key=lambda page: (page.relevant, page.relevance))
    with sqlite3.connect(tmp_path / "c" / "crawl.db") as database:
        assert database.execute("SELECT count(*) FROM decisions WHERE kind LIKE '%judge%'").fetchone()[0] > 0
    assert (row.inherited_from, row.relevance, row.relevant) == (best.number, best.relevance, best.relevant)


def test_endings_that_only_the_strategy_refuses(tmp_path: Path) -> None:
    # strategy.tunnelling.documents parks links whatever the crawl does with documents
    with_setting = {"name": "tunnelling", "tunnelling": {"documents": ["pdf"]}}
    tables: Sequence[dict[str, Any]] = ({"name": "tunnelling"}, with_setting)
    asked = []
    for number, strategy in enumerate(tables):
        web = Web()
        given = {"crawl": {"documents": "fetched"}, "strategy": strategy}
        crawl_of(web, [SEED], folder=tmp_path / str(number), settings=given, strategy="tunnelling").run_sync(100)
        asked.append({url for url in web.asked if url.lower().endswith("pdf")})
    assert asked == [{"http://a.test/shared.pdf", "http://a.test/Strong.PDF"}, set()]

"""Webs without end are left after a few pages; honest sites of the same looks are read to their end."""

from __future__ import annotations

import random
import re
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from traps_web import Answers, MadeUp, asked, crawl_of, stored

SEED = "http://a.test/"
MADE_UP = re.compile(r"/[0-9a-f]{16}/[0-9a-f]{16}$")


def words(number: int, count: int = 60) -> str:
    """A text of so many words, of its own for each number."""
    rng = random.Random(number)
    return " ".join("".join(rng.choices("abcdefghijklmnoprstuvw", k=6)) for _ in range(count))


def html(text: str, *links: str, title: str = "") -> str:
    anchors = " ".join(f"<a href='{link}'>more</a>" for link in links)
    return f"<html lang=en><title>{title}</title><p>{text}</p>{anchors}"


def path_of(url: str) -> str:
    return "/" + url.split("/", 3)[3]


# -- traps, in three wordings: every page the same, short and different, long and different ---------------------

WORDINGS: dict[str, Callable[[str], str]] = {
    "same": lambda url: "nothing to see at all here but what was shown before on all the other pages",
    "short": lambda url: f"page {len(url)} {hash_of(url)}",
    "long": lambda url: words(hash_of(url)),
}


def hash_of(url: str) -> int:
    return zlib.crc32(url.encode())


def growing(text: Callable[[str], str]) -> Answers:
    """Case 12: any suffix is answered, and the host's own name is linked without http."""
    return lambda url: html(text(url), "www.site.com/x", "/about") if url != SEED else html("sailing", "www.site.com/x")


def growing_by_numbers(text: Callable[[str], str]) -> Answers:
    def answers(url: str) -> str:
        level = path_of(url).count("/")
        return html(text(url), f"{level}/") if url != SEED else html("sailing", "1/")

    return answers


def calendar(text: Callable[[str], str]) -> Answers:
    """Case 13: every page links to the next year."""

    def answers(url: str) -> str:
        found = re.search(r"year=(\d+)", url)
        year = int(found[1]) if found else 2025
        return html(text(url), f"/calendar?year={year + 1}", "/") if url != SEED else html("s", "/calendar?year=2026")

    return answers


def months(text: Callable[[str], str]) -> Answers:
    """The same by months in the path, both ways."""

    def answers(url: str) -> str:
        found = re.search(r"/events/(\d+)/(\d+)/", url)
        if found is None:
            return html("sailing", "/events/2026/11/")
        month = int(found[1]) * 12 + int(found[2]) - 1
        near = (month + step for step in (1, -1, 12, -12))
        return html(text(url), *(f"/events/{there // 12}/{there % 12 + 1}/" for there in near), "/")

    return answers


def sort_orders(text: Callable[[str], str]) -> Answers:
    """Case 15: the listing of a directory, and two folders in it."""

    def answers(url: str) -> str:
        path = path_of(url).partition("?")[0]
        orders = [f"?C={column};O={order}" for column in "NMSD" for order in "AD"]
        return html(f"index of {path} {text(path)}", *orders, *(("/x/", "/y/") if path == "/" else ("/",)))

    return answers


def parameters(text: Callable[[str], str]) -> Answers:
    """Facets: every page links to itself with one more of them, in any order; the list of goods is nearly the same."""

    def answers(url: str) -> str:
        path, _, query = path_of(url).partition("?")
        facets = query.split("&") if query else []
        more = (f"f{n}=v{v}" for n in range(12) for v in range(5))
        urls = [f"/shop?{'&'.join([*facets, one])}" for one in more if one not in facets]
        return html(text(url), *urls[:20]) if path == "/shop" else html("sailing", "/shop")

    return answers


def searches(text: Callable[[str], str]) -> Answers:
    """Reflected queries: a page of results says what was asked and proposes to ask for more."""

    def answers(url: str) -> str:
        query = url.partition("?q=")[2]
        links = [f"/search?q={query}+{word}" for word in ("red", "blue", "old")]
        return html(f"results for {query} {text(url)}", *links) if query else html("sailing", "/search?q=boat")

    return answers


TRAPS = [growing, growing_by_numbers, calendar, months, sort_orders, parameters, searches]


@pytest.mark.parametrize("wording", WORDINGS)
@pytest.mark.parametrize("trap", TRAPS)
def test_a_trap_is_left(trap: Callable[[Callable[[str], str]], Answers], wording: str) -> None:
    urls = asked(trap(WORDINGS[wording]), [SEED], 300)
    assert len(urls) <= (120 if trap is parameters else 40), urls[-5:]


def test_a_path_that_grows_is_left_within_twenty_pages() -> None:
    for text in WORDINGS.values():
        assert len(asked(growing(text), [SEED], 300)) <= 20


def test_what_was_left_and_why_is_kept(tmp_path: Path) -> None:
    crawl_of(calendar(WORDINGS["long"]), [SEED], folder=tmp_path).run_sync(300)
    store = stored(tmp_path)
    (one,) = store.links.refusals()
    store.close()
    assert one.reason == (
        "trap: a calendar, a.test/calendar?year: 10 pages in a row brought nothing new (traps.patience)"
    )


# -- sessions -------------------------------------------------------------------------------------------------


def sessions(write: Callable[[int, int], str], text: Callable[[str], str]) -> Answers:
    """A site of ten pages whose links carry a new session each time. ``write`` gives page and session as a path."""
    count = 0

    def answers(url: str) -> str:
        nonlocal count
        found = re.search(r"page(\d+)", url)
        number = int(found[1]) if found else 0
        links = []
        for other in range(1, 11):
            count += 1
            links.append(write(other, count))
        return html(f"sailing {text(str(number))}", *links, title=f"Page {number}")

    return answers


SESSIONS: dict[str, Callable[[int, int], str]] = {
    "sid": lambda page, session: f"/page{page}?sid={session}",
    "PHPSESSIONID": lambda page, session: f"/page{page}?a=1&session_id=abc{session}",
    "hex": lambda page, session: f"/page{page}?x={session:08x}9f86d081884c7d65",
    "segment": lambda page, session: f"/(S(lit3py55t21z5v55vlm{session:05}))/page{page}",
    "semicolon": lambda page, session: f"/page{page};sid={session}",
    "counter": lambda page, session: f"/page{page}?view={session}",
}
UNTOLD = ("counter", "short")
"""Nothing tells such pages from pictures of a gallery."""


@pytest.mark.parametrize(
    ("name", "wording"), [(name, how) for name in SESSIONS for how in ("short", "long") if (name, how) != UNTOLD]
)
def test_pages_under_sessions_are_fetched_a_few_times_each(name: str, wording: str) -> None:
    urls = asked(sessions(SESSIONS[name], WORDINGS[wording]), [SEED], 250)
    pages = Counter(re.findall(r"page(\d+)", " ".join(urls)))
    assert len(pages) == 10, "every page is found"
    assert len(urls) <= 60, len(urls)


# -- honest sites -----------------------------------------------------------------------------------------------


def tree(url: str) -> str:
    """A wiki of five levels, three pages below each."""
    path = path_of(url)
    below = [f"{path}{name}/" for name in ("north", "south", "west")] if path.count("/") <= 4 else []
    return html(words(hash_of(url)), *below, "/")


def archive(url: str) -> str:
    """News by year, month and day, on every third day an article; none of it about sailing."""
    path = path_of(url)
    if re.fullmatch(r"/\d+/\d+/\d+/", path):
        day = int(path.split("/")[3])
        return html(f"news of {path}", *([f"{path}story-{day}.html"] if day % 3 == 0 else []), "/")
    if re.fullmatch(r"/\d+/\d+/", path):
        return html(f"month {path}", *(f"{path}{day}/" for day in range(1, 29)))
    if path == "/":
        return html("news", *(f"/{year}/{month}/" for year in (2024, 2025) for month in range(1, 7)))
    return html(words(hash_of(url)), "/")


def shop(url: str) -> str:
    """Two hundred goods by number, in one frame."""
    if path_of(url) == "/":
        return html("goods", *(f"/item?id={number}" for number in range(1, 201)))
    return html(f"{words(1)} item {path_of(url)}", "/", f"/item?id={hash_of(url) % 200 + 1}", title=path_of(url))


def forum(url: str) -> str:
    """Two hundred pages of a list, and ten threads on each."""
    found = re.search(r"page=(\d+)", url)
    if "thread" in url:
        return html(f"thread {url}", "/")
    page = int(found[1]) if found else 1
    more = [f"/list?page={page + 1}"] if page < 200 else []
    return html(f"list {page}", *more, *(f"/thread?id={page * 10 + n}" for n in range(2)))


def pages_only(url: str) -> str:
    """Two hundred numbered pages with nothing but the next one."""
    found = re.search(r"page=(\d+)", url)
    page = int(found[1]) if found else 1
    return html(f"{words(page, 12)} page {page}", *([f"/list?page={page + 1}"] if page < 200 else []))


def gallery(url: str) -> str | None:
    """A hundred pictures on pages of one text."""
    found = re.fullmatch(r"/(\d*)", path_of(url))
    if found is None:
        return None
    number = int(found[1] or 0)
    return html("previous next", f"/{number + 1}", title="Pictures") if number < 100 else html("the last", "/")


SITES: dict[str, tuple[Answers, int]] = {
    "tree": (tree, 1 + 3 + 9 + 27 + 81),
    "archive": (archive, 1 + 12 + 12 * 28 + 12 * 9),
    "shop": (shop, 201),
    "forum": (forum, 1 + 199 + 400),
    "pages": (pages_only, 200),
    "gallery": (gallery, 101),
}


@pytest.mark.parametrize("name", SITES)
def test_an_honest_site_is_read_to_its_end(name: str) -> None:
    answers, count = SITES[name]
    urls = [url for url in asked(answers, [SEED], 1000) if not MADE_UP.search(url)]
    assert len(set(urls)) == len(urls) == count


def test_a_relevant_page_ends_a_row(tmp_path: Path) -> None:
    """A calendar with an entry about sailing every few years."""

    def answers(url: str) -> str:
        found = re.search(r"year=(\d+)", url)
        year = int(found[1]) if found else 0
        return html(f"{'sailing' if year % 8 == 0 else 'none'} {words(year)}", f"/calendar?year={year + 1}")

    assert len(asked(answers, [SEED], 120)) == 120
    assert len(asked(answers, ["http://a.test/calendar?year=1"], 120, settings={"traps": {"patience": 5}})) == 5


# -- aliases and mirrors ------------------------------------------------------------------------------------------


def alias(other: Callable[[str], str], differ: bool = False) -> Answers:
    """A site of 40 pages, each linked under two names; ``differ``: what stands there is not the same."""

    def answers(url: str) -> str:
        number = int((re.search(r"p(\d+)", url) or ["", "0"])[1])
        plain = [f"http://a.test/p{n}/" for n in range(1, 41)]
        own = 0 if not differ or url in plain else 1000
        return html(f"sailing {words(number + own)}", *plain, *map(other, plain), title=f"{number + own}")

    return answers


ALIASES: dict[str, Callable[[str], str]] = {
    "www": lambda url: url.replace("//a", "//www.a"),
    "https": lambda url: url.replace("http:", "https:"),
    "slash": lambda url: url.rstrip("/"),
    "index": lambda url: f"{url}index.html",
    "print": lambda url: f"{url}?print=1",
    "mirror": lambda url: url.replace("//a.test", "//b.example"),
}


@pytest.mark.parametrize("name", ALIASES)
def test_what_makes_no_difference_is_learned(name: str) -> None:
    urls = asked(alias(ALIASES[name]), [SEED], 200)
    assert {f"http://a.test/p{n}/" for n in range(1, 41)} <= set(urls)
    assert len(urls) <= 41 + 8


@pytest.mark.parametrize("name", ALIASES)
def test_what_makes_a_difference_is_not(name: str) -> None:
    assert len(asked(alias(ALIASES[name], differ=True), [SEED], 200)) == 81


@pytest.mark.parametrize("name", ["viewtopic.php?t=", "shop?c=", "story?sid=", "item?id="])
@pytest.mark.parametrize(
    "says", ["no such topic", "no such topic or goods here any more but go on with a look at our list"]
)
def test_what_a_site_says_of_all_that_it_lacks_makes_no_rule(name: str, says: str) -> None:
    """The first four of a hundred are gone, and the site says so with 200."""

    def answers(url: str) -> str:
        number = int((re.search(r"=(\d+)", url) or ["", "-1"])[1])
        if 0 <= number < 4:
            return html(says, "/", title="Forum")
        return html(f"sailing {words(number)}", *(f"/{name}{n}" for n in range(100)), title=str(number))

    urls = asked(answers, [SEED], 200)
    assert {f"http://a.test/{name}{n}" for n in range(4, 100)} <= set(urls)


def test_a_wrong_conclusion_is_undone() -> None:
    """The first pages are the same under both names, later ones are not."""

    def answers(url: str) -> str:
        number = int((re.search(r"p=(\d+)", url) or ["", "0"])[1])
        lang = "lang=fr" in url and number > 5
        links = [f"/?p={n}{lang}" for n in range(1, 150) for lang in ("", "&lang=fr")]
        return html(f"sailing {words(number + 1000 * lang)}", *links, title=f"{number} {lang}")

    urls = asked(answers, [SEED], 400)
    french = [url for url in urls if "lang=fr" in url]
    assert len(french) > 50, "some are fetched all the same, and show that they differ"


# -- soft 404, farms ------------------------------------------------------------------------------------------------


def soft(relative: bool, reflect: bool) -> Answers:
    """Case 14: a site of five pages that says *not found* with status 200 to everything else."""

    def answers(url: str) -> str:
        path = path_of(url)
        if path == "/" or re.fullmatch(r"/good\d", path):
            more = [f"/good{n}" for n in range(1, 5)] + [f"/gone/{n}/x" for n in range(12)]
            return html(f"sailing {words(hash_of(path))}", *more, title=path)
        said = (
            f"Sorry, {path} was not found, sailing fans" if reflect else "Sorry, this page was not found, sailing fans"
        )
        links = ("more/", "other/", "third/") if relative else ("/",)
        return html(said, *links, title="Sorry")

    return answers


@pytest.mark.parametrize("relative", [True, False])
@pytest.mark.parametrize("reflect", [True, False])
def test_soft_404s_are_learned_from_a_made_up_url(tmp_path: Path, relative: bool, reflect: bool) -> None:
    world = MadeUp(soft(relative, reflect))
    crawl_of(world, [SEED], folder=tmp_path).run_sync(300)
    assert len(world.asked) < 70
    store = stored(tmp_path)
    rows = list(store.visits.rows())
    store.close()
    assert sum(bool(MADE_UP.search(url)) for url in world.asked) == 1
    late = [row for row in rows if row.reason == "soft 404: a.test answers so to a made-up URL"]
    assert len(late) > 4 and not any(row.relevant for row in late)
    assert {path_of(row.url) for row in rows if row.relevant} >= {"/", "/good1", "/good2", "/good3", "/good4"}


def test_a_host_that_says_no_keeps_its_copies(tmp_path: Path) -> None:
    def answers(url: str) -> str | None:
        path = path_of(url)
        if path == "/":
            return html("sailing", *(f"/{n}" for n in range(20)))
        return html(words(3), f"/x{path}", title="One") if re.fullmatch(r"/\d+", path) else None

    world = MadeUp(answers)
    crawl_of(world, [SEED], folder=tmp_path).run_sync(100)
    assert sum(bool(MADE_UP.search(url)) for url in world.asked) == 1
    assert {f"http://a.test/{n}" for n in range(20)} <= set(world.asked)
    store = stored(tmp_path)
    assert not any(row.reason.startswith("soft 404") for row in store.visits.rows())


def farm(url: str) -> str:
    """Hosts without end, of one page and one domain, each linking to four more."""
    number = int((re.search(r"h(\d+)\.", url) or ["", "0"])[1])
    return html(f"{words(1)} buy", *(f"http://h{number * 4 + n}.farm.test/" for n in range(1, 5)), title="Buy")


def test_a_farm_of_hosts_is_bounded() -> None:
    hosts = [f"http://h{n}.farm.test/" for n in range(1, 40)]
    hub = lambda url: html("sailing", *hosts) if url == SEED else farm(url)  # noqa: E731
    assert len(asked(hub, [SEED], 1000)) <= 1 + 39 + 50
    assert len(asked(hub, [SEED], 1000, settings={"traps": {"farm_hosts": 5}})) <= 1 + 39 + 5


# -- settings, and going on -------------------------------------------------------------------------------------


def test_patience_numbered_and_same_pages_are_settings() -> None:
    for patience in (3, 25):
        urls = asked(calendar(WORDINGS["long"]), [SEED], 100, settings={"traps": {"patience": patience}})
        assert len(urls) == patience + 1
    assert len(asked(calendar(WORDINGS["long"]), [SEED], 100, settings={"traps": {"patience": 0}})) == 100
    assert len(asked(pages_only, [SEED], 100, settings={"traps": {"numbered": 20}})) < 30
    assert len(asked(alias(ALIASES["www"]), [SEED], 200, settings={"traps": {"same_pages": 0}})) == 81


def test_soft_404_is_a_setting() -> None:
    urls = asked(soft(True, False), [SEED], 300, settings={"traps": {"soft_404": 0}})
    assert not any(bool(MADE_UP.search(url)) for url in urls)
    few = asked(soft(True, False), [SEED], 300, settings={"traps": {"soft_404": 1}})
    many = asked(soft(True, False), [SEED], 300, settings={"traps": {"soft_404": 6}})
    first = [[(bool(MADE_UP.search(url))) for url in urls].index(True) for urls in (few, many)]
    assert first[0] < first[1]


def test_other_settings_take_refusals_back(tmp_path: Path) -> None:
    crawl_of(calendar(WORDINGS["long"]), [SEED], folder=tmp_path).run_sync(100)
    again = MadeUp(calendar(WORDINGS["long"]))
    crawl_of(again, [SEED], folder=tmp_path).run_sync(100)
    assert again.asked == []
    crawl_of(again, [SEED], folder=tmp_path, settings={"traps": {"patience": 0}}).run_sync(40)
    assert len(again.asked) > 20


MIXED = {
    "a.test": soft(True, False),
    "b.test": calendar(WORDINGS["long"]),
    "c.test": sort_orders(WORDINGS["long"]),
    "d.test": sessions(lambda page, session: f"/page{page}?sid={session % 97}", WORDINGS["long"]),
    "e.test": growing(WORDINGS["same"]),
}


@pytest.mark.parametrize("strategy", ["breadth-first", "best-first"])
def test_a_crawl_that_was_stopped_learns_the_same(tmp_path: Path, strategy: str) -> None:
    def answers(url: str) -> str | None:
        name = url.split("/")[2]
        if name == "d.test":  # what it says must depend on nothing but the URL
            number = int((re.search(r"page(\d+)", url) or ["", "0"])[1])
            links = [f"/page{n}?sid={hash_of(url) % 89 + n}" for n in range(1, 11)]
            return html(f"sailing {words(number)}", *links, title=f"Page {number}")
        found = MIXED[name](url.replace(name, "a.test"))
        assert found is None or isinstance(found, str)
        return found

    seeds = [f"http://{name}/" for name in MIXED]
    whole, parts = MadeUp(answers), MadeUp(answers)
    crawl_of(whole, seeds, folder=tmp_path / "whole", strategy=strategy).run_sync(150)
    for pages in (3, 17, 18, 40, 71, 102, 150):
        crawl_of(parts, seeds, folder=tmp_path / "parts", strategy=strategy).run_sync(pages)
    assert whole.asked == parts.asked and len(whole.asked) > 50
    one, other = (stored(tmp_path / name) for name in ("whole", "parts"))
    kept = [[(row.url, row.reason, row.duplicate_of) for row in store.visits.rows()] for store in (one, other)]
    assert kept[0] == kept[1]
    assert {(row.url, row.reason) for row in one.links.refusals()} == {
        (row.url, row.reason) for row in other.links.refusals()
    }

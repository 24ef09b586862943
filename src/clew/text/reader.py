"""A response to a page: charset, HTML or plain text, terms, links with their evidence.

The reader may not know how URLs work (layers), so it is given functions that do.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from clew.model import LISTS, Bools, Doubles, Ints, Keys, Leaves, LinkKind, Links, Page, Response, TermIds
from clew.text import charset, html, marking
from clew.text.directives import directives
from clew.text.fingerprint import fingerprint
from clew.text.formats import FEED, SITEMAP, Formats, Unreadable
from clew.text.headerlinks import header_links
from clew.text.html import Anchor, Document, squeeze
from clew.text.language import SAMPLE_CHARS, language
from clew.text.queries import Queries
from clew.text.sniff import PLAIN, is_xml, kind_of
from clew.text.tagnames import TagNames
from clew.text.taming import tame
from clew.text.terms import tokeniser
from clew.text.xhtml import as_html

TEXT_CHARS = 2_000_000
"""Terms are taken from this much of a page's text; leaves further down count but are empty."""

LOOK_AHEAD = 10
"""Up to this many times ``links_per_page`` anchors are looked at to find that many links in scope."""

_PARAGRAPH = re.compile(r"\n[ \t\f\v]*\n\s*")
_HTTP = ("http://", "https://")
_LISTS = frozenset(LISTS)
_PAGES = frozenset(("text/html", "application/xhtml+xml", PLAIN))

__all__ = ["FEED", "SITEMAP", "Formats", "Reader", "Unreadable", "seed_links"]


_ID_BYTES = 4

SITEMAP_LINKS = 5_000
"""Links of a sitemap that are looked at, in scope: the newest, as it says."""

REMEMBERED = 20_000
"""URLs about which a reader remembers what they tell, at most."""


class _Facts(NamedTuple):
    """What a URL alone tells."""

    key: bytes  # uint64
    host: str
    inside: bool


class Reader:
    """Turns responses into pages; picklable if its functions are.

    ``canonicalise(href, base)`` gives a canonical URL, or None for what is no URL to crawl · ``key_of(urls)`` their
    keys, uint64[n] · ``host_of(url)`` a host name · ``words_of(url)`` the words in a URL · ``scope(urls)`` which of
    them belong to the crawl (None: all), ``lists_scope(urls)`` the same for sitemaps and feeds. ``formats``: what is
    read besides pages and plain text. ``user_agent`` is the product token that robots directives may name.
    Without ``keep_text`` pages come without their visible text.
    """

    def __init__(  # the functions come in the order in which a URL goes through them
        self,
        canonicalise: Callable[[str, str], str | None],
        key_of: Callable[[Sequence[str]], Keys],
        host_of: Callable[[str], str],
        words_of: Callable[[str], str],
        links_per_page: int = 2000,
        user_agent: str = "clew",
        scope: Callable[[Sequence[str]], list[bool]] | None = None,
        keep_text: bool = True,
        formats: Formats = Formats(),  # noqa: B008  # it cannot be changed
        lists_scope: Callable[[Sequence[str]], list[bool]] | None = None,
    ) -> None:
        self.canonicalise = canonicalise
        self.key_of = key_of
        self.host_of = host_of
        self.words_of = words_of
        self.links_per_page = links_per_page
        self.user_agent = user_agent.partition("/")[0].strip().lower()
        self.scope = scope
        self.keep_text = keep_text
        self.formats = formats
        self.lists_scope = lists_scope
        self._facts: dict[str, _Facts] = {}
        self._words: dict[str, dict[str, bytes]] = {}

    def read(self, response: Response, sitemap: bool = False) -> Page:
        """The page in a response. Raises Unreadable for what is no text; an empty body is a page without text.

        ``sitemap``: it is to be read as one, whatever it looks like. Sitemaps and feeds come as pages of the content
        types SITEMAP and FEED.
        """
        content_type = content_type_of(response)
        words = partial(self._words_of_link, response.url)
        form = self.formats.read(response.body, content_type, words if sitemap else None)
        if form is not None:
            return self._page(response, form.document, form.kind, form.charset)
        kind, reason = kind_of(content_type, response.body)
        if not kind:
            raise Unreadable(reason + self.formats.hint(response.body))
        text, charset_name = charset.decode(response.body, content_type)
        if is_xml(content_type):
            text = as_html(text)
        document = plain(text) if kind == PLAIN else self._document(text)
        return self._page(response, document, kind, charset_name)

    def _words_of_link(self, base: str, href: str) -> str:
        url = self.canonicalise(href, base)
        return self.words_of(url) if url is not None else ""

    def _document(self, text: str) -> Document:
        limit = LOOK_AHEAD * self.links_per_page
        if self.keep_text:
            return html.parse(text, limit)
        names = TagNames(text)
        tamed = tame(text, names)
        if tamed is not text:
            names = TagNames(tamed)
        return marking.parse(tamed, limit, names) or html.parse(text, limit, keep_text=False)

    def _page(self, response: Response, document: Document, kind: str, charset_name: str) -> Page:
        base = self._base(document, response.url)
        plain = Queries(b"", "", "utf-8")
        queries = Queries(response.body, content_type_of(response), charset_name) if kind in _PAGES else plain
        _write_queries(document, queries)
        self._add_header_links(document, response, queries)
        most = SITEMAP_LINKS if kind == SITEMAP else self.links_per_page
        targets = self._targets(document, base)
        urls, facts, found = self._links(targets, response.url, most)
        code = language(document.lang or response.header("content-language"), _sample(document))
        short = kind in _PAGES and len(response.body) <= TEXT_CHARS  # no charset makes more characters than bytes
        leaf_texts = document.leaves if short else _capped(document.leaves)
        texts = [document.title, *leaf_texts]
        ids, starts = tokeniser(code).rows(texts)
        title_ids, leaves = _parted(ids, starts)
        keys = np.frombuffer(bytearray().join([key for key, _, _ in facts]), np.uint64)
        hosts = [host for _, host, _ in facts]
        asked = directives(response.headers, document.robots, self.user_agent, response.fetched_at)
        sha1 = hashlib.sha1(response.body).digest()
        return Page(
            url=response.url,
            title=document.title,
            language=code,
            charset=charset_name,
            content_type=kind,
            text=document.text,
            title_ids=title_ids,
            leaves=leaves,
            links=_columns(urls, found, keys, hosts, self._url_terms(urls, code), kind in (SITEMAP, FEED)),
            canonical=self._canonical(document, base),
            noindex="noindex" in asked,
            nofollow="nofollow" in asked,
            digest=base64.b32encode(sha1).decode(),
            fingerprint=fingerprint(texts, targets, self.host_of(response.url), sha1, title_ids, leaves.ids),
        )

    def _base(self, document: Document, url: str) -> str:
        """What relative URLs on the page are relative to."""
        return (self.canonicalise(document.base, url) if document.base else None) or url

    def _add_header_links(self, document: Document, response: Response, queries: Queries) -> None:
        """Links of the header come before those of the page, and are relative to the response's own URL."""
        anchors, canonicals = header_links(response.headers)
        for anchor in anchors:
            anchor.href = self.canonicalise(queries(anchor.href), response.url) or ""
        document.anchors[:0] = [anchor for anchor in anchors if anchor.href]
        document.canonicals += filter(None, [self.canonicalise(queries(href), response.url) for href in canonicals])

    def _targets(self, document: Document, base: str) -> dict[str, list[Anchor]]:
        """Where the page's links lead, in order of appearance, the page itself among them, and the anchors of each."""
        found: dict[str, list[Anchor]] = {}
        resolve = self.canonicalise
        for anchor in document.anchors:
            target = resolve(anchor.href, base)
            if target is None or (anchor.kind is LinkKind.FEED and not self.formats.feeds):
                continue
            there = found.get(target)
            if there is None:
                found[target] = [anchor]
            else:
                there.append(anchor)
        return found

    def _links(
        self, targets: Mapping[str, list[Anchor]], url: str, most: int
    ) -> tuple[list[str], list[_Facts], list[list[Anchor]]]:
        """The page's links in order of appearance: URLs, facts and anchors of each; none to the page itself."""
        own = (url, self.canonicalise(url, url))
        found = {target: anchors for target, anchors in targets.items() if target not in own}
        urls, facts, anchors = list(found), self._look_up(found), list(found.values())
        if self.scope is not None:
            inside = [
                place
                for place, fact in enumerate(facts)
                if (fact.inside if anchors[place][0].kind not in _LISTS else self._lists_it(urls[place], fact))
            ]
            if len(inside) < len(urls):
                urls, facts = [urls[place] for place in inside], [facts[place] for place in inside]
                anchors = [anchors[place] for place in inside]
        return urls[:most], facts[:most], anchors[:most]

    def _lists_it(self, url: str, facts: _Facts) -> bool:
        """Whether a sitemap or feed belongs to the crawl."""
        return facts.inside if self.lists_scope is None else self.lists_scope([url])[0]

    def _look_up(self, urls: Collection[str]) -> list[_Facts]:
        """What the URLs alone tell. It is remembered: pages of a site link to the same URLs again and again."""
        known = self._facts
        if len(known) > REMEMBERED:
            known.clear()
        new = [url for url in urls if url not in known]
        if new:
            scope = [True] * len(new) if self.scope is None else self.scope(new)
            keys = self.key_of(new)
            for url, key, inside in zip(new, keys, scope, strict=True):
                known[url] = _Facts(key.tobytes(), self.host_of(url), inside)
        return [known[url] for url in urls]

    def _url_terms(self, urls: Sequence[str], code: str) -> tuple[TermIds, Ints]:
        """The terms of URLs in the language of a page: uint32[t], int32[n + 1]."""
        known = self._words.setdefault(code, {})
        if len(known) > REMEMBERED:
            known.clear()
        if new := [url for url in urls if url not in known]:
            ids, starts = tokeniser(code).rows(list(map(self.words_of, new)))
            known.update(zip(new, [row.tobytes() for row in np.split(ids, starts[1:-1])], strict=True))
        rows = [known[url] for url in urls]
        ends = np.fromiter(accumulate(map(len, rows), initial=0), np.int32, len(rows) + 1)
        return np.frombuffer(bytearray().join(rows), np.uint32), ends // _ID_BYTES

    def _canonical(self, document: Document, base: str) -> str:
        """The URL that the page declares to be its own; several that differ say nothing."""
        targets = {self.canonicalise(href, base) for href in document.canonicals}
        target = targets.pop() if len(targets) == 1 else None
        return target if target and target.startswith(_HTTP) else ""


def content_type_of(response: Response) -> str:
    """The header Content-Type, or all of them as one."""
    return ", ".join([value for name, value in response.headers if name.lower() == "content-type"])


def _write_queries(document: Document, queries: Queries) -> None:
    """Put the queries of a page's links into the page's charset; the rest of a URL is UTF-8 everywhere."""
    for anchor in document.anchors:
        if not anchor.href.isascii():
            anchor.href = queries(anchor.href)
    document.canonicals = [href if href.isascii() else queries(href) for href in document.canonicals]


def _sample(document: Document) -> str:
    """Enough of the text to tell its language: the leaves from a third of the way in."""
    leaves = document.leaves
    sample: list[str] = []
    size = 0
    for text in leaves[len(leaves) // 3 :]:
        sample.append(text)
        size += len(text)
        if size > SAMPLE_CHARS:
            break
    return squeeze(" ".join(sample)) or document.title


def seed_links(  # columns
    urls: Sequence[str],
    keys: Keys,
    hosts: Sequence[str],
    words_of: Callable[[str], str],
    kind: LinkKind = LinkKind.SEED,
    anchor: str = "",
    *,
    language: str = "",
) -> Links:
    """Links that stand on no page (seeds, redirects), from distinct canonical URLs, their keys and host names."""
    found = [[Anchor(kind, url, text=anchor)] for url in urls]
    words = tokeniser(language).rows([words_of(url) for url in urls])
    return _columns(urls, found, keys, hosts, words)


def _columns(
    urls: Sequence[str],
    found: Sequence[Sequence[Anchor]],
    keys: Keys,
    hosts: Sequence[str],
    words: tuple[TermIds, Ints],
    dated: bool = False,
) -> Links:
    """Columns of n links, each with one anchor or more; ``dated``: their anchors may have dates."""
    names = {host: place for place, host in enumerate(dict.fromkeys(hosts))}
    flat = [one for anchors in found for one in anchors]
    spans = np.empty((len(flat), 3), np.int32)
    single = len(flat) == len(found)
    spans[:, 0] = np.arange(len(found)) if single else np.repeat(np.arange(len(found)), list(map(len, found)))
    spans[:, 1] = [one.first for one in flat]
    spans[:, 2] = [one.last for one in flat]
    return Links(
        urls=tuple(urls),
        keys=np.asarray(keys, np.uint64),
        host_names=tuple(names),
        host_index=np.array([names[host] for host in hosts], np.int32),
        nofollow=_forbidden(found, flat),
        kinds=tuple([anchors[0].kind for anchors in found]),
        url_term_ids=words[0],
        url_term_starts=words[1],
        anchors=tuple([one.text for one in flat]),
        spans=spans,
        dates=_dates(found) if dated else None,
    )


def _dates(found: Sequence[Sequence[Anchor]]) -> Doubles | None:
    """float64[n]: the latest date that the anchors of a link have; None where none has any."""
    dates = np.array([max((one.date for one in anchors), key=_known) for anchors in found], np.float64)
    return None if np.isnan(dates).all() else dates


def _known(date: float) -> float:
    return -math.inf if math.isnan(date) else date


def _forbidden(found: Sequence[Sequence[Anchor]], flat: Sequence[Anchor]) -> Bools:
    """bool[n]: it takes all anchors of a link to forbid it."""
    if True not in [one.nofollow for one in flat]:
        return np.zeros(len(found), np.bool_)
    return np.array([all(one.nofollow for one in anchors) for anchors in found], np.bool_)


def _parted(ids: TermIds, starts: Ints) -> tuple[TermIds, Leaves]:
    """Terms of title and leaves, which were made in one pass, apart again."""
    first = int(starts[1])
    return ids[:first].copy(), Leaves(ids[first:].copy(), starts[1:] - np.int32(first))


def _capped(leaves: list[str]) -> list[str]:
    """Leaf texts, cut to TEXT_CHARS in all."""
    if sum(map(len, leaves)) <= TEXT_CHARS:
        return leaves
    ends = np.cumsum([len(text) for text in leaves])
    full = int(np.searchsorted(ends, TEXT_CHARS, side="right"))
    room = TEXT_CHARS - (int(ends[full - 1]) if full else 0)
    return [*leaves[:full], leaves[full][:room], *[""] * (len(leaves) - full - 1)]


def plain(text: str) -> Document:
    """Plain text as a document: one leaf a paragraph, no links."""
    paragraphs = [part.strip() for part in _PARAGRAPH.split(text.replace("\r\n", "\n").replace("\r", "\n"))]
    leaves = [part for part in paragraphs if part]
    return Document(leaves=leaves, text="\n\n".join(leaves))

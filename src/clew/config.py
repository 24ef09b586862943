"""clew.toml as typed settings. Units stand in the names: ``_s`` seconds, ``_bytes`` bytes.

Every setting carries its description here, once; ``docs/settings.md`` is checked against this file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import field

from clew.errors import ConfigError
from clew.section import Section, checked, did_you_mean, doc

__all__ = ["Section", "Settings", "checked", "did_you_mean", "doc", "load", "parse", "quoted"]

STRATEGY, JUDGE = "clew", "auto"
"""The defaults: where to go next, and what is relevant."""


class ProjectSettings(Section, frozen=True):
    """[project]"""

    name: Annotated[str, doc("What the collection is called.")] = ""
    web: Annotated[
        str, doc("Where pages come from: live, archive:FILE, folder:DIR, sim:pages=N,seed=S or a class of your own.")
    ] = "live"


class InterestSettings(Section, frozen=True):
    """[interest]: what is wanted"""

    seeds: Annotated[str, doc("File of start URLs, one a line, relative to the project.")] = "seeds.txt"
    relevant: Annotated[str, doc("File of URLs or paths of local pages that are relevant.")] = "relevant.txt"
    topics: Annotated[str, doc("File of the topic tree; without it there is one topic, relevant.")] = "topics.yaml"
    formula: Annotated[
        str, doc("What is wanted, in topics: sailing and (rügen or hiddensee) and not jobs. Empty: any topic.")
    ] = ""
    semantics: Annotated[
        Literal["possibilistic", "product", "weighted"],
        doc("Values of and, or: least and greatest of the parts, products, or least and greatest weighted."),
    ] = "possibilistic"
    weights: Annotated[
        tuple[float, ...], doc("Weights of the parts of the formula, for weighted semantics or products.")
    ] = ()
    exclude_from: Annotated[
        float, doc("What stands after `and not` excludes a page from this score on.", ge=0, le=1)
    ] = 0.5
    irrelevant: Annotated[str, doc("File of URLs or paths of local pages that are not.")] = "irrelevant.txt"
    keywords: Annotated[
        dict[str, float], doc("Words or quoted phrases and their weights (negative: speaks against).")
    ] = field(default_factory=dict)


MOVED: Mapping[str, tuple[str, ...]] = {
    "smoothing": ("naive-bayes",),
    "background": ("naive-bayes", "svm", "logistic", "centroid", "embedding"),
    "pairs": ("naive-bayes", "svm", "logistic", "centroid"),
    "lead": ("naive-bayes", "svm", "logistic", "centroid", "embedding"),
    "heaviest": ("svm", "logistic", "centroid"),
    "reference": ("svm", "logistic", "centroid"),
    "damped": ("naive-bayes", "svm", "logistic", "centroid"),
    "features": ("svm", "logistic"),
    "selection": ("svm", "logistic"),
    "cost": ("svm", "logistic"),
    "members": ("ensemble",),
    "vote": ("ensemble",),
    "model": ("embedding",),
}
"""Settings that stood in [judge] for all judges, and the judges in whose tables they stand now. No new ones come."""


class JudgeSettings(Section, frozen=True):
    """[judge]: is this page it. The table [judge.NAME] is for settings of one judge, see docs/judges.md"""

    name: Annotated[str, doc("The judge, or package.module:Class for one of your own.")] = JUDGE
    threshold: Annotated[
        float, doc("A page is relevant from this relevance on; 0: that of the least relevant start page.", ge=0, le=1)
    ] = 0.5
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    moved: dict[str, Any] = field(default_factory=dict)

    def table(self, name: str, known: Collection[str]) -> dict[str, Any]:
        """The settings of one judge, which has settings of the names ``known``: its table, and what older projects have
        in [judge] itself, which counts for every judge that has such a setting."""
        older = {setting: value for setting, value in self.moved.items() if setting in known}
        return older | self.tables.get(name, {})


class CrawlSettings(Section, frozen=True):
    """[crawl]: how the loop runs"""

    contact: Annotated[str, doc("A mail address or URL where site owners reach you; needed for live crawls.")] = ""
    user_agent: Annotated[str, doc("Product token sent to servers and looked up in robots.txt.")] = "clew"
    max_pages: Annotated[int, doc("Stop when the project has fetched this many (0: no limit).", ge=0)] = 0
    hosts_at_once: Annotated[int, doc("Hosts visited at the same time, at most.", ge=1)] = 64
    better_hosts: Annotated[
        int,
        doc(
            "A link is taken only while fewer hosts than this have better ones and are free again soon; more where "
            "links wait on many hosts. 0: no link waits for a better one. See docs/politeness.md.",
            ge=0,
        ),
    ] = 1
    workers: Annotated[int, doc("Processes that read and judge pages (-1: cores minus one; 0: in-line).", ge=-1)] = -1
    session_pages: Annotated[int, doc("Visits in a session; strategies adapt between sessions.", ge=1)] = 200
    commit_pages: Annotated[int, doc("Visits written in one transaction, at most.", ge=1)] = 50
    commit_s: Annotated[float, doc("A visit waits at most this long for its transaction.", ge=0)] = 2.0
    max_attempts: Annotated[int, doc("Times a page is asked for before it counts as failed.", ge=1)] = 3
    duplicates: Annotated[
        Literal["best", "first", "mean"], doc("Which score counts for a URL with several links to it.")
    ] = "best"
    seed: Annotated[int, doc("Decides everything random.", ge=0)] = 1
    sitemaps: Annotated[
        Literal["off", "seeds", "all"],
        doc("Read the sitemaps that robots.txt names: on the seeds' hosts, on all hosts, or not at all."),
    ] = "seeds"
    feeds: Annotated[bool, doc("Follow the feeds that pages name (RSS, Atom, JSON Feed); read as links.")] = False
    documents: Annotated[
        Literal["off", "listed", "fetched"],
        doc(
            "Documents that are not read (PDF, PostScript ...) inherit relevance and topic of the best page that links "
            "to them: listed without being fetched, fetched, or not at all."
        ),
    ] = "off"
    document_endings: Annotated[
        tuple[str, ...], doc("File endings of documents, unless limits.documents reads them.")
    ] = (
        "pdf", "ps", "ps.gz", "ps.z", "pdf.gz", "eps", "dvi", "djvu", "doc", "docx", "odt", "rtf", "epub", "ppt",
        "pptx", "odp",
    )  # fmt: skip
    nofollow: Annotated[bool, doc("Honour rel=nofollow, meta robots and X-Robots-Tag.")] = True
    host_budget: Annotated[
        int, doc("A host is sent this many requests for pages, failures and duplicates included (0: no limit).", ge=0)
    ] = 0
    fresh_s: Annotated[
        float, doc("Pages fetched by earlier crawls of this project are taken from its archive up to this age.", ge=0)
    ] = 0.0


class StopSettings(Section, frozen=True):
    """[stop]: the stopping rules of Ester and others 2001, and how full topics are; 0 switches a rule off"""

    relevant_pages: Annotated[int, doc("Stop after this many relevant pages.", ge=0)] = 0
    irrelevant_pages: Annotated[int, doc("Stop after this many irrelevant pages.", ge=0)] = 0
    irrelevant_run: Annotated[int, doc("Stop after this many irrelevant pages in a row.", ge=0)] = 0
    min_precision: Annotated[
        float, doc("Stop when the share of relevant pages falls below this, after a session.", ge=0, le=1)
    ] = 0.0
    min_score: Annotated[float, doc("Stop when the best waiting link scores below this.", ge=0)] = 0.0
    topic_pages: Annotated[
        int, doc("Stop when every wanted topic that has examples has this many relevant pages, after a session.", ge=0)
    ] = 0
    top_of_topics: Annotated[bool, doc("Stop when a strategy must widen its focus and is already at the top.")] = False


class PolitenessSettings(Section, frozen=True):
    """[politeness]: how servers are treated"""

    delay_s: Annotated[float, doc("Least pause between two requests to a host, and to an IP address.", ge=0)] = 1.0
    adaptive: Annotated[float, doc("The pause is also at least this many times the host's answer time.", ge=0)] = 2.0
    max_delay_s: Annotated[float, doc("Crawl-delay, adaptive pause and back-off never exceed this.", ge=0)] = 300.0
    robots_fresh_s: Annotated[float, doc("robots.txt is asked for again after this long.", ge=0)] = 86_400.0
    robots_bytes: Annotated[int, doc("Bytes of robots.txt that are read.", ge=1)] = 512_000
    give_up_after: Annotated[
        int, doc("After this many failures in a row a host does not answer, and rests, for longer and longer.", ge=1)
    ] = 5
    longest_rest_s: Annotated[
        float, doc("What does not answer is asked again after this long at the latest.", ge=0)
    ] = 14_400.0
    probes: Annotated[
        int, doc("Times that a resting host is asked again before a run with nothing else to do ends without it.", ge=0)
    ] = 6
    longest_outage_s: Annotated[
        float, doc("A crawl that nothing at all answers waits this long before it ends (0: for ever).", ge=0)
    ] = 3_600.0


class LimitSettings(Section, frozen=True):
    """[limits]: what a page may cost"""

    page_bytes: Annotated[int, doc("Bytes of a page, as sent and after decompression.", ge=1)] = 5_000_000
    page_s: Annotated[float, doc("Seconds for a whole page.", gt=0)] = 30.0
    read_s: Annotated[float, doc("Seconds to read and judge a page in a worker process.", gt=0)] = 30.0
    read_bytes: Annotated[
        int, doc("Bytes of memory that a worker process may take for reading pages (Linux).", ge=100_000_000)
    ] = 1_000_000_000
    connect_s: Annotated[float, doc("Seconds to connect.", gt=0)] = 10.0
    redirects: Annotated[int, doc("Redirects in a row.", ge=0)] = 5
    header_bytes: Annotated[
        int, doc("Bytes of one header line of an answer; all lines may have four times as many.", ge=256)
    ] = 65_536
    content_types: Annotated[tuple[str, ...], doc("Content types that are downloaded.")] = (
        "text/html",
        "application/xhtml+xml",
        "text/plain",
    )
    documents: Annotated[
        bool, doc("Read PDF, docx, odt and EPUB files as pages; needs pip install 'clew[documents]'.")
    ] = False
    document_pages: Annotated[int, doc("Pages of a PDF, chapters of a book that are read, the first ones.", ge=1)] = 200
    links_per_page: Annotated[int, doc("Distinct links of a page that are followed, the first ones.", ge=1)] = 2_000
    sitemaps: Annotated[int, doc("Sitemaps of a host that are read, indexes of sitemaps included.", ge=1)] = 20
    sitemap_links: Annotated[
        int, doc("Links that the sitemaps of a host may add: those whose URLs sound most like what is wanted.", ge=1)
    ] = 1_000
    sitemap_bytes: Annotated[int, doc("Bytes of a sitemap, as sent and after decompression.", ge=1)] = 52_428_800
    feeds: Annotated[int, doc("Feeds of a host that are read.", ge=1)] = 5


class DuplicateSettings(Section, frozen=True):
    """[duplicates]: pages that are the same, or nearly"""

    find: Annotated[bool, doc("A page that repeats another one is not relevant, and its links are not new.")] = True
    bits: Annotated[
        int, doc("Pages are nearly the same when their 64-bit fingerprints differ in at most so many bits.", ge=0, le=3)
    ] = 3
    terms: Annotated[int, doc("Pages of fewer distinct terms are never nearly the same.", ge=1)] = 40
    remember: Annotated[int, doc("So many pages, the latest, are compared with; 68 bytes each.", ge=1)] = 200_000


class TrapSettings(Section, frozen=True):
    """[traps]: when the crawl leaves pages that go on without end, see docs/traps.md; 0 switches a rule off"""

    patience: Annotated[
        int, doc("Pages in a row that bring nothing new before a calendar, a growing path ... is left.", ge=0)
    ] = 10
    numbered: Annotated[int, doc("The same for numbered pages of other kinds (page=7, /item/7).", ge=0)] = 300
    same_pages: Annotated[
        int, doc("Pages found the same before a parameter, www, https ... makes no difference on a host.", ge=0)
    ] = 3
    soft_404: Annotated[
        int, doc("Pages that repeat others before a host is asked for a made-up URL, to learn how it says no.", ge=0)
    ] = 4
    farm_hosts: Annotated[
        int, doc("Hosts of a domain with pages of one another before it is a farm, whose new hosts are left.", ge=0)
    ] = 50


class ScopeSettings(Section, frozen=True):
    """[scope]: which URLs belong to the crawl"""

    hosts: Annotated[tuple[str, ...], doc("Only these hosts; .example.org takes in subdomains. Empty: all.")] = ()
    exclude_hosts: Annotated[tuple[str, ...], doc("Never these hosts.")] = ()
    never: Annotated[
        str, doc("File of hosts, .domains and beginnings of URLs that are never asked for anything, one a line.")
    ] = "never.txt"
    paths: Annotated[tuple[str, ...], doc("Only paths (with query) that match one of these regular expressions.")] = ()
    exclude_paths: Annotated[tuple[str, ...], doc("Never paths (with query) that match one of these.")] = ()
    schemes: Annotated[tuple[str, ...], doc("URL schemes.")] = ("http", "https")
    exclude_endings: Annotated[tuple[str, ...], doc("Never paths with these file endings.")] = (
        "7z", "aac", "apk", "avi", "bin", "bmp", "bz2", "css", "deb", "dmg", "doc", "docx", "eot", "epub", "exe",
        "flac", "flv", "gif", "gz", "ico", "iso", "jar", "jpeg", "jpg", "js", "m4a", "m4v", "mid", "mkv", "mov",
        "mp3", "mp4", "mpeg", "mpg", "msi", "odp", "ods", "odt", "ogg", "ogv", "otf", "pdf", "png", "ppt", "pptx",
        "ps", "rar", "rpm", "svg", "swf", "tar", "tgz", "tif", "tiff", "ttf", "wav", "webm", "webp", "wma", "wmv",
        "woff", "woff2", "xls", "xlsx", "xz", "zip",
    )  # fmt: skip
    max_depth: Annotated[int, doc("Links further from the seeds are not followed (0: no limit).", ge=0)] = 0
    drop_parameters: Annotated[
        tuple[str, ...], doc("Query parameters removed from URLs; * stands for any letters.")
    ] = (
        "utm_*", "fbclid", "gclid", "dclid", "msclkid", "yclid", "mc_cid", "mc_eid", "igshid",
        "phpsessid", "jsessionid", "aspsessionid*", "cfid", "cftoken",
    )  # fmt: skip
    url_length: Annotated[int, doc("Longer URLs are not followed.", ge=32)] = 2_000


class LiveSettings(Section, frozen=True):
    """[web.live]"""

    allow_private: Annotated[bool, doc("Also visit loopback, private and other closed addresses, and any port.")] = (
        False
    )
    resolve: Annotated[
        dict[str, str], doc("Host names with a fixed address, as in a hosts file; *.name takes in subdomains.")
    ] = field(default_factory=dict)
    nameservers: Annotated[
        tuple[str, ...],
        doc("Name servers to ask, as IP addresses with a port if need be. Empty: those of this machine."),
    ] = ()
    dns_fresh_s: Annotated[float, doc("Addresses are looked up again after this long.", ge=0)] = 600.0
    dns_failed_s: Annotated[
        float, doc("Names that were not found are looked up again after this long, then later and later.", ge=0)
    ] = 30.0
    proxy: Annotated[
        str,
        doc(
            "Proxy for all requests: http, socks5 or socks5h, as in http://HOST:PORT; env: what http_proxy, "
            "https_proxy and all_proxy say; empty: none."
        ),
    ] = "env"
    https_proxy: Annotated[str, doc("Proxy for https URLs, where it is another.")] = ""
    no_proxy: Annotated[
        tuple[str, ...], doc("Domains, addresses and networks that are asked directly, beside those of no_proxy.")
    ] = ()
    proxy_resolves: Annotated[
        bool, doc("Let the proxy alone look names up: it then guards what addresses it is led to, Clew does not.")
    ] = False
    cookies: Annotated[
        bool, doc("Send cookies back to the host that set them, and to no other, as long as the command runs.")
    ] = False
    verify_tls: Annotated[bool, doc("Refuse servers whose certificate is bad.")] = True


class ArchiveSettings(Section, frozen=True):
    """[web.archive], also for folder webs"""

    closed: Annotated[
        bool, doc("Links to pages that the archive lacks are set aside and cost nothing; false: they fail.")
    ] = True


class WebSettings(Section, frozen=True):
    """[web]: settings of the worlds"""

    live: LiveSettings = field(default_factory=LiveSettings)
    archive: ArchiveSettings = field(default_factory=ArchiveSettings)


class ProviderSettings(Section, frozen=True):
    """[providers]: whom strategies ask about the web; each is a table, see docs/worlds.md"""

    backlinks: Annotated[
        dict[str, Any],
        doc("Who says which pages link to a page; empty: a closed web itself, or what this crawl has read."),
    ] = field(default_factory=dict)
    search: Annotated[dict[str, Any], doc("Who finds pages by words; empty: nobody.")] = field(default_factory=dict)


class StoreSettings(Section, frozen=True):
    """[store]: what is kept"""

    archive: Annotated[bool, doc("Write what was fetched to WARC files.")] = True
    archive_bytes: Annotated[int, doc("A WARC file is closed at this size.", ge=1_000)] = 1_000_000_000
    wait_for_room_s: Annotated[
        float, doc("How long a crawl waits for room when the disk is full before it ends; 0: it ends at once.", ge=0)
    ] = 600.0
    gzip_level: Annotated[int, doc("Compression of WARC records: 1 to 3 fast (ISA-L), 4 to 9 zlib.", ge=1, le=9)] = 2


class Settings(Section, frozen=True):
    """All of clew.toml. ``strategy`` holds ``name`` and one table a strategy, which the strategy itself checks."""

    project: ProjectSettings = field(default_factory=ProjectSettings)
    interest: InterestSettings = field(default_factory=InterestSettings)
    judge: JudgeSettings = field(default_factory=JudgeSettings)
    strategy: dict[str, Any] = field(default_factory=lambda: {"name": STRATEGY})
    crawl: CrawlSettings = field(default_factory=CrawlSettings)
    stop: StopSettings = field(default_factory=StopSettings)
    politeness: PolitenessSettings = field(default_factory=PolitenessSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    duplicates: DuplicateSettings = field(default_factory=DuplicateSettings)
    traps: TrapSettings = field(default_factory=TrapSettings)
    scope: ScopeSettings = field(default_factory=ScopeSettings)
    web: WebSettings = field(default_factory=WebSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    providers: ProviderSettings = field(default_factory=ProviderSettings)

    @property
    def strategy_name(self) -> str:
        """The strategy that is named, or the default where only tables of strategies are given."""
        return str(self.strategy.get("name", STRATEGY))


def parse(text: str, origin: str = "clew.toml") -> Settings:
    """Settings from TOML text. Raises ConfigError naming ``origin``, the line and the setting."""
    import tomllib  # worker processes have no file to read

    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{origin} is not valid TOML: {error}. Correct that place and try again.") from error
    try:
        return settings_from(given, origin)
    except ConfigError as error:
        raise located(error, text, origin) from None


def located(error: ConfigError, text: str, origin: str) -> ConfigError:
    """The same error, with the line of the TOML ``text`` where the setting stands, if it stands there."""
    line = line_of(text, error.table, error.setting)
    if not line:
        return error
    said = str(error).removeprefix(f"{origin}: ")
    return ConfigError(f"{origin} line {line}: {said}", error.table, error.setting)


def line_of(text: str, table: str, setting: str = "") -> int:
    """The line, from 1, of a TOML text where a setting stands, or what holds it; 0 where neither does. ``table`` as in
    [strategy.clew], empty for the file itself."""
    wanted = [*_parts(table.strip("[]")), *_parts(setting)]
    header: list[str] = []
    within, best, found = "", 0, 0
    for number, line in enumerate(text.splitlines(), 1):
        outside = not within
        for fence in _FENCE.findall(line):  # a text of several lines begins or ends
            within = fence if not within else "" if within == fence else within
        name = _HEADER.match(line) or _KEY.match(line) if outside else None
        if name is None:
            continue
        header = _parts(name[1]) if name.re is _HEADER else header
        path = header if name.re is _HEADER else [*header, *_parts(name[1])]
        shared = min(len(path), len(wanted))
        if shared > best and path[:shared] == wanted[:shared]:
            best, found = shared, number
    return found


_FENCE = re.compile(r"\"{3}|'{3}")
_HEADER = re.compile(r"\s*\[{1,2}\s*([^\[\]]+?)\s*\]")
_KEY = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*=""")
_PART = re.compile(r""""([^"]*)"|'([^']*)'|([^\s."']+)""")


def _parts(name: str) -> list[str]:
    """The parts of a dotted name."""
    return ["".join(part) for part in _PART.findall(name)]


def settings_from(tables: Mapping[str, Any], origin: str = "settings") -> Settings:
    """Settings from a mapping with the tables of clew.toml. Raises ConfigError naming ``origin`` and the setting."""
    given = dict(tables)
    if isinstance(given.get("judge"), dict):
        given["judge"] = _judge(given["judge"], origin)
    try:
        return checked(Settings, given, "", "docs/settings.md", f"{origin}: ")
    except ConfigError as error:
        homes = [name for name in _homes(error.setting) if f"[{name}]" != error.table]
        if not homes or "has no setting" not in str(error):
            raise
        there = ", ".join(f"[{name}]" for name in homes)
        raise ConfigError(f"{error}; {error.setting} belongs into {there}", error.table, error.setting) from None


def _homes(setting: str) -> list[str]:
    """The tables of the file that have a setting of that name."""
    return [
        name for name, table in _tables() if setting in table.__struct_fields__ and setting not in ("tables", "moved")
    ]


def _tables() -> list[tuple[str, type[Section]]]:
    found = [(name, getattr(Settings(), name)) for name in Settings.__struct_fields__]
    return [(name, type(table)) for name, table in found if isinstance(table, Section)]


def _judge(given: dict[str, Any], origin: str) -> dict[str, Any]:
    """[judge] with the tables of judges, and settings that stood there for all judges, apart."""
    tables = {name: value for name, value in given.items() if isinstance(value, dict)}
    moved = {name: value for name, value in given.items() if name in MOVED and name not in tables}
    for name in moved:
        _hint(origin, name, str(given.get("name", JUDGE)))
    if wrong := sorted({"tables", "moved"} & (set(given) - set(tables))):
        raise ConfigError(
            f"{origin}: [judge] has no setting {wrong[0]!r}; it has: name, threshold; see docs/settings.md",
            "[judge]",
            wrong[0],
        )
    rest = {name: value for name, value in given.items() if name not in tables and name not in moved}
    return {**rest, "tables": tables, "moved": moved}


_hinted: set[tuple[str, str]] = set()


def _hint(origin: str, setting: str, judge: str) -> None:
    """Say once, on standard error unless logging is set up otherwise, where a setting stands now."""
    if (origin, setting) in _hinted:
        return
    _hinted.add((origin, setting))
    from logging import getLogger

    homes = [judge] if judge in MOVED[setting] else MOVED[setting]
    now = ", ".join(f"[judge.{name}] {setting}" for name in homes)
    getLogger("clew.config").warning("%s: judge.%s is now %s; it is still read where it is", origin, setting, now)


# -- files ------------------------------------------------------------------------------------------------


def load(path: Path) -> Settings:
    """Settings from a file. Raises ConfigError."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ConfigError(f"{path} does not exist; make a project with: clew init {path.parent}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
    return parse(text, str(path))


def quoted(text: str) -> str:
    """A TOML basic string."""
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")

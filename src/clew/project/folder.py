"""A project: a folder that says what is wanted (clew.toml and its lists) and holds what was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

from clew.collection.library import FOLDER, Library
from clew.config import Settings, did_you_mean, load, located
from clew.crawl.reading import canonicaliser_of, reader_of, scope_of
from clew.errors import ConfigError, InputError, ProjectError
from clew.examples.labels import LABELS, RELEVANT, as_examples, read_labels
from clew.examples.sources import Wanted
from clew.judges.base import JudgeContext
from clew.judges.registry import reads_text
from clew.model import OTHER, Visit
from clew.project.lists import Line, example, read_list, seed_url
from clew.store.base import Store
from clew.store.sqlite import SqliteStore
from clew.store.sqlite.lock import owner
from clew.text import documents
from clew.text.formats import Formats
from clew.text.reader import Reader
from clew.topics.interest import Interest, semantics_of
from clew.topics.topicsfile import TopicSpec, entries, read_topics
from clew.topics.tree import TopicTree, clean_name
from clew.urls.canonical import Canonicaliser
from clew.urls.scope import Scope

SETTINGS = "clew.toml"
DATABASE = "crawl.db"
ARCHIVE = "archive"
MODELS = "models"


class ProjectFolder:
    """A project folder: what its files say.

    Raises ProjectError when there is none, ConfigError when its settings are wrong.
    """

    def __init__(self, path: Path | str, settings: Settings | None = None) -> None:
        self.path = Path(path)
        if not (self.path / SETTINGS).is_file():
            raise ProjectError(
                f"{self.path} is no Clew project (it has no {SETTINGS}){self._alike()}; make one: clew init {self.path}"
            )
        self.settings = settings or load(self.path / SETTINGS)

    def with_settings(self, settings: Settings) -> Self:
        """The same project under other settings."""
        return type(self)(self.path, settings)

    def _alike(self) -> str:
        """Projects beside this path whose names are like its own."""
        try:
            beside = [one.name for one in self.path.parent.iterdir() if (one / SETTINGS).is_file()]
        except OSError:
            return ""
        return did_you_mean(self.path.name, beside)

    def located(self, error: ConfigError, table: str = "", setting: str = "") -> ConfigError:
        """An error of a setting with file and line of this project's settings, where it stands in them. ``table`` and
        ``setting``: where that is, if the error does not say."""
        path = self.path / SETTINGS
        error = ConfigError(str(error), error.table or table, error.setting or setting)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return error
        return located(error, text, str(path))

    # -- what is wanted -----------------------------------------------------------------------------------

    def seeds(self) -> list[str]:
        """Canonical URLs to start from: those of the list, then those of the topics."""
        urls = [seed_url(line) for line in self._list(self.settings.interest.seeds)]
        if self.tree is not None:
            for topic in range(-1, len(self.tree)):
                urls += [seed_url(self._line(url, topic)) for url in self.tree.seeds(topic)]
        return list(dict.fromkeys(self.canonicalise(url, "") or url for url in urls))

    def wanted(self) -> list[Wanted]:
        """The examples named in relevant.txt, in the topic tree, and in irrelevant.txt."""
        interest = self.settings.interest
        relevant = [example(line, self.interest.wanted, self.path) for line in self._list(interest.relevant)]
        return relevant + self._filed() + [example(line, OTHER, self.path) for line in self._list(interest.irrelevant)]

    def _filed(self) -> list[Wanted]:
        """Examples filed under topics."""
        if self.tree is None:
            return []
        places = ((topic, url) for topic in range(len(self.tree)) for url in self.tree.own(topic))
        return [example(self._line(url, topic), topic, self.path) for topic, url in places]

    def _line(self, url: str, topic: int) -> Line:
        assert self.tree is not None
        return Line(url, f"{self.path / self.settings.interest.topics}, topic {self.tree.path(topic)}")

    def labels(self) -> list[Wanted]:
        """The pages a user labelled, as examples."""
        return as_examples(read_labels(self.path / LABELS), self.topic)

    def topic(self, verdict: str) -> int:
        """The index of the topic that a label names. Raises InputError."""
        several = len(self.interest.wanted_topics) > 1
        if verdict == RELEVANT and several:
            raise InputError(
                "the interest names several topics: say which one the page belongs to, or that it is irrelevant "
                f"(clew topics {self.path} lists them)"
            )
        if verdict == RELEVANT:
            return self.interest.wanted
        if self.tree is None:
            raise InputError(f"{verdict!r} is no verdict; say relevant or irrelevant")
        return self.tree.find(verdict)

    @cached_property
    def tree(self) -> TopicTree | None:
        """The topic tree; None where the one topic is what relevant.txt shows. Raises InputError."""
        if not self._specs:
            return None
        tree = TopicTree.of(entries(self._specs))
        tree.check_disjoint()
        return tree

    @cached_property
    def topic_keywords(self) -> dict[str, dict[str, float]]:
        """Keywords by topic: those of topics.yaml."""
        return {"/".join(map(clean_name, spec.path)): spec.keywords for spec in self._specs if spec.keywords}

    @cached_property
    def _specs(self) -> list[TopicSpec]:
        path = self.path / self.settings.interest.topics
        return read_topics(path) if path.is_file() else []

    @cached_property
    def interest(self) -> Interest:
        """The interest and its threshold. Raises InputError for a wrong formula."""
        settings, threshold = self.settings.interest, self.settings.judge.threshold
        if self.tree is None:
            if settings.formula:
                raise ConfigError(
                    f"{self.path / SETTINGS}: interest.formula needs topics: name them in "
                    f"{self.path / settings.topics}, or make a project with clew init --bookmarks or --taxonomy"
                )
            return Interest(threshold=threshold)
        semantics = semantics_of(settings.semantics, settings.weights)
        try:
            return Interest.of(self.tree, settings.formula, threshold, settings.exclude_from, semantics)
        except ConfigError:
            raise
        except InputError as error:
            raise self.located(ConfigError(f"[interest] {error}"), "[interest]", "formula") from None

    def _list(self, name: str) -> list[Line]:
        path = self.path / name
        return read_list(path) if path.is_file() else []

    # -- how pages are read -------------------------------------------------------------------------------

    @cached_property
    def scope(self) -> Scope:
        """Which URLs belong to the crawl."""
        return scope_of(self.settings, self.path)

    @cached_property
    def canonicalise(self) -> Canonicaliser:
        """URLs as this project writes them."""
        return canonicaliser_of(self.settings)

    @cached_property
    def reader(self) -> Reader:
        """Turns responses into pages."""
        context = JudgeContext(
            keywords=self.settings.interest.keywords, keywords_by_topic=self.topic_keywords, folder=self.path
        )
        keep_text = reads_text(self.settings.judge.name, context)
        return reader_of(self.settings, self.canonicalise, self.scope, keep_text=keep_text)

    # -- what was found -----------------------------------------------------------------------------------

    @property
    def database(self) -> Path:
        """The crawl database."""
        return self.path / DATABASE

    @property
    def archive(self) -> Path:
        """The folder of WARC files."""
        return self.path / ARCHIVE

    @property
    def library(self) -> Library:
        """The texts of the pages, and their search index."""
        limits = self.settings.limits
        reads = limits.documents and not documents.missing()
        formats = Formats(self.settings.crawl.feeds, reads, limits.document_pages)
        return Library(self.path / FOLDER, self.archive, formats, self.crawl_number())

    def writer(self) -> int:
        """The process that crawls this project now, or changes its database otherwise; 0 for none."""
        return owner(self.database)

    def open_store(self, *, read_only: bool = False) -> Store:
        """The crawl database. Raises ProjectError when nothing was crawled yet (read-only) or it is in use."""
        if read_only and not self.database.is_file():
            raise ProjectError(f"nothing was crawled in {self.path} yet; start with: clew crawl {self.path}")
        store = SqliteStore(self.database)
        store.open(read_only=read_only)
        return store

    def visits_of(self, folder: str) -> Iterator[Visit]:
        """The visits of another project's crawl, ``folder`` being relative to this one. Raises ProjectError."""
        database = self.path / folder / DATABASE
        if not database.is_file():
            raise ProjectError(f"{self.path / folder} holds no crawl to learn from (it has no {DATABASE})")
        store = SqliteStore(database)
        store.open(read_only=True)
        try:
            yield from store.visits.replay()
        finally:
            store.close()

    def earlier_databases(self) -> Sequence[Path]:
        """Databases of earlier crawls of this project, oldest first (clew crawl --restart puts them aside)."""
        return sorted(self.path.glob("crawl-[0-9]*.db"), key=lambda path: int(path.stem.split("-")[1]))

    def crawl_number(self) -> int:
        """1 for the first crawl of this project, one more after every restart."""
        earlier = self.earlier_databases()
        return int(earlier[-1].stem.split("-")[1]) + 1 if earlier else 1

    def put_on_hold(self) -> None:
        """Raise ProjectError when a crawl uses the database."""
        if self.database.is_file():
            self.open_store().close()

    def put_aside(self) -> None:
        """Begin anew: the database becomes that of an earlier crawl; the archive stays and may serve as a cache."""
        if not self.database.is_file():
            return
        store = self.open_store()  # takes the lock, so a running crawl refuses
        number = self.crawl_number()
        store.close()
        aside = self.path / f"crawl-{number}.db"
        for ending in ("", "-wal"):  # a reader may have kept committed groups in the write-ahead log
            file = Path(f"{self.database}{ending}")
            if file.exists():
                file.rename(f"{aside}{ending}")
        Path(f"{self.database}-shm").unlink(missing_ok=True)

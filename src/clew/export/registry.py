"""Exporters by name."""

from __future__ import annotations

from collections.abc import Callable

from clew.export.base import Collection, Exporter
from clew.registry import NOTHING, Entry, Registry

EXPORTERS: Registry[Exporter] = Registry(
    "exporter",
    "clew.exporters",
    Exporter,  # type: ignore[type-abstract]  # it is what classes are checked against
    {
        "jsonl": Entry("clew.export.jsonl:JsonLines", "what is known of each page, one JSON object a line"),
        "csv": Entry("clew.export.csv:Csv", "the same as a table"),
        "parquet": Entry("clew.export.parquet:Parquet", "the same for data frames, typed and compressed"),
        "sqlite": Entry("clew.export.sqlite:Sqlite", "the same as a database"),
        "markdown": Entry("clew.export.markdown:Markdown", "a file of text a page, with an index"),
        "warc": Entry("clew.export.warc:Warc", "the pages themselves, as they were fetched"),
        "bookmarks": Entry("clew.export.bookmarks:Bookmarks", "URLs under the topics, for a browser"),
        "yaml": Entry("clew.export.yaml:TopicsYaml", "URLs under the topics, for another project"),
    },
)
"""Every form in which a collection is handed over."""


def make(exporter: str | Callable[..., Exporter] | Exporter, collection: Collection) -> Exporter:
    """An exporter by its name, its class, or itself. Raises ConfigError."""
    return EXPORTERS.make(exporter, NOTHING, collection)

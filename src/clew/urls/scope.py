"""Which URLs belong to a crawl: hosts, path patterns, schemes, file endings, length, depth."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from clew.errors import ConfigError
from clew.urls.canonical import host, scheme

HOSTS_KNOWN = 100_000
"""Hosts whose verdict is remembered, at most."""


class Scope:
    """The rules of [scope] in clew.toml, by the names of their settings. Raises ConfigError for a bad pattern."""

    def __init__(
        self,
        *,
        hosts: Sequence[str] = (),
        exclude_hosts: Sequence[str] = (),
        paths: Sequence[str] = (),
        exclude_paths: Sequence[str] = (),
        schemes: Sequence[str] = ("http", "https"),
        exclude_endings: Sequence[str] = (),
        max_depth: int = 0,
        url_length: int = 2_000,
    ) -> None:
        self.hosts = tuple(name.lower().rstrip(".") for name in hosts)
        self.exclude_hosts = tuple(name.lower().rstrip(".") for name in exclude_hosts)
        self.paths = [_pattern(text, "paths") for text in paths]
        self.exclude_paths = [_pattern(text, "exclude_paths") for text in exclude_paths]
        self.schemes = frozenset(schemes)
        self.endings = frozenset(ending.lower().lstrip(".") for ending in exclude_endings)
        self.max_depth = max_depth
        self.url_length = url_length
        self._verdicts: dict[str, str | None] = {}

    def why_not(self, url: str, depth: int = 0) -> str | None:
        """The rule that keeps a canonical URL out, in words; None when it belongs to the crawl."""
        if self.max_depth and depth > self.max_depth:
            return f"{depth} links from the seeds, more than scope.max_depth = {self.max_depth}"
        if len(url) > self.url_length:
            return f"longer than scope.url_length = {self.url_length}"
        if scheme(url) not in self.schemes:
            return f"{scheme(url)} is not among scope.schemes"
        return self._host(host(url)) or self._path(url[url.index("/", 8) :])

    def accepts(self, urls: Sequence[str], depth: int = 0) -> list[bool]:
        """Which of many URLs belong to the crawl."""
        return [self.why_not(url, depth) is None for url in urls]

    def _host(self, name: str) -> str | None:
        if name not in self._verdicts:
            if len(self._verdicts) >= HOSTS_KNOWN:
                self._verdicts.clear()
            self._verdicts[name] = self._judge_host(name.partition(":")[0] if name[:1] != "[" else name)
        return self._verdicts[name]

    def _judge_host(self, name: str) -> str | None:
        if _covered(name, self.exclude_hosts):
            return f"host {name} is excluded by scope.exclude_hosts"
        if self.hosts and not _covered(name, self.hosts):
            return f"host {name} is not among scope.hosts"
        return None

    def _path(self, text: str) -> str | None:
        ending = text.partition("?")[0].rpartition("/")[2].rpartition(".")
        if ending[1] and ending[2].lower() in self.endings:
            return f"file ending .{ending[2]} is excluded by scope.exclude_endings"
        for pattern in self.exclude_paths:
            if pattern.search(text):
                return f"path matches {pattern.pattern!r} of scope.exclude_paths"
        if self.paths and not any(pattern.search(text) for pattern in self.paths):
            return "path matches none of scope.paths"
        return None


def _covered(name: str, patterns: Iterable[str]) -> bool:
    """Whether a host is named; ``.example.org`` names example.org and all hosts below it."""
    return any(name == one.lstrip(".") or (one.startswith(".") and name.endswith(one)) for one in patterns)


def _pattern(text: str, setting: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise ConfigError(f"scope.{setting}: {text!r} is no regular expression: {error}") from error

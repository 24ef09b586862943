"""Which URLs belong to a crawl: the rules of [scope], with the reason in words when one does not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from clew.errors import ConfigError, UrlError
from clew.urls.canonical import host, origin, scheme
from clew.urls.hosts import forms, host_pattern
from clew.urls.never import Never

__all__ = ["Scope"]

_SCHEMES: Final = frozenset(("http", "https"))
_ORIGINS: Final = 1 << 16


class Scope:
    """The rules of [scope], by the names of the settings.

    hosts, exclude_hosts: ``example.org`` is that host alone, ``.example.org`` takes in its subdomains; with a port,
    that port alone, without, every port · paths, exclude_paths: regular expressions, searched for in path and query
    (``^`` is their beginning) · schemes: http, https · exclude_endings: file endings, whatever their case · endings:
    those that belong to it though they end in one of these (ps.gz, where gz is excluded) · max_depth: 0 is no limit ·
    url_length: characters · never: the do-not-crawl list, which goes before all else. URLs must be canonical. Raises
    ConfigError, naming setting and value.
    """

    def __init__(
        self,
        *,
        hosts: Sequence[str] = (),
        exclude_hosts: Sequence[str] = (),
        paths: Sequence[str] = (),
        exclude_paths: Sequence[str] = (),
        schemes: Sequence[str] = ("http", "https"),
        exclude_endings: Sequence[str] = (),
        endings: Sequence[str] = (),
        max_depth: int = 0,
        url_length: int = 2_000,
        never: Never | None = None,
    ) -> None:
        self.never = never if never is not None else Never()
        self._hosts = _Hosts(hosts, "hosts")
        self._exclude_hosts = _Hosts(exclude_hosts, "exclude_hosts")
        self._paths = _patterns(paths, "paths")
        self._exclude_paths = _patterns(exclude_paths, "exclude_paths")
        self._schemes = _schemes(schemes)
        excluded = [ending.lower().lstrip(".") for ending in exclude_endings]
        self._endings = frozenset(filter(None, excluded))
        self._exceptions = tuple(f".{ending}" for ending in endings if "." in ending)
        self._long_endings = tuple(f".{ending}" for ending in self._endings if "." in ending)  # tar.gz
        self._max_depth = max_depth
        self._url_length = url_length
        self._origins: dict[str, str | None] = {}

    def accepts(self, urls: Iterable[str], depth: int = 0) -> list[bool]:
        """Which canonical URLs belong to the crawl, when their pages are ``depth`` links away from the seeds."""
        return [self.why_not(url, depth) is None for url in urls]

    def why_not(self, url: str, depth: int = 0) -> str | None:
        """The rule that keeps a canonical URL out and the value it met, in words; None: it belongs to the crawl."""
        start = origin(url)
        reason = self._why_not_there(url, start)
        if reason is None and url.find(".", len(start)) > 0:
            reason = self._why_not_ending(url)
        if reason is None and (self._paths or self._exclude_paths):
            reason = self._why_not_path(url[len(start) :])
        if reason is None and 0 < self._max_depth < depth:
            return f"depth {depth} is beyond scope.max_depth ({self._max_depth})"
        return reason

    def why_not_list(self, url: str) -> str | None:
        """The same for a sitemap or feed, which is no page: paths that are not asked for and endings do not matter."""
        start = origin(url)
        reason = self._why_not_there(url, start)
        return reason if reason is not None else self._why_excluded(url[len(start) :])

    def accepts_lists(self, urls: Iterable[str]) -> list[bool]:
        """Which canonical URLs of sitemaps and feeds may be asked for."""
        return [self.why_not_list(url) is None for url in urls]

    def _why_not_there(self, url: str, start: str) -> str | None:
        """What the do-not-crawl list, the URL's length and its origin ``start`` say."""
        spared = self.never.why_not(url) if self.never else None
        if spared is not None:
            return spared
        if len(url) > self._url_length:
            return f"{len(url):,} characters are more than scope.url_length ({self._url_length:,})"
        return self._origins[start] if start in self._origins else self._judged(start)

    def _judged(self, start: str) -> str | None:
        """What scheme and host say, and remember it: pages link to few hosts, again and again."""
        if len(self._origins) >= _ORIGINS:
            self._origins.clear()
        self._origins[start] = reason = self._why_not_origin(f"{start}/")
        return reason

    def _why_not_origin(self, url: str) -> str | None:
        if scheme(url) not in self._schemes:
            return f"scheme {scheme(url)} is not in scope.schemes"
        if self._exclude_hosts.match(url):
            return f"host {host(url)} is excluded by scope.exclude_hosts"
        if self._hosts and not self._hosts.match(url):
            return f"host {host(url)} is not in scope.hosts"
        return None

    def _why_not_ending(self, url: str) -> str | None:
        path = url.partition("?")[0]
        name = path[path.rfind("/") + 1 :].lower()
        ending = name[name.rfind(".") + 1 :]
        if self._exceptions and name.endswith(self._exceptions):
            return None
        if ending in self._endings and ending != name:
            return f"file ending {ending} is excluded by scope.exclude_endings"
        if self._long_endings and name.endswith(self._long_endings):
            return f"the file ending of {name[:100]} is excluded by scope.exclude_endings"
        return None

    def _why_excluded(self, path: str) -> str | None:
        for pattern in self._exclude_paths:
            if pattern.search(path):
                return f"path {path[:200]} is excluded by scope.exclude_paths ({pattern.pattern})"
        return None

    def _why_not_path(self, path: str) -> str | None:
        if (excluded := self._why_excluded(path)) is not None:
            return excluded
        if self._paths and not any(pattern.search(path) for pattern in self._paths):
            return f"path {path[:200]} is not in scope.paths"
        return None


class _Hosts:
    """Host patterns of one setting. ``match`` is asked once a host."""

    def __init__(self, patterns: Sequence[str], setting: str) -> None:
        self._patterns = frozenset(_host_pattern(pattern, setting) for pattern in patterns)

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def match(self, url: str) -> bool:
        """Whether the host of a canonical URL matches a pattern."""
        return any(form in self._patterns for form in forms(url))


def _host_pattern(pattern: str, setting: str) -> tuple[str, str]:
    try:
        return host_pattern(pattern)
    except UrlError as error:
        raise ConfigError(
            f"scope.{setting}: {pattern!r} is no host name: write example.org for that host alone, .example.org to "
            "take in its subdomains"
        ) from error


def _patterns(texts: Sequence[str], setting: str) -> tuple[re.Pattern[str], ...]:
    return tuple(_pattern(text, setting) for text in texts)


def _pattern(text: str, setting: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise ConfigError(f"scope.{setting}: {text!r} is no regular expression: {error}") from error


def _schemes(names: Sequence[str]) -> frozenset[str]:
    found = frozenset(name.lower() for name in names)
    if not found or not found <= _SCHEMES:
        raise ConfigError(f"scope.schemes: {list(names)!r} must hold http, https or both, and nothing else")
    return found

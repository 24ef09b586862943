"""The clew.toml that ``clew init`` writes: the settings most people change, each explained."""

from __future__ import annotations

from collections.abc import Mapping

from clew.config import STRATEGY, quoted

TEMPLATE = """\
# What is wanted, and how to crawl. docs/settings.md: the twelve settings that matter, and all others.

[project]
name = {name}
web = {web}

[interest]
seeds = "seeds.txt"            # where to start
relevant = "relevant.txt"      # pages that are what you want: URLs or paths
irrelevant = "irrelevant.txt"  # pages that are not
{formula}{keywords}
[judge]
name = {judge}
threshold = 0.5                # a page is relevant from this relevance on

[strategy]
name = {strategy}

[crawl]
contact = {contact}                   # live crawls need a mail address or URL where site owners reach you
max_pages = 0                  # 0: no limit

[politeness]
delay_s = 1.0                  # least pause between two requests to a host
"""


def settings_text(
    name: str, web: str, contact: str, keywords: Mapping[str, float], judge: str, formula: str = ""
) -> str:
    """TOML text for a new project."""
    return TEMPLATE.format(
        name=quoted(name),
        web=quoted(web),
        contact=quoted(contact),
        keywords=_keyword_table(keywords),
        formula=f"formula = {quoted(formula)}\n" if formula else "",
        strategy=quoted(STRATEGY),
        judge=quoted(judge),
    )


def _keyword_table(keywords: Mapping[str, float]) -> str:
    if not keywords:
        return ""
    rows = "\n".join(f"{quoted(word)} = {weight}" for word, weight in keywords.items())
    return f"\n[interest.keywords]\n{rows}\n"

"""The settings that say what a page may cost reach the worker processes of a crawl."""

from __future__ import annotations

import time
from collections.abc import Sequence

from test_crawl_object import SAILING, Site

from clew import Crawl
from clew.judges.base import JudgeContext
from clew.judges.keywords import KeywordsJudge
from clew.model import Judgement, Page


class LiveSite(Site):
    """Answers in real time, as far as a crawl knows: so it reads pages in worker processes."""

    live = True


class CostlyJudge(KeywordsJudge):
    """Page 1 takes a minute, page 2 takes 300 MB."""

    name = "costly"

    def judge(self, pages: Sequence[Page]) -> list[Judgement]:
        titles = {page.title for page in pages}
        if "page 1" in titles:
            time.sleep(60)
        if "page 2" in titles:
            self.hoard = bytes(300 << 20)
        return super().judge(pages)


def reasons(**limits: float) -> list[str]:
    settings = {**SAILING, "limits": limits, "crawl": {"workers": 1}}
    judge = CostlyJudge(JudgeContext(keywords={"sailing": 1.0}))
    crawl = Crawl(["http://a.test/0"], world=LiveSite(3), settings=settings, judge=judge)
    crawl.run_sync()
    with crawl._reading() as store:
        visits = [store.visits.get(number) for number in (1, 2, 3)]
    found = {visit.url[-1]: visit.reason for visit in visits if visit is not None}
    return [found[number] for number in "012"]


def test_a_page_may_cost_what_the_settings_say() -> None:
    assert reasons(read_s=1.5, read_bytes=900_000_000) == [
        "", "cannot be read: it took longer than 1.5 s (limits.read_s)", ""
    ]  # fmt: skip
    assert "limits.read_bytes" in reasons(read_s=1.5, read_bytes=100_000_000)[2]

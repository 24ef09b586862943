"""What a judgement means for a page: its relevance to the interest, and whether it belongs to the collection."""

from __future__ import annotations

from clew.model import Judgement
from clew.topics.interest import Interest

SAME_PAGE = "same page as"
"""How the reason of a visit begins that repeats another one."""

SOFT_404 = "soft 404"
"""How the reason of a visit begins whose page says that there is no page."""

NO_DIFFERENCE = "no difference"
"""How the reason of a refusal begins whose URL leads to a visited page under another name."""

LEFT_OUT = "left out by on_page"
"""The reason of a page that the user's function does not want in the collection."""

FINAL = (SAME_PAGE, SOFT_404, LEFT_OUT)
"""How reasons begin that no other judgement changes."""

NO_PAGE = "which is no web page"
"""How the reason of a redirect ends that leads to no URL that can be crawled, by its form or its length."""

NOINDEX = "noindex: its owner wants it in no collection"
EXCLUDED = "excluded: it is about something the interest rules out"


def verdict(interest: Interest, judgement: Judgement, *, barred: bool) -> tuple[float, bool, str]:
    """Relevance, whether the page is relevant, and why it is not whatever its relevance ("" if nothing stands against
    it). ``barred``: its owner wants it in no collection."""
    relevance = interest.relevance(judgement)
    relevant = interest.relevant(relevance, judgement) and not barred
    if barred:
        return relevance, relevant, NOINDEX
    return relevance, relevant, EXCLUDED if interest.is_excluded(judgement) else ""

"""One relevant example (report 27): its topic is found, and the rest of the web is not."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from clew.judges.base import JudgeContext
from clew.judges.registry import JUDGES, make
from clew.model import OTHER, Example
from support import text_page

SAILING = (
    "Sailing is the art of moving a boat by the wind. A sailing boat has a hull, a mast, a boom and sails; the skipper "
    "steers with the tiller or the wheel while the crew trims jib and main sail. On the coast sailors watch the "
    "tide, the weather forecast and the harbour lights. Regattas are races for yachts and dinghies. Knots, ropes, "
    "anchors and life jackets belong aboard every boat. Beginners learn to tack, to gybe and to reef in strong wind."
)
WANTED = (
    "Our yacht club offers sailing courses for beginners: learn to steer a dinghy, to tack and gybe, and to trim the "
    "sails. The harbour has moorings for forty boats. The regatta takes place in June, if the wind allows it.",
    "Setting the spinnaker on a cruising yacht. The mast and the boom must be clear, the crew stands by at the sheets, "
    "the skipper bears away from the wind and the sail fills. In a regatta every second counts.",
)
UNWANTED = (
    "hello",
    "The court held that the defendant was liable for breach of contract. Under section 12 of the act a party may "
    "appeal against the judgment within thirty days. The plaintiff claimed damages and costs.",
    "Add to basket. Free delivery on orders over fifty. Terms and conditions, privacy policy, returns, gift cards, "
    "newsletter, customer service, track your order, payment methods, stores, careers, about us, cookies.",
    "Beat the butter with the sugar until fluffy, add the eggs one by one, then fold in flour and baking powder. Pour "
    "the batter into a tin and bake for forty minutes. Let the cake cool and cover it with chocolate icing.",
)
LEARNERS = [name for name in JUDGES.builtin if name != "keywords"]


def scores(name: str, examples: list[Example]) -> tuple[list[float], list[float]]:
    judge = make(name, JudgeContext(keywords={"sailing": 1.0}))
    judge.fit(examples)
    found = [float(one.scores[0]) for one in judge.judge([text_page(text) for text in (*WANTED, *UNWANTED)])]
    return found[: len(WANTED)], found[len(WANTED) :]


@pytest.mark.parametrize("irrelevant", [0, 1, 3])
@pytest.mark.parametrize("name", LEARNERS)
def test_one_example_tells_its_topic_from_the_rest(name: str, irrelevant: int) -> None:
    if name == "embedding" and find_spec("model2vec") is None:
        pytest.skip("the extra of the embedding judge is not installed")
    one = Example("http://a.test/", 0, text_page(SAILING, title="Sailing"))
    others = [Example(f"http://b.test/{i}", OTHER, text_page(UNWANTED[1 + i])) for i in range(irrelevant)]
    good, bad = scores(name, [one, *others])
    assert min(good) > (0.5 if name == "auto" else 0.6), (good, bad)  # auto: before it knows the web, .5 is the border
    assert max(bad) < 0.35, (good, bad)


def test_the_keywords_judge_needs_no_example() -> None:
    good, bad = scores("keywords", [])
    assert max(good) > 0.6 > 0.35 > max(bad)

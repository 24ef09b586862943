"""Settings that several judges have. Each judge has a class ``Settings`` of its own: its table [judge.NAME]."""

from __future__ import annotations

from typing import Annotated, Literal

from clew.judges.features import Features
from clew.section import Section, doc


class TrainedSettings(Section, frozen=True):
    """Of judges that learn from examples."""

    background: Annotated[
        bool, doc("Add built-in general text to the negatives (always done when there are none).")
    ] = False


class FeatureSettings(TrainedSettings, frozen=True):
    """Of judges of terms."""

    pairs: Annotated[bool, doc("Pairs of neighbouring terms are features as well as terms.")] = True
    lead: Annotated[
        float, doc("The position on a page that weighs half as much as its first word (0: all weigh the same).", ge=0)
    ] = 200.0
    damped: Annotated[bool, doc("A term weighs by the square root of its count, not the count.")] = True

    @property
    def page_features(self) -> Features:
        """How pages become bags."""
        return Features(pairs=self.pairs, lead=self.lead, damped=self.damped)


class VectorSettings(FeatureSettings, frozen=True):
    """Of judges that compare vectors."""

    heaviest: Annotated[
        int, doc("Features of a page that count in its vector, those of the largest TF-IDF (0: all).", ge=0)
    ] = 0
    reference: Annotated[
        Literal["words", "table", "crawl"],
        doc(
            "What says how rare a word is: word frequencies, the table that ships with Clew, or what clew topics "
            "--learn-reference learned from the crawl."
        ),
    ] = "words"

    @property
    def page_features(self) -> Features:
        return Features(pairs=self.pairs, lead=self.lead, damped=self.damped, heaviest=self.heaviest)


class LinearSettings(VectorSettings, frozen=True):
    """Of svm and logistic."""

    features: Annotated[
        int, doc("Features kept for a topic, best first (0: all; the BINGO! papers have 2000).", ge=0)
    ] = 0
    selection: Annotated[Literal["mutual-information", "chi-squared"], doc("By what they are chosen.")] = (
        "mutual-information"
    )
    cost: Annotated[float, doc("C: how much an example on the wrong side costs.", gt=0)] = 10.0

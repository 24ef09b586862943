"""The judge embedding, on models of our own making and on the packaged one."""

from __future__ import annotations

import importlib.util
import pickle
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from wordfreq import get_frequency_dict

from clew.config import Settings
from clew.errors import ConfigError, TrainingError
from clew.judges.bags import Bag
from clew.judges.base import Judge, JudgeContext
from clew.judges.embedding import Embedded, EmbeddingJudge
from clew.judges.registry import make
from clew.judges.wordvectors import general_words, word_vectors
from clew.model import OTHER, Doubles, Example, Floats, Page
from clew.project.project import Project
from support import text_page

pytest.importorskip("model2vec", reason="the extra clew[embedding] is not installed")

PLANE = {"sail": (1.0, 0.0), "boat": (0.6, 0.8), "stock": (0.0, 1.0), "bond": (0.0, 2.0)}
"""Words in two dimensions, for sums by hand."""

TOPICS = ("Home", "Home/Sailing", "Home/Finance", "Sport")
WORDS = {
    1: "sails harbour yacht wind anchor regatta mast keel rudder buoy",
    2: "budget tax pension bank account loan interest shares broker dividend",
    3: "football goal penalty striker match league referee stadium corner keeper",
    OTHER: "bread oven flour butter sugar soup onion carrot knife cake",
}


def save_model(folder: Path, vectors: Mapping[str, tuple[float, ...]]) -> Path:
    """A model of whole words in model2vec's format."""
    from model2vec import StaticModel
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.normalizers import Lowercase
    from tokenizers.pre_tokenizers import Whitespace

    words = {"[UNK]": 0, **{word: index + 1 for index, word in enumerate(vectors)}}
    tokenizer = Tokenizer(WordLevel(words, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    length = len(next(iter(vectors.values())))
    table = np.array([(0.0,) * length, *vectors.values()], np.float32)
    StaticModel(table, tokenizer).save_pretrained(folder)
    return folder


def tree_model(folder: Path) -> Path:
    """Words of a topic lie around a direction of the topic, at right angles to the others."""
    rng = np.random.default_rng(7)
    vectors = {}
    for words, direction in zip(WORDS.values(), np.eye(16), strict=False):
        for word in words.split():
            vectors[word] = tuple(direction + 0.1 * rng.normal(size=16))
    for word in ("people", "time", "year", "government", "know"):
        vectors[word] = tuple(0.3 * rng.normal(size=16))
    return save_model(folder, vectors)


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(save_model(tmp_path_factory.mktemp("plane"), PLANE))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tree_model(tmp_path_factory.mktemp("tree")))


def page(words: str, title: str = "") -> Page:
    made: Page = text_page(words, "en", title)
    return made


def examples(*topics: int, shown: int = 6) -> list[Example]:
    """Two pages a topic, of the first ``shown`` of its words: odd places, even places."""
    made = []
    for topic in topics or tuple(WORDS):
        words = WORDS[topic].split()[:shown]
        made += [Example(f"http://e.test/{topic}/{i}", topic, page(" ".join(words[i::2]))) for i in range(2)]
    return made


def trained(folder: str, *topics: int) -> Judge:
    judge = make("embedding", JudgeContext(TOPICS), model=folder)
    judge.fit(examples(*topics))
    return judge


def test_mean_by_hand(plane: str) -> None:
    features = Embedded(folder=plane)
    ids, mean = features.bag(page("sail sail boat nonsense the"))
    assert ids.tolist() == [0, 1]
    # (2 · (1, 0) + (0.6, 0.8)) / 3: neither the unknown word nor the stop word counts
    assert mean == pytest.approx([2.6 / 3, 0.8 / 3])
    # damped: √2 and 1; first half by lead 1: positions 0, 1, 2 weigh 1, 1/2, 1/3
    damped = Embedded(folder=plane, damped=True).bag(page("sail sail boat"))[1]
    assert damped == pytest.approx([(2**0.5 + 0.6) / (2**0.5 + 1), 0.8 / (2**0.5 + 1)])
    led = Embedded(folder=plane, lead=1.0).bag(page("boat", title="sail"))[1]
    assert led == pytest.approx([(1 + 0.5 * 0.6) / 1.5, 0.5 * 0.8 / 1.5])


def test_a_page_without_known_words_is_an_empty_bag(plane: str) -> None:
    for words in ("", "nonsense gibberish", "the and of"):
        ids, weights = Embedded(folder=plane).bag(page(words))
        assert len(ids) == len(weights) == 0


def flat(plane: str) -> EmbeddingJudge:
    judge = EmbeddingJudge(JudgeContext(), EmbeddingJudge.Settings(model=plane, lead=0.0))
    judge.fit(
        [
            Example("a", 0, page("sail")),
            Example("b", 0, page("sail boat")),
            Example("c", OTHER, page("stock")),
            Example("d", OTHER, page("bond")),
        ]
    )
    return judge


def unit(*vector: float) -> Doubles:
    return np.asarray(np.array(vector) / np.linalg.norm(vector), np.float64)


def test_score_by_hand(plane: str) -> None:
    judge = flat(plane)
    own = unit(*(unit(1, 0) + unit(0.8, 0.4)))  # sail; sail and boat
    centroid = unit(*(own - 0.5 * unit(0, 1)))  # stock and bond point the same way
    raw = judge._raw(judge.features.bag(page("boat")))
    assert raw == pytest.approx([np.array([0.6, 0.8]) @ centroid], rel=1e-5)


def test_held_out_scores_are_those_of_a_judge_without_the_page(plane: str) -> None:
    judge = flat(plane)
    centroid = unit(*(unit(0.8, 0.4) - 0.5 * unit(0, 1)))
    assert judge._held_out(judge.features.bag(page("sail")), 0) == pytest.approx([centroid[0]], rel=1e-5)
    centroid = unit(*(unit(*(unit(1, 0) + unit(0.8, 0.4))) - 0.5 * unit(0, 1)))
    assert judge._held_out(judge.features.bag(page("bond")), OTHER) == pytest.approx([centroid[1]], rel=1e-5)


def test_the_only_example_of_a_topic_is_not_scored_against_nothing(plane: str) -> None:
    judge = EmbeddingJudge(JudgeContext(), EmbeddingJudge.Settings(model=plane, lead=0.0))
    judge.fit([Example("a", 0, page("sail")), Example("c", OTHER, page("stock"))])
    assert np.isnan(judge._held_out(judge.features.bag(page("sail")), 0)).all()
    like, unlike = judge.judge([page("boat sail"), page("bond")])
    assert like.scores[0] > 0.5 > unlike.scores[0]


def test_what_the_words_add_is_the_score(plane: str) -> None:
    judge = flat(plane)
    seen = page("sail boat boat stock nonsense")
    words, added = judge.parts(seen, 0)
    raw = judge._raw(judge.features.bag(seen))
    assert raw is not None
    assert added.sum() == pytest.approx(raw[0], rel=1e-5)
    found = dict(zip(words, added.tolist(), strict=True))
    assert found["sail"] > 0 > found["stock"]
    assert found["nonsense"] == 0
    assert "nonsense" not in dict(judge.explain(seen))
    assert [word for word, _ in judge.explain(seen, limit=1)] == [max(found, key=lambda word: abs(found[word]))]


def test_words_that_no_example_holds_are_understood(tree: str) -> None:
    judge = trained(tree)
    unseen = {topic: " ".join(words.split()[6:]) for topic, words in WORDS.items()}
    assert [one.topic for one in judge.judge([page(words) for words in unseen.values()])] == list(WORDS)


def test_no_topic_scores_higher_than_its_parent(tree: str) -> None:
    judge = trained(tree)
    for one in judge.judge([page(words) for words in WORDS.values()]):
        home, sailing, finance, _ = one.scores.tolist()
        assert home >= max(sailing, finance)


def test_explains_each_topic(tree: str) -> None:
    judge = trained(tree)
    mixed = page("yacht anchor bank loan")
    assert {word for word, weight in judge.explain(mixed, topic=1) if weight > 0} == {"yacht", "anchor"}
    assert {word for word, weight in judge.explain(mixed, topic=2) if weight > 0} == {"bank", "loan"}


def test_a_pickled_copy_finds_the_model_again(tree: str) -> None:
    judge = trained(tree)
    copy: Judge = pickle.loads(pickle.dumps(judge))
    assert len(pickle.dumps(judge)) < 5_000  # the folder's name, not the model
    for words in WORDS.values():
        assert copy.judge([page(words)])[0].scores.tolist() == judge.judge([page(words)])[0].scores.tolist()


def test_without_negatives_general_text_joins(tree: str) -> None:
    judge = make("embedding", model=tree)
    judge.fit([Example(one.url, 0, one.page) for one in examples(1)])
    like, unlike = judge.judge([page("regatta keel"), page("people know government time")])
    assert like.scores[0] > 0.5 > unlike.scores[0]


def test_a_topic_without_a_readable_example_is_named(tree: str) -> None:
    with pytest.raises(TrainingError, match="no example page with text for topic 'Sport'"):
        trained(tree, 1, 2, OTHER)


def test_general_words_are_the_most_frequent_but_for_stop_words() -> None:
    """5,000 of a language, in proportion; of two languages each weighs a half."""
    (english, of_english), (german, of_german) = (general_words((code,)) for code in ("en", "de"))
    assert len(english) == len(german) == 5_000
    assert not {"the", "and"} & {*english} and not {"und", "der"} & {*german}
    frequency = get_frequency_dict("en", wordlist="small")
    whole = sum(frequency[word] for word in english)
    assert of_english == pytest.approx(np.array([frequency[word] / whole for word in english]))
    both = dict(zip(*(list(column) for column in general_words(("en", "de"))), strict=True))
    assert set(both) == {*english, *german} and sum(both.values()) == pytest.approx(1.0)
    for word in ("people", "jahr", *({*english} & {*german})):
        shares = [float(of[words.index(word)]) if word in words else 0.0 for words, of in
                  ((english, of_english), (german, of_german))]  # fmt: skip
        assert both[word] == pytest.approx(sum(shares) / 2)
    assert general_words(())[0] == english


def test_general_pages_have_two_hundred_words(tree: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty, of words that the model may not know."""
    counted, mean = [], Embedded.mean

    def counting(self: Embedded, words: Sequence[str], weights: Floats) -> Bag:
        counted.append(float(weights.sum()))
        assert len(words) == len(weights)
        return mean(self, words, weights)

    monkeypatch.setattr(Embedded, "mean", counting)
    judge = EmbeddingJudge(JudgeContext(), EmbeddingJudge.Settings(model=tree))
    judge.languages = ("en",)
    assert len(judge._background_pages([])) == 40
    assert counted == [200.0] * 40


def test_words_are_cut_where_no_word_is_so_long(plane: str) -> None:
    """What comes after 200 characters is not looked at; words beyond the first 2,000 of a page neither."""
    long = page(" ".join(["sail"] * 2_000 + ["bond"] * 9))
    assert Embedded(folder=plane).words(long)[0] == ["sail"]
    vectors = word_vectors(plane)
    vectors._rows.clear()
    assert vectors.of(["x" * 300, "sail"])[1] == pytest.approx(PLANE["sail"])


def test_words_forgotten_come_back(plane: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.judges.wordvectors.REMEMBERED", 2)
    vectors = word_vectors(plane)
    for word in (*PLANE, *PLANE):
        assert vectors.of([word])[0] == pytest.approx(PLANE[word])
    assert vectors.of([*PLANE]) == pytest.approx(np.array(list(PLANE.values())))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            None,
            r"\[judge.embedding\] model: there is no folder .*nowhere: set model of \[judge.embedding\]",
        ),
        ({}, "model: no model can be read from .*pip install 'clew.embedding.'"),
        ({"config.json": "{}", "tokenizer.json": "{", "model.safetensors": "x"}, "no model can be read"),
    ],
)
def test_a_folder_without_a_model_is_refused(tmp_path: Path, files: dict[str, str] | None, message: str) -> None:
    folder = tmp_path / "nowhere"
    if files is not None:
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
    with pytest.raises(ConfigError, match=message):
        trained(str(folder))


def test_without_the_library_the_judge_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    word_vectors.cache_clear()
    monkeypatch.setitem(sys.modules, "model2vec", None)
    with pytest.raises(ConfigError, match=r"needs the library model2vec: pip install 'clew\[embedding\]'"):
        trained("")


def test_without_any_model_the_judge_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    word_vectors.cache_clear()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(ConfigError, match=r"the embedding judge has no model: set model of \[judge.embedding\]"):
        trained("")


def test_another_layout_of_the_package_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    word_vectors.cache_clear()
    spec = importlib.util.spec_from_file_location("wordllama", tmp_path / "__init__.py")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: spec)
    with pytest.raises(ConfigError, match="the model packaged with wordllama cannot be read"):
        trained("")


def test_pages_of_the_project_carry_their_text(tmp_path: Path) -> None:
    (tmp_path / "clew.toml").write_text('[judge]\nname = "embedding"\n')
    assert Project(tmp_path).reader.keep_text
    assert not Project(tmp_path, Settings()).reader.keep_text


def test_importing_the_judges_imports_neither_library() -> None:
    code = "import sys, clew.judges.registry; sys.exit(any(n in sys.modules for n in ('model2vec', 'tokenizers')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class TestPackaged:
    """The model inside wordllama."""

    @pytest.fixture(autouse=True)
    def installed(self) -> ModuleType:
        found: ModuleType = pytest.importorskip("wordllama", reason="the extra clew[embedding] is not installed")
        word_vectors.cache_clear()
        return found

    def test_knows_words_that_no_example_holds(self) -> None:
        judge = make("embedding")
        good = ["The yacht left the harbour under full sail.", "A skipper and crew raced their sailing boat."]
        bad = ["Parliament voted on taxes and pensions.", "Bake the cake with flour and butter."]
        judge.fit([Example(text, 0, page(text)) for text in good] + [Example(text, OTHER, page(text)) for text in bad])
        like, unlike = judge.judge([page("Ships anchor; sailors wait for the tide"), page("Roast potatoes, soup")])
        assert like.scores[0] > 0.5 > unlike.scores[0]

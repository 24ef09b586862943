"""A topic tree from bookmarks, all the way to a harvest that goes back into a browser; as a user does it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from support import clew, clew_json, init_plain

WORDS = {
    "sail": "sailing regatta harbour yacht wind mast skipper boat sea keel rudder jib spinnaker crew",
    "chess": "chess opening gambit knight bishop rook checkmate endgame board castling pawn queen tournament",
    "rügen": "rügen island chalk cliffs stralsund binz baltic sassnitz jasmund putbus beach lighthouse",
    "tax": "tax budget pension ministry parliament deficit revenue levy treasury audit fiscal deduction",
}
"""Words of the topics; a page repeats them in an order of its own."""

CHESS_STEMS = [word[:4] for word in WORDS["chess"].split()]

BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<TITLE>Bookmarks</TITLE><H1>Bookmarks</H1>
<DL><p>
<DT><H3>Sport</H3><DL><p>
  <DT><H3>Sailing</H3><DL><p>{sail}</DL><p>
  <DT><H3>Chess</H3><DL><p>{chess}</DL><p>
</DL><p>
<DT><H3>Rügen</H3><DL><p>{rügen}</DL><p>
</DL><p>
"""


def text_of(topics: str, number: int) -> str:
    words = [word for topic in topics.split("+") for word in WORDS[topic].split()]
    turned = words[number % len(words) :] + words[: number % len(words)]
    return " ".join((turned * 4)[: 60 + number])


def page(topics: str, number: int, links: Mapping[str, str]) -> str:
    anchors = "".join(f"<a href='{url}'>{words}</a> " for url, words in links.items())
    return f"<html lang=en><title>{topics} {number}</title><p>the and of in {text_of(topics, number)}</p><p>{anchors}"


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """http://a.test/: six pages of each topic, six of sailing on Rügen, six of sailing and chess."""
    root = tmp_path_factory.mktemp("mirror")
    kinds = (*WORDS, "sail+rügen", "sail+chess")
    names = {kind: kind.replace("+", "-").replace("ü", "ue") for kind in kinds}
    folder = root / "a.test"
    folder.mkdir()
    for kind in kinds:
        for number in range(6):
            links = {f"/{names[other]}-{number}.html": other.replace("+", " and ") for other in kinds}
            links[f"/{names[kind]}-{(number + 1) % 6}.html"] = "next"
            (folder / f"{names[kind]}-{number}.html").write_text(page(kind, number, links), encoding="utf-8")
    yield root


@pytest.fixture(scope="module")
def bookmarks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("bookmarks") / "bookmarks.html"
    names = {"sail": "sail", "chess": "chess", "rügen": "ruegen"}
    links = {
        topic: "".join(f"<DT><A HREF='http://a.test/{name}-{n}.html'>{topic} {n}</A>" for n in range(4))
        for topic, name in names.items()
    }
    file.write_text(BOOKMARKS.format(**links), encoding="utf-8")
    return file


@pytest.fixture(scope="module", params=["naive-bayes", "auto"])
def judge(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, mirror: Path, bookmarks: Path, judge: str) -> Path:
    strategy = "clew" if judge == "auto" else "best-first"
    folder = tmp_path_factory.mktemp("projects") / "p"
    bad = folder.parent / "bad.txt"
    bad.write_text("".join(f"http://a.test/tax-{n}.html\n" for n in range(4)), encoding="utf-8")
    formula = "sailing and ruegen and not chess"
    made = clew_json(
        "init",
        folder,
        "--bookmarks",
        bookmarks,
        "--irrelevant",
        bad,
        "--interest",
        formula,
        "--web",
        f"folder:{mirror}",
    )
    assert (made["topics"], made["seeds"], made["irrelevant"]) == (4, 12, 4)
    toml = folder / "clew.toml"
    text = re.sub(r'(?m)^(\[judge\]\n(?:[^\[].*\n)*?name = )"[^"]+"', rf'\1"{judge}"', toml.read_text(encoding="utf-8"))
    assert f'name = "{judge}"' in text
    toml.write_text(text, encoding="utf-8")
    result = clew_json("crawl", folder, "--quiet", "--strategy", strategy)
    assert result["judge"] == judge
    assert result["fetched"] == 36 and result["stopped_by"] == "frontier"
    return folder


def test_the_harvest_is_what_the_formula_says(project: Path) -> None:
    """Of sailing ∧ Rügen ∧ ¬chess only the six pages about both are wanted."""
    out = project.parent / "harvest.html"
    clew("export", project, "--to", "bookmarks", "--out", out)
    text = out.read_text(encoding="utf-8")
    assert text.count("sail-ruegen-") == 6
    assert "sail-chess-" not in text and "tax-" not in text and "/chess-" not in text


def test_topics_are_told_with_terms_and_quality(project: Path) -> None:
    found = clew_json("topics", project)
    assert found["interest"] == "Sport/Sailing and Rügen" and found["excluded"] == "Sport/Chess"
    told = {topic["path"]: topic for topic in found["topics"]}
    assert list(told) == ["Sport", "Sport/Sailing", "Sport/Chess", "Rügen"]
    assert (told["Sport"]["own"], told["Sport"]["inherited"]) == (0, 8)
    assert told["Sport/Sailing"]["wanted"] and not told["Sport/Chess"]["wanted"]
    assert told["Sport/Chess"]["distinct"] and all(
        term[:4] in CHESS_STEMS for term in told["Sport/Chess"]["distinct"]
    ), "terms of the other topics are no help"
    assert told["Sport/Chess"]["quality"]["average_precision"] > 0.9
    words = clew("topics", project).stdout
    assert "Sailing: 4 examples" in words and "estimated precision" in words


def test_a_page_is_judged_step_by_step(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(page("sail+chess", 3, {}), encoding="utf-8")
    both, excluded = clew_json("judge", project, "http://a.test/sail-ruegen-5.html", file)
    assert both["relevant"] and both["title"] == "sail+rügen 5"
    scores = dict(both["scores"])
    assert dict(both["steps"])["Sport/Sailing and Rügen"] == pytest.approx(
        min(scores["Sport/Sailing"], scores["Rügen"]), abs=1e-6
    )
    assert not excluded["relevant"] and dict(excluded["scores"])["Sport/Chess"] > 0.5
    assert "the interest, step by step" in clew("judge", project, file).stdout
    missing = clew_json("judge", project, "http://a.test/none.html")
    assert missing[0]["reason"] and missing[0]["scores"] == []


def test_wrong_formulas_and_labels_say_what_to_do(project: Path) -> None:
    assert "did you mean Sport/Sailing" in clew("topics", project, "--interest", "saling", code=2).stderr
    assert 'add ")"' in clew("topics", project, "--interest", "(sailing", code=2).stderr
    assert "which one" in clew("label", project, "http://a.test/sail-0.html", "relevant", code=2).stderr
    assert "did you mean" in clew("label", project, "http://a.test/sail-0.html", "Sailin9", code=2).stderr
    assert "the topic of" not in clew("topics", project, "--search", "sail").stdout


def test_uncertain_pages_and_labels_train_the_judge(mirror: Path, tmp_path: Path) -> None:
    """Twelve labels say that pages about chess are wanted: a resumed crawl judges so, and says so in its log."""
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text("http://a.test/sail-0.html\nhttp://a.test/sail-1.html\n", encoding="utf-8")
    bad.write_text("http://a.test/tax-0.html\nhttp://a.test/chess-0.html\n", encoding="utf-8")
    folder = tmp_path / "p"
    init_plain(folder, "--relevant", good, "--irrelevant", bad, "--web", f"folder:{mirror}")
    clew("crawl", folder, "--quiet", "--max-pages", 20)
    asked = clew_json("label", folder, "--uncertain", 5)
    assert len(asked) == 5
    nearest = [abs(one["relevance"] - 0.5) for one in asked]
    assert nearest == sorted(nearest)
    before = clew_json("judge", folder, "http://a.test/chess-5.html")[0]["relevance"]
    for n in range(5):
        clew("label", folder, f"http://a.test/chess-{n}.html", "relevant")
    assert clew_json("label", folder, asked[0]["url"], "irrelevant")["labels"] in (5, 6)
    after = clew_json("judge", folder, "http://a.test/chess-5.html")[0]["relevance"]
    assert after > before
    assert clew_json("crawl", folder, "--quiet")["stopped_by"] == "frontier"

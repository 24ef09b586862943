"""Parts by name: built in, of installed packages, and classes of the user's own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec import inspect

import clew
from clew import judges, strategies, worlds
from clew.config import Settings, parse
from clew.errors import ConfigError, InputError
from clew.export.registry import EXPORTERS
from clew.judges.base import JudgeContext
from clew.judges.ensemble import EnsembleJudge
from clew.judges.registry import JUDGES
from clew.judges.registry import make as make_judge
from clew.judges.svm import SvmJudge
from clew.model import Doubles, LinkBatch, Request, Response
from clew.registry import Registry, name_of
from clew.strategies.base import Strategy
from clew.strategies.registry import STRATEGIES, make
from clew.web.base import World
from clew.web.clock import VIRTUAL_START, LiveClock, VirtualClock
from clew.web.providers.registry import PROVIDERS
from clew.web.registry import WORLDS, absolute
from clew.web.registry import make as make_world
from support import batch_of, clew_json, html_page, write_project
from support import clew as run_clew

ALL = {"strategies": STRATEGIES, "judges": JUDGES, "worlds": WORLDS, "providers": PROVIDERS, "exporters": EXPORTERS}

MINE = """
import numpy as np
from clew import Exporter, Judge, Strategy, World
from clew.model import Judgement, Outcome, Response

class MostLinks(Strategy):
    def score(self, links):
        return np.full(len(links), float(links.out_degree))

class Unfinished(Strategy):
    pass

class Alien:
    def score(self, links):
        return links

class Wanting(Strategy):
    def __init__(self, something):
        pass

    def score(self, links):
        return np.zeros(len(links))

class Boats(Judge):
    def fit(self, examples):
        pass

    def judge(self, pages):
        scores = [min(1.0, len(page.leaves.ids) / 10) for page in pages]
        return [Judgement(np.array([score], np.float32), 0 if score >= 0.5 else -1, 1.0) for score in scores]

class Small(World):
    def __init__(self, pages="3"):
        self.pages = int(pages)

    async def fetch(self, request):
        number = int(request.url.rpartition("/")[2] or 0)
        if number >= self.pages:
            return Response(request.url, Outcome.FAILED, 404, reason="HTTP 404")
        links = " ".join(f"<a href=/{n}>page {n}</a>" for n in (2 * number + 1, 2 * number + 2))
        head = (("Content-Type", "text/html"),)
        return Response(request.url, Outcome.OK, 200, head, f"<p>{'boat ' * (number + 1)} {links}".encode())

class Urls(Exporter):
    def write(self, pages, out):
        return sum(1 for page in pages if out.write(page.url.encode() + b"\\n"))
"""


class Longest(Strategy):
    """What a first strategy of one's own is."""

    def score(self, links: LinkBatch) -> Doubles:
        return np.array([float(len(url)) for url in links.links.urls])


class Nowhere(World):
    """A world that gives no answers."""

    async def fetch(self, request: Request) -> Response:
        raise NotImplementedError


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with parts of one's own, which is the current one."""
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    return tmp_path


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that adds a strategy, and one that does not work."""
    (tmp_path / "theirs.py").write_text(MINE)
    about = tmp_path / "theirs-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[clew.strategies]\nmost-links = theirs:MostLinks\nbroken = theirs.gone:Gone\nbest-first = theirs:Unfinished\n"
        "[clew.worlds]\nsmall = theirs:Small\n"
    )
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "theirs", raising=False)
    return tmp_path


# -- built in ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ALL)
def test_every_built_in_part_can_be_had_and_has_a_line(kind: str) -> None:
    registry: Registry[object] = ALL[kind]  # type: ignore[assignment]
    assert registry.group == f"clew.{kind}"
    for name in registry.builtin:
        found = registry.get(name)
        assert isinstance(found, type) and issubclass(found, registry.contract)
        assert registry.summaries()[name]
        assert getattr(found, "name", name) in (name, name_of(found))


def test_listing_imports_no_part() -> None:
    code = (
        "import sys\nfrom clew import judges, strategies\nfrom clew.export.registry import EXPORTERS\n"
        "from clew.web.registry import WORLDS\nnames = [*strategies.names(), *judges.names()]\n"
        "lines = [EXPORTERS.summaries(), WORLDS.summaries(), WORLDS.forms()]\n"
        "own = ('naive_bayes', 'svm', 'bingo', 'ariadne', 'live', 'simulated', 'folder', 'jsonl')\n"
        "print(len(names), [name for name in sys.modules if name.startswith('clew.') and name.endswith(own)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.split(maxsplit=1)[1].strip() == "[]"
    assert int(done.stdout.split()[0]) >= 15


def test_nothing_built_in_makes_us_look_for_entry_points() -> None:
    code = (
        "import importlib.metadata; importlib.metadata.entry_points = None\n"
        "import clew.cli.crawl, clew.cli.export, clew.cli.lab\n"
        "from clew import judges, strategies, worlds\n"
        "print(strategies.make('best-first').name, judges.make('centroid').name, worlds.make('sim:seed=3')[0].name)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.split()[:2] == ["best-first", "centroid"]


@pytest.mark.parametrize("kind", ALL)
def test_an_unknown_name_is_answered_with_the_nearest_and_all(kind: str) -> None:
    registry: Registry[object] = ALL[kind]  # type: ignore[assignment]
    name = next(iter(registry.builtin))
    with pytest.raises(ConfigError) as caught:
        registry.get(f"{name}x")
    message = str(caught.value)
    assert message.startswith(f"there is no {registry.kind} '{name}x' (did you mean {name}")
    assert all(form in message for form in registry.forms())
    assert message.endswith("or package.module:Class")


@pytest.mark.parametrize(("registry", "table"), [(STRATEGIES, "strategy"), (JUDGES, "judge")])
def test_every_setting_has_a_description_and_a_bound_that_holds(registry: Registry[object], table: str) -> None:
    for name in registry.builtin:
        form = registry.settings_of(name)
        if form is None:
            continue
        found = inspect.type_info(form)
        assert isinstance(found, inspect.StructType)
        for field in found.fields:
            assert isinstance(field.type, inspect.Metadata), f"{name}.{field.name} has no description"
            assert str((field.type.extra_json_schema or {})["description"]).endswith(".")
            kind = field.type.type
            if isinstance(kind, inspect.IntType | inspect.FloatType):
                bound = kind.ge if kind.ge is not None else kind.gt
                assert bound is not None
                with pytest.raises(ConfigError, match=rf"^\[{table}\.{name}\] {field.name}: Expected"):
                    registry.settings(name, {field.name: bound - 1})
            if isinstance(kind, inspect.LiteralType):
                with pytest.raises(ConfigError, match=rf"^\[{table}\.{name}\] {field.name}: 'x' is none of: "):
                    registry.settings(name, {field.name: "x"})


def test_an_unknown_setting_is_answered_with_the_nearest_and_all() -> None:
    with pytest.raises(ConfigError, match=r"^\[strategy.ariadne\] has no setting 'flor' \(did you mean floor\?\);"):
        make("ariadne", {"flor": 1})


# -- classes of one's own ---------------------------------------------------------------------------------


def test_a_first_strategy_is_score_alone() -> None:
    strategy, batch = make(Longest), batch_of(html_page("<a href=/a>a</a> <a href=/abc>b</a>"))
    assert strategy.name == "longest"
    scores = strategy.score(batch)
    assert scores[1] == scores[0] + 2
    assert strategy.explain(batch, 1) == [f"longest: {scores[1]:.3f}"]
    strategy.restore(strategy.state())
    assert not strategy.wants_to_consult() and strategy.opened_tier == 0


def test_a_class_by_module_and_name(mine: Path) -> None:
    sys.path[:] = [one for one in sys.path if one not in ("", str(mine))]
    strategy = make("mine:MostLinks")
    assert strategy.name == "mine:MostLinks"  # so that a crawl which goes on finds it again
    assert strategy.score(batch_of(html_page("<a href=/a>a</a>"))).tolist() == [1.0]
    assert sys.path[-1] == str(mine)
    assert make_judge("mine:Boats", JudgeContext(("a",))).topics == ("a",)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mine:Most", "the module mine has no class 'Most' (did you mean MostLinks?); it has: Alien, Boats"),
        ("gone:Most", "the module gone cannot be imported (No module named 'gone')"),
        ("wrong:Most", "the module wrong cannot be imported (NameError: "),
        ("mine:Unfinished", "the class Unfinished lacks score; add that"),
        ("mine:Alien", "is no subclass of clew.strategies.base.Strategy; derive it from that and give it score"),
        ("mine:Boats", "is no subclass of clew.strategies.base.Strategy"),
        ("mine:np", "is no class"),
        ("mine:Wanting", "it is made from nothing, and takes something else (missing a required argument"),
    ],
)
def test_a_class_that_cannot_be_used_is_refused_with_what_is_missing(mine: Path, name: str, said: str) -> None:
    (mine / "wrong.py").write_text("nothing_of_that_name\n")
    with pytest.raises(ConfigError) as caught:
        make(name)
    assert str(caught.value).startswith(f"strategy {name}: ")
    assert said in str(caught.value)


def test_settings_for_a_class_without_any_are_refused(mine: Path) -> None:
    with pytest.raises(ConfigError, match=r"^\[strategy.mine:MostLinks\] has no settings, but speed is set"):
        make("mine:MostLinks", {"speed": 1})
    with pytest.raises(ConfigError, match="it is an object"):
        make(Longest(), {"speed": 1})
    assert make(own := Longest()) is own


def test_parts_of_ones_own_crawl_and_are_explained(mine: Path) -> None:
    settings = (
        '[project]\nweb = "mine:Small:9"\n[judge]\nname = "mine:Boats"\n[crawl]\nworkers = 0\nsession_pages = 3\n'
        '[strategy]\nname = "mine:MostLinks"\n'
    )
    project = write_project(mine / "p", ["http://a.test/0"], {"good.html": "<p>boat"}, settings=settings)
    command = [sys.executable, "-P", "-m", "clew.cli"]  # -P: the current folder is not on the path, as for clew
    for limit in (4, 9):
        done = subprocess.run(
            [*command, "crawl", "p", "--max-pages", str(limit), "--json"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout.splitlines()[-1])
        assert (result["strategy"], result["judge"], result["fetched"]) == ("mine:MostLinks", "mine:Boats", limit)
    told = subprocess.run([*command, "explain", "p", "http://a.test/3"], capture_output=True, text=True, check=True)
    assert "mine:MostLinks: 2.000" in told.stdout
    listed = subprocess.run(
        [*command, "export", "p", "--to", "mine:Urls", "--all"], capture_output=True, text=True, check=True
    )
    assert listed.stdout.splitlines()[0] == "http://a.test/0" and len(listed.stdout.splitlines()) == 9
    assert project.is_dir()


def test_worker_processes_find_a_judge_of_ones_own(mine: Path) -> None:
    script = mine / "elsewhere" / "run.py"
    script.parent.mkdir()
    script.write_text(
        "import asyncio\n"
        "from clew import judges\n"
        "from clew.model import Outcome, Response\n"
        "from clew.text.reader import Reader\n"
        "from clew.topics.interest import Interest\n"
        "from clew.urls.canonical import Canonicaliser, host, keys, url_words\n"
        "from clew.workers.messages import Job\n"
        "from clew.workers.pool import PageWorker, ReadingPool\n"
        "async def main():\n"
        "    reader = Reader(Canonicaliser((), 2000), keys, host, url_words)\n"
        "    pool = ReadingPool(PageWorker(reader, judges.make('mine:Boats'), Interest()), 1)\n"
        "    head = (('Content-Type', 'text/html'),)\n"
        "    page = Response('http://a.test/', Outcome.OK, 200, head, b'<p>sail boat sea')\n"
        "    reading = await pool.read(Job(page))\n"
        "    pool.close()\n"
        "    print(reading.reason, round(float(reading.judgement.scores[0]), 3))\n"
        "if __name__ == '__main__':\n"
        "    asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.split() == ["0.3"], done.stderr


# -- installed packages -----------------------------------------------------------------------------------


def test_an_installed_package_adds_a_strategy(installed: Path) -> None:
    assert STRATEGIES.names()[-2:] == ("most-links", "broken")
    assert STRATEGIES.summaries()["most-links"] == "of the package theirs"
    assert make("most-links").name == "most-links"
    world, clock = make_world("small:5", Settings())
    assert world.name == "small" and world.clock is clock


def test_one_that_does_not_load_breaks_no_other(installed: Path) -> None:
    with pytest.raises(ConfigError, match=r"strategy broken: the module theirs.gone cannot be imported"):
        make("broken")
    assert make("most-links") and make("best-first").name == "best-first"  # what is built in cannot be replaced


# -- worlds -----------------------------------------------------------------------------------------------


def test_worlds_for_programs(tmp_path: Path) -> None:
    assert worlds.live() == "live"
    assert worlds.archive(tmp_path / "a.warc.gz") == f"archive:{tmp_path}/a.warc.gz"
    assert worlds.folder(str(tmp_path)) == f"folder:{tmp_path}"
    assert worlds.sim("pages=3000,seed=3") == worlds.simulated(pages=3000, seed=3) == "sim:pages=3000,seed=3"
    world, clock = worlds.make(worlds.sim("pages=3000,seed=3"))
    assert world.name == "sim:pages=3000,seed=3" and clock.virtual and clock.now() == VIRTUAL_START
    assert isinstance(worlds.make("live")[1], LiveClock)


def test_a_world_of_ones_own_has_a_clock_that_goes_on() -> None:
    world, clock = make_world(Nowhere(), Settings(), now=VIRTUAL_START + 50.0)
    assert (world.name, world.closed, clock.virtual, clock.now()) == ("nowhere", False, True, VIRTUAL_START + 50.0)
    assert isinstance(clock, VirtualClock) and world.clock is clock


def test_paths_of_worlds_become_absolute(tmp_path: Path) -> None:
    assert absolute("folder:m", tmp_path) == f"folder:{tmp_path}/m"
    assert absolute("archive:w.warc", tmp_path) == f"archive:{tmp_path}/w.warc"
    for other in ("live", "sim:pages=5,seed=1", "sim", "nonsense", "nonsense:x"):
        assert absolute(other, tmp_path) == other


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("web", "there is no web 'web'"),
        ("archve:w.warc.gz", "there is no web 'archve' (did you mean archive"),
        ("live:x", "there is no web 'live:x'"),
        ("archive:gone.warc.gz", "there is no archive file gone.warc.gz"),
        ("sim:pages=many", "pages must be a whole number"),
    ],
)
def test_a_wrong_world_is_refused(spec: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        make_world(spec, Settings())
    assert said in str(caught.value)


# -- judges and their tables ------------------------------------------------------------------------------


def test_members_of_an_ensemble_take_their_own_tables() -> None:
    text = '[judge.ensemble]\nmembers = ["svm", "naive-bayes"]\n[judge.svm]\ncost = 3.0\npairs = false\n'
    made = make_judge("ensemble", JudgeContext(settings=parse(text).judge))
    assert isinstance(made, EnsembleJudge)
    svm, bayes = made.members
    assert isinstance(svm, SvmJudge) and svm.cost == 3.0
    assert (svm.features.pairs, bayes.features.pairs) == (False, True)


def test_settings_of_older_projects_mean_the_same_and_give_a_hint(caplog: pytest.LogCaptureFixture) -> None:
    text = '[judge]\nname = "svm"\ncost = 2.5\npairs = false\nsmoothing = 1.0\n'
    settings = parse(text, "older/clew.toml").judge
    parse(text, "older/clew.toml")
    said = [record.getMessage() for record in caplog.records]
    assert said[0] == "older/clew.toml: judge.cost is now [judge.svm] cost; it is still read where it is"
    assert len(said) == 3  # each once
    made = make_judge("svm", JudgeContext(settings=settings))
    assert isinstance(made, SvmJudge) and made.cost == 2.5 and not made.features.pairs
    both = parse(text + "[judge.svm]\ncost = 4.0\n", "older/clew.toml").judge
    newer = make_judge("svm", JudgeContext(settings=both))
    assert isinstance(newer, SvmJudge) and newer.cost == 4.0


def test_a_hint_goes_to_standard_error_and_the_crawl_goes_on(tmp_path: Path) -> None:
    settings = '[project]\nweb = "sim:pages=3000,seed=2"\n[judge]\nname = "keywords"\nsmoothing = 0.2\n'
    settings += "[interest.keywords]\na = 1.0\n"
    project = write_project(tmp_path / "p", ["http://nowhere.test/"], settings=settings)
    done = subprocess.run(
        [sys.executable, "-m", "clew.cli", "status", project], capture_output=True, text=True, check=False
    )
    assert done.stderr.count("judge.smoothing is now [judge.naive-bayes] smoothing") == 1
    assert clew_json("crawl", project)["stopped_by"] == "frontier"


def test_a_table_of_a_judge_that_there_is_not_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"there is no judge 'svn' \(did you mean svm"):
        make_judge("svm", JudgeContext(settings=parse("[judge.svn]\ncost = 1.0\n").judge))


# -- public names -----------------------------------------------------------------------------------------


def test_public_names() -> None:
    assert clew.Strategy is Strategy and clew.World is World
    assert strategies.names()[:2] == ("breadth-first", "best-first")
    assert strategies.make("ariadne", floor=0.2).name == "ariadne"
    assert strategies.BestFirst is STRATEGIES.get("best-first")
    assert judges.SvmJudge is SvmJudge
    made = judges.make("svm", cost=3.0)
    assert isinstance(made, SvmJudge) and made.cost == 3.0
    assert clew.exporters.names() == tuple(EXPORTERS.builtin) and "searxng" in clew.providers.names()
    assert not hasattr(strategies, "Nonsense") and not hasattr(clew, "nonsense")


def test_help_names_every_part() -> None:
    help_text = " ".join(run_clew("crawl", "--help").stdout.split())
    for registry in (STRATEGIES, JUDGES, WORLDS):
        assert all(form in help_text for form in registry.forms())


def test_settings_come_back_as_they_are() -> None:
    form = STRATEGIES.settings("tunnelling", {"order": "distance"})
    assert form is not None and msgspec.to_builtins(form)["order"] == "distance"

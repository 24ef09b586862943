"""Makes the projects of an earlier version that tests/e2e/test_projects_of_before.py goes on with.

Run it with the interpreter of the version whose projects are wanted, an installation of its own:

    git worktree add ../earlier COMMIT && cd ../earlier && make setup
    .venv/bin/python ../main/tools/migration/make_projects.py ../main/tests/data/migration [STRATEGY ...]

For each case of cases.py it makes a project in a simulated web, crawls it in several runs and keeps it half way. A copy
goes on, and what becomes of it is written down. Both go into one file STRATEGY.tar.xz:

    project/          the project, half way
    expected.json     how to go on; what clew status, export, explain and crawl said (see ``told`` and ``make``)
    visits.jsonl      every visit after going on, in order, one JSON object a line (see ``visits``)

Everything is done by the command line, as users do it. The same version makes the same visits every time.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import lzma
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cases import CASES, SMALL, Case

from clew import __version__
from clew.web.simulated import parse_spec

FIELDS = ("number", "url", "outcome", "status", "score", "relevance", "relevant", "depth", "tunnel", "source", "bytes")
"""What clew export tells of a visit that must stay as it was; the kind of its link is read from crawl.db."""

LEFT_OUT = ("crawl.db.lock", "crawl.db-shm", "crawl.db-wal", "report.html")


def main() -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder for the files")
    parser.add_argument("strategies", nargs="*", help="only these")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for case in CASES:
        if not options.strategies or case.strategy in options.strategies:
            with tempfile.TemporaryDirectory() as folder:
                raw = make(case, Path(folder))
            file = options.out / f"{case.strategy}.tar.xz"
            file.write_bytes(raw)
            print(f"{file}: {len(raw)} bytes", flush=True)
    return 0


def make(case: Case, folder: Path) -> bytes:
    """A case's project, half way, and how it goes on: the bytes of the file. Ends the program if it shows nothing."""
    project, later = folder / "project", folder / "later"
    found(case, folder, project)
    for place, budget in enumerate(case.stops):
        run(case, project, budget, *(["--restart"] if case.restart and place == 1 else []))
        if case.labels and place == 0:
            label(case, project)
    check(case, project, case.learned, project)
    shutil.copytree(project, later)
    result = run(case, later, case.end)
    check(case, later, case.later, project)
    expected = {
        "version": __version__,
        "strategy": case.strategy,
        "options": case.options,
        "fetched": case.stops[-1],
        "max_pages": case.end,
        "before": told(project, asked(later, case.stops[-1])),
        "result": {name: value for name, value in result.items() if name not in ("seconds", "cpu_ms_per_page")},
        "after": {"status": told_json("status", later)},
    }
    lines = "".join(f"{json.dumps(visit, ensure_ascii=False)}\n" for visit in visits(later))
    return packed(project, {"expected.json": json.dumps(expected, ensure_ascii=False, indent=1), "visits.jsonl": lines})


# -- making a project -------------------------------------------------------------------------------------


def web_of(case: Case) -> str:
    """The simulated web of a case as users write it."""
    return f"sim:{SMALL},{case.web}"


def found(case: Case, folder: Path, project: Path) -> None:
    """Make the project of a case."""
    web, options, names = web_of(case), [], topics(case)
    if case.topics:
        tree = folder / "topics.yaml"
        tree.write_text(tree_of(case, names), encoding="utf-8")
        other = folder / "other.txt"
        wrong = parse_spec(web).examples(30, parse_spec(web).topics(1)[0], relevant=False)
        other.write_text("".join(f"{url}\n" for url in wrong if not about(web, url, names)), encoding="utf-8")
        options = ["--taxonomy", tree, "--irrelevant", other]
    if case.formula:
        options += ["--interest", case.formula.format(*names)]
    clew("init", project, "--web", web, *options)
    tables = {table: dict(values) for table, values in case.tables.items()}
    if case.keywords:
        told_topics = told_json("topics", project)["topics"]
        tables["interest.keywords"] = dict.fromkeys(told_topics[0]["distinct"][: case.keywords], "1.0")
    tables["strategy"] = {"name": json.dumps("best-first" if "--strategy" in case.options else case.strategy)}
    toml = project / "clew.toml"
    text = with_settings(toml.read_text(encoding="utf-8"), tables)
    for place, name in enumerate(names):
        text = text.replace(f'"{{{place}}}"', json.dumps(name))
    toml.write_text(text, encoding="utf-8")


def topics(case: Case) -> list[str]:
    """The topics of a case's tree: the first of the web's lowest level."""
    return list(parse_spec(web_of(case)).topics()[: case.topics])


def tree_of(case: Case, names: Sequence[str]) -> str:
    """topics.yaml of these topics, filed under those above them. JSON is YAML, too."""
    web = parse_spec(web_of(case))
    tree: dict[str, Any] = {}
    for name in names:
        above, _, own = name.rpartition("/")
        entry = {"description": f"all about {own}", "examples": web.examples(5, name), "seeds": web.seeds(2, name)}
        tree.setdefault(above, {"topics": {}})["topics"][own] = entry
    return json.dumps(tree)


def about(web: str, url: str, names: Sequence[str]) -> bool:
    """Whether a page of the web is about one of these topics."""
    return any(parse_spec(web).truth(url).relevant_to(name) for name in names)


def with_settings(text: str, tables: Mapping[str, Mapping[str, str]]) -> str:
    """clew.toml with other values: lines that set them already give way, and missing tables join at the end."""
    lines: list[str] = []
    table, missing = "", dict(tables)
    for line in text.splitlines():
        if line.startswith("["):
            table = line.strip("[] ")
        if line.partition(" =")[0] in tables.get(table, {}):
            continue
        lines.append(line)
        if line.startswith("[") and table in missing:
            lines += [f"{name} = {value}" for name, value in missing.pop(table).items()]
    for name, values in missing.items():
        lines += ["", f"[{name}]", *(f"{key} = {value}" for key, value in values.items())]
    return "\n".join(lines) + "\n"


def label(case: Case, project: Path) -> None:
    """Label the first pages that were read by what they are really about."""
    web = web_of(case)
    read = [visit["url"] for visit in visits(project) if visit["outcome"] == "ok"][: case.labels]
    for url in read:
        clew("label", project, url, "relevant" if about(web, url, [parse_spec(web).topics(1)[0]]) else "irrelevant")


def check(case: Case, project: Path, kinds: Sequence[str], before: Path) -> None:
    """End the program where few sessions ended, or the decision log (since ``before`` stopped) lacks these kinds."""
    since = 0 if project == before else visits(before)[-1]["number"]
    with contextlib.closing(sqlite3.connect(project / "crawl.db")) as database:
        log = [kind for (kind,) in database.execute("SELECT kind FROM decisions WHERE visit >= ?", (since,))]
        sessions = database.execute("SELECT count(*) FROM sessions").fetchone()[0]
    print(f"{case.strategy}: {sessions} sessions, { ({kind: log.count(kind) for kind in sorted(set(log))}) }")
    lacking = sorted(set(kinds) - set(log))
    if not 0 < sum(visit["relevant"] for visit in visits(project)) < len(visits(project)):
        sys.exit(f"{case.strategy}: all pages are relevant, or none: change its case")
    if lacking or sessions < 3:
        sys.exit(f"{case.strategy}: {sessions} sessions ended, and the decision log has no {lacking}: change its case")


# -- what is told of it -----------------------------------------------------------------------------------


def run(case: Case, project: Path, budget: int, *options: str) -> dict[str, Any]:
    """Crawl up to so many pages; what the command said."""
    found: dict[str, Any] = told_json("crawl", project, "--max-pages", str(budget), "--quiet", *case.options, *options)
    if found["fetched"] != budget:
        sys.exit(f"{case.strategy}: only {found['fetched']} of {budget} pages fetched: change its case")
    return found


def asked(later: Path, stop: int) -> list[str]:
    """URLs worth explaining half way: a visit that was relevant, one that failed, one by a redirect, and one that waits
    then (it is the first one later)."""
    rows = visits(later)
    early, late = rows[:stop], rows[stop:]
    wanted = (
        [row for row in early if row["relevant"]][-1:],
        [row for row in early if row["outcome"] == "failed"][-1:],
        [row for row in early if row["kind"] in ("redirect", "backlink")][-1:],
        late[:1],
    )
    return list(dict.fromkeys(row["url"] for rows in wanted for row in rows))


def told(project: Path, urls: Sequence[str]) -> dict[str, Any]:
    """What the commands say of a project before it goes on: ``harvest`` are the numbers of the visits exported, the
    best first."""
    return {
        "status": told_json("status", project),
        "harvest": [json.loads(line)["number"] for line in clew("export", project).splitlines()],
        "explained": [told_json("explain", project, url) for url in urls],
    }


def visits(project: Path) -> list[dict[str, Any]]:
    """All visits in order: ``FIELDS`` of the export, numbers rounded to six places, and the kind of the link."""
    with contextlib.closing(sqlite3.connect(project / "crawl.db")) as database:
        kinds = dict(database.execute("SELECT number, kind FROM visits"))
    rows = [json.loads(line) for line in clew("export", project, "--all").splitlines()]
    return [{**{name: rounded(row[name]) for name in FIELDS}, "kind": kinds[row["number"]]} for row in rows]


def rounded(value: Any) -> Any:
    """A float to six places, anything else as it is."""
    return round(value, 6) if isinstance(value, float) else value


# -- tools ------------------------------------------------------------------------------------------------


def clew(*arguments: Any) -> str:
    """Run the command line of the interpreter's own version; its standard output. Ends the program if it fails."""
    command = [sys.executable, "-m", "clew.cli", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def told_json(*arguments: Any) -> Any:
    """The JSON object that a command prints last."""
    return json.loads(clew(*arguments, "--json").splitlines()[-1])


def packed(project: Path, texts: Mapping[str, str]) -> bytes:
    """The project and these texts as .tar.xz, the same bytes for the same files."""
    files = [path for path in sorted(project.rglob("*")) if path.is_file() and path.name not in LEFT_OUT]
    members = {f"project/{path.relative_to(project).as_posix()}": path.read_bytes() for path in files}
    members |= {name: text.encode() for name, text in texts.items()}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, raw in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(raw)
            tar.addfile(info, io.BytesIO(raw))
    return lzma.compress(out.getvalue(), preset=9 | lzma.PRESET_EXTREME)


if __name__ == "__main__":
    sys.exit(main())

"""The package in examples/clew-sample, installed in an environment of its own: its tests, and its parts by name."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

import clew

SAMPLE = Path(__file__).parents[2] / "examples" / "clew-sample"

PAGE = "<p>{0} <a href='/{1}'>next</a> <a href='/{2}'>after</a> <a href='http://dull.test/{1}'>dull</a>"
WEB = "pages-file:p/pages.jsonl"


class Environment:
    """A virtual environment with this checkout's Clew, what Clew needs, and the sample package: not one file of Clew's
    differs in it."""

    def __init__(self, folder: Path) -> None:
        venv.EnvBuilder(with_pip=False, symlinks=True).create(folder / "env")
        self.python = folder / "env" / "bin" / "python"
        self.outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        places = {"base": str(folder / "env"), "platbase": str(folder / "env")}
        packages = Path(sysconfig.get_path("purelib", "venv", vars=places))
        shutil.copytree(SAMPLE, folder / "sample")
        clews = [str(Path(clew.__file__).parents[1]), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
        (packages / "clew.pth").write_text("".join(f"{place}\n" for place in dict.fromkeys(clews)))
        self.install(folder / "sample", packages)

    @staticmethod
    def install(sample: Path, packages: Path) -> None:
        """As pip does it with a wheel, from what pyproject.toml says; the build backend may not be here."""
        project = tomllib.loads((sample / "pyproject.toml").read_text(encoding="utf-8"))
        (package,) = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
        shutil.copytree(sample / package, packages / Path(package).name)
        about = project["project"]
        record = packages / f"{about['name'].replace('-', '_')}-{about['version']}.dist-info"
        record.mkdir()
        (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n")
        groups = (
            f"[{group}]\n" + "".join(f"{name} = {where}\n" for name, where in points.items())
            for group, points in about["entry-points"].items()
        )
        (record / "entry_points.txt").write_text("\n".join(groups))

    def run(self, *arguments: object, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
        command = [str(self.python), *map(str, arguments)]
        done = subprocess.run(
            command, cwd=cwd, env=self.outside, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def clew(self, *arguments: object, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
        return self.run("-m", "clew.cli", *arguments, cwd=cwd, code=code)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Environment]:
    yield Environment(tmp_path_factory.mktemp("sample"))


def write_project(folder: Path) -> Path:
    """A project whose web is a file of pages: sailing pages that link on, and dull ones. Two pages about volcanoes are
    linked to by nobody."""
    texts = [
        *(
            (f"http://boats.test/{n}", f"Sailing boats, part {n}", PAGE.format("boats", n + 1, n + 2))
            for n in range(12)
        ),
        *((f"http://dull.test/{n}", f"Budget of year {n}", "<p>money and taxes") for n in range(12)),
        *((f"http://fire.test/{n}", f"Volcano sailing {n}", "<p>volcano") for n in range(2)),
    ]
    lines = [{"url": url, "title": title, "html": html} for url, title, html in texts]
    folder.mkdir()
    (folder / "pages.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (folder / "seeds.txt").write_text("http://boats.test/0\n")
    for name, title in (("relevant", "Sailing boats"), ("irrelevant", "Budget and taxes")):
        (folder / f"{name}.html").write_text(f"<html lang=en><title>{title}</title><p>{title}")
        (folder / f"{name}.txt").write_text(f"{name}.html\n")
    (folder / "clew.toml").write_text(
        '[strategy.paying-hosts]\nhosts = 0.7\nsearch = ["volcano"]\n'
        "[judge.title-words]\nweight = 0.55\n"
        '[providers.search]\nkind = "pages-index"\npath = "pages.jsonl"\nspacing = 0\n'
    )
    return folder


def test_its_own_tests_pass_there(environment: Environment, tmp_path: Path) -> None:
    tests = environment.python.parents[2] / "sample" / "tests"
    quiet = ["-q", "-p", "no:cacheprovider", "-p", "no:asyncio"]
    done = environment.run("-m", "pytest", *quiet, tests, cwd=tmp_path)
    assert " passed" in done.stdout and "skipped" not in done.stdout, done.stdout
    origin = environment.run("-c", "import clew, clew_sample; print(clew_sample.__file__)", cwd=tmp_path).stdout
    assert Path(origin.strip()).is_relative_to(environment.python.parents[1])


def test_help_names_its_parts(environment: Environment, tmp_path: Path) -> None:
    crawling = environment.clew("crawl", "--help", cwd=tmp_path).stdout
    assert "paying-hosts" in crawling and "title-words" in crawling
    assert "link-list" in environment.clew("export", "--help", cwd=tmp_path).stdout


def test_its_parts_crawl_and_export(environment: Environment, tmp_path: Path) -> None:
    """Strategy, judge, world, provider and exporter in one crawl; the pages about volcanoes come from the provider."""
    write_project(tmp_path / "p")
    options = ["--strategy", "paying-hosts", "--judge", "title-words", "--web", WEB, "--json"]
    done = environment.clew("crawl", "p", *options, "--max-pages", "14", cwd=tmp_path)
    result = json.loads(done.stdout.splitlines()[-1])
    assert (result["strategy"], result["judge"], result["fetched"]) == ("paying-hosts", "title-words", 14)
    assert result["web"].startswith("pages-file:")
    urls = [
        json.loads(line)["url"] for line in environment.clew("export", "p", "--all", cwd=tmp_path).stdout.splitlines()
    ]
    assert {"http://fire.test/0", "http://fire.test/1"} <= set(urls)
    assert sum(url.startswith("http://boats.test/") for url in urls) >= 9, urls
    listed = environment.clew("export", "p", "--to", "link-list", cwd=tmp_path).stdout.splitlines()
    assert len(listed) == result["relevant"] >= 9
    assert "- [Sailing boats, part 0](<http://boats.test/0>) 0.80" in listed


def test_wrong_settings_of_its_parts_are_refused_by_name(environment: Environment, tmp_path: Path) -> None:
    folder = write_project(tmp_path / "p")
    (folder / "clew.toml").write_text("[judge.title-words]\nweight = 2.0\n")
    done = environment.clew("crawl", "p", "--judge", "title-words", "--web", WEB, cwd=tmp_path, code=2)
    assert "[judge.title-words] weight" in done.stderr


def test_without_the_package_its_names_are_unknown(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "clew.cli", "crawl", "p", "--strategy", "paying-hosts"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 2 and "there is no strategy 'paying-hosts'" in done.stderr

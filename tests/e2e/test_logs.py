"""What an operator can tail: one line an event, as text or JSON."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path

import pytest

from clew import Project
from clew.cli.logs import Json, Text, logging_to
from support import clew, init_plain

SIM = "sim:pages=2000,seed=4"
LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (DEBUG|INFO|WARNING) (.+)")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    init_plain(tmp_path / "p", "--web", SIM)
    toml = tmp_path / "p" / "clew.toml"
    toml.write_text(toml.read_text().replace("[crawl]\n", "[crawl]\nsession_pages = 20\n"), encoding="utf-8")
    return tmp_path / "p"


def test_a_log_file_has_a_line_an_event_and_is_added_to(project: Path, tmp_path: Path) -> None:
    log = tmp_path / "crawl.log"
    clew("crawl", project, "--max-pages", 45, "--strategy", "ariadne", "--quiet", "--log", log)
    lines = log.read_text(encoding="utf-8").splitlines()
    matched = [LINE.fullmatch(line) for line in lines]
    assert all(matched), lines
    texts = [one[2] for one in matched if one is not None]
    assert sum(text.startswith("session ") for text in texts) == 2
    assert any(re.search(r"session 1: \d+ of 20 pages relevant", text) for text in texts)
    assert any(text.startswith("judge naive-bayes was trained on 40 examples") for text in texts)
    assert any(text.startswith("started: ariadne in sim:") for text in texts)
    assert texts[-1].startswith("stopped by max_pages: 45 fetched (45 in this run)")
    clew("crawl", project, "--max-pages", 50, "--strategy", "ariadne", "--quiet", "--log", log)
    more = log.read_text(encoding="utf-8").splitlines()
    assert more[: len(lines)] == lines
    assert any("resumed after 45 fetches" in line for line in more[len(lines) :])


def test_json_lines_carry_the_facts_and_go_to_standard_error_without_a_file(project: Path) -> None:
    done = clew("crawl", project, "--max-pages", 25, "--log-json", "--log-level", "debug")
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert all({"at", "level", "logger", "event", "text"} <= set(line) for line in lines)
    visits = [line for line in lines if line["event"] == "visit"]
    assert [line["number"] for line in visits] == list(range(1, 26))
    assert all(line["level"] == "debug" and line["url"].startswith("http") for line in visits)
    (session,) = [line for line in lines if line["event"] == "session"]
    assert session["fetched"] == 20 and session["relevant"] == sum(line["relevant"] for line in visits[:20])
    assert lines[-1]["stopped_by"] == "max_pages"


def test_a_level_leaves_out_what_lies_below(project: Path, tmp_path: Path) -> None:
    log = tmp_path / "crawl.log"
    clew("crawl", project, "--max-pages", 25, "--quiet", "--log", log, "--log-level", "warning")
    assert log.read_text(encoding="utf-8") == ""


def test_a_log_that_cannot_be_written_is_an_input_error(project: Path, tmp_path: Path) -> None:
    done = clew("crawl", project, "--log", tmp_path / "nowhere" / "crawl.log", code=2)
    assert "cannot be written" in done.stderr and "--log" in done.stderr


def test_texts_from_the_web_forge_no_line() -> None:
    record = logging.makeLogRecord({"msg": "%s", "args": ("http://a.test/\n\x1b[2Jfake\u009b",), "levelname": "INFO"})
    assert Text().format(record).endswith(r"INFO http://a.test/\x0a\x1b[2Jfake\x9b")
    assert len(Json().format(record).splitlines()) == 1


def test_warnings_reach_the_user_and_loggers_are_left_as_they_were(tmp_path: Path) -> None:
    said: list[str] = []
    logger = logging.getLogger("clew")
    before = (logger.level, logger.propagate, list(logger.handlers))
    with logging_to(None, False, "info", said.append):
        logging.getLogger("clew.workers").warning("a page %s", "hangs")
        logging.getLogger("clew.crawl").info("nothing to worry about")
    assert said == ["a page hangs"]
    assert (logger.level, logger.propagate, list(logger.handlers)) == before


def test_python_users_get_the_same_events(project: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "clew"):
        Project(project).crawl(max_pages=20)
    events = [record.event for record in caplog.records if hasattr(record, "event")]
    assert events == ["trained", "started", "session", "stopped"]

"""A web of six pages as a task of the lab; start pages and truth stay, the examples are the test's."""

from __future__ import annotations

from pathlib import Path

from clew.lab.tasks import Task, load

TASK = """
name = "boats"
web = "folder:web"
labels = "labels.tsv"
budget = 9
seeds = ["http://w.test/start.html"]
[truth]
labels = ["boats"]
[examples]
{examples}
"""
PAGES = {
    "start": ("a list of pages", ("boats", "taxes", "both")),
    "boats": ("sailing boats and the regatta of yachts", ("more",)),
    "taxes": ("taxes and the budget of states", ("end",)),
    "both": ("sailing taxes", ()),
    "more": ("a regatta for the yacht", ()),
    "end": ("money", ()),
}


def write_web(folder: Path) -> Path:
    """The pages and their labels; "boats" and "more" are relevant."""
    place = folder / "web" / "w.test"
    place.mkdir(parents=True)
    for name, (words, links) in PAGES.items():
        anchors = "".join(f"<a href={link}.html>go</a> " for link in links)
        (place / f"{name}.html").write_text(f"<html lang=en><title>{name}</title><p>{words}</p><p>{anchors}")
    rows = "".join(
        f"http://w.test/{name}.html\t{'boats' if name in ('boats', 'more') else 'no'}\t-\n" for name in PAGES
    )
    (folder / "labels.tsv").write_text(f"url\tlabel\tgroup\n{rows}")
    return folder


def told(folder: Path, examples: str) -> Task:
    """The task with this table of examples."""
    file = folder / "task.toml"
    file.write_text(TASK.format(examples=examples))
    return load(file)

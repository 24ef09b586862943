"""A task made of a finished crawl: its archive is the web, its user's labels are the truth."""

from __future__ import annotations

from pathlib import Path

from clew.errors import InputError
from clew.examples.labels import LABELS, as_examples, read_labels
from clew.export.base import Collection
from clew.export.warc import write_warc
from clew.lab.tasks import write, write_labels
from clew.project.project import Project
from clew.store.base import Store

WEB, LABEL_FILE, TASK = "web.warc.gz", "labels.tsv", "task.toml"
LEAST = 10
"""Pages labelled relevant that make a truth worth measuring against."""


def from_crawl(project: Project, folder: Path, *, judged: bool = False) -> Path:
    """Write a task into ``folder``; returns its file.

    ``judged``: the judge's verdicts are the truth where the user gave none, which favours whoever agrees with that
    judge. Raises InputError when there are too few labels.
    """
    store = project.open_store(read_only=True)
    try:
        relevant = _truth(project, store, judged)
        collection = Collection(store, project.archive, project.interest.topics)
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / WEB).open("wb") as out:
            count = write_warc(collection, store.visits.rows(), out)
        budget = store.visits.next_number - 1
    finally:
        store.close()
    if not count:
        raise InputError(f"{project.path} has no archive of its pages (store.archive was off): crawl it with one")
    write_labels(folder / LABEL_FILE, "relevant", dict.fromkeys(relevant))
    _write(project, folder / TASK, max(budget // 2, 1))
    return folder / TASK


def _truth(project: Project, store: Store, judged: bool) -> list[str]:
    """URLs of relevant pages. A label that names a topic counts if pages of that topic, without more, are wanted."""
    labels = as_examples(read_labels(project.path / LABELS), project.topic)
    relevant = [label.line for label in labels if project.interest.wants(label.topic) and label.is_url]
    if judged:
        told = {label.line for label in labels}
        relevant += [row.url for row in store.visits.rows(relevant=True) if row.url not in told]
    if len(relevant) < LEAST:
        raise InputError(
            f"only {len(relevant)} pages are labelled relevant, {LEAST} at least make a truth: label some with "
            f"clew label {project.path} --uncertain 20, or take the judge's verdicts with --truth judge"
        )
    return relevant


def _write(project: Project, path: Path, budget: int) -> None:
    examples = [one for one in project.wanted() if one.is_url]
    concerns = project.interest.concerns
    name = project.settings.project.name or project.path.resolve().name
    write(
        path,
        f"Made of the crawl {name}; half of its fetches are the budget.",
        name=name,
        web=WEB,
        labels=LABEL_FILE,
        budget=budget,
        seeds=project.seeds(),
        truth="relevant",
        positive=[one.line for one in examples if concerns(one.topic)],
        negative=[one.line for one in examples if not concerns(one.topic)],
    )

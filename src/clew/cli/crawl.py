"""clew crawl: start a project's crawl, or resume it where it stopped."""

from __future__ import annotations

import asyncio
import gc
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from shlex import quote

import click

from clew.cli.beside import Beside
from clew.cli.common import NamedOption, Span, json_option, print_json, project_argument, say
from clew.cli.logs import LEVELS, logging_to
from clew.cli.progress import Lines, Live, Logged, Quiet, Screen
from clew.cli.status import precision_lines
from clew.config import Settings
from clew.crawl.lastrun import WHY, why_stopped
from clew.crawl.running import CrawlResult
from clew.errors import ClewError, InputError
from clew.export.summary import Summary, summarise
from clew.judges.registry import JUDGES
from clew.project.assembly import CrawlOptions, check, crawl
from clew.project.project import Project
from clew.strategies.registry import STRATEGIES
from clew.text.shown import shown
from clew.web.registry import WORLDS, absolute
from clew.words import form, many, span
from clew.workers.worker import GC_THRESHOLDS


@click.command()
@project_argument
@click.option("--max-pages", type=click.IntRange(min=1), help="Stop when the project has fetched this many in all.")
@click.option("--for", "run_s", type=Span(positive=True), default=0.0, help="Stop after this long, for example 30m.")
@click.option("--strategy", cls=NamedOption, registry=STRATEGIES, help="Where to go next")
@click.option("--judge", cls=NamedOption, registry=JUDGES, help="Is this page it")
@click.option("--web", cls=NamedOption, registry=WORLDS, help="Where pages come from")
@click.option("--fresh", "fresh_s", type=Span(), help="Take pages of earlier crawls from the archive up to this age.")
@click.option("--restart", is_flag=True, help="Begin anew; the earlier crawl is put aside and its archive kept.")
@click.option("--workers", type=click.IntRange(min=0), help="Processes that read and judge pages; 0: none.")
@click.option("--contact", help="Mail address or URL where site owners reach you, for this run.")
@click.option("--quiet", is_flag=True, help="Show no progress.")
@click.option("--log", type=click.Path(path_type=Path, dir_okay=False), help="Write a line an event to this file.")
@click.option("--log-json", is_flag=True, help="Log lines are JSON objects; without --log on standard error.")
@click.option("--log-level", type=click.Choice(LEVELS), default="info", show_default=True, help="Least level logged.")
@click.option("--serve", is_flag=True, help="Watch and steer it in the browser meanwhile, as with clew serve.")
@click.option("--port", type=click.IntRange(0, 65535), help="Of the dashboard, with --serve; 0: any that is free.")
@json_option
def command(
    project: Path,
    max_pages: int | None,
    run_s: float,
    strategy: str | None,
    judge: str | None,
    web: str | None,
    fresh_s: float | None,
    restart: bool,
    workers: int | None,
    contact: str | None,
    quiet: bool,
    log: Path | None,
    log_json: bool,
    log_level: str,
    serve: bool,
    port: int | None,
    as_json: bool,
) -> None:
    """Start a project's crawl, or resume it where it stopped, however it stopped.

    Ctrl-C stops it: requests under way are finished, and all is kept. A second one gives up requests that are not
    answered yet. The same command goes on later.
    """
    if port is not None and not serve:
        raise InputError("--port is the dashboard's: say --serve, too")
    opened = Project(project)
    options = CrawlOptions(
        web=absolute(web, Path.cwd()) if web else None,
        strategy=strategy,
        judge=judge,
        max_pages=max_pages,
        run_s=run_s,
        fresh_s=fresh_s,
        workers=workers,
        contact=contact,
    )
    if restart:
        asyncio.run(check(opened, options))  # before the earlier crawl is put aside for nothing
        opened.put_aside()
    screen = Logged() if log_json and log is None else screen_for(quiet)
    gc.set_threshold(*GC_THRESHOLDS)
    try:
        beside = Beside(project, port, screen.note) if serve else nullcontext()
        with screen, logging_to(log, log_json, log_level, screen.note), beside:
            result = crawl(opened, options, screen.display)
    except KeyboardInterrupt as error:  # later ones stop the crawl cleanly
        raise ClewError(f"stopped before the first page; go on: {again(project, options)}") from error
    if as_json:
        print_json(result)
    else:
        found = _summary(opened)
        say("\n".join(ending(project, result, options, found)))
        if serve:
            say(f"look again: clew serve {quote(str(project))}")
    if result.why_nothing:
        raise ClewError("nothing was fetched:\n" + "".join(f"  {line}\n" for line in result.why_nothing).rstrip())


def screen_for(quiet: bool) -> Screen:
    """The display that fits: none, a live panel in a terminal, or lines."""
    return Quiet() if quiet else Live.if_terminal() or Lines()


def _summary(project: Project) -> Summary:
    store = project.open_store(read_only=True)
    try:
        return summarise(store, project)
    finally:
        store.close()


def ending(project: Path, result: CrawlResult, options: CrawlOptions, found: Summary) -> list[str]:
    """What a run says at its end: why it ended, what it found, what happened besides, and what to do next."""
    lines = [
        f"stopped: {why_stopped(result.stopped_by)}",
        f"fetched {result.fetched} ({result.fetched_now} now, in {span(result.seconds)}), "
        f"{result.relevant} judged relevant ({result.harvest_rate:.3f})",
        *(f"precision: {line}" for line in precision_lines(project, found)),
        f"{result.failed} failed, {many(result.redirects, 'redirect')}, {result.refused} refused, "
        f"{result.absent} not in this web, {many(result.frontier, 'link')} waiting",
        *happened(result),
        f"go on: {go_on(project, result, options)}",
        f"look:  clew report {quote(str(project))}    (writes {project / 'report.html'})",
        f"take:  clew export {quote(str(project))} --to jsonl",
    ]
    if result.refused:
        lines.append(f"why refused: clew status {quote(str(project))} --refused")
    return lines


def happened(result: CrawlResult) -> list[str]:
    """What happened in a run besides pages, a line each."""
    lines = []
    if result.judges:
        turned = f"{many(result.turned, 'verdict')} changed"
        lines.append(f"the judge learned {many(result.judges, 'time')}, all pages were judged again: {turned}")
    if result.outages:
        lines.append(f"{many(result.outages, 'outage')}: nothing answered for {span(result.outage_s)}")
    if result.hosts_rested:
        back = f"; {result.hosts_back} of them did again" if result.hosts_back else ""
        lines.append(f"{many(result.hosts_rested, 'host')} did not answer and rested{back}")
    if result.silent_links:
        hosts, links = result.silent_hosts, result.silent_links
        lines.append(
            f"{many(hosts, 'host')} {form(hosts, 'is', 'are')} not waited for; {form(hosts, 'its', 'their')} "
            f"{many(links, 'link')} {form(links, 'is', 'are')} asked for again by the next run"
        )
    if result.seeds_lost and not result.why_nothing:
        lines += ["seeds that gave no page:", *(f"  {shown(line)}" for line in result.seeds_lost)]
    return lines


def go_on(project: Path, result: CrawlResult, options: CrawlOptions) -> str:
    """What makes the crawl go on: a command, after a change where it would stop at once without."""
    command = again(project, options)
    if result.stopped_by == "max_pages":
        return again(project, replace(options, max_pages=2 * result.fetched))
    if result.stopped_by == "frontier" and not result.frontier:
        return f"add URLs to {project / Settings().interest.seeds}, then: {command}"
    if result.stopped_by not in WHY:
        return f"change stop.{result.stopped_by} in {project / 'clew.toml'}, then: {command}"
    return command


def again(project: Path, options: CrawlOptions) -> str:
    """The command that crawls on as this one did."""
    given = {
        "--max-pages": options.max_pages,
        "--for": f"{options.run_s:g}s" if options.run_s else None,
        "--strategy": options.strategy,
        "--judge": options.judge,
        "--web": options.web,
        "--fresh": f"{options.fresh_s:g}s" if options.fresh_s is not None else None,
        "--workers": options.workers,
        "--contact": options.contact,
    }
    return " ".join(
        [
            "clew crawl",
            quote(str(project)),
            *(f"{name} {quote(str(one))}" for name, one in given.items() if one is not None),
        ]
    )

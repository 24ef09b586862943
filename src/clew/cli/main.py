"""The ``clew`` command: one module a command; errors become one clear line and an exit code."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import click

from clew.errors import ClewError
from clew.version import __version__

COMMANDS = {
    "init": "Make a project: say what is wanted.",
    "crawl": "Start a project's crawl, or resume it where it stopped.",
    "pause": "Let a running crawl stand still.",
    "resume": "Let a crawl that was paused go on.",
    "stop": "Stop a running crawl, as Ctrl-C does.",
    "status": "How far a crawl has come.",
    "report": "Write a report as one web page: plots and the best pages.",
    "explain": "Why a page was fetched and judged as it was, or why a URL waits or was refused.",
    "judge": "Judge pages: relevance, and what decided.",
    "label": "Say whether a page is what you want; the judge learns from it.",
    "topics": "What is wanted: topics, their examples and terms, and how well they can be told apart.",
    "serve": "Watch, search and steer crawls in the browser.",
    "search": "Find pages in the collection by their text.",
    "export": "Hand the collection over: JSON lines, CSV, Parquet, SQLite, Markdown or WARC.",
    "forget": "Erase a page or a host from a project, and never fetch it again.",
    "lab": "Compare strategies and judges on the same webs, with oracles.",
    "demo": "Crawl a small web served on this machine, and show the harvest.",
}
"""Every command with its one-line help; its code lives in ``clew.cli.<command>``, or in ``TOGETHER``."""

TOGETHER = {"pause": "steer", "resume": "steer", "stop": "steer"}
"""Commands that share a module, which has them in ``COMMANDS``."""


class LazyCommands(click.Group):
    """A group that imports a command's module only when that command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command
        if cmd_name in TOGETHER:
            command = import_module(f"clew.cli.{TOGETHER[cmd_name]}").COMMANDS[cmd_name]
        else:
            command = import_module(f"clew.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from clew.section import did_you_mean

            ctx.fail(f"there is no command {args[0]!r}{did_you_mean(args[0], COMMANDS)}; see: clew --help")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="clew")
def main() -> None:
    """A focused web crawler: say what you want, and it crawls the part of the web that leads there."""


def run(arguments: list[str] | None = None) -> None:
    """Entry point of the ``clew`` command. Exit codes: 0 fine, 1 the job failed, 2 the input is wrong."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # our matrices are small, and its threads wait by spinning
    sys.exit(execute(arguments))


def execute(arguments: list[str] | None = None) -> int:  # noqa: PLR0911  # one return an outcome
    """Run one command line and return its exit code."""
    try:
        result: Any = main.main(args=arguments, prog_name="clew", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Abort:
        return _say("stopped", 1)
    except click.ClickException as error:
        return _usage(error)
    except ClewError as error:
        return _say(str(error), error.exit_code)
    except BrokenPipeError:  # the reader of our output went away (clew export ... | head)
        sys.stderr.close()
        return 1
    except KeyboardInterrupt:
        return _say("interrupted", 1)
    except Exception as error:
        return _no_room(error) or _fault(error)


# What only goes wrong is imported when it does: every command waits for what this module imports.


def _say(message: str, code: int) -> int:
    from clew.cli.common import say

    say(f"clew: {message}", err=True)
    return code


def _no_room(error: Exception) -> int:
    """The exit code where the disk is full; 0 where that is not what is wrong."""
    from clew.store.room import WORDS

    if not isinstance(error, OSError) or not (words := WORDS.get(error.errno or 0)):
        return 0
    return _say(f"{error.filename or 'the output'} cannot be written: {words}; make room", 1)


def _usage(error: click.ClickException) -> int:
    """A wrong option or argument, which the message quotes."""
    from clew.text.shown import shown_lines

    vars(error)["message"] = shown_lines(error.message)
    error.show()
    return 2


def _fault(error: Exception) -> int:
    """A fault of ours: the details go to a file, the user gets one line."""
    import tempfile
    import traceback

    from clew.text.shown import shown_lines

    with tempfile.NamedTemporaryFile("w", prefix="clew-fault-", suffix=".txt", delete=False, encoding="utf-8") as out:
        out.write(shown_lines("".join(traceback.format_exception(error))))
    return _say(f"a fault in Clew, not in your input: {type(error).__name__}: {error}\n  details: {out.name}", 1)

"""Fuzz one target with atheris:  python tests/fuzz/run.py reader|warc|http|importers [--seconds 600]

Begins with the seeds kept in ``seeds/TARGET`` and with what earlier runs found in ``corpus/TARGET`` (not kept in the
repository). Stops at the first input that raises something, after saving it as ``crash-*`` in ``corpus``. Prints one
line of JSON last: target, executions, seconds, inputs of the corpus, and the file of a crash.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))


def fuzz(target: str, options: list[str]) -> None:
    """Runs inside a process of its own: libFuzzer ends it."""
    import atheris

    with atheris.instrument_imports(include=["clew", "yaml", "protego"]):
        from fuzz import growth, targets
    check = targets.TARGETS[target]

    def once(data: bytes) -> None:
        check(data)
        if target in growth.CHEAP and growth.due(data):
            growth.check(check, data)

    atheris.Setup([sys.argv[0], *options], once)
    atheris.Fuzz()


def main() -> int:
    """Run libFuzzer for a time and tell what it did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=["reader", "warc", "http", "importers"])
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--again", type=Path, help="run one input only, without atheris")
    parser.add_argument("--inside", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside is not None:
        fuzz(given.target, given.inside)
        return 0
    if given.again is not None:
        from fuzz import targets

        targets.TARGETS[given.target](given.again.read_bytes())
        return 0
    corpus, seeds = HERE / "corpus" / given.target, HERE / "seeds" / given.target
    corpus.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_total_time={given.seconds}", f"-artifact_prefix={corpus.parent}/{given.target}-", "-timeout=120",
        "-rss_limit_mb=4096", "-max_len=65536", "-print_final_stats=1", "-use_value_profile=1", str(corpus), str(seeds),
    ]  # fmt: skip
    began = time.monotonic()
    command = [sys.executable, __file__, given.target, "--inside", *options]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    print(done.stderr[-6000:], file=sys.stderr)
    print(json.dumps(_told(given.target, done.stderr, time.monotonic() - began, corpus)))
    return done.returncode


def _told(target: str, output: str, seconds: float, corpus: Path) -> dict[str, object]:
    runs = [int(line.split()[-1]) for line in output.splitlines() if line.startswith("stat::number_of_executed_units")]
    seen = [line.split()[0].removeprefix("#") for line in output.splitlines() if line.startswith("#")]
    crashes = [
        line.split()[-1] for line in output.splitlines() if "Test unit written to" in line and "slow-unit" not in line
    ]
    executions = runs[-1] if runs else int(seen[-1]) if seen else 0
    found = {"target": target, "executions": executions, "seconds": round(seconds)}
    return found | {"corpus": len(list(corpus.iterdir())), "crash": crashes[-1] if crashes else ""}


if __name__ == "__main__":
    sys.exit(main())

"""What a command loads before it does anything: every crawl, and every worker process, pays for it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from clew.strategies.registry import STRATEGIES

HEAVY = (
    "scipy",
    "sklearn",
    "wordfreq",
    "pyarrow",
    "matplotlib",
    "plotly",
    "pandas",
    "py3langid",
    "trafilatura",
    "tantivy",
)


@pytest.mark.parametrize("module", ["clew.cli.crawl", "clew.workers.worker"])
def test_no_large_library_is_loaded_before_it_is_needed(module: str) -> None:
    code = f"import sys, {module}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert set(done.stdout.split()).isdisjoint(HEAVY)


@pytest.mark.parametrize(
    "module, libraries",
    [
        ("clew.cli.main", {"numpy", "msgspec", "asyncio", "tempfile"}),
        ("clew.crawl.loop", {"aiohttp", "lxml"}),
    ],
)
def test_a_start_loads_only_what_it_needs(module: str, libraries: set[str]) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert set(done.stdout.split()).isdisjoint(libraries)


def test_a_crawl_loads_no_strategy_that_it_does_not_use() -> None:
    code = "import sys, clew.cli.crawl; print(*[name for name in sys.modules if name.startswith('clew.strategies.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    modules = {f"clew.strategies.{name.replace('-', '_')}" for name in STRATEGIES.builtin}
    assert set(done.stdout.split()).isdisjoint(modules)


@pytest.mark.parametrize("name", sorted(STRATEGIES.builtin))
def test_strategies_are_called_what_they_are_entered_as(name: str) -> None:
    assert getattr(STRATEGIES.get(name), "name", "") == name


@pytest.mark.parametrize("given", ["", "3"])
def test_a_command_multiplies_matrices_in_one_thread_unless_told_otherwise(given: str) -> None:
    code = (
        "import threadpoolctl\n"
        "from clew.cli.main import run\n"
        "try: run(['--version'])\n"
        "except SystemExit: pass\n"
        "import numpy\n"
        "print(*[one['num_threads'] for one in threadpoolctl.threadpool_info() if one['user_api'] == 'blas'])"
    )
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    if given:
        environment["OPENBLAS_NUM_THREADS"] = given
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True, env=environment
    )
    used = done.stdout.splitlines()[-1]
    assert used == "1" if not given else used != "1" or os.cpu_count() == 1

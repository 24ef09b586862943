"""Mutation testing: small faults put into the rooms that decide which link comes next, and the tests that find them.

    make mutants [ROOMS="graph judges"] [SAMPLE=40] [SECONDS=600] [SEED=1] [JOBS=2] [NAMED=1]
    python -m benchmarks.mutants [ROOM ...] [--sample N] [--seconds S] [--seed N] [--jobs N] [--named]
        [--longest S] [--json]

A mutant is one change of one place: another operator, a condition turned round, a number, an argument that is left
out, a call that is not made. It is killed when a test fails with it, or takes no end. The tests that are named for its
module run first (``strategies/bingo/paths.py``: ``tests/unit/test_strategies_bingo*.py``; where no file has its name,
those that import it), of these only the ones that call the changed function, the quickest first, until one fails; then
those of its room, unless ``--named`` is given. Printed are the score of each room and each survivor with file, line and
change. ``explained.toml`` holds survivors that change nothing that could be tested, each with the reason; they do not
count.

Sources are never changed: mutants live in a copy of ``src``. The same seed gives the same mutants in the same order;
``--seconds`` ends a run early, with what was run till then. Runs without mutants, which say what each test calls, come
on top; what they found is kept in ``.mutants`` until sources or tests change. Tests of properties run with the same
examples each time. See docs/decisions/0017-mutation-testing.md.
"""

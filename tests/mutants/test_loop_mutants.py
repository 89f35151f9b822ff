"""A broken rule of loops is noticed: the tests that are there for it fail.

    ./dev test --mutants tests/mutants

A mutant that does not apply or does not compile is an error, one that no test notices a failure.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from broken_tree import BrokenTree, Mutant
from loop_mutants import LOOP_MUTANTS, RANDOM_GRAPHS


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> BrokenTree:
    """A copy of the tree in which all tests that are to fail pass."""
    tree = BrokenTree(Path(__file__).parents[2], tmp_path_factory.mktemp("mutants"))
    results = [tree.fails(mutant.caught_by, verify=False) for mutant in LOOP_MUTANTS]
    for fails, output in [*results, tree.fails(*RANDOM_GRAPHS, verify=True)]:
        if fails:
            raise RuntimeError(f"a test fails in the tree as it is:\n{output}")
    return tree


@pytest.fixture(params=LOOP_MUTANTS, ids=lambda mutant: mutant.name.replace(" ", "-"))
def mutant(request: pytest.FixtureRequest, tree: BrokenTree) -> Iterator[Mutant]:
    """A mutant, built in the tree."""
    try:
        tree.break_rule(request.param)
        yield request.param
    finally:
        tree.mend()


def test_loop_mutant_is_caught(mutant: Mutant, tree: BrokenTree) -> None:
    fails, output = tree.fails(mutant.caught_by, verify=False)
    assert fails, f"the rule that {mutant.rule} is broken, and {mutant.caught_by} passes"
    print(first_error(output))
    if mutant.random:
        fails, output = tree.fails(*RANDOM_GRAPHS, verify=True)
        assert fails, f"the rule that {mutant.rule} is broken, and random graphs are right"
        print(first_error(output))


def first_error(output: str) -> str:
    """What pytest says of what failed; the end of the output where the process died."""
    told = (line for line in output.splitlines() if line.startswith("E "))
    return next(told, output[-200:])

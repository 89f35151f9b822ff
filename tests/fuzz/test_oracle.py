"""What the oracle allows of calls that fail, in graphs that are small enough to read."""

from __future__ import annotations

import pytest
from build import Built, Injected
from oracle import evaluate
from spec import Node, Spec
from test_random_graphs import Wrong, check

# Each node has one output, so that values are numbered as nodes are.
SELECTOR, OTHERWISE, ATTEMPT, AFTER = 2, 4, 5, 6
NEITHER = 0


def branch(selector: int, *arms: int) -> Node:
    """A conditional on a number modulo how many arms there are."""
    return Node(
        "cond", (selector,), seed=len(arms), arms=tuple((v,) for v in arms), decoding="index"
    )


def branch_on_what_fails(*arms: int) -> Spec:
    """Two arms, and a selector that fails; so the attempt falls back, whose value needs it too.

    Two of the three arms of the output decide by that selector, so that it is in a memo body: in
    the first arm, what `arms` have in common is computed, and then the selector is needed.
    """
    return Spec(
        (
            Node("input"),
            Node("input"),
            Node("mix", (0,)),  # SELECTOR
            Node("mix", (SELECTOR,)),
            Node("mix", (0,)),  # OTHERWISE
            Node("attempt", arms=((3,), (OTHERWISE,))),  # ATTEMPT
            Node("mix", (ATTEMPT,)),  # AFTER
            branch(SELECTOR, *arms),  # 7
            branch(SELECTOR, 0, 1),  # 8
            branch(1, 7, 8, 0),  # the output
        ),
        outputs=(9,),
        calls=tuple(range(12)),  # the second input is a multiple of 3 in some of them
        failing=(SELECTOR,) * 12,
    )


@pytest.mark.parametrize(
    ("arms", "allowed"),
    [
        ((ATTEMPT, ATTEMPT), {OTHERWISE}),
        ((ATTEMPT, AFTER), {OTHERWISE}),
        ((AFTER, AFTER), {OTHERWISE, AFTER}),
        ((ATTEMPT, NEITHER), set()),
        ((SELECTOR, ATTEMPT), set()),
    ],
)
def test_what_all_arms_demand_may_run_where_their_selector_fails(
    arms: tuple[int, int], allowed: set[int]
) -> None:
    want = evaluate(branch_on_what_fails(*arms), 0, {0: 1, 1: 0}, SELECTOR)
    assert want.failed
    assert want.may_run == {("op", n): 1 for n in allowed} | {("native", "mod"): 1}


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "cvm_nogc", "FAST_RUN", "cvm emitted"])
@pytest.mark.parametrize("arms", [(ATTEMPT, AFTER), (AFTER, ATTEMPT), (ATTEMPT, NEITHER)])
def test_an_attempt_that_all_arms_demand_falls_back_where_their_selector_fails(
    arms: tuple[int, int], mode: str
) -> None:
    check(branch_on_what_fails(*arms), mode)


@pytest.mark.parametrize("arms", [(ATTEMPT, NEITHER), (NEITHER, ATTEMPT)])
def test_a_fallback_that_one_arm_demands_is_caught_where_their_selector_fails(
    arms: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def call(built: Built, arguments: list[int], call: int, failing: int | None) -> None:
        built.journal.start(call, failing)
        built.function.reset_counters()
        built.journal.ran["op", OTHERWISE] += 1
        raise Injected

    monkeypatch.setattr(Built, "call", call)
    with pytest.raises(Wrong, match="no outcome demands it"):
        check(branch_on_what_fails(*arms), "vm")


def test_arms_that_read_different_outputs_of_one_node_all_demand_it() -> None:
    both, selector = Node("mix", (0,), outs=2), Node("mix", (0,))  # values 1 and 2, and 3
    spec = Spec((Node("input"), both, selector, branch(3, 1, 2)), outputs=(4,))
    assert evaluate(spec, 0, {0: 1}, failing=2).may_run == {("op", 1): 1}

"""What loops keep for their gradients: of each step what the backward pass reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv


class Bag(tv.Type):
    """Lists."""

    __props__ = ()

    def filter(self, value: Any, strict: bool = False, allow_downcast: Any = None) -> Any:
        return value


class Grown(tv.PureOp):
    """The list with one thing more."""

    __props__ = ()

    def make_node(self, bag: Any) -> tv.Apply:
        return tv.Apply(self, [bag], [bag.type()])

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        outputs[0][0] = [*inputs[0], None]


class Scaled(tv.PureOp):
    """A number times the length of a list."""

    __props__ = ()

    def make_node(self, bag: Any, number: Any) -> tv.Apply:
        return tv.Apply(self, [bag, number], [number.type()])

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        outputs[0][0] = inputs[1] * len(inputs[0])

    def grad(self, inputs: Any, gradients: Any) -> Any:
        return [None, scaled(inputs[0], gradients[0])]


class Tripled(tv.PureOp):
    """Three times a tensor."""

    __props__ = ()

    def make_node(self, tensor: Any) -> tv.Apply:
        return tv.Apply(self, [tensor], [tensor.type()])

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        outputs[0][0] = inputs[0] * 3.0

    def infer_shape(self, node: Any, shapes: Any) -> Any:
        return shapes

    def grad(self, inputs: Any, gradients: Any) -> Any:
        return [gradients[0] * 3.0]


grown, scaled, tripled = Grown(), Scaled(), Tripled()
EMITTED = tv.Mode("cvm", "fast_run", compile="now")
MODES = ["py", "vm", "FAST_COMPILE", "cvm", "FAST_RUN", "c", "c&py", "cvm_nogc", EMITTED]
STEPS = 100
bag = Bag()("bag")
x = tv.scalar("x")
n = tv.lscalar("n")
v = tv.vector("v")
w = tv.vector("w")
m = tv.matrix("m")
SQUARE = np.linspace(-0.2, 0.2, 2500).reshape(50, 50)


def runs(f: Any, op: str) -> int:
    """How often nodes of the Op ran; 0 if none is in the program."""
    return sum(row.runs for row in f.node_runs() if row.op == op)


def allocated_for_tapes(cost: Any, *wrt: Any) -> int:
    """How many bytes all tapes of a gradient took, one after the other, for 100 steps over 50 x 50
    numbers."""
    f = tv.function([m, n], list(tv.grad(cost, list(wrt))), mode="vm", on_unused_input="ignore")
    with f.profile("memory") as p:
        f(SQUARE, STEPS)
    return sum(row.bytes_allocated for row in p.functions[0].nodes if row.op == "loop_append")


# A tape has 8 rows, 16, 32, 64 and then 128 where 100 steps are kept.
ALL_ROWS = 8 + 16 + 32 + 64 + 128


def after(step: Any) -> Any:
    return tv.sum(tv.fori_loop(0, n, lambda i, s: step(s), m))


@pytest.mark.parametrize(
    ("step", "bytes_of_a_step"),
    [
        (lambda s: s * 0.9 + 1.0, 0),
        (lambda s: s * 0.9 + tv.sum(s, axis=0), 0),
        (lambda s: tv.ifelse(tv.sum(s) > 1.0, s * 0.5, s * 0.9), 1),  # the condition
        (lambda s: s * 0.9 + tv.ones((50, 1)) * w, 2 * 8),  # two lengths
        (tv.sin, 50 * 50 * 8),  # the state
        (lambda s: tv.exp(s) * 0.1, 50 * 50 * 8),
    ],
)
def test_tapes_have_of_a_step_what_the_gradient_reads(step: Any, bytes_of_a_step: int) -> None:
    f = tv.function([m, n, w], tv.grad(after(step), m), mode="vm", on_unused_input="ignore")
    with f.profile("memory") as p:
        f(SQUARE, STEPS, np.ones(50))
    taken = sum(row.bytes_allocated for row in p.functions[0].nodes if row.op == "loop_append")
    assert taken // ALL_ROWS == bytes_of_a_step


def test_tapes_hold_one_of_three_states_where_the_gradient_reads_one() -> None:
    first, _, _ = tv.fori_loop(
        0, n, lambda i, s: (s[0] * 0.9 + s[1], s[1] + tv.sin(s[2]), s[2] * 0.5), (m, m, m)
    )
    assert allocated_for_tapes(tv.sum(first), m) // ALL_ROWS == 50 * 50 * 8


def test_tapes_hold_a_state_once_that_the_loop_collects_too() -> None:
    states = tv.scan(tv.sin, outputs_info=m, n_steps=n)
    assert allocated_for_tapes(tv.sum(states**2), m) // ALL_ROWS == 50 * 50 * 8


def test_tapes_grow_by_doubling() -> None:
    f = tv.function([m, n], tv.grad(after(tv.sin), m), mode="vm")

    def taken(steps: int) -> int:
        with f.profile("memory") as p:
            f(SQUARE[:1, :1], steps)
        return sum(row.bytes_allocated for row in p.functions[0].nodes if row.op == "loop_append")

    f(SQUARE, 1)
    assert [taken(steps) // 8 for steps in (8, 9, 1000)] == [8, 8 + 16, 2 * 1024 - 8]


@pytest.mark.parametrize("mode", MODES)
def test_gradient_of_linear_steps_keeps_nothing(mode: Any) -> None:
    last = tv.fori_loop(0, n, lambda i, s: s * 0.9 + x, v)
    f = tv.function([v, x, n], list(tv.grad(tv.sum(last), [v, x])), mode=mode)
    of_first, of_step = f([1.0, 2.0], 0.5, 3)
    np.testing.assert_allclose(of_first, [0.9**3] * 2)
    assert of_step == pytest.approx(2 * (1 + 0.9 + 0.81))
    assert runs(f, "loop_append") == 0


@pytest.mark.parametrize("mode", MODES)
def test_gradient_runs_no_step_for_the_lengths_of_a_state(mode: Any) -> None:
    total, _ = tv.fori_loop(0, n, lambda i, s: (s[0] * 0.5 + tv.sum(s[1]), tripled(s[1])), (0.0, v))
    f = tv.function([v, n], tv.grad(total, v), mode=mode)
    np.testing.assert_allclose(f([1.0, 2.0], 3), [0.25 + 0.5 * 3.0 + 9.0] * 2)
    assert runs(f, "Tripled") == 0


@pytest.mark.parametrize("mode", MODES)
def test_gradient_keeps_what_a_conditional_was_decided_by_and_does_not_compute_it_again(
    mode: Any,
) -> None:
    last = tv.fori_loop(
        0, n, lambda i, s: tv.ifelse(tv.sum(tv.exp(s)) > 5.0, s * 0.5, s * 2.0 + 1.0), v
    )
    f = tv.function([v, n], tv.grad(tv.sum(last), v), mode=mode)
    # the sums are 2, 5.4, 3.3 and 14.8
    np.testing.assert_allclose(f([0.0, 0.0], 4), [2.0 * 0.5 * 2.0 * 0.5] * 2)
    assert runs(f, "loop_append") == runs(f, "exp") == 4


@pytest.mark.parametrize("mode", MODES)
def test_gradient_decides_in_arms_where_the_arms_were_taken_alone(mode: Any) -> None:
    def body(i: Any, s: Any) -> Any:
        inner = tv.ifelse(tv.log(s) > 0.0, s * 0.5, s * 3.0)
        return tv.ifelse(i > 0, inner, s * 2.0)

    f = tv.function([x, n], tv.grad(tv.fori_loop(0, n, body, x), x), mode=mode)
    assert f(0.6, 3) == pytest.approx(2.0 * 0.5 * 3.0)
    assert runs(f, "log") == 2 + 2  # forwards and backwards: in the first step nobody asks


@pytest.mark.parametrize("mode", MODES)
def test_gradient_keeps_no_decision_that_only_a_state_beside_it_needs_in_each_step(
    mode: Any,
) -> None:
    def body(i: Any, state: Any) -> Any:
        s, count = state
        grows = tv.log(s) > 0.0
        return (
            tv.ifelse(i > 0, tv.ifelse(grows, s * 0.5, s * 3.0), s * 2.0),
            tv.ifelse(grows, count + 1, count),
        )

    last, _ = tv.fori_loop(0, n, body, (x, 0))
    f = tv.function([x, n], tv.grad(last, x), mode=mode)
    assert f(0.6, 3) == pytest.approx(2.0 * 0.5 * 3.0)
    assert runs(f, "log") == 2 + 2


@pytest.mark.parametrize("mode", MODES)
def test_gradient_computes_no_next_value_again_that_is_kept(mode: Any) -> None:
    last = tv.fori_loop(0, n, lambda i, s: tv.tanh(s * x), v)
    f = tv.function([v, x, n], list(tv.grad(tv.sum(last), [v, x])), mode=mode)
    plain = v
    for _ in range(3):
        plain = tv.tanh(plain * x)
    expected = tv.function([v, x], list(tv.grad(tv.sum(plain), [v, x])))([0.3, 0.4], 0.7)
    for found, wanted in zip(f([0.3, 0.4], 0.7, 3), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert runs(f, "tanh") == 3


@pytest.mark.parametrize("mode", MODES)
def test_gradient_goes_through_states_that_grow_where_it_reads_their_lengths_alone(
    mode: Any,
) -> None:
    last = tv.fori_loop(0, n, lambda i, s: tv.concatenate([s * x, s[:1]]), v)
    f = tv.function([v, x, n], tv.grad(tv.sum(last), v), mode=mode)
    assert f([1.0, 2.0], 0.5, 2).tolist() == [1.25, 0.25]


@pytest.mark.parametrize("mode", MODES)
def test_gradients_of_recurrent_steps_are_those_of_the_steps_one_by_one(mode: Any) -> None:
    states = tv.scan(lambda e, s: tv.tanh(tv.dot(s, m) + e), sequences=[tv.outer(v, w)],
                     outputs_info=w)  # fmt: skip
    plain, state = [], w
    for i in range(3):
        state = tv.tanh(tv.dot(state, m) + tv.outer(v, w)[i])
        plain.append(state)
    outputs = []
    for values in (states, tv.stack(plain)):
        for cost in (tv.sum(values**2), tv.sum(values[-1] ** 3)):
            first = tv.grad(cost, [m, v, w])
            squares = [tv.sum(g**2) for g in first]
            second = tv.grad(squares[0] + squares[1] + squares[2], [m, v, w])
            outputs += [*first, *second]
    f = tv.function([m, v, w], outputs, mode=mode)
    found = f(SQUARE[:2, :2] + 1.0, [0.1, 0.2, 0.3], [0.5, -0.5])
    for by_loop, by_steps in zip(found[:12], found[12:], strict=True):
        np.testing.assert_allclose(by_loop, by_steps, rtol=1e-9, atol=1e-12)


def test_gradient_that_reads_a_state_that_is_no_tensor_says_which_and_what_to_do() -> None:
    _, last = tv.fori_loop(0, n, lambda i, s: (grown(s[0]), scaled(s[0], s[1])), (bag, x))
    with pytest.raises(NotImplementedError) as error:
        tv.grad(last, x)
    assert str(error.value) == (
        "[fori_loop] the gradient goes back through Scaled, which reads state[1][0], a Bag, and "
        "of the steps that ran a loop keeps tensors alone: carry what Scaled reads of it as a "
        "tensor in the state too, or take what depends on it through stop_gradient"
    )


@pytest.mark.parametrize("mode", ["py", "vm", "FAST_COMPILE", "FAST_RUN", "c|py"])
def test_gradient_goes_past_a_state_that_is_no_tensor_where_it_does_not_read_it(mode: str) -> None:
    _, length, last = tv.fori_loop(
        0, n, lambda i, s: (grown(s[0]), s[1] + 1, scaled(tv.stop_gradient(s[0]), x) * s[2]),
        (bag, 0, x),
    )  # fmt: skip
    f = tv.function([bag, x, n], [last, length], mode=mode)
    assert f([None], 2.0, 3) == [2.0**4 * 6, 3]
    _, passed = tv.fori_loop(0, n, lambda i, s: (grown(s[0]), s[1] * x), (bag, x))
    f = tv.function([bag, x, n], tv.grad(passed, x), mode=mode, on_unused_input="ignore")
    assert f([], 2.0, 3) == 4 * 2.0**3


@pytest.mark.parametrize("mode", ["py", "vm", "FAST_COMPILE", "FAST_RUN", "c|py"])
def test_gradient_reads_a_state_that_is_no_tensor_and_does_not_change(mode: str) -> None:
    _, last = tv.fori_loop(0, n, lambda i, s: (s[0], scaled(s[0], s[1])), (bag, x))
    f = tv.function([bag, x, n], tv.grad(last, x), mode=mode)
    assert f([None, None], 1.0, 3) == 8.0

"""A `c_kernel` that forces its inputs: a lazy thunk in a user's C."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "c", "c|py", "vm_nogc", "cvm_nogc", "DebugMode"]


class Lazy(tv.Op):
    """An Op of this C, whose output is of its first input's type unless it says otherwise."""

    c_kernel_is_lazy = True
    body = ""
    n_outputs = 1

    def make_node(self, *inputs: Any) -> tv.Apply:
        inputs_ = [tv.as_variable(x) for x in inputs]
        return tv.Apply(self, inputs_, [inputs_[-1].type() for _ in range(self.n_outputs)])

    def c_kernel(self, node: Any, name: str) -> str:
        return f"int {name}(tv_call *call, const tv_array *in, tv_array *out) {{\n{self.body}\n}}"


class FirstPositive(Lazy):
    """The first of its numbers that is positive; a failing one is passed over."""

    def c_kernel(self, node: Any, name: str) -> str:
        n = len(node.inputs)
        return f"""
int {name}(tv_call *call, const tv_array *in, tv_array *out) {{
  for (int i = 0; i < {n}; ++i) {{
    if (in[i].data != NULL) return tv_fail(call, "RuntimeError", "%d is there already", i);
    if (tv_force(call, i)) continue;
    *(double *)out[0].data = *(const double *)in[i].data;
    if (*(const double *)in[i].data > 0) return 0;
  }}
  return tv_fail(call, "ArithmeticError", "none of %d is positive", {n});
}}"""


class Pick(Lazy):
    """A vector: the one that its first input, a number, says."""

    body = """
  if (tv_force(call, 0)) return -1;
  const int i = *(const double *)in[0].data != 0 ? 1 : 2;
  if (tv_force(call, i) || tv_force(call, i)) return -1;
  if (tv_output(call, 0, in[i].shape)) return -1;
  for (int64_t k = 0; k < in[i].size; ++k)
    ((double *)out[0].data)[k] = *(const double *)(in[i].data + k * in[i].strides[0]);
  return 0;"""


def runs(f: Any) -> dict[str, int]:
    return {row.op: row.runs for row in f.node_runs()}


class Failing(tv.Op):
    __props__ = ()
    itypes = otypes = [tv.dscalar]

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        raise LookupError("the input fails")


@pytest.mark.parametrize("mode", MODES)
def test_a_lazy_kernel_computes_what_it_forces(mode: str) -> None:
    x = tv.scalar("x")
    f = tv.function([x], FirstPositive()(x * 2.0, tv.exp(x), tv.sqrt(x)), mode=mode)
    assert float(f(3.0)) == 6.0
    assert (runs(f)["exp"], runs(f)["sqrt"]) == (0, 0)
    assert float(f(-3.0)) == float(np.exp(-3.0))
    assert (runs(f)["exp"], runs(f)["sqrt"]) == (1, 0)


@pytest.mark.parametrize("mode", MODES)
def test_a_lazy_kernel_takes_arrays_as_they_lie(mode: str) -> None:
    c, x = tv.scalar("c"), tv.matrix("x")
    f = tv.function([c, x], Pick()(c, x[:, 1], tv.exp(x)[0]), mode=mode)
    values = np.arange(6.0).reshape(3, 2)
    assert f(1.0, values).tolist() == [1.0, 3.0, 5.0]
    assert runs(f).get("exp", 0) == 0
    assert f(0.0, values).tolist() == np.exp(values)[0].tolist()


def test_a_lazy_kernel_is_lazy_in_explanations() -> None:
    x = tv.scalar("x")
    f = tv.function([x], FirstPositive()(x, x * 2.0), mode="cvm")
    assert {row.op: row.form for row in f.explain().nodes}["FirstPositive"] == "lazy"


@pytest.mark.parametrize("mode", ["vm", "cvm", "c"])
def test_a_lazy_kernel_may_go_on_after_an_input_that_failed(mode: str) -> None:
    x = tv.vector("x")
    bad = tv.sum(x / x[:, None][5])  # x[5] is out of bounds
    f = tv.function([x], FirstPositive()(bad, tv.sum(x)), mode=mode)
    assert float(f([1.0, 2.0])) == 3.0


@pytest.mark.parametrize("mode", ["vm", "cvm"])
def test_an_input_that_failed_is_what_fails_a_kernel_that_gives_up(mode: str) -> None:
    class Must(Lazy):
        body = """
  if (tv_force(call, 0)) return -1;
  *(double *)out[0].data = 1.0;
  return 0;"""

    x = tv.scalar("x")
    f = tv.function([x], Must()(Failing()(x)), mode=mode)
    for _ in range(2):
        with pytest.raises(LookupError, match="the input fails"):
            f(1.0)


@pytest.mark.parametrize("mode", ["vm", "cvm", "c"])
def test_a_lazy_kernel_raises_what_it_names(mode: str) -> None:
    x = tv.scalar("x")
    f = tv.function([x], FirstPositive()(x, x * 2.0), mode=mode)
    for _ in range(2):
        with pytest.raises(ArithmeticError, match="none of 2 is positive") as info:
            f(-1.0)
        assert any("Op FirstPositive" in note for note in info.value.__notes__)
    assert float(f(1.0)) == 1.0


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        ("return tv_force(call, 7);", IndexError, "asked for input 7, but there are 1"),
        ("return tv_force(call, -1);", IndexError, "asked for input -1"),
        ("return 3;", RuntimeError, "returned 3 without saying why"),
        ("return tv_output(call, 4, NULL);", IndexError, "made output 4"),
    ],
)
def test_a_lazy_kernel_that_breaks_the_protocol_is_told(body: str, kind: Any, said: str) -> None:
    class Bad(Lazy):
        pass

    Bad.body = body
    x = tv.scalar("x")
    with pytest.raises(kind, match=said):
        tv.function([x], Bad()(x), mode="cvm")(1.0)


def test_a_lazy_kernel_is_told_that_the_call_is_over() -> None:
    """It is suspended in tv_force when Ctrl-C ends the call, and cleans up."""

    class Interrupted(Failing):
        def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
            if inputs[0] > 0:
                raise KeyboardInterrupt
            output_storage[0][0] = np.asarray(inputs[0])

    class Counts(Lazy):
        body = """
  static int open = 0;
  *(double *)out[0].data = open++;
  const int over = tv_force(call, 0);
  const int still = tv_force(call, 0);
  open -= over == still;
  return 0;"""

    x = tv.scalar("x")
    f = tv.function([x], Counts()(Interrupted()(x)), mode="cvm")
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            f(1.0)
    assert float(f(-1.0)) == 0.0


def test_a_lazy_kernel_in_a_lazy_kernel() -> None:
    x = tv.scalar("x")
    inner = FirstPositive()(x, -x)
    f = tv.function([x], FirstPositive()(x - 10.0, inner), mode="cvm")
    assert [float(f(v)) for v in (3.0, -4.0, 12.0)] == [3.0, 4.0, 2.0]


def test_a_lazy_kernel_has_several_outputs() -> None:
    class Two(Lazy):
        n_outputs = 2
        body = """
  if (tv_force(call, 1)) return -1;
  *(double *)out[0].data = *(const double *)in[1].data;
  *(double *)out[1].data = *(const double *)in[1].data + 1;
  return 0;"""

    x = tv.scalar("x")
    f = tv.function([x], Two()(tv.exp(x), x), mode="cvm")
    assert [float(v) for v in f(3.0)] == [3.0, 4.0]
    assert runs(f)["exp"] == 0


def test_a_lazy_kernel_overwrites_a_copy() -> None:
    class Over(Lazy):
        destroy_map = {0: [0]}
        body = """
  if (tv_force(call, 0)) return -1;
  for (int64_t k = 0; k < in[0].size; ++k) ((double *)in[0].data)[k] += 1;
  return tv_view(call, 0, 0, in[0].data, in[0].shape, in[0].strides);"""

    x = tv.vector("x")
    mine = np.array([1.0, 2.0])
    f = tv.function([x], [Over()(x), x * 1.0], mode="cvm")
    assert [v.tolist() for v in f(mine)] == [[2.0, 3.0], [1.0, 2.0]]
    assert mine.tolist() == [1.0, 2.0]


def test_debug_mode_finds_a_lazy_kernel_that_writes_to_an_input() -> None:
    class Writes(Lazy):
        body = """
  if (tv_force(call, 0) || tv_output(call, 0, in[0].shape)) return -1;
  for (int64_t k = 0; k < in[0].size; ++k)
    ((double *)out[0].data)[k] = ++((double *)in[0].data)[k];
  return 0;"""

    x = tv.vector("x")
    with (
        pytest.raises(ValueError, match="wrote to its input 0, at element"),
        tv.config.change(check_perform=True),
    ):
        tv.function([x], Writes()(x * 1.0), mode="cvm")([1.0, 2.0])


def test_an_eager_kernel_has_all_its_inputs() -> None:
    class Eager(FirstPositive):
        c_kernel_is_lazy = False

        def c_kernel(self, node: Any, name: str) -> str:
            return super().c_kernel(node, name).replace("in[i].data != NULL", "0")

    x = tv.scalar("x")
    f = tv.function([x], Eager()(x, tv.exp(x)), mode="cvm")
    assert float(f(3.0)) == 3.0
    assert runs(f)["exp"] == 1


def test_the_gradient_of_a_lazy_kernel_demands_no_more() -> None:
    class WithGradient(FirstPositive):
        def grad(self, inputs: Any, output_gradients: Any) -> Any:
            x, _ = inputs
            return [
                tv.ifelse(x > 0.0, output_gradients[0], 0.0),
                tv.ifelse(x > 0.0, 0.0, output_gradients[0]),
            ]

    x = tv.scalar("x")
    f = tv.function([x], tv.grad(WithGradient()(x, tv.exp(x)), x), mode="cvm")
    assert float(f(3.0)) == 1.0
    assert float(f(-3.0)) == float(np.exp(-3.0))

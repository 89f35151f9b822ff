"""DebugMode finds each kind of lie, names the node, and says what to do."""

from __future__ import annotations

from typing import Any

import lying_ops as lies
import numpy as np
import pytest

import thunkvm as tv
from thunkvm.checking.errors import (
    BadDestroyMap,
    BadInferShape,
    BadThunkOutput,
    BadViewMap,
    Crash,
    InvalidValueError,
)

VALUE = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

LIES: list[tuple[Any, type[Exception], str]] = [
    (
        lies.WritesToItsInput,
        BadDestroyMap,
        r"wrote to input 0.*element \(0, 0\) was 1.0 and is 2.0",
    ),
    (
        lies.ReturnsItsInput,
        BadViewMap,
        r"output 0 of perform shares memory with input 0, .*view_map",
    ),
    (lies.ReturnsAPart, BadViewMap, r"Say view_map = \{0: \[0\]\}, or return a copy"),
    (lies.DeclaresTheWrongView, BadViewMap, "output 0 of perform shares memory with input 0"),
    (lies.ReturnsOneArrayTwice, BadViewMap, "outputs 0 and 1 of perform share memory"),
    (lies.KeepsItsOutput, BadThunkOutput, "its second run wrote to output 0 of the first"),
    (lies.CountsItsRuns, BadThunkOutput, "check of the same twice: perform, on the same inputs"),
    (lies.AddsToItsOutput, BadThunkOutput, r"with preallocated outputs \(previous\)"),
    (
        lies.TrustsTheShapeOfItsOutput,
        BadThunkOutput,
        r"\(wrong_size\).*the shapes are \(2, 3\) and \(3, 4\)",
    ),
    (lies.LeavesWhatIsThere, BadThunkOutput, r"with preallocated outputs \(c_contiguous\)"),
    (lies.NeedsContiguousInputs, BadThunkOutput, "with inputs "),
    (lies.WritesToWhatItAskedFor, BadDestroyMap, "wrote to input 0"),
    (lies.OtherThanItsPerform, BadThunkOutput, "check of c and perform agree: .*by 1e-06 at most"),
    (lies.PerformRaises, BadThunkOutput, "it raised ArithmeticError: not today; c computed a"),
    (lies.WritesToItsInputInC, BadDestroyMap, r"c .*wrote to input 0.*\(0, 0\) was 1.0 and is 2.0"),
    (lies.ReturnsItsInputInC, BadViewMap, "output 0 of c .*shares memory with input 0"),
    (lies.IgnoresStridesOfItsInput, BadThunkOutput, "c, with inputs in Fortran order"),
    (
        lies.IgnoresStridesOfItsOutput,
        BadThunkOutput,
        r"c, with preallocated outputs \(f_contiguous",
    ),
    (lies.TrustsTheShapeOfItsOutputInC, BadThunkOutput, r"c, with preallocated .*\(wrong_size\)"),
    (lies.AddsToItsOutputInC, BadThunkOutput, r"c, with preallocated outputs \(previous\)"),
    (
        lies.KeepsItsOutputInC,
        BadThunkOutput,
        "c, on the same inputs: it kept a reference to output 0",
    ),
    (lies.CountsItsRunsInC, BadThunkOutput, "check of the same twice: c, on the same inputs"),
    (lies.InfersAnotherShape, BadInferShape, r"infers the shape \(3, 2\) for output 0"),
    (lies.LeaksItsInput, BadThunkOutput, "it kept 1 references to input 0"),
    (lies.LeaksItsOutput, BadThunkOutput, "it kept a reference to output 0"),
    (lies.GivesAnotherDtype, TypeError, "output 0 of GivesAnotherDtype .*float64 is wanted"),
    (lies.GivesAnotherNdim, TypeError, "output 0 of GivesAnotherNdim has 1 dimension "),
    (lies.GivesAnotherLength, ValueError, r"output 0 of GivesAnotherLength has shape \(2, 3\)"),
    (
        lies.Crashes,
        Crash,
        "tried in a child process, was ended by SIGSEGV when it ran for the first",
    ),
    (lies.Aborts, Crash, "was ended by SIGABRT"),
    (lies.Exits, Crash, "ended the process with status 3"),
    (
        lies.WritesBesideItsOutput,
        Crash,
        "tried in a child process, wrote beside the memory of an array when c ran on the same",
    ),
    (lies.LeavesAnElementUnset, BadThunkOutput, r"same twice: c, .*element \(0, 0\)"),
    (lies.CrashesOnGaps, Crash, r"SIGSEGV when c ran with preallocated outputs \(strided\)"),
]


@pytest.mark.parametrize(
    ("lie", "error", "words"), LIES, ids=lambda of: getattr(of, "__name__", "")
)
def test_each_lie_is_found_and_names_its_node(
    lie: Any, error: type[Exception], words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    x = tv.matrix("x")
    outputs = lie()(x + 0.0)
    f = tv.function([x], outputs, mode="DebugMode")
    with pytest.raises(error, match="(?s)" + words) as raised:
        f(VALUE)
    if issubclass(error, tv.DebugModeError):
        assert str(raised.value).startswith(f"{lie.__name__}, made at test_debug_mode.py:")
    notes = "".join(raised.value.__notes__)
    assert f"node {lie.__name__}.0" in notes
    assert "input 0: add.0, matrix float64 (?, ?): float64 array, shape (2, 3)" in notes


@pytest.mark.parametrize(
    ("op", "error", "words"),
    [
        (lies.BREAKS_CONST, BadDestroyMap, r"wrote to input 0.*element \(1,\) was 2.0 and is 7.0"),
        (lies.HAS_A_STATIC, BadThunkOutput, "check of the same twice"),
    ],
    ids=["const", "static"],
)
def test_lies_of_plain_c_functions_are_found(op: Any, error: type[Exception], words: str) -> None:
    x = tv.vector("x")
    f = tv.function([x], op(x), mode="DebugMode")
    with pytest.raises(error, match=words):
        f([1.0, 2.0])


@pytest.mark.parametrize("linker", ["vm", "py", "cvm", "c|py", "c"])
def test_an_honest_op_passes_over_every_linker(linker: str) -> None:
    x = tv.matrix("x")
    f = tv.function([x], lies.HonestInC()(x.T) + 1.0, mode=tv.DebugMode(linker=linker))
    for _ in range(3):
        np.testing.assert_array_equal(f(VALUE), VALUE.T * 2.0 + 1.0)


def test_a_write_to_a_list_is_found() -> None:
    items = tv.generic("items")
    f = tv.function([items], lies.AppendsToAList()(items), mode="DebugMode")
    with pytest.raises(BadDestroyMap, match=r"it was \[2.0\] and is \[2.0, 1.0\]"):
        f([2.0])


def test_an_op_that_declares_what_it_does_passes() -> None:
    class Destroys(lies.WritesToItsInput):
        destroy_map = {0: [0]}

        def perform(self, node: Any, inputs: list, output_storage: list) -> None:
            inputs[0] *= 2.0
            output_storage[0][0] = inputs[0]

    class Views(lies.ReturnsAPart):
        view_map = {0: [0]}

    x = tv.matrix("x")
    f = tv.function([x], [Destroys()(x), Views()(x)], mode="DebugMode")
    doubled, turned = f(VALUE)
    np.testing.assert_array_equal(doubled, VALUE * 2.0)
    np.testing.assert_array_equal(turned, VALUE[::-1])


@pytest.mark.parametrize("lie", [lies.WritesToItsInput, lies.WritesToItsInputInC])
def test_what_was_written_to_the_callers_array_is_put_back(lie: Any) -> None:
    x = tv.matrix("x")
    value = VALUE.copy()
    with pytest.raises(BadDestroyMap):
        tv.function([x], lie()(x), mode="DebugMode")(value)
    np.testing.assert_array_equal(value, VALUE)


def test_an_infer_shape_may_ask_for_values_and_leave_outputs_open() -> None:
    class Zeros(tv.Op):
        def make_node(self, n: Any, x: Any) -> Any:
            return tv.Apply(self, [n, x], [tv.vector().type(), tv.vector().type()])

        def infer_shape(self, node: Any, input_shapes: Any) -> Any:
            return [(node.inputs[0] + input_shapes[1][0],), None]

        def perform(self, node: Any, inputs: list, output_storage: list) -> None:
            output_storage[0][0] = np.zeros(inputs[0] + len(inputs[1]))
            output_storage[1][0] = np.zeros(1)

    n, x = tv.scalar("n", dtype="int64"), tv.matrix("x")
    f = tv.function([n, x], Zeros()(n * 2, x + 1.0), mode="DebugMode")
    assert [len(value) for value in f(3, VALUE)] == [8, 1]


def test_a_lie_in_an_arm_that_is_not_taken_is_none() -> None:
    c, x = tv.scalar("c"), tv.matrix("x")
    lie = lies.CountsItsRuns()
    f = tv.function([c, x], tv.ifelse(c > 0, lie(x), x), mode="DebugMode")
    f(-1.0, VALUE)
    assert lie.runs == 0
    with pytest.raises(BadThunkOutput):
        f(1.0, VALUE)


def test_an_attempt_does_not_catch_what_a_check_raises() -> None:
    x = tv.matrix("x")
    f = tv.function([x], tv.attempt(lies.CountsItsRuns()(x), x), mode="DebugMode")
    with pytest.raises(BadThunkOutput):
        f(VALUE)


def test_the_argument_of_the_caller_is_not_written_to_by_other_implementations() -> None:
    x = tv.matrix("x")
    f = tv.function([x], lies.HonestInC()(x), mode="DebugMode")
    value = VALUE.copy()
    f(value)
    np.testing.assert_array_equal(value, VALUE)


def test_infinities_are_errors_where_they_are_asked_for() -> None:
    x = tv.matrix("x")
    tv.function([x], lies.GivesNan()(x), mode="DebugMode")(VALUE)
    f = tv.function([x], lies.GivesNan()(x), mode=tv.DebugMode(check_isfinite=True))
    with pytest.raises(InvalidValueError, match="output 0 of perform is no value of its Type"):
        f(VALUE)


def test_strides_are_compared_where_it_is_asked_for() -> None:
    class Fortran(lies.HonestInC):
        def perform(self, node: Any, inputs: list, output_storage: list) -> None:
            output_storage[0][0] = np.asfortranarray(inputs[0] * 2.0)

    x = tv.matrix("x")
    tv.function([x], Fortran()(x), mode="DebugMode")(VALUE)
    f = tv.function([x], Fortran()(x), mode=tv.DebugMode(require_matching_strides=True))
    with pytest.raises(BadThunkOutput, match=r"strides \(8, 16\), that of c \(24, 8\)"):
        f(VALUE)


def test_what_is_not_asked_for_is_not_checked() -> None:
    x = tv.matrix("x")
    only_python = tv.DebugMode(check_c_code=False)
    tv.function([x], lies.HonestInC()(x), mode=only_python)(VALUE)
    tv.function([x], lies.OtherThanItsPerform()(x), mode=only_python)(VALUE)
    only_c = tv.DebugMode(check_py_code=False)
    tv.function([x], lies.OtherThanItsPerform()(x), mode=only_c)(VALUE)
    without = tv.DebugMode(check_preallocated_output="initial:f_contiguous:strided")
    tv.function([x], lies.TrustsTheShapeOfItsOutput()(x), mode=without)(VALUE)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"check_preallocated_output": "previous:strode"}, "Did you mean 'strided'"),
        ({"check_c_code": False, "check_py_code": False}, "are both False"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tv.DebugMode(**options)


def test_a_kernel_that_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from thunkvm._src.arrays.perform import PERFORMS

    right = PERFORMS["exp"]

    def wrong(node: Any) -> Any:
        def perform(node_: Any, inputs: Any, storage: Any) -> None:
            right(node)(node_, inputs, storage)
            storage[0][0] = storage[0][0] * (1.0 + 1e-9)

        return perform

    monkeypatch.setitem(PERFORMS, "exp", wrong)
    x = tv.vector("x")
    f = tv.function([x], tv.exp(x), mode="DebugMode")
    with pytest.raises(BadThunkOutput, match="check of emitted C and perform agree"):
        f([1.0, 2.0])


def test_what_is_printed_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    x = tv.scalar("x")
    y = tv.print_(tv.neg(tv.neg(x)) + 1.0, "here")
    tv.function([x], y, mode="DebugMode")(1.0)
    assert capsys.readouterr().out == "here __str__ = 2.0\n"


def test_the_mode_by_its_name_and_its_options() -> None:
    mode = tv.get_mode("DebugMode")
    assert mode == tv.DebugMode()
    assert (mode.name, mode.linker, mode.optimizer) == ("DebugMode", "c|py", "fast_run")
    assert tv.DebugMode(check_c_code=False).linker == "vm"
    assert tv.DebugMode(check_preallocated_output="previous").including("merge") == tv.DebugMode(
        check_preallocated_output="previous"
    )


class FirstPositive(tv.Op):
    """The first of its inputs whose sum is positive, as it is."""

    __props__ = ()

    def make_node(self, *inputs: tv.Variable) -> tv.Apply:
        return tv.Apply(self, list(inputs), [inputs[0].type()])

    def demand(self, node: tv.Apply) -> Any:
        for i in range(len(node.inputs)):
            value = yield i
            if value.sum() > 0:
                break
        return value


def test_what_a_generator_hands_back_of_its_inputs_is_a_declared_view() -> None:
    x = tv.vector("x")
    f = tv.function([x], FirstPositive()(x + 0.0, x + 5.0, tv.exp(x)), mode="DebugMode")
    assert f([-2.0, 1.0]).tolist() == [3.0, 6.0]
    assert [row.runs for row in f.node_runs() if row.op == "exp"] == [0]


@pytest.mark.parametrize("mode", ["vm", "cvm", "cvm_nogc", "DebugMode", "FAST_RUN"])
def test_what_a_generator_hands_back_is_not_written_over(mode: str) -> None:
    x = tv.vector("x")
    shifted = x + 5.0
    first = FirstPositive()(x, shifted)
    f = tv.function([x], [first, shifted * 2.0, first + 1.0], mode=mode)
    for _ in range(3):
        assert [v.tolist() for v in f([-2.0, -3.0])] == [[3.0, 2.0], [6.0, 4.0], [4.0, 3.0]]


class ViewInC(lies.InC):
    view_map = {0: [0]}
    body = "Py_XDECREF(%(z)s); %(z)s = (PyArrayObject*)PyArray_Transpose(%(x)s, NULL);"


def test_a_view_of_an_array_without_elements_is_no_leak() -> None:
    x = tv.matrix("x")
    f = tv.function([x], ViewInC()(x + 0.0), mode="DebugMode")
    assert f(np.zeros((0, 3))).shape == (3, 0)
    assert f(np.ones((2, 3))).shape == (3, 2)


def test_a_perform_that_is_not_implemented_is_no_fault() -> None:
    class Undone(lies.InC):
        body = lies.FRESH + lies.TWICE

        def perform(self, node: Any, inputs: list[Any], output_storage: Any) -> None:
            raise NotImplementedError

    x = tv.matrix("x")
    f = tv.function([x], Undone()(x + 0.0), mode="DebugMode")
    assert f([[1.0, 2.0]]).tolist() == [[2.0, 4.0]]

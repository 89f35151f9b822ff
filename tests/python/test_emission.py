"""What becomes emitted C, and what that C looks like: regions, loops, locals, comments."""

from __future__ import annotations

import copy
import pickle
import re
import shutil
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from emitted import KERNELS, C, both, forms, outlined, runs

import thunkvm as tv
from thunkvm import _core


class FirstPositive(tv.Op):
    """Its first input if that is positive, else its second: opaque to the linker."""

    def make_node(self, x: tv.Variable, y: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x, y], [x.type()])

    def demand(self, node: tv.Apply) -> Iterator[Any]:
        first = yield 0
        return first if first > 0 else (yield 1)


class Halve(tv.Op):
    """Half of its input: it has a perform alone."""

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def perform(self, node: tv.Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = inputs[0] * 0.5


# ---- fusion ----


def test_a_chain_of_elementwise_nodes_and_the_sum_of_it_are_one_loop() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    f = tv.function([x, y], (tv.exp(x) * y + x).sum(), mode=C)
    assert f([0.0, 0.0], [2.0, 3.0]) == 5.0
    assert forms(f) == [(op, "fused", "function 0, nest 0") for op in ("exp", "mul", "add", "sum")]
    assert f.c_source().count("for (i64 k = 0;") == 1


def test_what_two_loops_read_is_computed_once() -> None:
    x = tv.matrix("x")
    y = tv.exp(x)
    f, kernels = both([x], [y.sum(axis=0), (y * 2.0).sum()])
    value = np.arange(6.0).reshape(2, 3)
    for got, expected in zip(f(value), kernels(value), strict=True):
        np.testing.assert_array_equal(got, expected)
    assert runs(f) == runs(kernels)
    assert dict(runs(f))["exp.0"] == 1


def test_a_chain_whose_tail_is_in_an_arm_is_split_where_the_demand_begins() -> None:
    c, x = tv.scalar("c"), tv.vector("x")
    y = tv.exp(x) * 2.0
    f, kernels = both([c, x], [y, tv.ifelse(c, tv.sqrt(y) + 1.0, x)])
    value = [1.0, 2.0]
    for selector in (1.0, 0.0, 0.0):
        for got, expected in zip(f(selector, value), kernels(selector, value), strict=True):
            np.testing.assert_array_equal(got, expected)
    assert forms(f) == [
        ("exp", "fused", "function 0, nest 0"),
        ("mul", "fused", "function 0, nest 0"),
        ("sqrt", "fused", "function 0, nest 1"),
        ("add", "fused", "function 0, nest 1"),
        ("ifelse", "branch", "function 0"),
    ]
    assert dict(runs(f)) == {"exp.0": 3, "mul.1": 3, "sqrt.2": 1, "add.3": 1, "ifelse.4": 3}
    assert runs(f) == runs(kernels)


def test_without_fusion_every_node_is_a_kernel() -> None:
    x = tv.vector("x")
    f = tv.function([x], tv.exp(x) + 1.0, mode=C.excluding("fusion"))
    np.testing.assert_array_equal(f([0.0]), [2.0])
    assert [form for _, form, _ in forms(f)] == ["kernel", "kernel"]


def test_a_node_alone_is_called_as_its_kernel_and_explains_why() -> None:
    x = tv.vector("x")
    (row,) = tv.function([x], tv.exp(x), mode=C).explain().nodes
    assert (row.form, row.why) == ("kernel", "no neighbour can be fused with it")


@pytest.mark.parametrize("dtype", ["float16", "complex64", "complex128"])
def test_dtypes_without_a_type_in_c_run_as_kernels_and_say_so(dtype: str) -> None:
    x, a = tv.vector("x", dtype=dtype), tv.scalar("a", dtype=dtype)
    f = tv.function([x, a], [x * x + x, a * a], mode=C)
    assert f([2], 3)[1] == 9
    assert {(row.form, row.why) for row in f.explain().nodes} == {
        ("kernel", "one of its dtypes has no type in C")
    }


# ---- 0-d values ----


def test_numbers_between_nodes_are_variables_of_the_c_function() -> None:
    a, b = tv.scalar("a"), tv.scalar("b")
    f = tv.function([a, b], tv.exp(a * b) - a / b, mode=C)
    assert f(2.0, 3.0) == np.exp(6.0) - 2.0 / 3.0
    source = outlined(f.c_source())
    assert len(re.findall(r"^ *f64 r\d+ = 0", source, re.MULTILINE)) == 1
    assert len(re.findall(r"R\[\d+\]\.value\.\w+ = ", source)) == 1  # the output alone


def test_numbers_that_need_no_loop_are_computed_before_the_first_one() -> None:
    x, a = tv.vector("x"), tv.scalar("a")
    cost = 0.5 * (x**2).sum()
    f, kernels = both([x, a], [cost, tv.grad(cost, x) * (a * 2.0 + 1.0)])
    assert {region for _, form, region in forms(f) if form == "fused"} == {"function 0, nest 0"}
    for got, expected in zip(f([1.0, 2.0], 3.0), kernels([1.0, 2.0], 3.0), strict=True):
        np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(got, [7.0, 14.0])


def test_a_number_that_a_loop_reads_and_a_sum_that_it_gives_are_variables() -> None:
    x, a = tv.vector("x"), tv.scalar("a")
    f = tv.function([x, a], (x * tv.sqrt(a) + 1.0).sum() * 2.0, mode=C)
    assert f([1.0, 2.0], 4.0) == 16.0
    source = outlined(f.c_source())
    assert "results[0].f64;" in source
    assert len(re.findall(r"R\[\d+\]\.value\.\w+ = ", source)) == 1


def test_reductions_behind_a_conditional_are_part_of_the_loop_before_it() -> None:
    x, c = tv.vector("x"), tv.scalar("c")
    y = tv.exp(x) * 2.0
    arm = tv.ifelse(c > 0.0, y * c + 1.0, y - 1.0)
    f = tv.function([x, c], [arm, y.sum(), (y * y).max()], mode=C)
    regions = {row.op: row.code for row in f.explain().nodes}
    assert regions["exp"] == regions["sum"] == regions["max"]
    assert [row.form for row in f.explain().nodes if row.op in ("sum", "max")] == ["fused"] * 2
    value = np.array([0.0, 1.0])
    doubled = tv.function([x], y, mode="cvm")(value)
    for c_ in (1.0, -1.0):
        got, total, largest = f(value, c_)
        np.testing.assert_array_equal(got, doubled + 1.0 if c_ > 0 else doubled - 1.0)
        assert total == doubled[0] + doubled[1]
        assert largest == doubled[1] ** 2


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
)
def test_an_index_of_any_integer_picks_its_arm_or_the_default(dtype: str) -> None:
    index, x = tv.scalar("index", dtype=dtype), tv.scalar("x")
    arms = [x + 1.0, x * 2.0, x - 3.0]
    with_default = tv.function([index, x], tv.switch_case(index, arms, default=x), mode=C)
    without = tv.function([index, x], tv.switch_case(index, arms), mode=C)
    ends = (False, True) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    for value in {*ends, 0, 1} if dtype == "bool" else {*ends, 0, 1, 2, 3}:
        given = np.dtype(dtype).type(value)
        in_range = 0 <= int(value) < 3
        expected = (6.0, 10.0, 2.0)[int(value)] if in_range else 5.0
        assert with_default(given, 5.0) == expected
        if in_range:
            assert without(given, 5.0) == expected
        else:
            with pytest.raises(IndexError, match=rf"the selector is {value}, .* from 0 to 2"):
                without(given, 5.0)
            assert _core._testing.registers_empty(without)


@pytest.mark.parametrize("cc", ["gcc", "clang"])
def test_emitted_c_compiles_without_a_warning(cc: str) -> None:
    if shutil.which(cc) is None:
        pytest.skip(f"{cc} is not installed")
    n, x, s = tv.scalar("n", dtype="int64"), tv.vector("x"), tv.scalar("s")
    outputs = [
        tv.ifelse(n < n, n, -n),
        tv.maximum(x, 0.0) * tv.minimum(x, s),
        tv.exp(x) * s + x.sum(),
        tv.switch_case(n, [s, tv.sin(s), s**3], default=s / 2.0),
    ]
    f = tv.function([n, x, s], outputs, mode=C)
    with tv.config.change(cc=f"{cc} -Wall -Wextra -Werror"):
        strict = tv.function([n, x, s], outputs, mode=C)
    for got, expected in zip(strict(1, [1.0, -1.0], 0.5), f(1, [1.0, -1.0], 0.5), strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("cc", ["gcc", "clang"])
def test_a_command_that_asks_for_fast_arithmetic_does_not_get_it(cc: str) -> None:
    if shutil.which(cc) is None:
        pytest.skip(f"{cc} is not installed")
    x, s = tv.vector("x"), tv.scalar("s")
    outputs = [tv.isnan(x * 1.0) * 1.0, (x + s) - s, tv.isnan(s * 2.0), x / 3.0 - 0.0 * x]
    kernels = tv.function([x, s], outputs, mode=KERNELS)
    with tv.config.change(cc=f"{cc} -ffast-math"):
        f = tv.function([x, s], outputs, mode=C)
    for arguments in (([1.0, np.nan, np.inf, -0.0], 1e16), ([1e-310, 0.3], np.nan)):
        for got, expected in zip(f(*arguments), kernels(*arguments), strict=True):
            np.testing.assert_array_equal(got, expected)


def test_a_switch_of_more_arms_than_its_index_can_name_compiles_without_a_warning() -> None:
    index, x = tv.scalar("index", dtype="int8"), tv.scalar("x")
    with tv.config.change(cc="gcc -Wall -Wextra -Werror"):
        f = tv.function([index, x], tv.switch_case(index, [x + k for k in range(200)]), mode=C)
    assert f(np.int8(127), 1.0) == 128.0
    with pytest.raises(IndexError, match="the selector is -128"):
        f(np.int8(-128), 1.0)


def test_a_name_cannot_end_a_comment() -> None:
    class Odd(tv.Op):
        name = "*/ #error"

        def make_node(self, x: tv.Variable) -> tv.Apply:
            return tv.Apply(self, [x], [x.type()])

        def perform(self, node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
            output_storage[0][0] = inputs[0]

    x = tv.scalar("x")
    f = tv.function([x], Odd()(x + 1.0) * 2.0, mode=tv.Mode("cvm", compile="now"))
    assert f(1.0) == 4.0


def test_modes_that_emit_nothing_have_no_source() -> None:
    x = tv.scalar("x")
    for mode in ("vm", "py", KERNELS):
        f = tv.function([x], x + 1.0, mode=mode)
        with pytest.raises(ValueError, match="this function's mode emits no C"):
            f.c_source()


# ---- what is not emitted, between regions ----


def test_an_op_that_decides_itself_stays_between_emitted_regions() -> None:
    x = tv.vector("x")
    y = FirstPositive()((x * 2.0).sum(), tv.exp(x).sum() + 1.0)
    f, kernels = both([x], y * 3.0 - 1.0, tv.Mode("cvm", compile="now"))
    for value in ([1.0, 2.0], [-1.0, -2.0]):
        assert f(value) == kernels(value)
    assert runs(f) == runs(kernels)
    assert {op: form for op, form, _ in forms(f)}["FirstPositive"] == "lazy"
    assert _core._testing.registers_empty(f)


def test_a_perform_stays_a_thunk_between_emitted_regions() -> None:
    x = tv.vector("x")
    f = tv.function([x], Halve()(x * 2.0 + 1.0) + 1.0, mode=tv.Mode("cvm", compile="now"))
    np.testing.assert_array_equal(f([1.0]), [2.5])
    assert [form for _, form, _ in forms(f)] == ["fused", "fused", "perform", "kernel"]


# ---- failures ----


def test_a_fused_loop_that_fails_reports_its_first_failing_node() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    z = (x * 2.0 - y) * x
    f, kernels = both([x, y], z.sum())
    assert {form for _, form, _ in forms(f)} == {"fused"}
    for function in (f, kernels):
        with pytest.raises(ValueError, match=r"\[sub\] operands .* shapes \(2,\) \(3,\)") as raised:
            function([1.0, 2.0], [1.0, 2.0, 3.0])
        assert "node sub.0, Op sub" in "\n".join(raised.value.__notes__)
    assert f([1.0, 2.0], [1.0, 1.0]) == 7.0
    assert kernels([1.0, 2.0], [1.0, 1.0]) == 7.0
    assert runs(f) == runs(kernels)


def test_a_nan_selector_is_an_error_of_its_node() -> None:
    c, x = tv.scalar("c"), tv.scalar("x")
    f, kernels = both([c, x], tv.ifelse(c * 1.0, x, -x))
    messages = []
    for function in (f, kernels):
        with pytest.raises(ValueError, match="NaN") as raised:
            function(np.nan, 1.0)
        messages.append((str(raised.value), raised.value.__notes__))
    assert messages[0] == messages[1]
    assert "input 0: mul.0, scalar float64: float64 scalar nan" in messages[0][1][0]
    assert _core._testing.registers_empty(f)
    assert f(1.0, 2.0) == 2.0


def test_a_call_that_fails_changes_no_shared_variable() -> None:
    x, s = tv.vector("x"), tv.shared(np.zeros(2), "s")
    f = tv.function([x], None, updates=[(s, s * 2.0 + x)], mode=C)
    f([1.0, 2.0])
    with pytest.raises(ValueError, match="could not be broadcast"):
        f([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(s.get_value(), [1.0, 2.0])
    f([1.0, 2.0])
    np.testing.assert_array_equal(s.get_value(), [3.0, 6.0])


# ---- memory ----


def test_the_nogc_modes_use_the_memory_of_the_last_call_again() -> None:
    x = tv.vector("x")
    f = tv.function([x], (tv.cumsum(tv.exp(x) * 2.0) + 1.0).sum(), mode="c_nogc")
    value = np.ones(4096)
    f(value)
    before = tv.memory()
    f(value)
    assert tv.memory() == before


def test_a_dying_input_of_a_loop_becomes_its_output() -> None:
    x = tv.vector("x")
    y = tv.cumsum(x)  # a whole kernel, so that its result is an array
    f = tv.function([x], y * 2.0 + 1.0, mode=C)
    f(np.ones(4096))
    _core.reset_peak_memory()
    before = tv.memory()["in_use"]
    f(np.ones(4096))
    assert tv.memory()["peak"] - before < 2 * 4096 * 8


# ---- modes ----


def test_a_mode_is_copied_and_pickled_by_value() -> None:
    mode = tv.Mode("cvm", gc=False, compile="now").excluding("fusion")
    assert copy.deepcopy(mode) == mode
    assert pickle.loads(pickle.dumps(mode)) == mode
    assert len({mode, copy.copy(mode)}) == 1


@pytest.mark.parametrize("name", ["including", "excluding"])
def test_a_feature_that_does_not_exist_names_the_nearest(name: str) -> None:
    with pytest.raises(ValueError, match=r"there is no feature 'fuson'.*Did you mean 'fusion'\?"):
        getattr(C, name)("fuson")


@pytest.mark.parametrize(
    ("linker", "compile", "message"),
    [
        ("cvm", "later", "compile is 'later'; it has to be one of now, background, never"),
        ("vm", "now", "the linker 'vm' emits no C"),
        ("c", "background", "compile='background' is for cvm"),
    ],
)
def test_when_to_compile_is_checked(linker: str, compile: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        tv.Mode(linker, compile=compile)


def test_blocks_of_a_loop_need_no_room_on_the_stack() -> None:
    x = tv.vector("x")
    y = x
    for _ in range(40):  # each keeps a block of 4 KiB from one phase to the next
        y = tv.gammaln(y * 1.01 + 1.0) + y
    f = tv.function([x], y, mode="c")
    values = np.linspace(1.0, 2.0, 5000)
    results = [f(values)]
    before = threading.stack_size(1 << 16)
    try:
        thread = threading.Thread(target=lambda: results.append(f(values)))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_allclose(results[0], tv.function([x], y, mode="py")(values), rtol=1e-12)

"""Values that several arms share: where their bodies are needed."""

from __future__ import annotations

import numpy as np
from emitted import KERNELS, C, both, forms, runs

import thunkvm as tv


def needs(function: tv.CompiledFunction) -> list[str]:
    """The nodes that the program's Need instructions name, in order."""
    lines = str(function.disassemble()).splitlines()
    return [line.split()[-1] for line in lines if " Need " in line]


def test_a_value_that_an_arm_reads_often_is_needed_once_there() -> None:
    c, x = tv.scalar("c", dtype="int64"), tv.scalar("x")
    shared = tv.exp(x)
    f = tv.function([c, x], tv.switch_case(c, [(shared + x) * shared, shared - shared], x), mode=C)
    assert needs(f) == ["exp.0", "exp.0"]
    assert f(1, 1.0) == 0.0
    np.testing.assert_allclose(f(0, 1.0), (np.e + 1.0) * np.e)
    assert dict(runs(f))["exp.0"] == 2


def test_a_value_that_an_inner_arm_reads_is_not_needed_again_there() -> None:
    c, d, x = tv.scalar("c", dtype="bool"), tv.scalar("d", dtype="bool"), tv.scalar("x")
    shared = tv.exp(x)
    inner = shared * 2.0 + tv.ifelse(d, shared + 1.0, x)
    f, kernels = both([c, d, x], tv.ifelse(c, inner, tv.ifelse(d, shared, x)))
    assert needs(f) == ["exp.0", "exp.0"]
    for condition in (True, False):
        for other in (True, False):
            assert f(condition, other, 0.0) == kernels(condition, other, 0.0)
    assert runs(f) == runs(kernels)


def test_a_value_that_one_arm_needs_is_needed_again_in_others_and_behind_them() -> None:
    c, d, x = tv.scalar("c", dtype="bool"), tv.scalar("d", dtype="bool"), tv.scalar("x")
    shared = tv.exp(x)
    first = tv.ifelse(c, shared + 1.0, x)
    f, kernels = both([c, d, x], first * tv.ifelse(d, shared * first, x - 2.0))
    assert needs(f) == ["exp.0", "exp.0"]
    for condition in (True, False):
        for other in (True, False):
            assert f(condition, other, 0.0) == kernels(condition, other, 0.0)
    assert runs(f) == runs(kernels)
    assert dict(runs(f))["exp.0"] == 3


def test_what_an_arm_needs_does_not_divide_its_loop() -> None:
    c, x, y = tv.scalar("c", dtype="int64"), tv.vector("x"), tv.vector("y")
    one, two = tv.exp(x) * y, tv.exp(y) * x
    arms = [(x * 3.0 + one) * y - two, (one - two) * x, x]
    f, kernels = both([c, x, y], tv.switch_case(c, arms))
    for arm in range(3):
        np.testing.assert_array_equal(
            f(arm, [0.0, 1.0], [1.0, 2.0]), kernels(arm, [0.0, 1.0], [1.0, 2.0])
        )
    assert runs(f) == runs(kernels)
    # A loop for each value that is shared, and one for each arm that reads them.
    assert len({region for _, form, region in forms(f) if form == "fused"}) == 4
    assert "kernel" not in {form for _, form, _ in forms(f)}


def test_slices_that_arms_share_leave_each_arm_one_loop() -> None:
    k, u = tv.scalar("k", dtype="int64"), tv.vector("u")
    left, middle, right = u[:-2], u[1:-1], u[2:]
    arms = [(right - left) / 2.0, right - 2.0 * middle + left + (right - left) * (middle - left)]
    f, kernels = both([k, u], tv.switch_case(k, arms, default=u))
    for arm in range(3):
        np.testing.assert_array_equal(
            f(arm, np.arange(9.0) ** 2), kernels(arm, np.arange(9.0) ** 2)
        )
    assert runs(f) == runs(kernels)
    assert len({region for _, form, region in forms(f) if form == "fused"}) == 2


def test_of_many_values_that_an_arm_reads_one_after_the_other_few_are_kept_at_once() -> None:
    c, x = tv.scalar("c", dtype="int64"), tv.vector("x")
    shared = [tv.exp(x * float(k)) for k in range(200)]
    total, other = x, x
    for value in shared:
        total, other = total + value, other - value
    f = tv.function([c, x], tv.switch_case(c, [total, other, x]), mode=KERNELS)
    value = np.zeros(1 << 15)
    np.testing.assert_array_equal(f(0, value), np.full(value.shape, 200.0))
    tv.reset_peak_memory()
    before = tv.memory()["peak"]
    f(0, value)
    assert tv.memory()["peak"] - before < 45 * value.nbytes

"""verify_grad: right gradients pass, wrong ones are named with their element and values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

rng = np.random.default_rng(1)
MATRIX, VECTOR = rng.normal(size=(2, 3)), rng.normal(size=3)


def off_by(factor: float) -> tv.Op:
    """An Op that is the identity, with a gradient that is wrong by a factor."""
    return tv.as_op(
        np.array, [tv.dvector], [tv.dvector], grad=lambda inputs, gs: [gs[0] * factor]
    )  # fmt: skip


RIGHT: list[tuple[Callable[..., tv.Variable], list[Any]]] = [
    (lambda x: x**3, [2.0]),
    (lambda m, v: tv.tanh(m @ v), [MATRIX, VECTOR]),
    (lambda x, y: tv.ifelse(x > 0, x * y, -y * x * x), [2.0, VECTOR]),
    (lambda x, y: tv.ifelse(x > 0, x * y, -y * x * x), [-2.0, VECTOR]),
    (lambda x, y: x, [2.0, VECTOR]),  # the second is not used
    (lambda v: tv.print_(v) * 2, [VECTOR]),
    (lambda v: v * 2, [np.zeros(0)]),
    (lambda m: m + tv.exp(m[:, :1]), [MATRIX.astype("float32")]),
    (lambda x: x * tv.constant(3.0), [np.float32(1.5)]),
    (lambda x: tv.exp(x).astype("float32") * 3, [VECTOR]),
    (lambda z: z * z * (1 + 2j), [np.array([1 + 1j, -2j])]),
    (lambda z: tv.real(z) * tv.abs(z), [np.array([1 + 1j, -2j])]),
    (lambda x, z: x * z, [2.0, 1 - 1j]),
    (lambda z: tv.exp(z), [np.array([1 + 1j], "complex64")]),
]


@pytest.mark.parametrize(("fun", "pt"), RIGHT)
def test_a_right_gradient_passes(fun: Callable[..., tv.Variable], pt: list[Any]) -> None:
    tv.verify_grad(fun, pt)


@pytest.mark.parametrize("mode", ["py", "vm", "FAST_RUN"])
def test_a_mode_may_be_chosen(mode: str) -> None:
    tv.verify_grad(lambda x: tv.sin(x), [VECTOR], mode=mode)


def test_a_wrong_gradient_names_the_input_the_element_and_both_values() -> None:
    wrong = tv.as_op(
        lambda x, y: x * y * y,
        [tv.dmatrix] * 2,
        [tv.dmatrix],
        grad=lambda xy, gs: [gs[0] * xy[1] ** 2, gs[0] * xy[0]],
    )
    x, y = np.full((2, 3), 1.0), np.full((2, 3), 0.5)
    y[1, 2] = 2.0  # x is right where y is 1/2: 2xy = x
    with pytest.raises(
        tv.GradientError, match=r"element \(1, 2\) of input 1, of shape \(2, 3\)"
    ) as e:
        tv.verify_grad(wrong, [x, y])
    error = e.value
    assert (error.arg, error.err_pos, error.shape) == (1, 5, (2, 3))
    assert error.val2 == pytest.approx(4 * error.val1)
    assert error.abs_err == pytest.approx(abs(error.val1 - error.val2))
    assert error.rel_err == pytest.approx(3 / 5)
    assert f"grad has {error.val1:.10g}" in str(error)


def test_the_worst_element_is_named() -> None:
    wrong = tv.as_op(
        np.array, [tv.dvector], [tv.dvector], grad=lambda x, gs: [gs[0] * [1.0, 1.1, 3.0]]
    )
    with pytest.raises(tv.GradientError, match=r"element \(2,\) of input 0"):
        tv.verify_grad(wrong, [VECTOR])


@pytest.mark.parametrize("factor", [1.001, 0.0, -1.0, np.nan, np.inf])
def test_a_gradient_that_is_off_by_a_factor_is_found(factor: float) -> None:
    with pytest.raises(tv.GradientError, match="the gradient is wrong at element"):
        tv.verify_grad(off_by(factor), [VECTOR])


def test_a_gradient_passes_if_either_tolerance_allows_it() -> None:
    tv.verify_grad(off_by(1.001), [VECTOR], abs_tol=1e-9, rel_tol=1e-2)
    tv.verify_grad(off_by(1.001), [VECTOR], abs_tol=1e-1, rel_tol=1e-9)
    with pytest.raises(tv.GradientError):
        tv.verify_grad(off_by(1.001), [VECTOR], abs_tol=1e-9, rel_tol=1e-9)


def test_a_missing_gradient_through_a_constant_is_found() -> None:
    with pytest.raises(tv.GradientError, match=r"input 0: grad has"):
        tv.verify_grad(lambda x: x * tv.stop_gradient(x), [2.0])


def test_a_wrong_gradient_of_a_complex_input_is_found() -> None:
    conjugated = tv.as_op(
        np.conj, [tv.zvector], [tv.zvector], grad=lambda z, gs: [gs[0]]
    )  # fmt: skip
    with pytest.raises(tv.GradientError, match="input 0"):
        tv.verify_grad(conjugated, [np.array([1 + 1j])])


def test_only_the_branch_that_is_taken_is_verified() -> None:
    def fun(x: tv.Variable) -> tv.Variable:
        return tv.ifelse(x[0] > 0, x * 2, off_by(2.0)(x))

    tv.verify_grad(fun, [np.array([1.0, 2.0])])
    with pytest.raises(tv.GradientError):
        tv.verify_grad(fun, [np.array([-1.0, 2.0])])


def test_the_point_is_left_alone() -> None:
    point = VECTOR.copy()
    tv.verify_grad(lambda x: x * 2, [point])
    np.testing.assert_array_equal(point, VECTOR)


def test_weights_are_drawn_by_the_given_generator() -> None:
    class Counting:
        drawn = 0

        def random(self, shape: tuple[int, ...]) -> Any:
            self.drawn += 1
            return np.zeros(shape)

    counting = Counting()
    tv.verify_grad(lambda x: x * 2, [VECTOR], n_tests=3, rng=counting)
    assert counting.drawn == 3


def test_arguments_are_checked() -> None:
    with pytest.raises(TypeError, match=r"pt\[1\] is an array of int64; only float and complex"):
        tv.verify_grad(lambda x, n: x * n, [1.0, 2])
    with pytest.raises(ValueError, match=r"pt is 1.0; it has to be a list of values"):
        tv.verify_grad(lambda x: x, 1.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"fun returned \[.*it has to return one Variable"):
        tv.verify_grad(lambda x: [x, x], [1.0])  # type: ignore[arg-type,return-value]
    with pytest.raises(TypeError, match=r"fun returned .*int64.*it has to return one Variable"):
        tv.verify_grad(lambda x: tv.argmax(x), [VECTOR])
    with pytest.raises(ValueError, match="eps is 0; it has to be positive"):
        tv.verify_grad(lambda x: x, [1.0], eps=0)
    with pytest.raises(ValueError, match="n_tests is 0; at least one"):
        tv.verify_grad(lambda x: x, [1.0], n_tests=0)

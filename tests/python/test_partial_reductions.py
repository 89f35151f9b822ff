"""Reductions of some of the elements, and from a first value on: ``where=`` and ``initial=``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from held_to_numpy import held, refused

import thunkvm as tv

NAMES = ["sum", "prod", "max", "min", "any", "all", "mean", "var", "std"]
DTYPES = ["bool", "int8", "uint8", "int64", "float16", "float32", "float64", "complex64"]
A = np.array([[3, 1, 0, 2], [5, 0, 1, 1], [2, 2, 7, 4]])
MASK = np.array([[1, 0, 1, 1], [0, 1, 0, 0], [1, 1, 1, 0]], bool)


def both(name: str, x: Any, mask: Any, **keywords: Any) -> None:
    if name in ("max", "min"):
        keywords.setdefault("initial", 2)
    held(
        lambda x, m: getattr(tv, name)(x, where=m, **keywords),
        lambda x, m: getattr(np, name)(x, where=m, **keywords),
        x,
        mask,
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_reductions_of_the_elements_of_a_mask(name: str, dtype: str) -> None:
    if name in ("max", "min") and dtype == "bool":
        return  # NumPy takes an initial value of the dtype; see below
    x = A.astype(dtype)
    for axis in (None, 0, -1, (0, 1)):
        both(name, x, MASK, axis=axis)
        both(name, x, MASK, axis=axis, keepdims=True)
    both(name, x, MASK[0], axis=1)
    both(name, x, np.array(True), axis=0)
    both(name, x, MASK[:, :1] & False, axis=1)
    both(name, x[:0], MASK[:0], axis=0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min"])
def test_reductions_from_a_first_value_on(name: str, dtype: str) -> None:
    x = A.astype(dtype)
    first = np.array(1, dtype)[()]
    for axis in (None, 0, (1, 0), -1):
        for a in (x, x[:0], x[:, :0], x[::-1, ::-2]):
            held(
                lambda x, i=axis: getattr(tv, name)(x, i, initial=first, keepdims=True),
                lambda x, i=axis: getattr(np, name)(x, i, initial=first, keepdims=True),
                a,
            )


def test_a_first_value_may_be_a_variable() -> None:
    held(lambda x, s: tv.max(x, 0, initial=s), lambda x, s: np.max(x, 0, initial=s), A * 1.0, 2.5)
    held(lambda x, s: x.sum(initial=s), lambda x, s: x.sum(initial=s), A * 1.0, np.nan)
    tv.verify_grad(lambda x, s: tv.max(x, 0, initial=s), [A + 0.1 * A**2, 3.7])
    tv.verify_grad(lambda x, s: tv.prod(x, 0, initial=s), [A + 0.5, 3.7])


def test_what_a_mask_leaves_out_has_no_gradient() -> None:
    x = A * 1.0 + 0.25 * MASK + np.arange(12.0).reshape(3, 4) / 7
    for of in (tv.sum, tv.prod, tv.mean, tv.var, tv.std):
        tv.verify_grad(lambda v, of=of: of(v, 1, where=MASK | (A > 4)), [x])
    v = tv.vector("v")
    slope = tv.grad(tv.sum(tv.log(v), where=v > 0), v)
    assert tv.function([v], slope)([0.0, 2.0, -1.0]).tolist() == [0.0, 0.5, 0.0]
    slope = tv.grad(tv.max(tv.sqrt(v), where=v > 0, initial=0.0), v)
    assert tv.function([v], slope)([0.0, 4.0]).tolist() == [0.0, 0.25]


def test_methods_and_numpys_functions_take_both() -> None:
    held(
        lambda x, m: [x.mean(where=m), x.any(where=m), np.sum(x, where=m, initial=3)],
        lambda x, m: [x.mean(where=m), x.any(where=m), np.sum(x, where=m, initial=3)],
        A * 1.0,
        MASK,
    )
    held(
        lambda x, m: [np.add.reduce(x, where=m), np.maximum.reduce(x, 1, initial=3, where=m)],
        lambda x, m: [np.add.reduce(x, where=m), np.maximum.reduce(x, 1, initial=3, where=m)],
        A * 1.0,
        MASK,
    )


def test_mistakes_of_masks_and_first_values() -> None:
    refused(ValueError, r"\[max\] where= .*give initial=", lambda x: tv.max(x, where=x > 1), A)
    refused(TypeError, r"\[sum\] where is .*int64; give bools", lambda x: tv.sum(x, where=x), A)
    refused(ValueError, r"\[sum\] initial is .*2 axes", lambda x: tv.sum(x, initial=x), A)
    with pytest.raises(TypeError, match="the result is always a new Variable"):
        np.sum(tv.vector("x"), out=np.zeros(()))

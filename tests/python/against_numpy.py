"""Calls in every mode, held against NumPy: values, dtypes, shapes, edge values."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "vm_nogc", "cvm_nogc", "FAST_RUN", "FAST_COMPILE"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
DTYPES = ["bool", *INTEGERS, *FLOATS, *COMPLEX]

# Results of libm, libmvec and NumPy's own loops differ by a few units in the last place.
TOLERANCE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-13, "complex64": 4e-6}


def values(dtype: str) -> np.ndarray:
    """Edge values of a dtype: zeros of both signs, ones, extremes, infinities, NaN."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([False, True, True])
    if kind == "i":
        info = np.iinfo(dtype)
        return np.array([0, 1, -1, 2, -7, 100, info.min, info.max], dtype)
    if kind == "u":
        return np.array([0, 1, 2, 7, 100, np.iinfo(dtype).max], dtype)
    if kind == "f":
        listed = [0.0, -0.0, 0.5, 1.0, -1.0, 1.5, -2.5, 3.7, -7.3, 30.0, np.inf, -np.inf, np.nan]
        return np.array(listed, dtype)
    return np.array([0, 1, -1, 1j, 0.5 - 2j, -1.5 + 0.25j, 3 + 4j], dtype)


def run(mode: str, build: Callable[..., Any], *arguments: Any) -> Any:
    """Make a function of `build` in a mode, and call it."""
    arrays = [np.asarray(argument) for argument in arguments]
    inputs = [tv.tensor(f"x{i}", a.dtype, (None,) * a.ndim) for i, a in enumerate(arrays)]
    return tv.function(inputs, build(*inputs), mode=mode)(*arrays)


def expect(numpy_function: Callable[..., Any], *arguments: Any) -> Any:
    """Return NumPy's result, without its warnings."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return numpy_function(*arguments)


def same(result: Any, expected: Any) -> None:
    """Compare dtype, shape and values."""
    expected = np.asarray(expected)
    assert np.asarray(result).dtype == expected.dtype
    assert np.shape(result) == expected.shape
    if expected.dtype.kind in "fc":
        tolerance = TOLERANCE.get(expected.dtype.name, 1e-13)
        np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance * 1e-2)
    else:
        np.testing.assert_array_equal(result, expected)


def against_numpy(
    mode: str, ours: Callable[..., Any], theirs: Callable[..., Any], *arguments: Any
) -> None:
    """Hold one call against NumPy; what NumPy refuses for its dtype, we refuse."""
    try:
        expected = expect(theirs, *arguments)
    except TypeError:
        with pytest.raises(TypeError):
            run(mode, ours, *arguments)
        return
    same(run(mode, ours, *arguments), expected)

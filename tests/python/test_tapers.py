"""Window functions, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from held_to_numpy import MODES, held

import thunkvm as tv


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
def test_tapers(name: str) -> None:
    for n in (-1, 0, 1, 2, 3, 8, 51):
        expected = getattr(np, name)(n)
        for mode in MODES:
            result = tv.function([], getattr(tv, name)(n), mode=mode)()
            assert result.dtype == expected.dtype
            np.testing.assert_allclose(result, expected, atol=1e-15)
    ours, theirs = getattr(tv, name), getattr(np, name)
    for n in (1, 2, 7):
        held(lambda m: ours(m) + 1.0, lambda m: theirs(int(m)) + 1.0, n)


def test_kaisers_window() -> None:
    for n in (0, 1, 2, 5, 20):
        for beta in (0.0, 2.5, 14.0):
            held(tv.kaiser, lambda n, b: np.kaiser(int(n), float(b)), n, beta)
    tv.verify_grad(lambda b: tv.kaiser(5, b), [3.0])
    with pytest.raises(TypeError, match=r"\[kaiser\] M is 2.5"):
        tv.kaiser(2.5, 1.0)

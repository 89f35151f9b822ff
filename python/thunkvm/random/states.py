"""The state of a generator as a graph has it: six words of uint64, NumPy's numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm._core import Variable

WORDS = 6
_LOW = (1 << 64) - 1


def seed_state(seed: Any = None) -> tuple[np.ndarray, Any]:
    """Return the words of a fresh generator, and the SeedSequence that they are from.

    Parameters
    ----------
    seed : None, int, sequence of int, SeedSequence, PCG64 or Generator of NumPy's
        As `numpy.random.default_rng` takes it.

    Raises
    ------
    TypeError
        If it is another bit generator than PCG64.

    Examples
    --------
    >>> from thunkvm.random.states import seed_state
    >>> seed_state(1)[0].shape
    (6,)
    """
    bits = np.random.default_rng(seed).bit_generator
    if not isinstance(bits, np.random.PCG64):
        raise TypeError(
            f"[random] the seed is a {type(bits).__name__}; only the streams of PCG64, NumPy's "
            "default, are drawn here: give an int, a SeedSequence or a PCG64."
        )
    return words_of(bits.state), bits.seed_seq


def words_of(state: Any) -> np.ndarray:
    """Return NumPy's dict of a state as words.

    Raises
    ------
    ValueError
        If it is the state of another bit generator.

    Examples
    --------
    >>> import numpy as np
    >>> from thunkvm.random.states import dict_of, words_of
    >>> state = np.random.PCG64(1).state
    >>> dict_of(words_of(state)) == state
    True
    """
    if not isinstance(state, dict) or state.get("bit_generator") != "PCG64":
        raise ValueError(
            f"[random] the state is {state!r}; give `bit_generator.state` of a generator of "
            "NumPy's with PCG64."
        )
    position, increment = state["state"]["state"], state["state"]["inc"]
    return np.array(
        [
            position >> 64, position & _LOW, increment >> 64, increment & _LOW,
            state["has_uint32"], state["uinteger"],
        ],
        np.uint64,
    )  # fmt: skip


def dict_of(words: Any) -> dict[str, Any]:
    """Return words as NumPy's dict of a state; see `words_of`."""
    high, low, increment_high, increment_low, has_half, half = (int(word) for word in words)
    return {
        "bit_generator": "PCG64",
        "state": {"state": high << 64 | low, "inc": increment_high << 64 | increment_low},
        "has_uint32": has_half,
        "uinteger": half,
    }


def key(seed: Any = None) -> Variable:
    """Return the state of a fresh generator as a constant, to begin a `Stream` with.

    Parameters
    ----------
    seed : None, int, sequence of int, SeedSequence, PCG64 or Generator of NumPy's
        As `numpy.random.default_rng` takes it.

    Returns
    -------
    Variable
        Six words of uint64.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> state, x = tv.random.normal(tv.random.key(7), size=2)
    >>> bool((tv.function([], x)() == np.random.default_rng(7).normal(size=2)).all())
    True
    """
    return _core.constant(seed_state(seed)[0])


__all__ = ["WORDS", "dict_of", "key", "seed_state", "words_of"]

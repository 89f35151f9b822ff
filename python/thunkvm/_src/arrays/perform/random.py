"""Draws, by NumPy's own generator: from a state to the numbers and the state behind them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from thunkvm._src.arrays.perform.table import Perform, performs, performs_outputs

_LOW = (1 << 64) - 1


def _generator(words: Any) -> np.random.Generator:
    high, low, increment_high, increment_low, has_half, half = (int(word) for word in words)
    bits = np.random.PCG64(0)
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": high << 64 | low, "inc": increment_high << 64 | increment_low},
        "has_uint32": has_half,
        "uinteger": half,
    }
    return np.random.Generator(bits)


def _words(generator: np.random.Generator) -> np.ndarray:
    state: Any = generator.bit_generator.state
    position, increment = state["state"]["state"], state["state"]["inc"]
    return np.array(
        [
            position >> 64, position & _LOW, increment >> 64, increment & _LOW,
            state["has_uint32"], state["uinteger"],
        ],
        np.uint64,
    )  # fmt: skip


def _performs(name: str, draw: Callable[..., Any]) -> None:
    """Register ``draw(generator, size, *parameters)``."""

    @performs(f"random_{name}")
    def make(node: Any) -> Perform:
        dtype = node.outputs[1].type.dtype

        def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
            states, size, *parameters = inputs
            shape = tuple(int(length) for length in size)
            rows = states.reshape(-1, states.shape[-1])
            whole = (*states.shape[:-1], *shape)
            behind, drawn = np.empty_like(rows), np.empty((len(rows), *shape), dtype)
            for parameter in parameters:  # one that adds axes or lengths is refused here too
                np.broadcast_to(parameter, whole)
            for lane, words in enumerate(rows):
                generator = _generator(words)
                given = [_lane_value(p, lane, states.ndim, len(shape)) for p in parameters]
                drawn[lane] = draw(generator, shape, *given)
                behind[lane] = _words(generator)
            output_storage[0][0] = behind.reshape(states.shape)
            output_storage[1][0] = drawn.reshape(whole)

        return perform


def _lane_value(parameter: Any, lane: int, ndim: int, n_axes: int) -> Any:
    """Return the value of a parameter for one of many generators."""
    parameter = np.asarray(parameter)
    if ndim == 1 or parameter.ndim <= n_axes:
        return parameter
    return parameter[lane if len(parameter) > 1 else 0]


for _name in ("random", "standard_normal", "standard_exponential"):
    _performs(_name, lambda g, size, name=_name: getattr(g, name)(size))
    _performs(f"{_name}32", lambda g, size, name=_name: getattr(g, name)(size, np.float32))
for _name in (
    "beta", "standard_cauchy", "standard_t", "f", "vonmises", "poisson", "negative_binomial",
    "geometric", "logseries", "zipf", "standard_gamma", "binomial", "triangular", "wald",
):  # fmt: skip
    _performs(_name, lambda g, size, *p, name=_name: getattr(g, name)(*p, size=size))
for _name in ("laplace", "gumbel", "logistic"):
    _performs(f"standard_{_name}", lambda g, size, name=_name: getattr(g, name)(size=size))
_performs(
    "standard_gamma32", lambda g, size, shape: g.standard_gamma(shape, size, dtype=np.float32)
)
for _name in (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
):  # fmt: skip
    _performs(
        _name,
        lambda g, size, low, last, name=_name: g.integers(
            low, last, size, dtype=name, endpoint=True
        ),
    )
_performs("permutation", lambda g, size: g.permutation(size[0]))
for _name, _shuffled in (("sample", True), ("sample_in_order", False)):
    _performs(
        _name,
        lambda g, size, population, shuffled=_shuffled: g.choice(
            int(np.ravel(population)[0]), size, replace=False, shuffle=shuffled
        ),
    )


def _multinomial(generator: Any, size: Any, n: Any, pvals: Any) -> Any:
    pvals = np.broadcast_to(pvals, size)
    n = np.broadcast_to(n, size)[..., 0]
    return generator.multinomial(n, pvals)


def _split(generator: Any, size: Any) -> Any:
    states = np.empty(size, np.uint64)
    for index in np.ndindex(size[:-1]):
        seed = [int(word) for word in generator.bit_generator.random_raw(4)]
        increment = ((seed[2] << 64 | seed[3]) << 1 | 1) & ((1 << 128) - 1)
        multiplier = 2549297995355413924 << 64 | 4865540595714422341
        position = increment + (seed[0] << 64 | seed[1])
        position = (position * multiplier + increment) & ((1 << 128) - 1)
        states[index] = [
            position >> 64, position & _LOW, increment >> 64, increment & _LOW, 0, 0,
        ]  # fmt: skip
    return states


_performs("multinomial", _multinomial)
_performs("split", _split)
performs_outputs("random_stream", lambda state, **_: state)

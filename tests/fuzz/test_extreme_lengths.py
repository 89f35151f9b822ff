"""Lengths near the ends of the integers: what there is no array of is an error, never a wrap."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from naming import run_as

import thunkvm as tv

MODES = ["vm", "cvm", "FAST_RUN", tv.Mode("cvm", "fast_run", compile="now")]
NEAR = [2**31, 2**32, 2**61, 2**62, 2**63]
LENGTHS = [0, 1, 2, 3, 4, *(n + d for n in NEAR for d in (-1, 0, 1) if n + d < 2**63)]
# More bytes could be had, up to the other, but would take a while to fill.
AFFORDABLE, IMPOSSIBLE = 2**20, 2**48
N_SHAPES = 400


def exists(shape: tuple[int, ...], itemsize: int) -> bool:
    """Return whether NumPy has arrays of this shape: beside a 0 the other lengths count too."""
    return math.prod(max(length, 1) for length in shape) * itemsize < 2**63


def shapes(seed: int, least: int = 1) -> Iterator[tuple[int, ...]]:
    rng = random.Random(seed)
    for _ in range(N_SHAPES):
        yield tuple(rng.choice(LENGTHS) for _ in range(rng.randint(least, 4)))


def outcome(name: str, call: Callable[[], Any]) -> Any:
    """Return the shape of what the call gives, or the kind of its error."""
    try:
        return np.shape(run_as(name, call))
    except ValueError:
        return ValueError
    except MemoryError:
        return MemoryError


def made(ndim: int, build: Callable[[tv.Variable], tv.Variable], mode: Any) -> tv.Function:
    lengths = tv.tensor("lengths", "int64", (ndim,))
    return tv.function([lengths], build(lengths), mode=mode)


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("size", [0, 1, 4])
def test_reshape_gives_what_has_as_many_elements(size: int, mode: Any, fuzz_seed: int) -> None:
    x = np.ones(size)
    functions = {
        n: made(n, lambda lengths, n=n: tv.ops.reshape(tv.constant(x), lengths, ndim=n), mode)
        for n in range(1, 5)
    }
    for shape in shapes(fuzz_seed):
        fits = exists(shape, 8) and math.prod(shape) == size
        got = outcome(f"reshape {size} into {shape}", lambda s=shape: functions[len(s)](s))
        assert got == (shape if fits else ValueError), shape


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("size", [0, 4])
def test_reshape_finds_one_length(size: int, mode: Any, fuzz_seed: int) -> None:
    x = np.ones(size)
    functions = {
        n: made(n, lambda lengths, n=n: tv.ops.reshape(tv.constant(x), lengths, ndim=n), mode)
        for n in range(2, 5)
    }
    for shape in shapes(fuzz_seed, least=2):
        given = (-1, *shape[1:])
        known = math.prod(shape[1:])
        found = (size // known if known else 0, *shape[1:])
        fits = known != 0 and size % known == 0 and exists(found, 8)
        got = outcome(f"reshape {size} into {given}", lambda s=given: functions[len(s)](s))
        assert got == (found if fits else ValueError), given


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("dtype", ["int8", "float64", "complex128"])
def test_what_is_broadcast_has_a_shape_that_exists(dtype: str, mode: Any, fuzz_seed: int) -> None:
    one = tv.constant(np.ones(1, dtype))
    functions = {
        n: made(n, lambda s, n=n: tv.ops.shape(tv.ops.broadcast_to(one, s, ndim=n)), mode)
        for n in range(1, 5)
    }
    lengths = {
        n: made(n, lambda s, n=n: tv.ops.broadcast_to(one, s, ndim=n)[..., :1].sum() * 0 + 1, mode)
        for n in range(1, 5)
    }
    for shape in shapes(fuzz_seed):
        there = exists(shape, np.dtype(dtype).itemsize)
        name = f"broadcast {dtype} to {shape}"
        if there:
            assert tuple(run_as(name, lambda s=shape: functions[len(s)](s))) == shape
        # Who asks for the shape alone is told what was asked for: nothing is broadcast.
        if not there or 0 in shape:
            got = outcome(name, lambda s=shape: lengths[len(s)](s))
            assert got == (() if there else ValueError), shape


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_filled_and_computed_arrays_are_as_asked_for_or_an_error(mode: Any, fuzz_seed: int) -> None:
    builds: dict[str, Callable[[tv.Variable, int], tv.Variable]] = {
        "full": lambda s, n: tv.ops.full(s, 1.0, ndim=n),
        "full + 1": lambda s, n: tv.ops.full(s, 1.0, ndim=n) * 2 + 1,
        "one + 1": lambda s, n: tv.ops.broadcast_to(tv.constant(np.ones(1)), s, ndim=n) * 2 + 1,
    }
    for what, build in builds.items():
        functions = {n: made(n, lambda s, n=n, b=build: b(s, n), mode) for n in range(1, 5)}
        for shape in shapes(fuzz_seed):
            size = math.prod(shape) * 8
            if exists(shape, 8) and size > AFFORDABLE:
                continue
            got = outcome(f"{what} of {shape}", lambda s=shape, f=functions: f[len(s)](s))
            assert got == (shape if exists(shape, 8) else ValueError), shape


@pytest.mark.parametrize("dtype", ["int8", "float64", "complex128"])
def test_a_type_has_lengths_that_exist(dtype: str, fuzz_seed: int) -> None:
    rng = random.Random(fuzz_seed)
    for shape in shapes(fuzz_seed):
        some = tuple(rng.choice([length, None]) for length in shape)
        known = tuple(length for length in some if length is not None)
        if exists(known, np.dtype(dtype).itemsize):
            assert tv.TensorType(dtype, some).shape == some
        else:
            with pytest.raises(ValueError, match="larger than the address space"):
                tv.TensorType(dtype, some)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_joined_lengths_do_not_wrap(mode: Any, fuzz_seed: int) -> None:
    counts = [tv.lscalar(f"n{i}") for i in range(4)]
    one = tv.constant(np.ones(1, "int8"))
    parts = [tv.ops.broadcast_to(one, tv.ops.stack(n), ndim=1) for n in counts]
    f = tv.function(counts, tv.concatenate(parts), mode=mode)
    rng = random.Random(fuzz_seed)
    for _ in range(N_SHAPES):
        lengths = [rng.choice(LENGTHS) for _ in counts]
        total = sum(lengths)
        if AFFORDABLE < total < IMPOSSIBLE:
            continue
        got = outcome(f"concatenate {lengths}", lambda at=lengths: f(*at))
        if total <= AFFORDABLE:
            assert got == (total,), lengths
        else:
            assert got in (ValueError, MemoryError), lengths


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("k", [-(2**63), -(2**63) + 1, -(2**62), 2**62, 2**63 - 2, 2**63 - 1])
def test_a_diagonal_far_away_has_no_elements(k: int, mode: Any) -> None:
    m = tv.matrix("m")
    square = np.ones((2, 3))
    build = [
        tv.ops.eye(2, 3, k=k), tv.ops.diagonal(m, offset=k), tv.ops.trace(m, offset=k),
        tv.ops.tril(m, k=k), tv.ops.triu(m, k=k),
    ]  # fmt: skip
    eye, diagonal, trace, lower, upper = run_as(
        f"diagonal {k}", lambda: tv.function([m], build, mode=mode)(square)
    )
    assert not eye.any()
    assert eye.shape == (2, 3)
    assert diagonal.shape == (0,)
    assert trace == 0
    assert lower.all() == (k > 0)
    assert lower.any() == (k > 0)
    assert upper.all() == (k < 0)
    assert upper.any() == (k < 0)
    with pytest.raises(ValueError, match="larger than the address space"):
        tv.ops.diag(tv.vector("v"), k=k)


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize(
    ("dtype", "start", "stop"), [("int64", -(2**63), 2**63 - 1), ("uint64", 0, 2**64 - 1)]
)
def test_a_range_of_more_than_63_bits_is_an_error(
    dtype: str, start: int, stop: int, mode: Any
) -> None:
    first, last = tv.scalar("first", dtype=dtype), tv.scalar("last", dtype=dtype)
    f = tv.function([first, last], tv.ops.arange(first, last, np.array(1, dtype)), mode=mode)
    with pytest.raises(ValueError, match=r"(?i)maximum allowed size exceeded"):
        f(np.array(start, dtype), np.array(stop, dtype))

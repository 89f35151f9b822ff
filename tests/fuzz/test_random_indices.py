"""Random indices of every form: reading, `.set` and `.inc` are what NumPy does on a copy."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm import _core

MODES = ["py", "vm", "cvm", "cvm_nogc", "FAST_RUN", tv.Mode("cvm", "fast_run", compile="now")]
N_KEYS = 150


class Index:
    """A random index of an array: NumPy's key, and ours, with inputs for some of it."""

    def __init__(self, rng: random.Random) -> None:
        self.random = rng
        self.shape = tuple(rng.choice([0, 1, 2, 3, 3, 4, 4]) for _ in range(rng.randint(1, 4)))
        self.inputs: list[tv.Variable] = []
        self.arguments: list[Any] = []
        self.picked = tuple(rng.choice([1, 2, 3]) for _ in range(rng.randint(1, 2)))
        self.key: list[Any] = []
        self.symbolic: list[Any] = []
        left = list(self.shape)
        while left or rng.random() < 0.2:
            left = left[self.item(left) :]
            if rng.random() < 0.1:
                break

    def __str__(self) -> str:
        return f"x of shape {self.shape} at {self.key}"

    def add(self, value: Any, symbolic: Any) -> None:
        self.key.append(value)
        self.symbolic.append(symbolic)

    def maybe_input(self, value: Any) -> Any:
        """Stand for a value, or be it."""
        if self.random.random() < 0.5:
            return value
        array = np.asarray(value)
        self.inputs.append(tv.tensor(f"i{len(self.inputs)}", array.dtype, (None,) * array.ndim))
        self.arguments.append(array)
        return self.inputs[-1]

    def item(self, left: list[int]) -> int:
        """Add one item, and return how many axes it takes."""
        rng = self.random
        kinds = ["new axis", "truth"]
        if not any(item is Ellipsis for item in self.key):
            kinds.append("ellipsis")
        if left:
            kinds += ["integer", "slice", "slice", "array", "array", "mask"]
        match rng.choice(kinds):
            case "new axis":
                self.add(None, None)
                return 0
            case "ellipsis":
                self.add(Ellipsis, Ellipsis)
                return rng.randint(0, len(left))
            case "truth":
                if rng.random() < 0.7:
                    return 0
                truth = rng.random() < 0.8
                self.add(truth, self.maybe_input(truth))
                return 0
            case "integer":
                value = rng.randint(-left[0], left[0] - 1) if left[0] else 0
                self.add(value, self.maybe_input(value))
            case "slice":
                ends = [rng.choice([None, rng.randint(-5, 5)]) for _ in range(2)]
                ends.append(rng.choice([None, 1, 2, -1, -2]))
                symbolic = [end if end is None else self.maybe_input(end) for end in ends]
                self.add(slice(*ends), slice(*symbolic))
            case "array":
                shape = tuple(rng.choice([1, n]) for n in self.picked)[rng.randint(0, 1) :]
                bounds = (-left[0], left[0]) if left[0] else (-1, 1)
                dtype = rng.choice(["int64", "int64", "int8", "int32"])
                values = [rng.randrange(*bounds) for _ in range(int(np.prod(shape)))]
                array = np.array(values, dtype).reshape(shape)
                as_list = rng.random() < 0.3
                self.add(array, array.tolist() if as_list else self.maybe_input(array))
            case "mask":
                n_axes = rng.randint(1, len(left))
                size = int(np.prod(left[:n_axes]))
                truths = rng.choice([*self.picked, rng.randint(0, size)])
                flat = np.arange(size) < truths
                mask = flat[rng.sample(range(size), size)].reshape(left[:n_axes])
                self.add(mask, self.maybe_input(mask))
                return n_axes
        return 1


def whole(rng: random.Random, shape: tuple[int, ...]) -> np.ndarray:
    """Whole numbers, of which every sum is exact."""
    size = int(np.prod(shape))
    return np.array([float(rng.randint(-99, 99)) for _ in range(size)]).reshape(shape)


def value_for(rng: random.Random, shape: tuple[int, ...]) -> np.ndarray:
    """A value that broadcasts to a shape."""
    ones = tuple(rng.choice([n, n, 1]) for n in shape)
    return whole(rng, ones[rng.randint(0, len(ones)) if rng.random() < 0.3 else 0 :])


def increased(x: np.ndarray, key: Any, value: np.ndarray) -> np.ndarray:
    out = x.copy()
    np.add.at(out, key, value)
    return out


def replaced(x: np.ndarray, key: Any, value: np.ndarray) -> np.ndarray:
    out = x.copy()
    out[key] = value
    return out


def slopes(cost: Callable[[np.ndarray], float], at: np.ndarray) -> np.ndarray:
    """The gradient of a linear function."""
    start, found = cost(at), np.zeros_like(at)
    for place in np.ndindex(at.shape):
        moved = at.copy()
        moved[place] += 1
        found[place] = cost(moved) - start
    return found


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_random_indices_read_and_write_as_numpy(mode: Any, fuzz_seed: int) -> None:
    read = 0
    for seed in range(fuzz_seed, fuzz_seed + N_KEYS):
        rng = random.Random(seed)
        index = Index(rng)
        x = tv.tensor("x", "float64", (None,) * len(index.shape))
        array, key = whole(rng, index.shape), tuple(index.key)
        try:
            expected = array[key]
        except IndexError:
            with pytest.raises((IndexError, ValueError)):
                tv.function([x, *index.inputs], x[tuple(index.symbolic)], mode=mode)(
                    array, *index.arguments
                )
            continue
        read += 1
        value = value_for(rng, expected.shape)
        v = tv.tensor("v", "float64", (None,) * value.ndim)
        part = x[tuple(index.symbolic)]
        assert part.ndim == expected.ndim, str(index)
        f = tv.function([x, v, *index.inputs], [part, part.set(v), part.inc(v)], mode=mode)
        got, was_set, was_increased = f(array, value, *index.arguments)
        np.testing.assert_array_equal(got, expected, str(index))
        np.testing.assert_array_equal(was_set, replaced(array, key, value), str(index))
        np.testing.assert_array_equal(was_increased, increased(array, key, value), str(index))
    assert read > N_KEYS / 2


def check_gradients(seed: int, mode: str) -> None:
    rng = random.Random(seed)
    index = Index(rng)
    array, key = whole(rng, index.shape), tuple(index.key)
    try:
        picked = array[key]
    except IndexError:
        return
    value, weights = value_for(rng, picked.shape), whole(rng, index.shape)
    part_weights = whole(rng, picked.shape)
    x = tv.tensor("x", "float64", (None,) * array.ndim)
    v = tv.tensor("v", "float64", (None,) * value.ndim)
    part = x[tuple(index.symbolic)]
    costs = [
        (part * part_weights).sum(),
        (part.set(v) * weights).sum(),
        (part.inc(v) * weights).sum(),
    ]
    gradients = [tv.grad(costs[0], x), *tv.grad(costs[1], [x, v]), *tv.grad(costs[2], [x, v])]
    f = tv.function([x, v, *index.inputs], gradients, mode=mode, on_unused_input="ignore")
    got = f(array, value, *index.arguments)
    expected = [
        slopes(lambda a: float((a[key] * part_weights).sum()), array),
        slopes(lambda a: float((replaced(a, key, value) * weights).sum()), array),
        slopes(lambda b: float((replaced(array, key, b) * weights).sum()), value),
        weights,
        slopes(lambda b: float((increased(array, key, b) * weights).sum()), value),
    ]
    for what, a, b in zip(("x[k]", "set x", "set v", "inc x", "inc v"), got, expected, strict=True):
        np.testing.assert_array_equal(a, b, f"{what} of {index}")


@pytest.mark.parametrize("mode", ["vm", "cvm", "FAST_RUN"])
def test_gradients_of_random_indices(mode: str, fuzz_seed: int) -> None:
    for seed in range(fuzz_seed, fuzz_seed + N_KEYS):
        check_gradients(seed, mode)


def rows_of_slopes(function: Callable[[np.ndarray], np.ndarray], at: np.ndarray) -> np.ndarray:
    """The jacobian of a linear function, element by element of what it gives."""
    n = function(at).size
    each = [slopes(lambda a, i=i: float(function(a).ravel()[i]), at) for i in range(n)]
    return np.array(each).reshape(n, *at.shape)


def check_jacobians(seed: int) -> None:
    rng = random.Random(seed)
    index = Index(rng)
    array, key = whole(rng, index.shape), tuple(index.key)
    try:
        picked = array[key]
    except IndexError:
        return
    value, weights = value_for(rng, picked.shape), whole(rng, array.shape)
    x = tv.tensor("x", "float64", (None,) * array.ndim)
    v = tv.tensor("v", "float64", (None,) * value.ndim)
    part = x[tuple(index.symbolic)]
    jacobians = [
        tv.jacobian(part.ravel(), x),
        *tv.jacobian((part.set(v) * weights).ravel(), [x, v]),
        *tv.jacobian((part.inc(v) * weights).ravel(), [x, v]),
    ]
    f = tv.function([x, v, *index.inputs], jacobians, on_unused_input="ignore")
    got = f(array, value, *index.arguments)
    expected = [
        rows_of_slopes(lambda a: a[key], array),
        rows_of_slopes(lambda a: replaced(a, key, value) * weights, array),
        rows_of_slopes(lambda b: replaced(array, key, b) * weights, value),
        rows_of_slopes(lambda a: increased(a, key, value) * weights, array),
        rows_of_slopes(lambda b: increased(array, key, b) * weights, value),
    ]
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_array_equal(a, b, str(index))


def test_jacobians_of_random_indices(fuzz_seed: int) -> None:
    for seed in range(fuzz_seed, fuzz_seed + N_KEYS // 5):
        check_jacobians(seed)


def test_batches_of_random_indices(fuzz_seed: int) -> None:
    """Every example has an array and a value of its own, and some have indices of their own."""
    n_examples, done = 3, 0
    for seed in range(fuzz_seed, fuzz_seed + 3 * N_KEYS):
        rng = random.Random(seed)
        index = Index(rng)
        arrays = [whole(rng, index.shape) for _ in range(n_examples)]
        # Indices turned around the axis are indices of it; ends of slices and masks are shared.
        own = [
            i
            for i, variable in enumerate(index.inputs)
            if variable.dtype != "bool"
            and any(variable is item for item in index.symbolic)
            and rng.random() < 0.7
        ]
        keys, arguments = [], []
        for example in range(n_examples):
            given = [
                a - 1 if i in own and example > 0 and a.size > 0 and a.min() >= 0 else a
                for i, a in enumerate(index.arguments)
            ]
            places = {id(v): a for v, a in zip(index.inputs, given, strict=True)}
            keys.append(tuple(
                places.get(id(s), k) if isinstance(s, tv.Variable) else k
                for k, s in zip(index.key, index.symbolic, strict=True)
            ))  # fmt: skip
            arguments.append(given)
        try:
            picked = [a[key] for a, key in zip(arrays, keys, strict=True)]
        except IndexError:
            continue
        values = [value_for(random.Random(seed), picked[0].shape) for _ in arrays]
        x = tv.tensor("x", "float64", (None,) * len(index.shape))
        v = tv.tensor("v", "float64", (None,) * values[0].ndim)
        part = x[tuple(index.symbolic)]
        single = [x, v, *(index.inputs[i] for i in own)]
        batched = [tv.tensor(None, u.dtype, (None,) * (u.ndim + 1)) for u in single]
        written = [part, part.set(v), part.inc(v)]
        results, _ = _core.vectorize(written, single, batched, batched[0].shape[0])
        done += bool(own)
        f = tv.function([*batched, *index.inputs], results, on_unused_input="ignore")
        stacks = [np.stack([given[i] for given in arguments]) for i in own]
        got = f(np.stack(arrays), np.stack(values), *stacks, *index.arguments)
        expected = [
            picked,
            [replaced(a, k, b) for a, k, b in zip(arrays, keys, values, strict=True)],
            [increased(a, k, b) for a, k, b in zip(arrays, keys, values, strict=True)],
        ]
        for a, b in zip(got, expected, strict=True):
            np.testing.assert_array_equal(a, np.stack(b), str(index))
    assert done > 20

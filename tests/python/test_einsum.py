"""`einsum` against NumPy's, by random subscripts and by those that NumPy's users write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm import _core

MODES = ["py", "FAST_COMPILE", "FAST_RUN"]


def random_case(rng: np.random.Generator) -> tuple[str, list[np.ndarray]] | None:
    """Return subscripts and operands, or None where NumPy refuses what was drawn."""
    pool = "abcdeZ"[: rng.integers(1, 7)]
    lengths = {letter: int(rng.integers(1, 4)) for letter in pool}
    terms, shapes = [], []
    for _ in range(rng.integers(1, 5)):
        letters = [str(each) for each in rng.choice(list(pool), size=rng.integers(0, 4))]
        is_diagonal = len(set(letters)) < len(letters)
        shape = [1 if rng.random() < 0.15 and not is_diagonal else lengths[x] for x in letters]
        if rng.random() < 0.3:
            hidden = [1 if rng.random() < 0.3 else n for n in (3, 2)][: rng.integers(0, 3)]
            place = int(rng.integers(0, len(letters) + 1))
            shape[place:place] = hidden
            letters.insert(place, "...")
        terms.append("".join(letters))
        shapes.append(shape)
    text = ",".join(terms)
    if rng.random() < 0.6:
        out = [each for each in sorted(set(text) - set(".,")) if rng.random() < 0.5]
        rng.shuffle(out)
        text += "->" + "".join(out) + ("..." if "." in text else "")
    values = [
        rng.normal(size=shape) if rng.random() < 0.7 else rng.integers(-3, 4, size=shape)
        for shape in shapes
    ]
    try:
        np.einsum(text, *values)
    except ValueError:
        return None
    return text, [np.asarray(value) for value in values]


@pytest.mark.parametrize("known", [True, False], ids=["known lengths", "unknown lengths"])
@pytest.mark.parametrize("seed", range(4))
def test_random_subscripts_are_numpys(seed: int, known: bool) -> None:
    rng = np.random.default_rng(seed)
    cases = [case for _ in range(60) if (case := random_case(rng))]
    assert len(cases) > 25
    for i, (text, values) in enumerate(cases):
        inputs = [
            tv.tensor(f"x{j}", v.dtype, v.shape if known else [None] * v.ndim)
            for j, v in enumerate(values)
        ]
        y = tv.einsum(text, *inputs)
        mode = MODES[i % 3] if i % 10 == 0 else "py"
        f = tv.function(inputs, y, mode=mode, on_unused_input="ignore")
        found, expected = f(*values), np.einsum(text, *values)
        assert y.dtype == expected.dtype, text
        assert np.shape(found) == np.shape(expected), text
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12, err_msg=text)


A, B, C = (np.random.default_rng(k).normal(size=(3, 3)) for k in range(3))

WRITTEN: dict[str, tuple[Any, ...]] = {
    "a product": ("ij,jk->ik", A, B),
    "three": ("ij,jk,kl->il", A, B, C),
    "a trace": ("ii", A),
    "a diagonal": ("ii->i", A),
    "a transpose": ("ij->ji", A),
    "a sum": ("ij->", A),
    "batches": ("bij,bjk->bik", np.stack([A, B]), np.stack([B, C])),
    "batches behind dots": ("...ij,...jk", np.stack([A, B]), C),
    "inner products of rows": ("bi,bi->b", A, B),
    "spaces": (" i j , j -> i ", A, B[0]),
    "a bilinear form": ("i,ij,j", A[0], B, C[0]),
    "numbers": (A, [0, 1], B, [1, 2], [0, 2]),
    "numbers without a result": (A, [7, 3], B, [3, 1]),
    "numbers and dots": (A, [..., 0], B[0], [0], [...]),
    "a length of one": ("ij,jk->ik", A[:, :1], B),
    "bools": ("ij,jk->ik", A > 0, B > 0),
    "a sum of bools": ("ij->i", A > 0),
    "small integers": ("ij->i", (10 * A).astype("int8")),
    "complex": ("ij,jk", A * 1j, B),
    "nothing": ("ij,jk->ik", np.zeros((2, 0)), np.zeros((0, 3))),
    "numbers alone": (",->", np.array(2.0), np.array(3.0)),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", WRITTEN)
def test_written_subscripts_are_numpys(name: str, mode: str) -> None:
    given = WRITTEN[name]
    values = [each for each in given if isinstance(each, np.ndarray)]
    inputs = [tv.tensor(f"x{j}", v.dtype, [None] * v.ndim) for j, v in enumerate(values)]
    left = iter(inputs)
    y = np.einsum(*(next(left) if isinstance(each, np.ndarray) else each for each in given))
    found, expected = tv.function(inputs, y, mode=mode)(*values), np.einsum(*given)
    assert y.dtype == expected.dtype
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", ["three", "a diagonal", "batches behind dots", "a length of one"])
def test_gradients_against_differences(name: str) -> None:
    text, *values = WRITTEN[name]
    tv.verify_grad(lambda *inputs: tv.einsum(text, *inputs), values, n_tests=1)


def test_a_length_of_one_that_nobody_knows_has_the_gradient_of_a_sum() -> None:
    a, b = tv.vector("a"), tv.vector("b")
    y = tv.einsum("i,i->i", a, b)
    f = tv.function([a, b], [y, *tv.grad(tv.sum(y), [a, b])])
    product, by_a, by_b = f([2.0], [1.0, 2.0, 3.0])
    assert product.tolist() == [2.0, 4.0, 6.0]
    assert by_a.tolist() == [6.0]
    assert by_b.tolist() == [2.0, 2.0, 2.0]


def test_known_lengths_choose_the_order_of_products() -> None:
    long, short = tv.tensor("a", shape=(50, 50)), tv.tensor("v", shape=(50,))

    def sizes(optimize: Any) -> list[int]:
        y = tv.einsum("ij,jk,k->i", long, long, short, optimize=optimize)
        nodes = _core.topological_order([y])
        return [int(np.prod(v.type.shape)) for node in nodes for v in node.outputs]

    assert max(sizes("greedy")) <= 2500
    matrices = [node.op.name for node in _core.topological_order(
        [tv.einsum("ij,jk,k->i", long, long, short)]) if node.op.name == "matmul"]  # fmt: skip
    assert len(matrices) == 2
    assert sizes("greedy").count(2500) < sizes(False).count(2500)


def test_a_dtype_is_that_of_the_sums() -> None:
    x = tv.vector("x", dtype="float32")
    assert tv.einsum("i,i", x, x).dtype == "float32"
    assert tv.einsum("i,i", x, x, dtype="float64").dtype == "float64"


MISTAKES: list[tuple[Callable[[Any, Any], Any], type[Exception], str]] = [
    (lambda m, v: tv.einsum("ij,j->i", m), ValueError, "are those of 2 operands, but there are 1"),
    (lambda m, v: tv.einsum("i", m), ValueError, "operand 0 is <m: matrix float64 (?, ?)>, with 2"),
    (lambda m, v: tv.einsum("ij->ik", m), ValueError, "the result has 'k', which no operand has"),
    (lambda m, v: tv.einsum("ij->ii", m), ValueError, "the result has 'i' twice"),
    (lambda m, v: tv.einsum("i...->i", m), ValueError, "have axes behind '...', but the result"),
    (lambda m, v: tv.einsum("......", m), ValueError, "operand 0 has '...' 2 times; write it once"),
    (lambda m, v: tv.einsum("i1", m), ValueError, "the subscripts 'i1' have '1'; they are made of"),
    (lambda m, v: tv.einsum(m, "ij"), TypeError, "[einsum] 'ij' are no subscripts; write a list"),
    (lambda m, v: tv.einsum(), TypeError, "[einsum] it takes subscripts and operands"),
    (
        lambda m, v: tv.einsum("i,i", np.ones(2), np.ones(3)),
        ValueError,
        "[einsum] the index 'i' has length 2 in operand 0, but 3 in operand 1; lengths of an index",
    ),
    (
        lambda m, v: tv.einsum("ii", np.ones((1, 3))),
        ValueError,
        "[einsum] operand 0, which has the index 'i' twice, has length 1 along axis 0, but 3",
    ),
    (
        lambda m, v: tv.function([m], tv.einsum("ii->i", m))(np.ones((1, 3))),
        ValueError,
        "[einsum] operand 0, which has the index 'i' twice, has length 1 along axis 0, but 3",
    ),
    (lambda m, v: tv.function([m, v], tv.einsum("ij,j", m, v))(A, A[0, :2]), ValueError, "2"),
]


@pytest.mark.parametrize(("mistake", "kind", "told"), MISTAKES)
def test_a_mistake_is_told(
    mistake: Callable[[Any, Any], Any], kind: type[Exception], told: str
) -> None:
    with pytest.raises(kind) as error:
        mistake(tv.matrix("m"), tv.vector("v"))
    assert told in str(error.value)

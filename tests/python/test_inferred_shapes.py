"""Every built-in Op infers the shapes that it computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from draws import DRAWS, STATE

import thunkvm as tv
from thunkvm import _core
from thunkvm.checking.inferred import check_shapes, inferred_shapes

# ---- every built-in Op ----

SHAPES = [[(2, 3), (3,)], [(0, 3), (1, 3)], [(), (2,)], [(1,), (1,)], [(), ()], [(4, 1), (1, 5)]]
M, V, S = np.ones((3, 2)), np.arange(4.0), np.float64(2.0)
SQUARE, EMPTY, ONE = np.eye(3), np.zeros((0, 2)), np.ones((1, 1))
PIVOTS = np.arange(3)
N, VI = np.int64(1), np.array([2, 0])

PLACES = np.array([1, 0])


def index(*items: str) -> dict[str, Any]:
    return {"index": list(items)}


CASES: dict[str, list[tuple[list[Any], dict[str, Any]]]] = {
    **{
        name: [([x], attrs) for x in (M, V, S, ONE) for attrs in ({}, {"keepdims": True})]
        + [([np.ones((2, 0, 3))], {"axis": axis}) for axis in ([0], [-1])]
        for name in ("sum", "mean", "prod", "std", "var", "all", "any", "max", "min")
    },
    **{
        name: [([M], {}), ([M], {"axis": 0}), ([M], {"axis": 1, "keepdims": True}), ([ONE], {})]
        for name in ("argmax", "argmin")
    },
    "cumprod": [([M], {}), ([M], {"axis": 1}), ([EMPTY], {}), ([EMPTY], {"axis": 0})],
    "recurrence": [([M, M], {"axis": 1}), ([EMPTY, EMPTY], {"axis": 0})],
    "cumsum": [([M], {}), ([M], {"axis": 1}), ([EMPTY], {}), ([EMPTY], {"axis": 0})],
    "prod_of_others": [([M], {}), ([ONE], {})],
    "cast": [([x], {"dtype": "float32"}) for x in (M, S, EMPTY)],
    "stop_gradient": [([M], {}), ([S], {})],
    "counted": [([M], {"name": "m"}), ([S], {"name": "s"})],
    "is_missing": [([M], {}), ([S], {})],
    "subtensor": [
        ([M], index("1:")),
        ([M], index("...", "::-1")),
        ([M], index("0")),
        ([M], index("newaxis", ":", "-1")),
        ([V, N, N], index("?:3:?")),
        ([V, np.int64(-3), np.int64(-1)], index("?::?")),
        ([EMPTY], index(":5:2", "7:")),
        ([V, N], index("?")),
    ],
    "slice_length": [([N], {"slice": "::2"}), ([N, N], {"slice": "?:"})],
    "set_subtensor": [([M, S], index("1:"))],
    "inc_subtensor": [([M, S], index("1:"))],
    "advanced_subtensor": [
        ([M, VI], index("[]")),
        ([M, VI, VI // 2], index("[]", "[]")),
        ([M, VI], index("newaxis", "[]")),
        ([M, M > 0], index("[]")),
        ([M, np.array([True, False, True]), N], index("[]", "?:")),
        ([np.ones((2, 3, 4)), VI % 2, VI], index("[]", ":", "[]")),
        ([EMPTY, np.zeros(0, int)], index("[]")),
    ],
    "advanced_set_subtensor": [([M, S, VI], index("[]"))],
    "advanced_inc_subtensor": [([M, S, VI], index("[]"))],
    "take": [
        ([M, VI], {}),
        ([M, VI], {"axis": 0}),
        ([M, N], {"axis": 1}),
        ([M, VI[:0]], {"axis": 0}),
    ],
    "add_at": [([V, VI, np.ones(2)], {"axis": 0})],
    "arange": [
        ([np.int64(0), np.int64(5), np.int64(2)], {}),
        ([np.int64(5), np.int64(0), np.int64(-2)], {}),
        ([np.int64(5), np.int64(0), np.int64(1)], {}),
        ([np.float64(0.0), np.float64(1.0), np.float64(0.3)], {}),
        ([np.float64(1.0), np.float64(0.0), np.float64(0.3)], {}),
    ],
    "arange_length": [([np.int64(0), np.int64(5), np.int64(2)], {})],
    "eye": [([np.int64(3)], {}), ([np.int64(3), np.int64(0)], {})],
    "full": [([np.array([2, 3]), S], {"ndim": 2}), ([np.zeros(0, int), S], {"ndim": 0})],
    "broadcast_to": [([V, np.array([2, 4])], {"ndim": 2}), ([S, np.array([0])], {"ndim": 1})],
    "unbroadcast": [([M, np.array([1, 2])], {"ndim": 2}), ([M, np.array([2])], {"ndim": 1})],
    "reshape": [
        ([M, np.array([2, -1])], {"ndim": 2}),
        ([M, np.array([6])], {"ndim": 1}),
        ([EMPTY, np.array([0, 5])], {"ndim": 2}),
    ],
    "reshaped_length": [([np.int64(6), np.int64(-1), np.int64(2)], {"axis": 0})],
    "concatenate": [([V, V[:0]], {}), ([M, M, ONE[:, [0, 0]]], {}), ([M, M], {"axis": -1})],
    "stack": [([V, V], {}), ([S, S, S], {}), ([M, M], {"axis": -1})],
    "transpose": [([M], {}), ([np.ones((1, 2, 3))], {"axes": [2, 0, 1]}), ([EMPTY], {})],
    "expand_dims": [([M], {"axis": [0, -1]}), ([S], {"axis": [0]})],
    "squeeze": [([np.ones((1, 2, 1))], {"axis": [0, 2]})],
    "specify_shape": [([M], {"shape": [-1, 2]})],
    "one_element": [([ONE], {})],
    "shape": [([M], {}), ([S], {})],
    "size": [([M], {})],
    "length": [([M], {"axis": 1})],
    "matched_lengths": [([M, SQUARE], {"axes_a": [0], "axes_b": [1]})],
    "matched_length": [([N, N], {})],
    "broadcast_length": [([N, np.int64(3)], {})],
    "broadcast_shape": [([M, V[:2]], {}), ([S, EMPTY], {})],
    "diagonal": [
        ([M], {}),
        ([M], {"offset": 1}),
        ([M], {"offset": -5}),
        ([EMPTY], {"offset": 1}),
        ([np.ones((2, 3, 4))], {"axis1": 2, "axis2": 0, "offset": -1}),
    ],
    "set_diagonal": [([M, V[:2]], {})],
    "tril": [([M], {})],
    "triu": [([M], {})],
    "cholesky": [([SQUARE], {})],
    "inv": [([SQUARE], {})],
    **{
        f"factored_{name}": [([SQUARE, SQUARE], {}), ([SQUARE, np.ones((2, 1, 3, 3))], {})]
        for name in ("cholesky", "inv", "slogdet")
    },
    "cofactors": [([SQUARE], {})],
    **{
        f"{name}_by_lu": [([SQUARE, SQUARE, PIVOTS], {})]
        for name in ("cofactors", "det", "inv", "slogdet")
    },
    "solve_by_lu": [
        ([SQUARE, np.ones(3), SQUARE, PIVOTS], {}),
        ([SQUARE, np.ones((2, 3, 4)), SQUARE, PIVOTS], {"transposed": True}),
    ],
    "cofactor_changes": [([SQUARE, np.ones((2, 1, 3, 3))], {})],
    "det": [([SQUARE], {}), ([np.ones((2, 1, 1))], {})],
    "solve": [([SQUARE, np.ones(3)], {}), ([SQUARE, np.ones((2, 3, 4))], {})],
    "solve_triangular": [([SQUARE, np.ones((3, 2))], {})],
    **{
        name: [([SQUARE], {}), ([np.ones((2, 0, 0))], {})]
        for name in ("eig", "eigh", "eigvalsh", "slogdet")
    },
    **{
        name: [([M], {}), ([M.T], {}), ([np.ones((2, 1, 3))], {}), ([EMPTY], {})]
        for name in ("complete_qr", "full_svd", "lu_factors", "qr", "svd", "svdvals")
    },
    **{name: [([M], {}), ([EMPTY], {})] for name in ("argsort", "sort")},
    "searchsorted": [([V, V], {}), ([V, M], {})],
    "take_along": [([M, PLACES], {}), ([V, PLACES], {})],
    **{
        name: [([M, PLACES, V[:2]], {}), ([V, PLACES, V[:2]], {})]
        for name in ("add_along", "put_along")
    },
    **{name: [([VI, VI], {})] for name in ("gcd", "lcm")},
    **{name: [(values, {"ndim": len(values[1])})] for name, values in DRAWS.items()},
    "random_stream": [([STATE], {"number": 1})],
    "dot": [([SQUARE, M], {}), ([np.ones(3), np.ones(3)], {})],
    "matmul": [
        ([M, M.T], {}),
        ([V, V], {}),
        ([M, V[:2]], {}),
        ([V[:3], M], {}),
        ([np.ones((2, 1, 3, 2)), np.ones((5, 2, 4))], {}),
        ([EMPTY, M.T], {}),
    ],
}

#: Made of nodes of other Ops; of a value that is no tensor, whose answer is 0-d.
MADE_OF_OTHERS = {"diag", "trace"}
OF_NO_TENSOR = {"attempt", "conditional", "is_missing", "loop"}


def elementwise_cases(proto: dict[str, Any]) -> Any:
    for shapes in SHAPES:
        values = [np.ones(shapes[i % 2], "int64") for i in range(len(proto["inputs"]))]
        if proto["family"] not in ("logic", "comparison"):
            values = [value.astype("float64") for value in values]
        if proto["family"] == "complex":
            values = [value.astype("complex128") for value in values]
        if proto["name"] == "polygamma":
            values[0] = np.int64(1)
        yield [value[()] for value in values], {}


def cases(name: str) -> Any:
    if name in CASES:
        return CASES[name]
    (proto,) = (p for p in _core.op_protos() if p["name"] == name)
    return list(elementwise_cases(proto))


def variable(value: Any) -> tv.Variable:
    """An input of whose type no length is known."""
    return tv.TensorType(str(np.asarray(value).dtype), (None,) * np.ndim(value))()


@pytest.mark.parametrize("name", sorted(set(tv.ops.__all__) - MADE_OF_OTHERS - OF_NO_TENSOR))
def test_every_op_infers_the_shapes_that_it_computes(name: str) -> None:
    checked = 0
    for values, attrs in cases(name):
        inputs = [variable(value) for value in values]
        made = getattr(tv.ops, name)(*inputs, **attrs)
        outputs = made if isinstance(made, tuple) else (made,)
        node = outputs[0].owner
        if node is None or node.op.name != name:
            continue  # of these inputs it is another Op, or nothing
        computed = tv.function(inputs, list(outputs), mode="vm")(*values)
        # The Op may take its inputs in another dtype, or some twice.
        given = tv.function(inputs, list(node.inputs), mode="vm", on_unused_input="ignore")(*values)
        assert inferred_shapes(node, given) == [np.shape(c) for c in computed], (values, attrs)
        check_shapes(node, given, computed)
        checked += 1
    assert checked > 0, f"no case of {name} makes a node of it"


@pytest.mark.parametrize("step", [None, 1, 2, -1])
def test_slices_are_as_long_as_they_are_found_to_be(step: int | None) -> None:
    ends = [None, 0, 1, 3, -1, -3, 2**62, -(2**62), -(2**63)]
    slices = [slice(start, stop, step) for start in ends for stop in ends]
    x = tv.vector("x")
    f = tv.function([x], [x[part].shape[0] for part in slices], mode="vm")
    for n in range(6):
        values = np.arange(float(n))
        expected = [len(values[part]) for part in slices]
        assert [int(length) for length in f(values)] == expected
    assert not {"subtensor"} & {row.op for row in f.explain().nodes}


def test_the_shape_of_a_conditional_of_several_values_is_one_conditional() -> None:
    s, x, y = tv.scalar("s"), tv.matrix("x"), tv.matrix("y")
    a, b = tv.ifelse(s, [x, y], [y, x[1:]])
    node = a.owner
    values = [np.float64(1.0), *(np.ones(shape) for shape in [(1, 2), (4, 3), (3, 4), (5, 6)])]
    assert inferred_shapes(node, values) == [(3, 4), (5, 6)]
    f = tv.function([s, x, y], [a.shape, b.shape], mode="vm")
    assert [row.op for row in f.explain().nodes].count("ifelse") == 1
    assert [v.tolist() for v in f(0.0, M, SQUARE)] == [[3, 3], [2, 2]]

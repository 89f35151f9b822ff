"""The Ops of ours that need attributes or inputs of their own pass all that DebugMode checks.

Those that take anything are in test_check_op.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from draws import DRAWS, STATE
from test_check_op import VALUE, values_for

import thunkvm as tv
from thunkvm import _core
from thunkvm.testing import check_op


def drawn(name: str, ndim: int) -> Callable[..., Any]:
    return lambda *inputs: getattr(tv.ops, name)(*inputs, ndim=ndim)[1]


def by_lu(name: str, a: Any, *sides: Any, **attributes: Any) -> Any:
    packed, exchanges, _ = tv.ops.lu_factors(a)
    return getattr(tv.ops, f"{name}_by_lu")(a, *sides, packed, exchanges, **attributes)


ROW = np.array([1.5, -2.5, 3.5])
PLACES = np.array([1, 0, 1])
CUBE = np.arange(24.0).reshape(2, 3, 4) / 7.0

#: Eigenvalues and singular values that are far apart, and pivots of which none is near another.
SQUARE = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 1.0]])
TURNED = SQUARE + np.triu(SQUARE, 1)

CASES: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "add_along": (lambda x, i, v: tv.ops.add_along(x, i, v), [ROW, PLACES, ROW]),
    "add_at": (lambda z, p, x: tv.ops.add_at(z, p, x), [VALUE, np.array([1, 0]), VALUE]),
    "advanced_inc_subtensor": (lambda x, p, v: x[p, p].inc(v), [VALUE, PLACES, ROW]),
    "advanced_set_subtensor": (lambda x, p, v: x[:, p].set(v), [VALUE, np.array([2, 0]), 7.5]),
    "advanced_subtensor": (lambda x, p: x[:, p], [VALUE, PLACES]),
    "arange": (lambda n: tv.arange(n), [5]),
    "argmax": (lambda x: tv.argmax(x, axis=1), [VALUE]),
    "broadcast_length": (lambda n, m: tv.ops.broadcast_length(n, m), [3, 1]),
    "broadcast_to": (lambda x: tv.broadcast_to(x, (2, 3)), [ROW]),
    "complete_qr": (lambda a: tv.ops.complete_qr(a)[1], [SQUARE]),
    "eig": (lambda a: tv.eig(a)[0], [SQUARE]),
    "eigh": (lambda a: tv.eigh(a)[0], [SQUARE]),
    "eigvalsh": (lambda a: tv.eigvalsh(a), [SQUARE]),
    "full_svd": (lambda a: tv.ops.full_svd(a)[1], [SQUARE]),
    "lu_factors": (lambda a: tv.ops.lu_factors(a)[0], [SQUARE]),
    "put_along": (lambda x, i, v: tv.ops.put_along(x, i, v), [ROW, PLACES, ROW]),
    "qr": (lambda a: tv.ops.qr(a)[1], [SQUARE]),
    "searchsorted": (lambda x, v: tv.ops.searchsorted(x, v), [np.sort(ROW), ROW]),
    "slogdet": (lambda a: tv.slogdet(a)[1], [SQUARE]),
    "svd": (lambda a: tv.ops.svd(a)[1], [SQUARE]),
    "svdvals": (lambda a: tv.svdvals(a), [SQUARE]),
    "take_along": (lambda x, i: tv.ops.take_along(x, i), [ROW, PLACES]),
    "counted": (lambda x: tv.counted(x, "x"), [VALUE]),
    "cast": (lambda x: tv.cast(x, "float32"), [VALUE]),
    "concatenate": (lambda x, y: tv.concatenate([x, y], axis=1), [VALUE, VALUE + 0.5]),
    "diagonal": (lambda x: tv.diagonal(x), [VALUE]),
    "diagonal of a cube": (lambda x: tv.diagonal(x, axis1=1, axis2=2), [CUBE]),
    "diag": (lambda x: tv.diag(x), [ROW]),
    "expand_dims": (lambda x: tv.expand_dims(x, axis=1), [VALUE]),
    "eye": (lambda n, m: tv.ops.eye(n, m), [3, 2]),
    "full": (lambda n, x: tv.full((n, 2), x), [3, 1.5]),
    "inc_subtensor": (lambda x, v: x[1].inc(v), [VALUE, ROW]),
    "matched_length": (lambda n, m: tv.ops.matched_length(n, m), [3, 3]),
    "matched_lengths": (
        lambda a, b: tv.ops.matched_lengths(a, b, axes_a=[1], axes_b=[0]),
        [VALUE, ROW],
    ),
    "mean along an axis": (lambda x: x.mean(axis=1), [CUBE]),
    "one_element": (lambda x: tv.ops.one_element(x), [np.array([2.5])]),
    "real": (lambda x: tv.real(x), [ROW + 2j]),
    "reshaped_length": (
        lambda size, *lengths: tv.ops.reshaped_length(size, *lengths, axis=0),
        [6, -1, 2],
    ),
    "reshape": (lambda x: tv.reshape(x, (3, 2)), [VALUE]),
    "recurrence": (lambda a, b: tv.ops.recurrence(a, b, axis=1), [VALUE, VALUE]),
    "set_diagonal": (lambda x, v: tv.ops.set_diagonal(x, v), [VALUE, ROW[:2]]),
    "set_subtensor": (lambda x, v: x[:, ::2].set(v), [VALUE, 2.5]),
    "slice_length": (lambda n: tv.ops.slice_length(n, slice="::2"), [5]),
    # Not symmetric: no factor is used, which differences with respect to it would see.
    "factored_cholesky": (tv.ops.factored_cholesky, [TURNED, SQUARE]),
    "factored_inv": (tv.ops.factored_inv, [TURNED, SQUARE]),
    "factored_slogdet": (lambda a, b: tv.ops.factored_slogdet(a, b)[1], [TURNED, SQUARE]),
    "cofactors_by_lu": (lambda a: by_lu("cofactors", a), [SQUARE]),
    "det_by_lu": (lambda a: by_lu("det", a), [TURNED]),
    "inv_by_lu": (lambda a: by_lu("inv", a), [TURNED]),
    "slogdet_by_lu": (lambda a: by_lu("slogdet", a)[1], [TURNED]),
    "solve_by_lu": (lambda a, b: by_lu("solve", a, b), [TURNED, ROW]),
    "solve_by_lu of a transpose": (
        lambda a, b: by_lu("solve", a, b, transposed=True),
        [TURNED, SQUARE],
    ),
    "specify_shape": (lambda x: tv.specify_shape(x, (2, None)), [VALUE]),
    "squeeze": (lambda x: tv.squeeze(tv.specify_shape(x, (2, 1)), axis=1), [VALUE[:, :1]]),
    "stack": (lambda x, y: tv.stack([x, y], axis=-1), [VALUE, VALUE * 2.0]),
    "subtensor": (lambda x: x[::-1, 1:], [VALUE]),
    "subtensor at an index": (lambda x, i: x[i], [VALUE, 1]),
    "sum along axes": (lambda x: x.sum(axis=(0, 2)), [CUBE]),
    "take": (lambda x, p: tv.take(x, p, axis=1), [VALUE, PLACES]),
    "trace": (lambda x: tv.ops.trace(x), [CUBE[0][:, :3]]),
    "transpose": (lambda x: tv.transpose(x, (2, 0, 1)), [CUBE]),
    "unbroadcast": (
        lambda x: tv.ops.unbroadcast(x, np.array([1, 3]), ndim=2),
        [VALUE],
    ),
    "where": (lambda c, x, y: tv.where(c, x, y), [VALUE > 2.0, VALUE, -VALUE]),
    "random_stream": (lambda state: tv.ops.random_stream(state, number=1), [STATE]),
    **{name: (drawn(name, len(values[1])), values) for name, values in DRAWS.items()},
}
#: Conditionals, attempts and loops, which are no thunks that DebugMode could run alone; random
#: graphs of them are in tests/fuzz/test_checked_graphs.py.
LAZY = {"conditional", "attempt", "loop"}


@pytest.mark.parametrize("name", CASES)
def test_it_passes_every_check(name: str) -> None:
    make, values = CASES[name]
    report = check_op(make, values)  # type: ignore[arg-type]
    assert report.ok, str(report)


def test_no_op_is_left_out() -> None:
    covered = {make_node(make, values) for make, values in CASES.values()} | LAZY
    covered |= {name.split()[0] for name in CASES}  # of Ops that are made of others
    left = []
    for proto in _core.op_protos():
        needs = any(attr["required"] for attr in proto["attrs"])
        name = proto["name"]
        if name in covered:
            continue
        if needs or values_for(_core.op(name), name, len(proto["inputs"])) is None:
            left.append(name)
    assert not left, left


def make_node(make: Callable[..., Any], values: list[Any]) -> str:
    """The Op that a case is of."""
    arrays = [np.asarray(value) for value in values]
    output = make(*(tv.tensor(None, a.dtype, (None,) * a.ndim) for a in arrays))
    return str(output.owner.op.name)

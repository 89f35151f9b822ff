"""Gradients with respect to complex variables: every Op that has one, against differences.

A gradient is d cost/d Re + i d cost/d Im, so that a small step along it raises the real cost most.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm import _core, ops

MODES = ["vm", "cvm", "FAST_RUN"]

Z = [0.3 - 1.2j, -0.8 + 0.4j, 1.1 + 0.9j]
Y = [1.5 + 0.2j, 0.4 - 0.7j, -0.6 - 1.3j]
W = [[0.5 + 0.1j, -1.2 + 0.3j, 0.8 - 0.6j], [1.5 - 0.4j, 0.4 + 1.1j, -0.6 + 0.2j]]
S = [[4.0 + 0.5j, 1.0 - 0.3j, 0.5j], [1.0 + 0.7j, 3.0 - 1.0j, 0.25], [0.5, 0.2 - 0.6j, 2.0 + 1j]]
STACK = [S, np.conj(S).T.tolist()]
LEFT_OUT = [[1.0 - 2.0j, 0.5j, 0.25], [0.1 + 0.3j, 2.0, -0.7j], [0.2, 0.4 + 0.1j, 1.5 + 0.5j]]

SMOOTH = ["abs", "angle", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "conj",
          "cos", "cosh", "exp", "exp2", "expm1", "imag", "log", "log10", "log1p", "log2", "neg",
          "real", "reciprocal", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh",
          ]  # fmt: skip


def by_factor(op: Any, a: Any) -> Any:
    """An Op that is given a Cholesky factor of its matrix."""
    positive = a @ a.conj().T + tv.eye(3)
    return op(positive, tv.cholesky(positive))


def by_lu(op: Any, a: Any, *sides: Any, **attributes: Any) -> Any:
    """An Op that is given the LU factors of its matrix."""
    packed, exchanges, _ = ops.lu_factors(a)
    return op(a, *sides, packed, exchanges, **attributes)


EXPRESSIONS: dict[str, tuple[Callable[..., tv.Variable], list[Any]]] = {
    **{name: (getattr(tv, name), [Z]) for name in SMOOTH},
    "add": (ops.add, [Z, W]),
    "sub": (ops.sub, [Z, W]),
    "mul": (ops.mul, [Z, W]),
    "true_div": (ops.true_div, [W, Z]),
    "pow": (ops.pow, [Z, Y]),
    "pow of a number": (lambda z: z**3, [Z]),
    "maximum": (ops.maximum, [Z, Y]),
    "minimum": (ops.minimum, [Z, Y]),
    "clip": (lambda z, y: ops.clip(z, -0.9 + 1j, y), [Z, Y]),
    "where": (lambda z, y: ops.where(z.real > 0, z * z, y * z), [Z, Y]),
    "real and complex": (lambda z: z.real * z + z.imag, [Z]),
    "sum": (lambda w: tv.sum(w, 0), [W]),
    "mean": (lambda w: tv.mean(w, 1), [W]),
    "prod": (lambda w: tv.prod(w, 1), [W]),
    "prod of all": (tv.prod, [W]),
    "prod with a zero": (tv.prod, [[0.0, 1.0 + 2j, 3j]]),
    "prod_of_others": (ops.prod_of_others, [W]),
    "max": (lambda w: tv.max(w, 0), [W]),
    "min": (lambda w: tv.min(w, 1), [W]),
    "var": (lambda w: tv.var(w, 1, ddof=1), [W]),
    "std": (lambda w: tv.std(w, 0), [W]),
    "cumsum": (lambda w: tv.cumsum(w, 1), [W]),
    "cumprod": (lambda w: tv.cumprod(w, 1), [W]),
    "recurrence": (lambda a, b: tv.ops.recurrence(a, b, axis=1), [W, W]),
    "norm": (tv.norm, [Z]),
    "norm of another order": (lambda z: tv.norm(z, 3), [Z]),
    "reshape": (lambda w: w.reshape(3, 2) ** 2, [W]),
    "transpose": (lambda w: w.T**2, [W]),
    "squeeze": (lambda z: ops.squeeze(z, axis=[0]), [[Z]]),
    "expand_dims": (lambda z: ops.expand_dims(z, axis=[1]) * z, [Z]),
    "broadcast_to": (lambda z: tv.broadcast_to(z, (4, 3)), [Z]),
    "unbroadcast": (lambda w: ops.unbroadcast(w, tv.constant([3]), ndim=1), [W]),
    "concatenate": (lambda z, y: tv.concatenate([z, y, z]), [Z, Y]),
    "specify_shape": (lambda z: ops.specify_shape(z, shape=[3]) * z, [Z]),
    "one_element": (lambda z: ops.one_element(z) ** 2, [[[0.3 - 1.2j]]]),
    "stack": (lambda z, y: tv.stack([z, z * y], axis=1), [Z, Y]),
    "cast to real": (lambda z: z.astype("float64"), [Z]),
    "cast to narrow and back": (lambda z: z.real.astype("complex128") * z, [Z]),
    "full": (lambda z: tv.full((2, 2), z[0]) * z[1], [Z]),
    "linspace": (lambda z: tv.linspace(z[0], z[1], 5), [Z]),
    "subtensor": (lambda w: w[:, 1:] * w[:, :-1], [W]),
    "set_subtensor": (lambda w, z: w[0].set(z), [W, Z]),
    "inc_subtensor": (lambda w, z: w[1].inc(z), [W, Z]),
    "take": (lambda z: z[[2, 0, 2]] ** 2, [Z]),
    "add_at": (lambda z, y: ops.add_at(z, tv.constant([2, 0, 2]), y, axis=0), [Z, Y]),
    "advanced_subtensor": (lambda w: w[[1, 0, 1], [0, 2, 0]] ** 2, [W]),
    "advanced_set_subtensor": (lambda w, z: w[[1, 0, 1], [0, 2, 0]].set(z), [W, Z]),
    "advanced_inc_subtensor": (lambda w, z: w[[1, 0, 1], [0, 2, 0]].inc(z), [W, Z]),
    "diag": (lambda z: tv.diag(z, 1), [Z]),
    "diagonal": (lambda s: ops.diagonal(s, offset=1), [S]),
    "set_diagonal": (lambda s, z: ops.set_diagonal(s, z), [S, Z]),
    "trace": (tv.trace, [S]),
    "tril": (tv.tril, [S]),
    "triu": (tv.triu, [S]),
    "vector times vector": (ops.matmul, [Z, Y]),
    "matrix times vector": (ops.matmul, [W, Z]),
    "vector times matrix": (ops.matmul, [Z, S]),
    "matrix times matrix": (ops.matmul, [W, S]),
    "stack times vector": (ops.matmul, [STACK, Z]),
    "vector times stack": (ops.matmul, [Z, STACK]),
    "stack times matrix": (ops.matmul, [STACK, S]),
    "dot": (ops.dot, [W, Z]),
    "inner": (tv.inner, [W, Z]),
    "outer": (tv.outer, [Z, Y]),
    "tensordot": (lambda w, s: tv.tensordot(w, s, ([0, 1], [1, 0])), [W, np.ones((3, 2)) * 1j]),
    "inv": (tv.inv, [S]),
    "inv of a stack": (tv.inv, [STACK]),
    "det": (tv.det, [S]),
    "cofactors": (tv.ops.cofactors, [S]),
    "cofactor_changes": (tv.ops.cofactor_changes, [S, S]),
    "solve for a vector": (tv.solve, [S, Z]),
    "solve for matrices": (tv.solve, [S, np.transpose(W).tolist()]),
    "solve with a stack": (tv.solve, [STACK, np.transpose(W).tolist()]),
    **{
        f"solve_triangular, lower={lower}, transposed={turned}, unit_diagonal={unit}": (
            lambda a, b, low=lower, turn=turned, one=unit: ops.solve_triangular(
                a, b, lower=low, transposed=turn, unit_diagonal=one
            ),
            [S, Z],
        )
        for lower in (True, False)
        for turned in (True, False)
        for unit in (True, False)
    },
    "cholesky": (lambda a: tv.cholesky(a @ a.conj().T + tv.eye(3)), [LEFT_OUT]),
    "cholesky of the lower triangle": (
        lambda a: ops.cholesky(a * 0.1 + 3.0 * tv.eye(3)),
        [LEFT_OUT],
    ),
    "cholesky of the upper triangle": (
        lambda a: ops.cholesky(a * 0.1 + 3.0 * tv.eye(3), lower=False),
        [LEFT_OUT],
    ),
    # Functions of vectors that do not depend on their phases.
    "eigvalsh": (tv.eigvalsh, [S]),
    "eigh": (lambda a: tv.sum(tv.abs(tv.eigh(a)[1]) ** 2 * tv.eigh(a)[0], 1), [S]),
    "eig": (lambda a: tv.sum(tv.abs(tv.eig(a)[1]) ** 2 * tv.eig(a)[0], 1), [S]),
    "svdvals": (tv.svdvals, [W]),
    "svd": (lambda w: ops.svd(w)[0] @ ops.svd(w)[2], [W]),
    "svd of vectors": (lambda w: tv.abs(ops.svd(w)[0]) ** 2 @ tv.abs(ops.svd(w)[2]) ** 2, [W]),
    "qr": (lambda w: ops.qr(w)[0], [W]),
    "qr of a tall one": (lambda w: ops.qr(w.T)[1], [W]),
    "lu_factors": (lambda a: ops.lu_factors(a)[0], [S]),
    "lu_factors of a wide one": (lambda w: ops.lu_factors(w)[0], [W]),
    "factored_cholesky": (lambda a: by_factor(ops.factored_cholesky, a), [LEFT_OUT]),
    "factored_inv": (lambda a: by_factor(ops.factored_inv, a), [LEFT_OUT]),
    "factored_slogdet": (lambda a: by_factor(ops.factored_slogdet, a)[1], [LEFT_OUT]),
    "slogdet_by_lu": (lambda a: by_lu(ops.slogdet_by_lu, a)[1], [S]),
    "det_by_lu": (lambda a: by_lu(ops.det_by_lu, a), [S]),
    "inv_by_lu": (lambda a: by_lu(ops.inv_by_lu, a), [S]),
    "cofactors_by_lu": (lambda a: by_lu(ops.cofactors_by_lu, a), [S]),
    "solve_by_lu": (lambda a, b: by_lu(ops.solve_by_lu, a, b), [S, S]),
    "solve_by_lu of an adjoint": (
        lambda a, b: by_lu(ops.solve_by_lu, a, b, transposed=True, conjugated=True),
        [S, S],
    ),
    "slogdet": (lambda a: tv.slogdet(a)[0] * tv.slogdet(a)[1], [S]),
    "sort": (ops.sort, [W]),
    "take_along": (lambda w: ops.take_along(w, [[2, 0], [1, 1]]), [W]),
    "add_along": (lambda w, y: ops.add_along(w, [[0, 0, 2]], y), [W, Y]),
    "put_along": (lambda w, y: ops.put_along(w, [[0, 0, 2]], y), [W, Y]),
    "counted": (lambda z: tv.counted(z * z, "z"), [Z]),
    "ifelse": (lambda z: tv.ifelse(z[0].real > 0, z * z, tv.exp(z)), [Z]),
}  # fmt: skip

# Ops that take complex numbers and give steps or lengths, which no small change moves.
WITHOUT_SLOPE = {
    "argsort", "searchsorted",
    "all", "any", "arange", "arange_length", "argmax", "argmin", "broadcast_length",
    "broadcast_shape", "eq", "eye", "ge", "gt", "is_missing", "isfinite", "isinf", "isnan", "le",
    "length", "logical_and", "logical_not", "logical_or", "logical_xor", "lt", "matched_length",
    "matched_lengths", "neq", "reshaped_length", "round", "shape", "size", "slice_length",
    "stop_gradient",
    *(name for name in ops.__all__ if name.startswith("random_")),
}  # fmt: skip

# No node has the name of one of these: they are other Ops (a conditional is an ifelse).
MADE_OF_OTHERS = {"attempt", "conditional", "diag", "loop", "trace"}

# Their vectors are not unique.
WITHOUT_GRADIENT = {"complete_qr", "full_svd"}

REAL_ONLY = {
    "arctan2", "bitwise_and", "bitwise_or", "bitwise_xor", "cbrt", "ceil", "deg2rad", "digamma",
    "erf", "erfc", "floor", "floor_div", "gammaln", "hypot", "invert", "left_shift", "logaddexp",
    "betainc", "betaincinv", "copysign", "erfcinv", "erfcx", "erfinv", "exp1", "expi", "fmax",
    "fmin", "fmod", "gamma", "gammainc", "gammaincc", "gammainccinv", "gammaincinv", "gcd",
    "heaviside", "i0", "i1", "iv", "j0", "j1", "jv", "kv", "lcm", "log_ndtr", "ndtr", "ndtri",
    "signbit",
    "mod", "polygamma", "rad2deg", "right_shift", "sigmoid", "softplus", "trunc",
}  # fmt: skip


def slopes(f: Callable[..., Any], arguments: list[np.ndarray], which: int) -> np.ndarray:
    """Central differences of a real function in both parts of one of its complex arguments."""
    out = np.zeros_like(arguments[which])
    for index in np.ndindex(out.shape):
        for along in (1.0, 1j):
            ends = []
            for sign in (1, -1):
                moved = [a.copy() for a in arguments]
                moved[which][index] += sign * 1e-6 * along
                ends.append(float(f(*moved)))
            out[index] += along * (ends[0] - ends[1]) / 2e-6
    return out


def check(mode: str, build: Callable[..., tv.Variable], *values: Any, order: int = 1) -> None:
    """Hold the gradients of the real part of ``sum(build(...) * weights)`` against differences."""
    arrays = [np.array(value, dtype="complex128") for value in values]
    inputs = [tv.tensor(f"z{i}", "complex128", (None,) * a.ndim) for i, a in enumerate(arrays)]
    out = build(*inputs)
    # Complex weights that differ by element, so that a lost conjugate shows, and a wrong place.
    index = tv.arange(out.size, dtype="float64").reshape([out.shape[k] for k in range(out.ndim)])
    cost = tv.sum(out * tv.exp((1j + 0.1) * index)).real
    for _ in range(order - 1):
        gradients = tv.grad(cost, inputs, "ignore")
        cost = sum((tv.sin(g.real + 2.0 * g.imag + 1.0).sum() for g in gradients), 0.0 * cost)
    value = tv.function(inputs, cost, mode=mode, on_unused_input="ignore")
    found = tv.function(
        inputs, tv.grad(cost, inputs, "ignore"), mode=mode, on_unused_input="ignore"
    )(*arrays)
    for which, gradient in enumerate(found):
        np.testing.assert_allclose(gradient, slopes(value, arrays, which), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_gradient_in_both_parts_is_what_differences_are(name: str, mode: str) -> None:
    build, values = EXPRESSIONS[name]
    check(mode, build, *values)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_second_order_is_what_differences_are(name: str) -> None:
    build, values = EXPRESSIONS[name]
    check("cvm", build, *values, order=2)


def test_every_op_is_held_against_differences_or_has_no_slope() -> None:
    held: set[str] = set()
    for build, values in EXPRESSIONS.values():
        inputs = [tv.tensor(dtype="complex128", shape=(None,) * np.ndim(v)) for v in values]
        held |= {node.op.name for node in _core.topological_order([build(*inputs)])}
    assert set(ops.__all__) - WITHOUT_SLOPE - REAL_ONLY - MADE_OF_OTHERS - WITHOUT_GRADIENT <= held
    assert not held & REAL_ONLY


@pytest.mark.parametrize("name", sorted(REAL_ONLY))
def test_an_op_of_real_numbers_refuses_complex_ones(name: str) -> None:
    z = tv.vector("z", "complex128")
    function = getattr(ops, name)
    (inputs,) = (proto["inputs"] for proto in _core.op_protos() if proto["name"] == name)
    with pytest.raises(TypeError, match=name):
        function(*[z] * len(inputs))


@pytest.mark.parametrize("mode", MODES)
def test_the_gradient_of_a_product_is_the_conjugate_of_the_other_factor(mode: str) -> None:
    z, w = tv.vector("z", "complex128"), tv.vector("w", "complex128")
    by_dot = tv.grad(tv.dot(z, w).real, z)
    by_sum = tv.grad((z * w).sum().real, z)
    f = tv.function([z, w], [by_dot, by_sum], mode=mode, on_unused_input="ignore")
    for gradient in f([1 + 1j, 2.0], [3 - 2j, 1j]):
        assert gradient.tolist() == [3 + 2j, -1j]

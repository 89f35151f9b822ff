"""Factors of shifted matrices, kept from step to step."""

from __future__ import annotations

from typing import Any, NamedTuple

from thunkvm import ops
from thunkvm._core import Variable
from thunkvm._src.arrays.exposed import diagonal


class Factors(NamedTuple):
    """L and U of a matrix.

    Parameters
    ----------
    packed : Variable
        Both, (n, n).
    rows : Variable
        Row i of L U is row ``rows[i]`` of the matrix; (n,) int64.
    """

    packed: Variable
    rows: Variable


def factor_matrix(shift: Any, matrix: Variable, identity: Variable) -> Factors:
    """Return the factors of ``shift * identity - matrix``, counted as "nlu".

    Parameters
    ----------
    shift : Variable
        0-d, real or complex.
    matrix, identity : Variable
        (n, n).
    """
    packed, _, rows = ops.lu_factors(shift * identity - matrix)
    return Factors(ops.counted(packed, name="nlu"), rows)


def is_regular(factors: Factors) -> Variable:
    """Return whether no pivot is zero, so that `solve_system` does not raise; a 0-d bool.

    Parameters
    ----------
    factors : Factors
    """
    return ops.neq(diagonal(factors.packed), 0.0).all()


def solve_system(factors: Factors, side: Variable) -> Variable:
    """Return the x for which the matrix of these factors times x is `side`.

    Parameters
    ----------
    factors : Factors
    side : Variable
        (n,).
    """
    x = ops.take(side, factors.rows, axis=0)[:, None]
    x = ops.solve_triangular(factors.packed, x, lower=True, unit_diagonal=True)
    return ops.solve_triangular(factors.packed, x, lower=False)[:, 0]


__all__ = ["Factors", "factor_matrix", "is_regular", "solve_system"]

"""Constructors of several free variables at once: `scalars`, `vectors`, `matrices`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy.typing as npt

from thunkvm._core import Variable
from thunkvm._src.graph.kinds import PREFIXES
from thunkvm._src.graph.types import (
    col,
    matrix,
    row,
    scalar,
    tensor3,
    tensor4,
    tensor5,
    tensor6,
    tensor7,
    vector,
)  # fmt: skip


class Constructor(Protocol):
    """A function that makes several free variables of a fixed dtype."""

    def __call__(self, *names: str | int) -> list[Variable]:
        """Make the variables."""


class AnyConstructor(Protocol):
    """A function that makes several free variables of a dtype."""

    def __call__(self, *names: str | int, dtype: npt.DTypeLike = "float64") -> list[Variable]:
        """Make the variables."""


def _make_any_constructor(make: Callable[..., Variable], plural: str) -> AnyConstructor:
    kind = make.__name__

    def constructor(*names: str | int, dtype: npt.DTypeLike = "float64") -> list[Variable]:
        return _make_variables(plural, lambda name: make(name, dtype), names)

    constructor.__name__ = constructor.__qualname__ = plural
    constructor.__doc__ = f"""Make several free variables, each by `{kind}`.

    Parameters
    ----------
    *names : str, or one int
        A name for each of them; one text of several letters is a letter for each. A number makes
        so many without names.
    dtype : dtype
        The element type of all of them.

    Returns
    -------
    list of Variable

    Examples
    --------
    >>> import thunkvm as tv
    >>> [v.name for v in tv.{plural}("x", "weight")], len(tv.{plural}(3))
    (['x', 'weight'], 3)
    """
    return constructor


def _make_constructor(make: Callable[..., Variable], plural: str, prefix: str) -> Constructor:
    dtype = PREFIXES[prefix]

    def constructor(*names: str | int) -> list[Variable]:
        return _make_variables(prefix + plural, lambda name: make(name, dtype), names)

    constructor.__name__ = constructor.__qualname__ = prefix + plural
    constructor.__doc__ = f"""Make several of {dtype}: ``{plural}(*names, dtype="{dtype}")``.

    Examples
    --------
    >>> import thunkvm as tv
    >>> [(v.name, v.dtype) for v in tv.{prefix}{plural}("x", "y")]
    [('x', '{dtype}'), ('y', '{dtype}')]
    """
    return constructor


def _make_variables(
    what: str, make: Callable[[str | None], Variable], names: tuple[Any, ...]
) -> list[Variable]:
    if len(names) == 1 and isinstance(names[0], int) and names[0] >= 0:
        return [make(None) for _ in range(names[0])]
    if not names or not all(isinstance(name, str) for name in names):
        raise TypeError(
            f"[{what}] the names are {names!r}; give a text for each variable, or their number "
            "alone."
        )
    return [make(name) for name in (names[0] if len(names) == 1 else names)]


def _make_constructors(
    make: Callable[..., Variable], plural: str
) -> tuple[AnyConstructor, tuple[Constructor, ...]]:
    of_dtypes = tuple(_make_constructor(make, plural, prefix) for prefix in PREFIXES)
    return _make_any_constructor(make, plural), of_dtypes


scalars, (
    bscalars, wscalars, iscalars, lscalars, fscalars, dscalars, cscalars, zscalars,
) = _make_constructors(scalar, "scalars")  # fmt: skip
vectors, (
    bvectors, wvectors, ivectors, lvectors, fvectors, dvectors, cvectors, zvectors,
) = _make_constructors(vector, "vectors")  # fmt: skip
matrices, (
    bmatrices, wmatrices, imatrices, lmatrices, fmatrices, dmatrices, cmatrices, zmatrices,
) = _make_constructors(matrix, "matrices")  # fmt: skip
rows, (
    brows, wrows, irows, lrows, frows, drows, crows, zrows,
) = _make_constructors(row, "rows")  # fmt: skip
cols, (
    bcols, wcols, icols, lcols, fcols, dcols, ccols, zcols,
) = _make_constructors(col, "cols")  # fmt: skip
tensor3s, (
    btensor3s, wtensor3s, itensor3s, ltensor3s, ftensor3s, dtensor3s, ctensor3s, ztensor3s,
) = _make_constructors(tensor3, "tensor3s")  # fmt: skip
tensor4s, (
    btensor4s, wtensor4s, itensor4s, ltensor4s, ftensor4s, dtensor4s, ctensor4s, ztensor4s,
) = _make_constructors(tensor4, "tensor4s")  # fmt: skip
tensor5s, (
    btensor5s, wtensor5s, itensor5s, ltensor5s, ftensor5s, dtensor5s, ctensor5s, ztensor5s,
) = _make_constructors(tensor5, "tensor5s")  # fmt: skip
tensor6s, (
    btensor6s, wtensor6s, itensor6s, ltensor6s, ftensor6s, dtensor6s, ctensor6s, ztensor6s,
) = _make_constructors(tensor6, "tensor6s")  # fmt: skip
tensor7s, (
    btensor7s, wtensor7s, itensor7s, ltensor7s, ftensor7s, dtensor7s, ctensor7s, ztensor7s,
) = _make_constructors(tensor7, "tensor7s")  # fmt: skip


# Written out, since type checkers read no other list.
__all__ = [
    "bcols", "bmatrices", "brows", "bscalars", "btensor3s", "btensor4s", "btensor5s",
    "btensor6s", "btensor7s", "bvectors", "ccols", "cmatrices", "cols", "crows", "cscalars",
    "ctensor3s", "ctensor4s", "ctensor5s", "ctensor6s", "ctensor7s", "cvectors", "dcols",
    "dmatrices", "drows", "dscalars", "dtensor3s", "dtensor4s", "dtensor5s", "dtensor6s",
    "dtensor7s", "dvectors", "fcols", "fmatrices", "frows", "fscalars", "ftensor3s",
    "ftensor4s", "ftensor5s", "ftensor6s", "ftensor7s", "fvectors", "icols", "imatrices",
    "irows", "iscalars", "itensor3s", "itensor4s", "itensor5s", "itensor6s", "itensor7s",
    "ivectors", "lcols", "lmatrices", "lrows", "lscalars", "ltensor3s", "ltensor4s",
    "ltensor5s", "ltensor6s", "ltensor7s", "lvectors", "matrices", "rows", "scalars",
    "tensor3s", "tensor4s", "tensor5s", "tensor6s", "tensor7s", "vectors", "wcols", "wmatrices",
    "wrows", "wscalars", "wtensor3s", "wtensor4s", "wtensor5s", "wtensor6s", "wtensor7s",
    "wvectors", "zcols", "zmatrices", "zrows", "zscalars", "ztensor3s", "ztensor4s",
    "ztensor5s", "ztensor6s", "ztensor7s", "zvectors",
]  # fmt: skip

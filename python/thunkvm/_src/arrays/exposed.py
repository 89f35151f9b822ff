"""The package's functions of Ops: as the prototypes expose them, and with NumPy's signatures.

Examples
--------
>>> from thunkvm._src.arrays import exposed
>>> exposed.subtract is exposed.sub
True
>>> "cumsum" in exposed.METHODS, "reshape" in exposed.__all__
(True, True)
"""

from __future__ import annotations

from thunkvm import _core

# The families, whose functions register themselves.
from thunkvm._src.arrays import (  # noqa: F401
    creation,
    elementwise,
    indexing,
    joining,
    linalg,
    public,
    reductions,
    shapes,
)
from thunkvm._src.arrays.composed import (  # noqa: F401
    activations,
    along_axes,
    arithmetic,
    choosing,
    closeness,
    counting,
    differences,
    dimensions,
    distinct,
    dtypes,
    einsum,
    encoding,
    equations,
    factorizations,
    flipping,
    grids,
    least_squares,
    lengths,
    matrices,
    nans,
    norms,
    order,
    padding,
    polynomials,
    products,
    quantiles,
    repeating,
    rows,
    running,
    sequences,
    signs,
    solutions,
    special,
    splitting,
    stacking,
    stacks,
    statistics,
    subscripts,
    triangles,
)

_functions = {name: _core.op(op) for name, op, _ in _core.exposed_ops()}
_functions |= {name: found.function for name, found in public.FUNCTIONS.items() if found.of_package}
globals().update(_functions)

__all__ = sorted(_functions)

#: The functions that Variables have as methods too.
METHODS: list[str] = [
    *(name for name, _, is_method in _core.exposed_ops() if is_method),
    *(name for name, found in public.FUNCTIONS.items() if found.is_method),
]

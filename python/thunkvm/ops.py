"""The built-in Ops as functions, made from the registry: positional inputs, keyword attributes.

Each is as the core has it: `concatenate` takes its inputs one by one; shapes are int64 vectors,
with the number of dimensions as an attribute. The functions of the package (`thunkvm.concatenate`,
...) have NumPy's signatures and call these.

Examples
--------
>>> from thunkvm import ops
>>> "sqrt" in ops.__all__
True
>>> import thunkvm as tv
>>> x = tv.vector("x")
>>> tv.function([x], ops.concatenate(x, x, axis=0))([1.0, 2.0])
array([1., 2., 1., 2.])
>>> print(ops.describe("concatenate").attributes[0])
int, default 0
"""

from __future__ import annotations

from thunkvm import _core
from thunkvm._src.graph.prototypes import describe as describe

__all__ = list(_core.op_names())

globals().update((name, _core.op(name)) for name in __all__)


def __dir__() -> list[str]:
    """Return the names that users need, for tab completion."""
    return [*__all__, "describe"]

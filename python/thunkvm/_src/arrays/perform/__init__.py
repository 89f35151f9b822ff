"""The values of every built-in Op, in NumPy alone: the oracle of the native kernels.

Nothing here knows of them. A *maker* is called once for each node when a function is linked, and
returns what runs in each call. The caller holds ``np.errstate(all="ignore")``: NumPy's warnings
about overflow and NaN are off once a call, not once a node.
"""

from thunkvm._src.arrays.perform import (
    arithmetic,
    casting,
    comparison,
    conditional,
    creation,
    factors,
    indexing,
    linear_algebra,
    logic,
    math,
    order,
    random,
    reduction,
    selection,
    shape,
    special,
)

from thunkvm._src.arrays.perform import of_numpy  # isort: skip  # for the Ops without another
from thunkvm._src.arrays.perform.table import PERFORMS, Maker, Perform, performs

__all__ = [
    "PERFORMS",
    "Maker",
    "Perform",
    "arithmetic",
    "casting",
    "comparison",
    "conditional",
    "creation",
    "factors",
    "indexing",
    "linear_algebra",
    "logic",
    "math",
    "of_numpy",
    "order",
    "performs",
    "random",
    "reduction",
    "selection",
    "shape",
    "special",
]

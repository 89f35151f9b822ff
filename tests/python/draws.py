"""Inputs for each Op that draws: a state, a shape, and parameters that it takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm.random.states import seed_state

STATE = seed_state(42)[0]
#: By the parameter's name.
PARAMETERS: dict[str, Any] = {
    "shape": 2.0, "a": 2.0, "b": 3.0, "df": 5.0, "dfnum": 5.0, "dfden": 6.0, "mu": 0.5,
    "kappa": 2.0, "lam": 4.0, "n": 3, "p": 0.5, "pvals": np.array([0.2, 0.3, 0.5]), "low": 0,
    "last": 1, "population": 10, "left": 0.0, "mode": 1.0, "right": 3.0, "mean": 1.0, "scale": 2.0,
}  # fmt: skip
SIZES = {"random_split": [2, 6]}


def inputs_of(proto: dict[str, Any]) -> list[Any]:
    """The inputs of one draw, by the prototype of its Op."""
    size = np.array(SIZES.get(proto["name"], [3]))
    return [STATE, size, *(np.asarray(PARAMETERS[v["name"]]) for v in proto["inputs"][2:])]


#: By the name of the Op.
DRAWS = {
    proto["name"]: inputs_of(proto)
    for proto in _core.op_protos()
    if proto["family"] == "random" and len(proto["outputs"]) == 2
}

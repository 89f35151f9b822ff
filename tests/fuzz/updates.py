"""What a call of a random graph leaves in its shared variables."""

from __future__ import annotations

import numpy as np
from build import Built
from oracle import Result
from spec import Spec


def adopt_updates(spec: Spec, built: Built, shared: dict[int, object], want: Result) -> None:
    """Hold the shared variables after a call against the oracle; the next one begins with them.

    Raises
    ------
    AssertionError
        Where one has another value than its update may bring.
    """
    shared |= want.shared
    for v, variable in built.shared.items():
        value = np.asarray(variable.get_value()).tolist()
        if value != shared[v] and value != possible_update(spec, v, want):
            raise AssertionError(f"shared value {v} is {value}, expected {shared[v]}")
        shared[v] = value


def possible_update(spec: Spec, shared: int, want: Result) -> object:
    """What an update that is marked `if computed` may bring besides; None: nothing.

    Where computing an input failed and its lazy node goes on, how much of that input was computed
    before is not promised; so neither is whether a value of it is there to be committed.
    """
    if want.failed:
        return None
    for target, value, lazily in spec.updates:
        if lazily and target == shared and value not in want.values:
            return want.may_have.get(value)
    return None

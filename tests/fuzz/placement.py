"""The places of a call's arguments in memory: apart, or parts of one array, or converted."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from spec import VECTOR, Spec

#: The elements of the array that several arguments may have parts of.
LENGTH = 12
PLACES = ("own", "own", "part", "part", "backwards", "in turn", "read-only", "int32", "list")


class Placement:
    """The arguments of one call.

    Parameters
    ----------
    spec : Spec
        Its vector inputs are placed at random; the mutable ones have an odd seed.
    given : dict of int to value
        The values of the inputs; those in parts of one array get other ones.
    seed : int
        The seed of the places.
    """

    def __init__(self, spec: Spec, given: dict[int, Any], seed: int) -> None:
        rng = random.Random(seed)
        nodes = {v: spec.nodes[n] for v, (n, _) in enumerate(spec.owners())}
        self.common = np.array([rng.randrange(1 << 20) for _ in range(LENGTH)])
        self.arguments: list[Any] = []
        self.values: dict[int, Any] = {}
        #: By argument in the common array, the positions of its elements.
        self._positions: dict[int, list[int]] = {}
        self._mutable: list[bool] = []
        for i, (v, value) in enumerate(given.items()):
            is_vector = nodes[v].rank == VECTOR
            placed = self._placed(i, value, rng) if is_vector else value
            self.arguments.append(placed)
            self.values[v] = np.asarray(placed).tolist()
            self._mutable.append(nodes[v].seed % 2 == 1)
        self._before = [np.array(argument) for argument in self.arguments]
        self._common_before = self.common.copy()

    def _placed(self, i: int, value: Any, rng: random.Random) -> Any:
        kind, first = rng.choice(PLACES), rng.randrange(LENGTH - 4)
        if kind == "list":
            return value
        if kind in ("own", "read-only", "int32"):
            own = np.array(value, "int32" if kind == "int32" else "int64")
            own.flags.writeable = kind != "read-only"
            return own
        step = {"part": 1, "backwards": -1, "in turn": 2}[kind]
        positions = [first + k * abs(step) for k in range(3)][::step]
        if step == 2:
            positions = [first, first + 2, first + 4]
        self._positions[i] = positions
        return np.lib.stride_tricks.as_strided(
            self.common[positions[0] :], (3,), (step * self.common.itemsize,)
        )

    def written(self, results: Sequence[Any], keeps: bool) -> int:
        """Return how many arguments were written to.

        Parameters
        ----------
        results : sequence
            What the call returned.
        keeps : bool
            Whether the mode keeps the values of its nodes, or does not know their last uses, and so
            writes to no argument.

        Raises
        ------
        AssertionError
            Where one was written to that may not be, or a result is in the memory of one.
        """
        count = 0
        free: set[int] = set()
        for i, argument in enumerate(self.arguments):
            if not isinstance(argument, np.ndarray):
                continue
            for result in results:
                assert not np.shares_memory(result, argument), f"a result is in argument {i}"
            is_free = self._mutable[i] and not keeps and self._is_apart(i)
            if is_free and i in self._positions:
                free.update(self._positions[i])
            if not np.array_equal(argument, self._before[i]):
                assert argument.flags.writeable, f"argument {i} is read-only, and was written to"
                assert argument.dtype == np.int64, f"argument {i} was written to, not its copy"
                assert is_free, f"argument {i} was written to"
                count += 1
        changed = np.flatnonzero(self.common != self._common_before)
        assert set(changed.tolist()) <= free, f"wrote to elements {changed}, and not to an argument"
        return count

    def _is_apart(self, i: int) -> bool:
        """Return whether no other argument has an element between the ends of this one."""
        if i not in self._positions:
            return True
        low, high = min(self._positions[i]), max(self._positions[i])
        return all(
            max(other) < low or min(other) > high for j, other in self._positions.items() if j != i
        )

"""The table of NumPy implementations by the name of the Op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: Runs one node: ``perform(node, inputs, output_storage)``, as `Op.perform` does.
Perform = Callable[[Any, list[Any], list[list[Any]]], None]
#: Makes the `Perform` of one node, from its attributes and types.
Maker = Callable[[Any], Perform]

PERFORMS: dict[str, Maker] = {}


def performs(*names: str) -> Callable[[Maker], Maker]:
    """Register a maker as the NumPy implementation of the Ops of these names.

    Parameters
    ----------
    *names : str
        Names of Ops, as in ``node.op.name``.

    Returns
    -------
    callable
        A decorator that returns the maker as it is.

    Raises
    ------
    ValueError
        If one of the Ops has an implementation already.
    """

    def register(maker: Maker) -> Maker:
        for name in names:
            if name in PERFORMS:
                raise ValueError(f"The Op {name!r} has a NumPy implementation already.")
            PERFORMS[name] = maker
        return maker

    return register


def performs_unary(name: str, function: Callable[[Any], Any]) -> None:
    """Register a function of one input that gives the declared dtype by itself."""

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = function(inputs[0])

    performs(name)(lambda node: perform)


def performs_binary(name: str, function: Callable[[Any, Any], Any]) -> None:
    """Register a function of two inputs that gives the declared dtype by itself."""

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = function(inputs[0], inputs[1])

    performs(name)(lambda node: perform)


def performs_ternary(name: str, function: Callable[[Any, Any, Any], Any]) -> None:
    """Register a function of three inputs that gives the declared dtype by itself."""

    def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = function(inputs[0], inputs[1], inputs[2])

    performs(name)(lambda node: perform)


def performs_outputs(
    name: str, function: Callable[..., Any], *, with_attributes: bool = False
) -> None:
    """Register a function of all inputs that gives the outputs, in any dtypes.

    Parameters
    ----------
    name : str
        The Op's name.
    function : callable
        Returns one value, or a tuple of as many as there are outputs.
    with_attributes : bool
        Give it the Op's attributes as keywords.
    """

    def make(node: Any) -> Perform:
        keywords = dict(node.op.attrs) if with_attributes else {}
        dtypes = [output.type.dtype for output in node.outputs]

        def perform(node: Any, inputs: list[Any], output_storage: list[list[Any]]) -> None:
            results = function(*inputs, **keywords)
            results = results if isinstance(results, tuple) else (results,)
            for storage, result, dtype in zip(output_storage, results, dtypes, strict=True):
                storage[0] = np.asarray(result, dtype)

        return perform

    performs(name)(make)

"""Ops that pass values on and show them: `print_`, `breakpoint_`."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from thunkvm._core import Apply, GenericType, TensorType, Variable
from thunkvm._src.graph.op import Op
from thunkvm._src.graph.values import as_variable
from thunkvm._src.teaching.nearest import did_you_mean


class Shown(Op):
    """Shows something where it runs; two of them are never equal, so each one does."""

    def __eq__(self, other: object) -> bool:
        """Compare by identity."""
        return self is other

    __hash__ = object.__hash__


class Print(Shown):
    """Prints its input and returns it."""

    __props__ = ("message", "attrs")
    view_map = {0: [0]}  # noqa: RUF012
    is_seen = True  # what it does: checks do not run it a second time

    def __init__(self, message: str, attrs: tuple[str, ...]) -> None:
        self.message = message
        self.attrs = attrs

    def make_node(self, x: Variable) -> Apply:
        """Make a node whose output has the input's Type."""
        return Apply(self, [x], [x.type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Print a line for each attribute."""
        (value,) = inputs
        for attr in self.attrs:
            shown = getattr(value, attr)
            print(self.message, attr, "=", shown() if callable(shown) else shown)
        output_storage[0][0] = value

    def grad(self, inputs: list[Variable], output_gradients: list[Variable]) -> list[Variable]:
        """Pass the gradient on; it prints nothing."""
        return output_gradients


def print_(x: Any, message: str = "", attrs: Sequence[str] = ("__str__",)) -> Variable:
    """Return `x`, which is printed whenever the function computes it.

    What nobody needs is not printed: neither in a branch that is not taken, nor where the result
    of `print_` is not used. No rewrite merges or removes it.

    Parameters
    ----------
    x : Variable or value
        What to show.
    message : str
        What each line begins with.
    attrs : sequence of str
        Attributes of the value to print, a line for each; methods are called without arguments.

    Returns
    -------
    Variable
        A variable with the same value, and the gradient of `x`.

    Raises
    ------
    TypeError
        If `attrs` is not a sequence of names.
    AttributeError
        If arrays have no such attribute.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> y = tv.print_(x * 2, "twice x", attrs=("__str__", "shape"))
    >>> tv.function([x], y.sum())([1.0, 2.0])
    twice x __str__ = [2. 4.]
    twice x shape = (2,)
    np.float64(6.0)
    """
    variable = as_variable(x)
    if isinstance(attrs, str) or not all(isinstance(attr, str) for attr in attrs):
        raise TypeError(
            f"[print_] attrs is {attrs!r}; it has to be a sequence of names of attributes, such "
            'as ("__str__", "shape").'
        )
    if isinstance(variable.type, TensorType):
        for attr in attrs:
            if not hasattr(np.ndarray, attr):
                raise AttributeError(
                    f"[print_] attrs has {attr!r}, but {variable} has values without it."
                    + did_you_mean(attr, dir(np.ndarray))
                )
    shown: Variable = Print(message, tuple(attrs))(variable)
    return shown


class Stop(Shown):
    """Stops in the debugger if its condition is true; its output is the list of values, or None."""

    __props__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def make_node(self, condition: Variable, *monitored: Variable) -> Apply:
        """Make a node that nothing but the `Monitored` variables use."""
        return Apply(self, [condition, *monitored], [GenericType()()])

    def demand(self, node: Apply) -> Generator[int, Any, Any]:
        """Demand the condition; the values only if it is true."""
        condition = yield 0
        if not condition:
            return None
        monitored = []
        for i in range(1, len(node.inputs)):
            value = yield i
            monitored.append(np.array(value) if isinstance(value, np.ndarray) else value)
        print(
            f"breakpoint {self.name!r}: the values are in the list `monitored`; what it holds when "
            "you continue is used."
        )
        breakpoint()
        return monitored


class Monitored(Op):
    """An Op whose output is a value that a breakpoint may change."""

    __props__ = ("name", "position")

    def __init__(self, name: str, position: int) -> None:
        self.name = name
        self.position = position

    def make_node(self, stopped: Variable, x: Variable) -> Apply:
        """Make a node whose output has the variable's Type."""
        return Apply(self, [stopped, x], [x.type()])

    def demand(self, node: Apply) -> Generator[int, Any, Any]:
        """Return the values that the debugger left; without a stop demand the variable itself."""
        monitored = yield 0
        if monitored is None:
            return (yield 1)
        try:
            return node.outputs[0].type.filter(monitored[self.position], allow_downcast=True)
        except (TypeError, IndexError) as error:
            raise TypeError(
                f"breakpoint {self.name!r}: what monitored[{self.position}] was set to is no value "
                f"of {node.inputs[1]}: {error}"
            ) from error

    def grad(
        self, inputs: list[Variable], output_gradients: list[Variable]
    ) -> list[Variable | None]:
        """Pass the gradient on to the variable."""
        return [None, output_gradients[0]]


def breakpoint_(name: str, condition: Any, *variables: Any) -> Any:
    """Return the variables; the debugger stops when they are needed and the condition is true.

    It stops once a call, before the first of the returned variables gets its value. In pdb
    ``monitored`` is the list of all values: what is assigned to its elements is used on. As long
    as the condition is false, each variable is computed only if it is needed itself.

    Parameters
    ----------
    name : str
        What the debugger says when it stops.
    condition : Variable or value
        A scalar: whether to stop.
    *variables : Variable or value
        What to show.

    Returns
    -------
    Variable or list of Variable
        As many as were given, with their values and gradients; use them instead.

    Raises
    ------
    TypeError
        If there is no variable to show, `name` is no str, or the condition is no scalar.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> y, total = tv.breakpoint_("not finite", ~tv.isfinite(x.sum()), x, x.sum())
    >>> f = tv.function([x], y / total)
    >>> f([1.0, 3.0])                      # f([inf, 3.0]) would stop
    array([0.25, 0.75])
    """
    if not isinstance(name, str):
        raise TypeError(f"[breakpoint_] the name is {name!r}, a {type(name).__name__}; give a str.")
    if not variables:
        raise TypeError(f"[breakpoint_] {name!r} has no variable to show; give one at least.")
    when = as_variable(condition)
    if not isinstance(when.type, TensorType) or when.ndim != 0:
        raise TypeError(
            f"[breakpoint_] the condition of {name!r} is {when}; it has to be a scalar: reduce it "
            "with tv.any or tv.all."
        )
    shown = [as_variable(variable) for variable in variables]
    stopped = Stop(name)(when, *shown)
    out: list[Variable] = [Monitored(name, i)(stopped, x) for i, x in enumerate(shown)]
    return out[0] if len(out) == 1 else out


__all__ = ["breakpoint_", "print_"]

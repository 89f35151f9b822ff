"""The arguments of `link` beside a mode: a graph, and how its values go in and out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from thunkvm._core import Variable
from thunkvm._src.calls.specs import REQUIRED


@dataclass(frozen=True)
class Graph:
    """The computation of a function, before anything is said about its calls.

    Parameters
    ----------
    inputs : sequence of Variable
        The free variables that the arguments stand for, in order.
    outputs : Variable, or nested lists, tuples and dicts of Variables, optional
        What a call returns, in the same structure. None: calls return None.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> tv.linking.link(tv.linking.Graph([x], {"twice": 2 * x}))(3.0)
    {'twice': np.float64(6.0)}
    """

    inputs: Sequence[Variable]
    outputs: Any = None


@dataclass(frozen=True)
class Input:
    """How a caller gives one input.

    Parameters
    ----------
    name : str, optional
        Its keyword; the Variable's name if left out.
    default : optional
        The value where a call gives none.
    strict : bool
        Take only values of exactly the Variable's type.
    allow_downcast : bool
        Convert values to the Variable's dtype even if they lose precision.
    borrow : bool
        Keep `default` itself, not a copy.
    mutable : bool
        Calls may write to the memory of the argument. Its elements after a call are unspecified,
        after one that fails too. Results are the same, and not in that memory unless they are
        borrowed. It is only read where another argument or a shared variable may have it too, or
        where it is read-only. Modes that keep or check values only read it, and `py` does.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, y = tv.scalar("x"), tv.scalar("y")
    >>> how = tv.linking.Interface(inputs=[tv.linking.Input(), tv.linking.Input(default=10.0)])
    >>> tv.linking.link(tv.linking.Graph([x, y], x + y), interface=how)(1.0)
    np.float64(11.0)

    The exponentials take the place of what they are of:

    >>> import numpy as np
    >>> x = tv.vector("x")
    >>> how = tv.linking.Interface(
    ...     [tv.linking.Input(mutable=True)], [tv.linking.Output(borrow=True)]
    ... )
    >>> memory = np.zeros(2)
    >>> result = tv.linking.link(tv.linking.Graph([x], tv.exp(x)), interface=how)(memory)
    >>> result, np.shares_memory(result, memory)
    (array([1., 1.]), True)
    """

    name: str | None = None
    default: Any = REQUIRED
    strict: bool = False
    allow_downcast: bool = False
    borrow: bool = False
    mutable: bool = False


@dataclass(frozen=True)
class Output:
    """How a caller gets one output. As a rule it is fresh memory, which the caller may write to.

    Parameters
    ----------
    borrow : bool
        Return the memory that the function has, as `tv.Out` says.
    array : bool
        Return a number as an array of no dimensions, not as a NumPy scalar.
    out : ndarray, optional
        Memory of the caller's, of the output's dtype and shape. Each call writes its result there
        and returns it. A call that fails writes nothing.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> x, memory = tv.vector("x"), np.zeros(2)
    >>> how = tv.linking.Interface(outputs=[tv.linking.Output(out=memory)])
    >>> f = tv.linking.link(tv.linking.Graph([x], tv.exp(x)), interface=how)
    >>> f([0.0, 0.0]) is memory, memory
    (True, array([1., 1.]))
    """

    borrow: bool = False
    array: bool = False
    out: np.ndarray[Any, Any] | None = None


class Origin(NamedTuple):
    """Where a node comes from, for who reads errors, profiles and explanations.

    Parameters
    ----------
    file : str
        The file, with its folders; messages show its name.
    line : int
        The number of the line; 0 if it has none.
    text : str
        What is to be shown beside it, such as the text of the line.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> y = tv.log(x)
    >>> how = tv.linking.Interface(origins={y: tv.linking.Origin("model.yaml", 7, "layer: log")})
    >>> f = tv.linking.link(tv.linking.Graph([x], y), interface=how)
    >>> [row.origin for row in f.explain().nodes]
    ['model.yaml:7, layer: log']
    """

    file: str
    line: int = 0
    text: str = ""


@dataclass(frozen=True)
class Interface:
    """How the values of a graph go in and out.

    Parameters
    ----------
    inputs : sequence of Input
        One for each input of the graph; none: the defaults of `Input`.
    outputs : sequence of Output
        One for each output, in the order in which the structure has them; none: the defaults.
    updates : dict or sequence of (shared variable, expression or Update)
        New values of shared variables, as `tv.function` takes them.
    name : str, optional
        What errors call the function; the line that made it if left out.
    profile : {"count", "time", "trace", "memory"} or bool, optional
        Record all calls, as `tv.function` does.
    origins : dict of Variable to Origin or (file, line, text), optional
        The places that nodes come from, for errors, profiles and explanations. An origin holds for
        the node of its Variable, and for those in front of it. Nodes with an origin of their own,
        and those in front of them, have that one. Leaves
        have none, and nodes in the body of a loop keep the lines of Python that made them.

    Examples
    --------
    >>> import thunkvm as tv
    >>> n = tv.shared(0, "n")
    >>> count = tv.linking.link(
    ...     tv.linking.Graph([], n), "vm", tv.linking.Interface(updates={n: n + 1}, name="count")
    ... )
    >>> int(count()), int(count())
    (0, 1)
    """

    inputs: Sequence[Input] = ()
    outputs: Sequence[Output] = ()
    updates: Mapping[Variable, Any] | Iterable[tuple[Variable, Any]] = ()
    name: str | None = None
    profile: Literal["count", "time", "trace", "memory"] | bool | None = None
    origins: Mapping[Variable, Origin | tuple[str, int, str]] = field(default_factory=dict)


__all__ = ["Graph", "Input", "Interface", "Origin", "Output"]

"""`link`: what `tv.function`, copies and pickles, and other front ends make functions with.

A front end translates its graph, and says in an `Interface` how values go in and out.

Examples
--------
>>> import thunkvm as tv
>>> from thunkvm.linking import Graph, Interface, Output, link
>>> x, n = tv.scalar("x"), tv.shared(0, "n")
>>> f = link(
...     Graph([x], {"y": x + n}), "cvm", Interface(outputs=[Output(array=True)], updates={n: n + 1})
... )
>>> f(1.0), f(1.0)
({'y': array(1.)}, {'y': array(2.)})
"""

from thunkvm._src.calls.interface import Graph, Input, Interface, Origin, Output
from thunkvm._src.calls.linking import link

__all__ = ["Graph", "Input", "Interface", "Origin", "Output", "link"]


def __dir__() -> list[str]:
    """Return the names that users need, for tab completion."""
    return [*__all__]

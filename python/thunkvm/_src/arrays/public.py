"""The functions with NumPy's signatures, each registered where it is defined.

A function of a family's file (`reductions`, `shapes`, ...) says by `public` what it is: a name of
the package, a method of Variables, a function of NumPy's. Nothing else lists it: the package, its
``__all__``, the methods, NumPy's protocol and the stubs are made of them. Functions of Ops'
prototypes (`exposed`) join those that are registered here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar


class Named(Protocol):
    """A function, or another object with a name: `mgrid` is indexed."""

    __name__: str


Function = TypeVar("Function", bound=Named)


class Public(NamedTuple):
    """The description of one public function."""

    function: Any
    #: Whether the package has it; else it is NumPy's alone, ``np.fabs(x)``.
    of_package: bool
    #: Whether Variables have it as a method.
    is_method: bool
    #: Further functions of NumPy's that it is, by their paths in `numpy`.
    numpy: tuple[str, ...]
    #: The ufunc whose ``reduce`` it is.
    reduces: str
    #: Whether it stands for NumPy's function of its name.
    of_numpy: bool


FUNCTIONS: dict[str, Public] = {}


def public(
    *,
    of_package: bool = True,
    method: bool = False,
    numpy: tuple[str, ...] = (),
    reduces: str = "",
    of_numpy: bool = True,
) -> Callable[[Function], Function]:
    """Register a function of the package, under its own name.

    Parameters
    ----------
    of_package : bool
        False for what only NumPy has a name for.
    method : bool
        Whether Variables have it as a method too.
    numpy : tuple of str
        NumPy's functions that it is besides the one of its name: ``("amax", "linalg.norm")``.
    reduces : str
        The ufunc of NumPy's whose ``reduce`` it is.
    of_numpy : bool
        False for what NumPy does in place: ``np.fill_diagonal(x, 0)`` would do nothing.

    Returns
    -------
    callable
        A decorator that returns the function as it is.

    Raises
    ------
    ValueError
        If there is a function of that name already.

    Examples
    --------
    >>> from thunkvm._src.arrays.public import FUNCTIONS
    >>> FUNCTIONS["sum"].is_method, FUNCTIONS["sum"].reduces
    (True, 'add')
    """

    def register(function: Function) -> Function:
        name = function.__name__
        if name in FUNCTIONS:
            raise ValueError(f"There is a public function {name!r} already.")
        FUNCTIONS[name] = Public(function, of_package, method, numpy, reduces, of_numpy)
        return function

    return register


__all__ = ["FUNCTIONS", "Named", "Public", "public"]

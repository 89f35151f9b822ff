"""Functions that answer arguments which they do not take with what to write instead."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import update_wrapper, wraps
from types import FunctionType
from typing import Any, NoReturn

from thunkvm._src.teaching.nearest import did_you_mean


def teaching(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that says more where its arguments do not fit its parameters.

    Examples
    --------
    >>> from thunkvm._src.teaching.keywords import teaching
    >>> @teaching
    ... def clip(x, min=None, max=None):
    ...     return x
    >>> clip(1.0, a_min=0.0)
    Traceback (most recent call last):
        ...
    TypeError: clip() got an unexpected keyword argument 'a_min'; it is called 'min' here
    """

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            # Python refuses arguments before the function has a frame of its own.
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise
            told = _advice(function, args, kwargs)
            if not told:
                raise
            raise TypeError(f"{error}{told}") from None

    return call


class Namesake:
    """A function with the name of another library's module, which says where its functions are.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.tensor.dot
    Traceback (most recent call last):
        ...
    AttributeError: tv.tensor makes a Variable; write tv.dot
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        """Take the function."""
        update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        return self.__wrapped__(*args, **kwargs)

    def __getattr__(self, name: str) -> NoReturn:
        """Say where a function of the module is."""
        if name.startswith("__"):
            raise AttributeError(name)
        from thunkvm._src.teaching.elsewhere import FUNCTIONS, counterpart

        raise AttributeError(f"tv.tensor makes a Variable; {counterpart(name) or FUNCTIONS}")

    def __reduce__(self) -> str:
        """Pickle by name, as functions are."""
        return "tensor"


def attach_teaching(names: Iterable[str], package: dict[str, Any]) -> None:
    """Make the functions of a package teach, in the package and where they are defined.

    Names that the package has not imported yet are left out.
    """
    for name in names:
        function = package.get(name)
        if not isinstance(function, FunctionType) or "__wrapped__" in vars(function):
            continue
        # Where pickle looks for it, by the name that it has there; an alias is the same function.
        home = vars(sys.modules[function.__module__])
        own_name = function.__name__
        made = home.get(own_name)
        if getattr(made, "__wrapped__", None) is not function:
            made = Namesake(teaching(function)) if name == "tensor" else teaching(function)
        package[name] = made
        for each in (own_name, name):
            if home.get(each) is function:
                home[each] = made


def _advice(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> str:
    import inspect  # only failing programs pay for these imports

    from thunkvm._src.teaching.elsewhere import keyword_advice

    found = inspect.signature(function).parameters
    parameters = [name for name in found if name != "self"]
    for keyword in kwargs:
        if keyword in found and found[keyword].kind is inspect.Parameter.VAR_POSITIONAL:
            return f"; give {keyword} by position"
        if keyword not in parameters:
            told = keyword_advice(keyword, parameters)
            near = did_you_mean(keyword, parameters)
            return f"; {told}" if told else f"; it takes {', '.join(parameters)}.{near}"
    if len(args) > len(parameters) and parameters[:1] == ["arrays"]:
        return f"; it takes the arrays as one list: write tv.{function.__name__}([x, y])"
    if any(isinstance(value, FunctionType) for value in (*args, *kwargs.values())):
        return (
            f"; {function.__name__} takes Variables, not functions of them: call the function on "
            "Variables, and give what it returns"
        )
    return ""

"""The names of NumPy, SciPy, Theano, PyTensor, JAX and torch, and their counterparts here.

Messages alone read these answers; answers.toml has them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import cache
from types import FunctionType

import numpy as np

from thunkvm._src.teaching.nearest import did_you_mean

FUNCTIONS = "the functions are in thunkvm itself: tv.exp, tv.dot, tv.solve, tv.sigmoid, ..."


@cache
def answers(table: str) -> dict[str, str]:
    """Return the answer to each name in a table of answers.toml.

    Examples
    --------
    >>> from thunkvm._src.teaching.elsewhere import answers
    >>> answers("functions")["sqr"], answers("parameters")["dim"]
    ('write tv.square', 'axis')
    """
    return {
        name: told.replace("{name}", name).replace("{functions}", FUNCTIONS)
        for told, names in _tables()[table].items()
        for name in names.split()
    }


@cache
def _tables() -> dict[str, dict[str, str]]:
    import tomllib  # only failing programs pay for these imports
    from importlib.resources import files

    return tomllib.loads(files(__package__).joinpath("answers.toml").read_text(encoding="utf-8"))


def advice(name: str) -> str:
    """Return what to write instead of a name of another library's, or "" where nothing is known.

    What is not listed and is a function of NumPy's is one for an Op's perform to call.

    Examples
    --------
    >>> from thunkvm._src.teaching.elsewhere import advice
    >>> advice("asin"), advice("sqr"), advice("newaxis"), advice("no_such_name")
    ('write tv.arcsin', 'write tv.square', 'write None: x[:, None]', '')
    >>> advice("bincount")
    'write an Op with a perform that calls np.bincount: see tv.Op'
    """
    if told := answers("functions").get(name):
        return told
    for module, called in ((np, "np"), (np.linalg, "np.linalg"), (np.fft, "np.fft")):
        if callable(vars(module).get(name)):
            return f"write an Op with a perform that calls {called}.{name}: see tv.Op"
    return ""


def counterpart(name: str) -> str:
    """Return what to write for a function of another library's, by its last name, or "".

    Examples
    --------
    >>> from thunkvm._src.teaching.elsewhere import counterpart
    >>> counterpart("sin"), counterpart("asin"), counterpart("print")
    ('write tv.sin', 'write tv.arcsin', '')
    """
    return f"write tv.{name}" if name in sys.modules["thunkvm"].__all__ else advice(name)


def is_function(name: str) -> bool:
    """Return whether the package has a function of that name, which takes Variables.

    Examples
    --------
    >>> from thunkvm._src.teaching.elsewhere import is_function
    >>> is_function("exp"), is_function("Op"), is_function("config"), is_function("asin")
    (True, False, False, False)
    """
    package = sys.modules["thunkvm"]
    found = getattr(package, name) if name in package.__all__ else None
    return callable(found) and not isinstance(found, type)


def no_name(owner: str, name: str, names: Iterable[str], known: Mapping[str, str] = {}) -> str:
    """Return the message of an AttributeError: `owner` has no `name`.

    Parameters
    ----------
    owner : str
        What was asked.
    name : str
        For what.
    names : iterable of str
        What it has.
    known : mapping of str to str
        What to write instead of names that are asked for here alone.

    Examples
    --------
    >>> from thunkvm._src.teaching.elsewhere import no_name
    >>> no_name("thunkvm", "sqr", ["exp"])
    "thunkvm has no 'sqr'; write tv.square"
    >>> no_name("thunkvm", "epx", ["exp"])
    "thunkvm has no 'epx'. Did you mean 'exp'?"
    """
    return not_there(owner, name, known.get(name) or advice(name), names)


def not_there(owner: str, name: str, told: str, names: Iterable[str]) -> str:
    """Return the message that `owner` has no `name`: what to write, or the nearest of `names`."""
    return f"{owner} has no {name!r}" + (f"; {told}" if told else "." + did_you_mean(name, names))


def keyword_advice(keyword: str, parameters: Iterable[str]) -> str:
    """Return what to write instead of another library's keyword, or "" where nothing is known.

    Examples
    --------
    >>> from thunkvm._src.teaching.elsewhere import keyword_advice
    >>> keyword_advice("a_min", ["x", "min", "max"])
    "it is called 'min' here"
    >>> keyword_advice("out", ["x"])
    'leave it out: the result is always a new Variable'
    """
    ours = answers("parameters").get(keyword)
    if ours is not None and ours in parameters:
        return f"it is called {ours!r} here"
    return answers("keywords").get(keyword, "")


def called(value: object) -> str:
    """Return the end of a message about a value that is no Variable: functions have to be called.

    Examples
    --------
    >>> from thunkvm._src.teaching.elsewhere import called
    >>> called(3), called(lambda x: x)
    ('.', ': call the function on Variables, and give what it returns.')
    """
    if isinstance(value, FunctionType):
        return ": call the function on Variables, and give what it returns."
    return "."


__all__ = [
    "FUNCTIONS", "advice", "answers", "called", "counterpart", "is_function", "keyword_advice",
    "no_name", "not_there",
]  # fmt: skip

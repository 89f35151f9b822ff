"""The names of NumPy, SciPy, Theano, PyTensor, JAX, CasADi and torch, and their counterparts here.

Messages alone read these answers; answers.ini has them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from types import FunctionType

import numpy as np

from thunkvm._src.teaching.nearest import did_you_mean

FUNCTIONS = "the functions are in thunkvm itself: tv.exp, tv.dot, tv.solve, tv.sigmoid, ..."


@cache
def answers(table: str) -> dict[str, str]:
    """Return the answer to each name in a table of answers.ini.

    Examples
    --------
    >>> from thunkvm._src.teaching.elsewhere import answers
    >>> answers("functions")["sqr"], answers("parameters")["dim"]
    ('write tv.square', 'axis')
    """
    return {
        name: told.replace("{name}", name).replace("{ours}", ours).replace("{functions}", FUNCTIONS)
        for told, names in tables()[table].items()
        for name, _, ours in (pair.partition("=") for pair in names.split())
    }


@cache
def tables() -> dict[str, dict[str, str]]:
    """Return answers.ini: by table and answer, the names that get it."""
    from configparser import RawConfigParser  # only failing programs pay for these imports
    from importlib.resources import files

    parser = RawConfigParser(delimiters=("<-",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(files(__package__).joinpath("answers.ini").read_text(encoding="utf-8"))
    return {table: dict(parser[table]) for table in parser.sections()}


def advice(name: str) -> str:
    """Return the advice for a name of another library's, or "" where there is none.

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
    if (dtype := _dtype(name)) is not None:
        return f'write the name of a dtype: tv.scalar("x", dtype="{dtype}")'
    for called in ("np", "np.linalg", "np.fft", "scipy.special", "scipy.linalg"):
        module = sys.modules.get(called.replace("np", "numpy"))  # SciPy's if the program uses it
        if module is not None and callable(vars(module).get(name)):
            return f"write an Op with a perform that calls {called}.{name}: see tv.Op"
    return ""


def _dtype(name: str) -> str | None:
    """Return the dtype of Variables that NumPy knows by a name of several letters."""
    from thunkvm._src.graph.types import DTYPES

    try:
        dtype = np.dtype(name).name if len(name) > 2 else ""
    except TypeError:
        return None
    return dtype if dtype in DTYPES else None


def counterpart(name: str) -> str:
    """Return the advice for a function of another library's, by its last name, or ""."""
    return f"write tv.{name}" if name in sys.modules["thunkvm"].__all__ else advice(name)


def is_function(name: str) -> bool:
    """Return whether the package has a function of that name, which takes Variables."""
    package = sys.modules["thunkvm"]
    found = getattr(package, name) if name in package.__all__ else None
    return callable(found) and not isinstance(found, type)


def no_name(owner: str, name: str, names: Iterable[str], told: str | None = None) -> str:
    """Return the message that `owner` has no `name`: what to write, or the nearest of `names`.

    `told` is what to write instead where that is known; if it is None, `advice` is asked.

    Examples
    --------
    >>> from thunkvm._src.teaching.elsewhere import no_name
    >>> no_name("thunkvm", "sqr", ["exp"])
    "thunkvm has no 'sqr'; write tv.square"
    >>> no_name("thunkvm", "epx", ["exp"])
    "thunkvm has no 'epx'. Did you mean 'exp'?"
    """
    told = advice(name) if told is None else told
    return f"{owner} has no {name!r}" + (f"; {told}" if told else "." + did_you_mean(name, names))


def keyword_advice(keyword: str, parameters: Iterable[str]) -> str:
    """Return the advice for another library's keyword, or "" where there is none."""
    ours = answers("parameters").get(keyword)
    if ours is not None and ours in parameters:
        return f"it is called {ours!r} here"
    return answers("keywords").get(keyword, "")


def called(value: object) -> str:
    """Return the end of a message about a value that is no Variable: call a function."""
    if isinstance(value, FunctionType):
        return ": call the function on Variables, and give what it returns."
    return "."

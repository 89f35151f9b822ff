"""The uses that Variables refuse, since they have no value before the function runs."""

from __future__ import annotations

import ast
import builtins
import re
from typing import Any, NoReturn

import numpy as np

from thunkvm import _core
from thunkvm._core import Variable
from thunkvm._src.graph.callsite import call_site
from thunkvm._src.teaching.elsewhere import answers, counterpart, is_function, no_name
from thunkvm._src.variable import name_of, refuse_truth


def refuse_len(self: Variable) -> NoReturn:
    """Refuse: a length is only known when the function runs."""
    raise TypeError(
        f"{self} has no len() before the function runs; use {name_of(self)}.shape[0], which is a "
        "Variable."
    )


def refuse_float(self: Variable) -> NoReturn:
    """Refuse: a Variable has no value yet."""
    raise _no_value(self, "float()")


def refuse_int(self: Variable) -> NoReturn:
    """Refuse: a Variable has no value yet."""
    raise _no_value(self, "int()")


def refuse_complex(self: Variable) -> NoReturn:
    """Refuse: a Variable has no value yet."""
    raise _no_value(self, "complex()")


def refuse_index(self: Variable) -> NoReturn:
    """Refuse: a Variable has no value yet."""
    if (text := call_site().text) and isinstance(ast.parse(text, mode="eval").body, ast.BinOp):
        raise TypeError(
            f"{self} cannot say how often a text or another sequence is repeated, in `{text}`: it "
            "has no value before the function runs. Give numbers or arrays as operands."
        )
    raise TypeError(
        f"{self} cannot be an index of a list or the end of a range(): it has no value before the "
        "function runs. Index a Variable or use tv.switch_case or tv.arange."
    )


def refuse_contains(self: Variable, item: object) -> NoReturn:
    """Refuse: what an array contains is only known when the function runs."""
    raise TypeError(
        f"'in' has no answer before the function runs; use tv.any(tv.eq({name_of(self)}, value)), "
        "which is a Variable."
    )


def refuse_array(self: Variable, *args: Any, **kwargs: Any) -> NoReturn:
    """Refuse: a Variable cannot become an ndarray."""
    told = _instead(self) or (
        " To join Variables, write tv.stack([x, y]); for what has no counterpart here, an Op with "
        "a perform that calls it: see tv.Op."
    )
    raise TypeError(
        f"{self} cannot become an ndarray: it has no value before the function runs.{told}"
    )


def _no_value(variable: Variable, what: str) -> TypeError:
    told = _instead(variable) or (
        f" Make a function that computes it: tv.function(inputs, {name_of(variable)}); of numbers' "
        "functions, such as math.sin, write ours: tv.sin."
    )
    return TypeError(f"{what} of {variable} has no answer before the function runs.{told}")


def _instead(variable: Variable) -> str:
    """Return the code to write instead of the user's operation, or ""."""
    site = call_site()
    if site.target:
        made = f"tv.as_variable({site.target})[{site.index}].set({name_of(variable)})"
        return (
            f" An ndarray holds values: instead of `{site.text} = {name_of(variable)}` write "
            f"`{site.target} = {made}`, which is a Variable."
        )
    if isinstance(getattr(builtins, site.function, None), type):  # float(x): a value is meant
        return ""
    method = re.match(r"(?:np|numpy)\.(\w+)\.\w+\(", site.text)
    if method and isinstance(getattr(np, method[1], None), np.ufunc):
        if site.function != "reduce":
            return ""
        return f" Instead of `{site.text}` write np.{method[1]}.reduce(tv.stack([x, y]))."
    told = counterpart(site.function)
    if not told:
        return ""
    return f" Instead of `{site.text or site.function}` {told}."


def refuse_bool(self: Variable) -> NoReturn:
    """Refuse: whether a Variable is true is only known when the function runs."""
    site = call_site()
    if told := answers("truths").get(site.function):
        raise TypeError(
            f"{self} has no truth value before the function runs. Instead of `{site.text}` {told}."
        )
    refuse_truth(self)
    raise AssertionError("the core refuses it")


def format_text(self: Variable, spec: str) -> str:
    """Format as the repr; what is meant for numbers is refused."""
    if not spec:
        return str(self)
    raise TypeError(
        f"{self} cannot be formatted as {spec!r}: it has no value before the function runs. Format "
        f"what a function returns, f(...), or write {{{name_of(self)}}} for the expression."
    )


def refuse_attribute(self: Variable, name: str) -> Any:
    """Say what stands for an attribute that arrays have elsewhere."""
    if hasattr(Variable, name):  # which refused; so it does again
        return object.__getattribute__(self, name)
    if name.startswith("__"):  # protocols that are asked for, not meant
        raise AttributeError(f"a Variable has no {name!r}")
    told = answers("attributes").get(name)
    if told is None and is_function(name):
        told = f"write tv.{name}({name_of(self)})"
    raise AttributeError(no_name(repr(self), name, _public(Variable), told))


def set_attribute(function: _core.Function, name: str, value: Any) -> None:
    """Set an attribute of the user's own; refuse one that would be kept and change nothing."""
    if (told := answers("settings").get(name)) is None:
        object.__setattr__(function, name, value)
        return
    raise AttributeError(
        f"{function._shown} has no attribute {name!r} to set to {value!r}: {told}.",
        name=name,
        obj=function,
    )


def _public(kind: type) -> list[str]:
    return [name for name in dir(kind) if not name.startswith("_")]


__all__ = [
    "format_text", "refuse_array", "refuse_attribute", "refuse_bool", "refuse_complex",
    "refuse_contains", "refuse_float", "refuse_index", "refuse_int", "refuse_len",
    "set_attribute",
]  # fmt: skip

"""Conditionals: values of which only the chosen one is computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, overload

import numpy as np

from thunkvm import _core, ops
from thunkvm._core import Decoding, Variable
from thunkvm._src.arrays.shapes import broadcast_to
from thunkvm._src.graph.structure import leaves, matched_leaves, rebuild, with_paths
from thunkvm._src.graph.values import as_variable, as_variables_alike

Arm = tuple[str, Any]
#: The types of an arm that is one value, and not a structure of them.
Value = Variable | float | complex | np.generic | np.ndarray[Any, Any]
Tuple = TypeVar("Tuple", bound=tuple[Variable, ...])
Key = TypeVar("Key")


@overload
def ifelse(condition: Any, then: Value, else_: Value, strict: bool = ...) -> Variable: ...
@overload
def ifelse(condition: Any, then: Tuple, else_: Tuple, strict: bool = ...) -> Tuple: ...
@overload
def ifelse(
    condition: Any, then: list[Variable], else_: Sequence[Any], strict: bool = ...
) -> list[Variable]: ...
@overload
def ifelse(
    condition: Any, then: dict[Key, Variable], else_: Mapping[Key, object], strict: bool = ...
) -> dict[Key, Variable]: ...
@overload
def ifelse(condition: Any, then: Any, else_: Any, strict: bool = ...) -> Any: ...
def ifelse(condition: Any, then: Any, else_: Any, strict: bool = False) -> Any:
    """Return `then` where the condition is true, else `else_`; only that one is computed.

    Parameters
    ----------
    condition : Variable or number, 0-d or of one element
        What decides. NaN is an error when the function runs.
    then, else_ : Variable, number, array-like, or nested lists, tuples and dicts of them
        The two results. Nested ones must have the same structure. Beside a `generic` Variable,
        None and other objects are values too.
    strict : bool
        Refuse arms of different dtypes, instead of promoting them.

    Returns
    -------
    Variable, or the structure of `then` with a Variable for each leaf
        Shapes that differ are joined: a length that is known in both arms and the same stays
        known.

    Raises
    ------
    TypeError
        If the structures, the numbers of dimensions or (with `strict`) the dtypes differ; the
        message has the path, both types, and the lines where both were made.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], tv.ifelse(x > 0, tv.sqrt(x), 0.0))
    >>> float(f(4.0)), float(f(-4.0))
    (2.0, 0.0)
    >>> both = tv.ifelse(x > 0, {"a": x, "b": 1.0}, {"a": -x, "b": 2.0})
    >>> {name: float(v) for name, v in tv.function([x], both)(-3.0).items()}
    {'a': 3.0, 'b': 2.0}
    """
    return _conditional(condition, Decoding.truth, [("else", else_), ("then", then)], strict)


_NO_DEFAULT: Any = object()


@overload
def switch_case(
    index: Any, cases: Sequence[Value], default: Value = ..., strict: bool = ...
) -> Variable: ...
@overload
def switch_case(
    index: Any, cases: Sequence[Tuple], default: Tuple = ..., strict: bool = ...
) -> Tuple: ...
@overload
def switch_case(
    index: Any, cases: Sequence[Any], default: Any = ..., strict: bool = ...
) -> Any: ...
def switch_case(
    index: Any, cases: Sequence[Any], default: Any = _NO_DEFAULT, strict: bool = False
) -> Any:
    """Return the case with the number `index`; only that one is computed.

    Parameters
    ----------
    index : Variable or int, integer, 0-d or of one element
        Which case, from 0.
    cases : sequence
        The results: Variables, values, or structures, all alike, as in `ifelse`.
    default : optional
        The result for every other index. Without it, such an index is an IndexError when the
        function runs.
    strict : bool
        Refuse cases of different dtypes, instead of promoting them.

    Returns
    -------
    Variable, or the structure of the cases with a Variable for each leaf

    Raises
    ------
    ValueError
        If there are no cases.
    TypeError
        If the cases do not fit together; see `ifelse`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> i, x = tv.lscalar("i"), tv.scalar("x")
    >>> f = tv.function([i, x], tv.switch_case(i, [x, x * x, tv.exp(x)], default=0.0))
    >>> float(f(1, 3.0)), float(f(7, 3.0))
    (9.0, 0.0)
    """
    arms = [(f"case {number}", case) for number, case in enumerate(cases)]
    if not arms:
        raise ValueError("[switch_case] there are no cases; give at least one.")
    if default is _NO_DEFAULT:
        return _conditional(index, Decoding.index, arms, strict)
    return _conditional(index, Decoding.index_or_default, [*arms, ("default", default)], strict)


@overload
def cond(clauses: Sequence[tuple[Any, Value]], else_: Value, strict: bool = ...) -> Variable: ...
@overload
def cond(clauses: Sequence[tuple[Any, Any]], else_: Any, strict: bool = ...) -> Any: ...
def cond(clauses: Sequence[tuple[Any, Any]], else_: Any, strict: bool = False) -> Any:
    """Return the value of the first clause whose condition is true, else `else_`.

    Conditions are computed one after the other, up to the first that is true.

    Parameters
    ----------
    clauses : sequence of (condition, value)
        Conditions and values as in `ifelse`.
    else_ : Variable, value or structure
        The result if no condition is true.
    strict : bool
        Refuse values of different dtypes, instead of promoting them.

    Returns
    -------
    Variable, or the structure of the values with a Variable for each leaf

    Raises
    ------
    TypeError
        If a clause is not a pair, or the values do not fit together; see `ifelse`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> sign = tv.cond([(x > 0, 1.0), (x < 0, -1.0)], 0.0)
    >>> [float(tv.function([x], sign)(value)) for value in (5.0, -5.0, 0.0)]
    [1.0, -1.0, 0.0]
    """
    out = else_
    for number, clause in reversed(list(enumerate(clauses))):
        if not isinstance(clause, (tuple, list)) or len(clause) != 2:
            raise TypeError(
                f"[cond] clause {number} is {clause!r}; it has to be a pair (condition, value)."
            )
        condition, value = clause
        arms = [("else", out), (f"clause {number}", value)]
        out = _conditional(condition, Decoding.truth, arms, strict)
    return out if clauses else _as_variables(else_)


def and_(*conditions: Any) -> Variable:
    """Return whether all conditions are true; those after the first false one are not computed.

    Parameters
    ----------
    *conditions : Variable or number, 0-d or of one element

    Returns
    -------
    Variable
        A 0-d bool.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.and_(x.shape[0] > 0, x[0] > 1))  # x[0] only if there is one
    >>> bool(f([])), bool(f([2.0]))
    (False, True)
    """
    return _short_circuit("and_", _core.lazy_and, conditions)


def or_(*conditions: Any) -> Variable:
    """Return whether any condition is true; those after the first true one are not computed.

    Parameters
    ----------
    *conditions : Variable or number, 0-d or of one element

    Returns
    -------
    Variable
        A 0-d bool.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.or_(tv.eq(x.shape[0], 0), x[0] > 1))
    >>> bool(f([])), bool(f([0.0]))
    (True, False)
    """
    return _short_circuit("or_", _core.lazy_or, conditions)


def coalesce(*values: Any) -> Variable:
    """Return the first value that is not missing, element by element.

    Missing is NaN for floats and complex numbers, None for `generic` values; integers and bools
    are never missing. As SQL's COALESCE and pandas' ``fillna``, but lazy: a value is computed only
    if an element of the result is still missing after all values before it. What is missing in all
    of them is the last one's.

    Parameters
    ----------
    *values : Variable, number or array-like; or `generic` Variables
        What to choose from, in order. The result has the shape of the first one, to which the
        others are broadcast.

    Returns
    -------
    Variable
        It has the dtype that all values promote to.

    Raises
    ------
    TypeError
        If a value has more dimensions than the first, or tensors and objects are mixed.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x, y = tv.scalar("x"), tv.scalar("y")
    >>> f = tv.function([x, y], tv.coalesce(tv.log(x), y, 0.0))
    >>> float(f(-1.0, 2.0)), float(f(-1.0, float("nan")))
    (2.0, 0.0)
    >>> readings, forecast = tv.vector("readings"), tv.vector("forecast")
    >>> g = tv.function([readings, forecast], tv.coalesce(readings, tv.exp(forecast), -1.0))
    >>> g([1.0, float("nan"), 3.0], [0.0, 0.0, 0.0])
    array([1., 1., 3.])
    """
    if not values:
        raise TypeError("[coalesce] takes at least one value.")
    first, *others = as_variables_alike(values)
    out = first
    for number, value in enumerate(others, start=1):
        out = _fill_missing(out, value, number)
    return out


def _fill_missing(value: Variable, other: Variable, number: int) -> Variable:
    """Return `value` with what is missing taken from value `number`, computed only then."""
    fill = other
    missing = some = ops.is_missing(value)
    if isinstance(value.type, _core.TensorType) and isinstance(other.type, _core.TensorType):
        if other.ndim > value.ndim:
            raise TypeError(
                f"[coalesce] value {number}, {other}, has {other.ndim} dimensions, more than the "
                f"first value, which has {value.ndim}: the result has the shape of the first, to "
                "which the others are broadcast."
            )
        if value.ndim > 0:
            some = missing.any()
            # A number as it is: its dtype is weak.
            wide = other if other.ndim == 0 else broadcast_to(other, value.shape)
            fill = ops.where(missing, wide, value)
    arms = [("a value", value), (f"value {number}", fill)]
    filled: Variable = _conditional(some, Decoding.truth, arms, strict=False)
    return filled


def _short_circuit(
    name: str, both: Callable[[Variable, Variable], Variable], conditions: Sequence[Any]
) -> Variable:
    if not conditions:
        raise TypeError(f"[{name}] takes at least one condition.")
    out = as_variable(conditions[-1])
    if len(conditions) == 1:
        return both(out, out)
    for condition in reversed(conditions[:-1]):
        out = both(as_variable(condition), out)
    return out


def _conditional(selector: Any, decoding: Decoding, arms: list[Arm], strict: bool) -> Any:
    """Make one conditional of arms that are structures; the last arm's is that of the result."""
    like = arms[-1]
    flat = []
    paths = []
    for name, tree in arms:
        matched = list(matched_leaves((like[0], name), like[1], tree))
        paths = [path for path, _, _ in matched]
        flat.append([leaf for _, _, leaf in matched])
    if not paths:
        return rebuild(like[1], iter(()).__next__)
    alike = [as_variables_alike(position) for position in zip(*flat, strict=True)]
    flat = [list(arm) for arm in zip(*alike, strict=True)]
    try:
        values = _core.conditional(as_variable(selector), decoding, flat, strict)
    except TypeError as error:
        raise TypeError(with_paths(str(error), [name for name, _ in arms], paths)) from None
    return rebuild(like[1], iter(values).__next__)


def _as_variables(tree: Any) -> Any:
    return rebuild(tree, (as_variable(leaf) for _, leaf in leaves(tree)).__next__)


__all__ = ["and_", "coalesce", "cond", "ifelse", "or_", "switch_case"]

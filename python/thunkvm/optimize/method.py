"""A method: what a solver does, as graphs over its state."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

import thunkvm as tv
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.status import CONVERGED, MAXITER, NOT_FINITE, RUNNING

#: A number; while the graph of a step is built, a 0-d Variable.
#:
#: Examples
#: --------
#: >>> from dataclasses import dataclass
#: >>> @dataclass(frozen=True)
#: ... class descent(tv.optimize.Method):
#: ...     rate: tv.optimize.Number = tv.optimize.number(0.1)
#: >>> descent().rate
#: 0.1
Number = Any


@dataclass(frozen=True)
class PerElement:
    """A default of an option that is so many for each element of x.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.optimize.PerElement(200), tv.optimize.bfgs().maxiter
    (200 * n, 200 * n)
    """

    times: int

    def __repr__(self) -> str:
        """Return the default as text."""
        return f"{self.times} * n"


def number(default: float | PerElement) -> Any:
    """Return the field of an option that may change from call to call without compiling again.

    An option of a float is of the dtype of x, and one of an int is int64. An option without this
    is part of the structure: another value of it is compiled anew.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import thunkvm as tv
    >>> @dataclass(frozen=True)
    ... class descent(tv.optimize.Method):
    ...     rate: tv.optimize.Number = tv.optimize.number(0.1)
    >>> descent(rate=0.5).rate
    0.5
    """
    return field(default=default, metadata={"number": True})


@dataclass(frozen=True)
class Method:
    """What a solver does, as graphs over a state that is a NamedTuple of Variables.

    A subclass is a frozen dataclass whose fields are its options, with `start` and `step`. Its
    state has at least the fields

    - ``x``: where it is, shape ``(n,)``;
    - ``fun``: the value there, 0-d or a vector;
    - ``nit``: how many steps ran, 0-d int64;
    - ``status``: a code of `thunkvm.optimize.status`, 0-d int64; ``RUNNING`` goes on.

    The frame does the rest, for all methods alike. It ends with ``MAXITER`` after `maxiter` steps.
    It ends with ``NOT_FINITE`` where ``fun`` (or ``jac``, if the state has it) is NaN or infinite.
    Where computing a step raises, it ends with ``RAISED`` and the state before. Where `converged`
    says so, it ends with ``CONVERGED``. A step may end by a status of its own.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from typing import Any, NamedTuple
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> class State(NamedTuple):
    ...     x: Any
    ...     fun: Any
    ...     jac: Any
    ...     nit: Any
    ...     status: Any
    >>> @dataclass(frozen=True)
    ... class descent(tv.optimize.Method):
    ...     rate: tv.optimize.Number = tv.optimize.number(0.25)
    ...     def start(self, problem, x0):
    ...         running = np.int64(tv.optimize.status.RUNNING)
    ...         return State(x0, *problem.value_and_gradient(x0), np.int64(0), running)
    ...     def step(self, problem, state):
    ...         x = state.x - self.rate * state.jac
    ...         values = problem.value_and_gradient(x)
    ...         return State(x, *values, state.nit + np.int64(1), state.status)
    ...     def converged(self, state):
    ...         return tv.max(tv.abs(state.jac)) < 1e-6
    >>> result = tv.optimize.minimize(lambda x: tv.sum((x - 2.0) ** 2), [0.0], method=descent())
    >>> result.success, result.x.round(4)
    (True, array([2.]))
    """

    maxiter: Number = number(PerElement(200))

    #: Codes of this method's own, and their messages.
    messages: ClassVar[dict[int, str]] = {}
    #: The fields of the state that have a value for each element of x: users see nests like x0.
    like_x: ClassVar[tuple[str, ...]] = ("x", "jac")
    #: The fields of the state that a result has under the same names, if the state has them.
    reported: ClassVar[tuple[str, ...]] = ("x", "fun", "jac")
    #: The options that `tol` sets.
    tolerances: ClassVar[tuple[str, ...]] = ("gtol",)
    #: Whether the method takes bounds.
    bounded: ClassVar[bool] = False

    def start(self, problem: Problem, x0: tv.Variable) -> Any:
        """Return the state at a starting point, shape ``(n,)``."""
        raise NotImplementedError

    def step(self, problem: Problem, state: Any) -> Any:
        """Return the state after one step."""
        raise NotImplementedError

    def is_running(self, state: Any) -> tv.Variable:
        """Return whether another step runs, a 0-d bool."""
        return tv.eq(state.status, RUNNING)

    def converged(self, state: Any) -> tv.Variable:
        """Return whether a state is a solution, a 0-d bool; by default no state says so itself."""
        return tv.constant(False)

    def judge_state(self, state: Any) -> Any:
        """Return a state whose status says whether to go on from it."""
        finite = tv.isfinite(tv.sum(state.fun))
        if "jac" in state._fields:
            finite = tv.and_(finite, tv.isfinite(tv.max(tv.abs(state.jac))))
        status = tv.cond(
            [
                (tv.neq(state.status, RUNNING), state.status),
                (tv.logical_not(finite), np.int64(NOT_FINITE)),
                (self.converged(state), np.int64(CONVERGED)),
                (state.nit >= self.maxiter, np.int64(MAXITER)),
            ],
            np.int64(RUNNING),
        )
        return state._replace(status=status)

    def values(self, size: int, dtype: str) -> list[Any]:
        """Return the options that may change, for an x of so many elements, of a dtype."""
        of_float = np.dtype(dtype).type
        given = [
            (name, getattr(self, name), of_float if is_float else np.int64)
            for name, is_float in options_of(type(self)).numbers
        ]
        return [
            _as_number(name, value.times * size if isinstance(value, PerElement) else value, kind)
            for name, value, kind in given
        ]

    def with_variables(self, dtype: str) -> tuple[Any, list[tv.Variable]]:
        """Return the method whose options of numbers are Variables, and these.

        Floats are of the dtype of x, so that a step of float32 is one.
        """
        made = {
            name: tv.scalar(name, dtype=dtype if is_float else "int64")
            for name, is_float in options_of(type(self)).numbers
        }
        return replace(self, **made), list(made.values())

    @property
    def key(self) -> Any:
        """The key of methods that differ in options of numbers alone."""
        kind = type(self)
        return kind, tuple([getattr(self, name) for name in options_of(kind).structural])


class Options(NamedTuple):
    """The options of a class of methods.

    Parameters
    ----------
    names : tuple of str
        All of them.
    numbers : tuple of (str, bool)
        Those that may change from call to call, and whether they are floats.
    structural : tuple of str
        The others.
    """

    names: tuple[str, ...]
    numbers: tuple[tuple[str, bool], ...]
    structural: tuple[str, ...]


def options_of(kind: type) -> Options:
    """Return the options of a class of methods; each call of a solver asks for them.

    Examples
    --------
    >>> import thunkvm as tv
    >>> from thunkvm.optimize.method import options_of
    >>> options_of(tv.optimize.bfgs).numbers[0]
    ('maxiter', False)
    """
    known = _options.get(kind)
    if known is not None:
        return known
    found = fields(kind)
    numbers = [option for option in found if option.metadata.get("number")]
    made = _options[kind] = Options(
        tuple(option.name for option in found),
        tuple((option.name, type(option.default) is float) for option in numbers),
        tuple(option.name for option in found if option not in numbers),
    )
    return made


def _as_number(name: str, value: Any, kind: Any) -> Any:
    """Return an option as a number of its class, which has to be able to hold it."""
    try:
        number = kind(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    whole = kind is np.int64
    if np.ndim(number) or number is None or (whole and number != value):
        raise ValueError(
            f"[optimize] the option {name} is {value!r}: it has to be "
            f"{'an integer of 64 bits' if whole else 'a number'}."
        )
    return number


#: The result of `options_of`.
_options: WeakKeyDictionary[type, Options] = WeakKeyDictionary()


__all__ = ["Method", "Number", "Options", "PerElement", "number", "options_of"]

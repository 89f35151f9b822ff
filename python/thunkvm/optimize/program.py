"""The compiled functions of one problem and method, kept for the next call."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np

import thunkvm as tv
from thunkvm._src.graph.structure import leaves, rebuild, with_children
from thunkvm.optimize.counts import CountedFunction, CountedFunctions
from thunkvm.optimize.kept_programs import KeptPrograms
from thunkvm.optimize.method import Method
from thunkvm.optimize.nests import Nest, flat_values, types_key, variables_like
from thunkvm.optimize.problem import Problem
from thunkvm.optimize.status import RAISED, RUNNING

#: For how many questions programs are kept; the one that waits for the longest time goes first.
KEPT = 128


@dataclass(frozen=True)
class Question:
    """The problem, without the numbers that may change from call to call.

    Parameters
    ----------
    fun : callable
        See `Problem`.
    method : Method
        Its options of numbers are not read.
    jac, hess, hessp : callable, optional
        See `Problem`.
    has_bounds : bool
        Whether x has bounds.
    mode : str or Mode, optional
        The mode of the functions.
    """

    fun: Callable[..., Any]
    method: Method
    jac: Any = None
    hess: Any = None
    hessp: Any = None
    has_bounds: bool = False
    mode: Any = None

    def key(self, nest: Nest, args: tuple[Any, ...]) -> Hashable:
        """Return the key of all calls for which the same program is right."""
        mode = tv.config.mode if self.mode is None else self.mode
        of_method = self.method.key
        functions = self.fun, self.jac, self.hess, self.hessp
        return functions, of_method, self.has_bounds, mode, nest.key, types_key(args)


class Program(CountedFunctions):
    """The functions that one question is answered with, each compiled when it is first needed.

    One thread uses it at a time. All functions are of the same graphs, `Method.start` and
    `Method.step`. Their arguments begin with x (the flat vector) or the leaves of a state;
    `Program.numbers` are the rest.

    Parameters
    ----------
    question : Question
        What is solved.
    nest : Nest
        The structure of x.
    args : tuple
        The extra arguments, of which the types are read.
    """

    def __init__(self, question: Question, nest: Nest, args: tuple[Any, ...]) -> None:
        self.nest = nest
        self.method, options = question.method.with_variables(nest.dtype)
        self.x = tv.TensorType(nest.dtype, (nest.size,))("x")
        given = variables_like(args, "args")
        bounds = [self.x.type(name) for name in ("lower", "upper") if question.has_bounds]
        inputs = [*(leaf for _, leaf in leaves(given)), *options, *bounds]
        self.problem = Problem(
            question.fun, nest, given, question.jac, question.hess, question.hessp, *bounds
        )
        super().__init__(inputs, question.mode, f"{type(self.method).__name__}.{{}}")
        self._state: Any = None

    def numbers(self, args: tuple[Any, ...], method: Method, bounds: tuple[Any, ...]) -> list[Any]:
        """Return the arguments behind x or the state, for one call."""
        return [*flat_values(args), *method.values(self.nest.size, self.nest.dtype), *bounds]

    @property
    def first_state(self) -> CountedFunction:
        """From x to the state at the start."""
        return self._once("first", lambda: ([self.x], self._start()))

    @property
    def next_state(self) -> CountedFunction:
        """From a state to the next one."""
        return self._once("following", lambda: (self._leaves, self._step(self.state)))

    @property
    def judged_state(self) -> CountedFunction:
        """From a state to the same one, whose status says whether to go on from it."""
        return self._once("judging", lambda: (self._leaves, self._going_on(self.state)))

    @property
    def whole_loop(self) -> CountedFunction:
        """From x to the state at the end."""
        return self._once("whole", lambda: ([self.x], self._loop(self._start())))

    @property
    def remaining_loop(self) -> CountedFunction:
        """From a state to the state at the end."""
        return self._once("rest", lambda: (self._leaves, self._loop(self._going_on(self.state))))

    @property
    def bare_first(self) -> CountedFunction:
        """As `first`, but an exception is raised."""
        return self._once("bare_first", lambda: ([self.x], self._judge_start(self.x)))

    @property
    def bare_following(self) -> CountedFunction:
        """As `following`, but an exception is raised."""
        return self._once(
            "bare_following",
            lambda: (self._leaves, self._judge_step(self.state)),
        )

    @property
    def state(self) -> Any:
        """A state of Variables of its own."""
        if self._state is None:
            started = self._start()
            named = [leaf.type(f"state{path}") for path, leaf in leaves(started)]
            self._state = rebuild(started, iter(named).__next__)
        return self._state

    def state_of(self, values: list[Any]) -> Any:
        """Return a state of the leaves that a function returned."""
        state = self.state
        if len(values) == len(state):  # each field is one value, as it is in most methods
            return with_children(state, values)
        return rebuild(state, iter(values).__next__)

    @property
    def _leaves(self) -> list[tv.Variable]:
        return [leaf for _, leaf in leaves(self.state)]

    def _start(self) -> Any:
        x0 = self.x
        if self.problem.lower is not None and self.problem.upper is not None:
            x0 = tv.minimum(tv.maximum(x0, self.problem.lower), self.problem.upper)
        started = self._judge_start(x0)
        failed = rebuild(started, map(_blank, (leaf for _, leaf in leaves(started))).__next__)
        zero = np.int64(0)
        failed = failed._replace(x=x0, nit=zero, status=np.int64(RAISED))
        return tv.attempt(started, failed)

    def _step(self, state: Any) -> Any:
        failed = state._replace(status=tv.constant(np.int64(RAISED)))
        return tv.attempt(self._judge_step(state), failed)

    def _judge_start(self, x0: tv.Variable) -> Any:
        return self.method.judge_state(as_variables(self.method.start(self.problem, x0)))

    def _judge_step(self, state: Any) -> Any:
        return self.method.judge_state(as_variables(self.method.step(self.problem, state)))

    def _going_on(self, state: Any) -> Any:
        return self.method.judge_state(state._replace(status=tv.constant(np.int64(RUNNING))))

    def _arrange_outputs(self, outputs: Any) -> list[tv.Variable]:
        return [leaf for _, leaf in leaves(outputs)]

    def _loop(self, state: Any) -> Any:
        last = tv.while_loop(self.method.is_running, self._step, state)
        return rebuild(state, (leaf for _, leaf in leaves(last)).__next__)


def as_variables(state: Any) -> Any:
    """Return a state whose leaves are Variables."""
    return rebuild(state, (tv.as_variable(leaf) for _, leaf in leaves(state)).__next__)


def _blank(leaf: tv.Variable) -> tv.Variable:
    """Return a value of a type that says nothing: NaN, or 0 for integers and lengths not known."""
    value = np.nan if np.dtype(leaf.dtype).kind in "fc" else 0
    lengths = [0 if length is None else length for length in leaf.type.shape]
    return tv.constant(np.full(lengths, value, leaf.dtype))


_kept: KeptPrograms[Program] = KeptPrograms()


def program_for(
    question: Question, nest: Nest, args: tuple[Any, ...]
) -> AbstractContextManager[Program]:
    """Lend a program that answers a question: that of an earlier call, unless it is in use.

    Its key has the function itself (and `jac`, `hess`, `hessp`), the method with its structural
    options, and the mode. It also has the structure and shapes of x, and the types of the extra
    arguments.
    """
    key = question.key(nest, args)
    return _kept.lent(key, lambda: Program(question, nest, args))


__all__ = ["Program", "Question", "as_variables", "program_for"]

"""A solver: a method bound to a function, run as one compiled loop or a step at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from thunkvm._core import Variable
from thunkvm._src.graph.structure import children, leaves
from thunkvm.optimize.bounds import check_order
from thunkvm.optimize.graphs import GraphFunction
from thunkvm.optimize.method import Method
from thunkvm.optimize.nests import Nest, as_nest
from thunkvm.optimize.problem import check_derivative
from thunkvm.optimize.program import Program, Question, program_for
from thunkvm.optimize.result import OptimizeResult
from thunkvm.optimize.status import CONVERGED, MESSAGES, RAISED, RUNNING

COUNTS = ("nfev", "njev", "nhev")


class Solver:
    """A method bound to a function.

    Parameters
    ----------
    fun : callable or Variable
        From a nest of Variables like `x0`, and the extra arguments, to a graph; or a graph.
    method : Method
        What to do, with its options, such as ``tv.optimize.gradient_descent(gtol=1e-6)``.
    jac, hess, hessp : callable, optional
        The derivatives, if they are not to be derived; see `minimize`.
    bounds : tuple of nests (lower, upper), optional
        The bounds of x, like `x0` or numbers for all elements.
    mode : str or Mode, optional
        The mode of the functions; `config.mode` if left out.

    Examples
    --------
    >>> import thunkvm as tv
    >>> solver = tv.optimize.Solver(lambda x: tv.sum((x - 3.0) ** 2),
    ...                             tv.optimize.gradient_descent())
    >>> solver.run([0.0, 1.0]).x.round(4)
    array([3., 3.])
    >>> [float(state.fun) for state in solver.steps([0.0, 1.0])][:2]
    [13.0, 13.0]
    """

    def __init__(
        self,
        fun: Callable[..., Any] | Variable,
        method: Method,
        jac: Any = None,
        hess: Callable[..., Any] | None = None,
        hessp: Callable[..., Any] | None = None,
        bounds: tuple[Any, Any] | None = None,
        mode: Any = None,
    ) -> None:
        if bounds is not None and not method.bounded:
            raise ValueError(
                f"[optimize] {type(method).__name__} takes no bounds: leave them out, or take "
                "method='L-BFGS-B'."
            )
        self.method = method
        if isinstance(fun, Variable):
            fun = GraphFunction(fun)
        elif not callable(fun):
            raise TypeError(
                f"[optimize] fun is {fun!r}: it has to be a function that builds a graph, or a "
                "graph."
            )
        self.question = Question(
            fun,
            method,
            check_derivative("jac", jac),
            check_derivative("hess", hess),
            check_derivative("hessp", hessp),
            bounds is not None,
            mode,
        )
        self.bounds = bounds

    def run(
        self, x0: Any = None, args: tuple[Any, ...] = (), state: Any = None, raises: bool = False
    ) -> OptimizeResult:
        """Return the result of all steps, which are one compiled loop.

        Parameters
        ----------
        x0 : nest of numbers and arrays, optional
            Where to begin.
        args : tuple
            Extra arguments of the function, nests of numbers and arrays.
        state : NamedTuple, optional
            A state of this method, of `steps` or of a result, to go on from instead.
        raises : bool
            An exception is raised, and not a status of the result.

        Returns
        -------
        OptimizeResult
        """
        with begun(self, x0, args, state) as call:
            whole = call.program.whole_loop if state is None else call.program.remaining_loop
            return call.result(call.make_state(whole(*call.begin, *call.numbers)), raises)

    def steps(self, x0: Any = None, args: tuple[Any, ...] = (), state: Any = None) -> Iterator[Any]:
        """Yield the state after each step, from the same graphs that `run` is one loop of.

        Parameters
        ----------
        x0 : nest of numbers and arrays, optional
            Where to begin; the state there is yielded first.
        args : tuple
            Extra arguments of the function.
        state : NamedTuple, optional
            A state to go on from instead; it is not yielded again.

        Yields
        ------
        NamedTuple
            The state; its `x` has the structure of `x0`.
        """
        with begun(self, x0, args, state) as call:
            for current in call.steps():
                yield call.shape_state(current)


@contextmanager
def begun(solver: Solver, x0: Any, args: Any, state: Any) -> Iterator[Call]:
    """Yield a call of a solver, which has a program for itself until its end.

    Raises
    ------
    TypeError
        If there is neither x0 nor a state, or both, or one of them is no number; if the state is
        one of another method.
    ValueError
        If x0 has no elements, or bounds are in the wrong order.
    """
    if (x0 is None) == (state is None):
        raise TypeError("[optimize] give either x0 or a state to go on from.")
    args = args if isinstance(args, tuple) else (args,)
    if state is not None and not hasattr(state, "x"):
        raise TypeError(
            f"[optimize] state is {state!r} ({type(state).__name__}): it has to be a state of a "
            "result or of a callback."
        )
    like = as_nest(x0 if state is None else state.x)
    nest = Nest.of(like)
    if nest.size == 0:
        raise ValueError("[optimize] x0 has no elements: there is nothing to solve for.")
    with program_for(solver.question, nest, args) as program:
        if state is not None and type(state) is not type(program.state):
            raise TypeError(
                f"[optimize] state is one of {type(state).__module__}, and not of "
                f"{type(solver.method).__name__}: a method goes on from its own states."
            )
        yield Call(solver, program, nest, like, args, state)


class Call:
    """One call of a solver: a program, and the arguments of its functions.

    Parameters
    ----------
    solver : Solver
        What to run.
    program : Program
        What it is compiled to.
    nest : Nest
        The structure of x.
    like : nest
        x at the beginning.
    args : tuple
        The extra arguments.
    state : NamedTuple, optional
        The state to go on from; None to begin at x.
    """

    def __init__(
        self,
        solver: Solver,
        program: Program,
        nest: Nest,
        like: Any,
        args: tuple[Any, ...],
        state: Any,
    ) -> None:
        self.method = solver.method
        self.nest = nest
        self.program = program
        bounds = () if solver.bounds is None else tuple(map(self._bound, solver.bounds))
        if bounds:
            check_order(*bounds)
        self.numbers = program.numbers(args, self.method, bounds)
        self.begin = [nest.ravel(like)] if state is None else self._flat(state)
        self.continues = state is not None

    def steps(self) -> Iterator[Any]:
        """Yield states whose x is flat, of a new start the first one too."""
        program = self.program
        first = program.judged_state if self.continues else program.first_state
        state = self.make_state(first(*self.begin, *self.numbers))
        if not self.continues:
            yield state
        while int(state.status) == RUNNING:
            values = [leaf for _, leaf in leaves(state)]
            state = self.make_state(program.next_state(*values, *self.numbers))
            yield state

    def make_state(self, values: list[Any]) -> Any:
        """Return a state of the values that a function returned."""
        return self.program.state_of(values)

    def shape_state(self, state: Any) -> Any:
        """Return a state whose vectors have the structure of x0."""
        if self.nest.is_vector:
            return state
        names = [name for name in self.method.like_x if name in state._fields]
        return state._replace(**{name: self.nest.unravel(getattr(state, name)) for name in names})

    def result(self, state: Any, raises: bool) -> OptimizeResult:
        """Return the result that a state at the end is; x of `state` is flat."""
        taken = self.program.take_counts()
        status = int(state.status)
        message = self.method.messages.get(status, MESSAGES.get(status, ""))
        if status == RAISED:
            error = self._exception(state)
            if error is not None and raises:
                raise error
            message += "" if error is None else f" {type(error).__name__}: {error}"
        shown = self.shape_state(state)
        fields = {
            name: getattr(shown, name) for name in ("x", "fun", "jac") if name in shown._fields
        }
        counts = {name: taken[name] for name in COUNTS if name in taken}
        return OptimizeResult(
            **fields,
            nit=int(state.nit),
            **counts,
            status=status,
            success=status == CONVERGED,
            message=message,
            state=shown,
        )

    def _exception(self, state: Any) -> Exception | None:
        """Return the exception of the step from a state, or None if it does not raise again."""
        values = [leaf for _, leaf in leaves(state._replace(status=np.int64(RUNNING)))]
        try:
            # The blank of a start that failed is NaN, or empty where a length is not known.
            blank = np.size(state.fun) == 0 or not np.all(np.isfinite(state.fun))
            if not self.continues and blank:
                self.program.bare_first(*self.begin, *self.numbers)
            else:
                self.program.bare_following(*values, *self.numbers)
        except Exception as error:
            return error
        return None

    def _flat(self, state: Any) -> list[Any]:
        names = [name for name in self.method.like_x if name in state._fields]
        flat = state._replace(
            **{name: self.nest.ravel(as_nest(getattr(state, name))) for name in names}
        )
        return [leaf for _, leaf in leaves(flat)]

    def _bound(self, bound: Any) -> Any:
        bound = as_nest(bound)
        if children(bound) is None and np.ndim(bound) == 0:
            each = np.empty(self.nest.size, self.nest.dtype)
            each[...] = bound
            return each
        flat = self.nest.ravel(bound)
        if flat.shape != (self.nest.size,):
            raise ValueError(
                f"[optimize] a bound has {flat.size} elements, but x has {self.nest.size}."
            )
        return flat


__all__ = ["Call", "Solver", "begun"]

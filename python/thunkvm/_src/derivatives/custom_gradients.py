"""Functions with gradients of their own: `custom_gradient`."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import wraps
from typing import Any

from thunkvm._core import Apply, Variable
from thunkvm._src.arrays.creation import zeros_like
from thunkvm._src.graph.op import Op
from thunkvm._src.graph.replacing import graph_replace
from thunkvm._src.graph.values import as_variable

#: Makes the gradients of the arguments: of a result's gradient and the arguments.
Pullback = Callable[[Variable, Sequence[Variable]], Sequence[Variable | None]]


class CustomGradient(Op):
    """The first input itself, whose gradient goes to the others as a function says."""

    view_map = {0: [0]}  # noqa: RUF012 (instances may set their own)

    def __init__(self, name: str, pull: Pullback) -> None:
        super().__init__()
        self.name, self.pull = name, pull

    def make_node(self, value: Any, *arguments: Any) -> Apply:
        """Take a value, and what it was computed from."""
        value = as_variable(value)
        return Apply(self, [value, *map(as_variable, arguments)], [value.type()])

    def demand(self, node: Apply) -> Generator[int, Any, Any]:
        """Demand the value alone."""
        return (yield 0)

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Return the shape of the value."""
        return input_shapes[:1]

    def grad(
        self, inputs: list[Variable], output_gradients: list[Variable]
    ) -> list[Variable | None]:
        """Give the value none, and the arguments those of the function."""
        return [None, *self.pull(output_gradients[0], inputs[1:])]

    def __str__(self) -> str:
        """Return the name of the function."""
        return f"custom_gradient{{{self.name}}}"


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function a gradient of its own.

    Parameters
    ----------
    f : callable
        From Variables to ``(value, gradient)``. ``gradient`` takes the gradient of the value, and
        returns that of the argument: a Variable of its shape, or None where there is none. Of
        several values or arguments it takes one after the other, and returns a tuple.

    Returns
    -------
    callable
        Of the arguments of `f`; it returns the value, or a tuple of the values.

    Raises
    ------
    TypeError
        If `f` is no function, or does not return such a pair; when it is differentiated, if
        ``gradient`` does not return as many as there are arguments.

    Notes
    -----
    Whatever else `f` depends on counts as a constant. ``gradient`` has to be linear in what it
    gets: forward derivatives go by its transpose. A value is demanded as without it.

    Examples
    --------
    >>> import thunkvm as tv
    >>> @tv.custom_gradient
    ... def log1pexp(x):
    ...     e = tv.exp(x)
    ...     return tv.log1p(e), lambda g: g * (1.0 - 1.0 / (1.0 + e))
    >>> x = tv.scalar("x")
    >>> [float(v) for v in tv.function([x], [log1pexp(x), tv.grad(log1pexp(x), x)])(0.0)]
    [0.6931471805599453, 0.5]
    """
    if not callable(f):
        raise TypeError(f"[custom_gradient] f is {f!r}, a {type(f).__name__}; give a function.")
    name = getattr(f, "__name__", "f")

    @wraps(f)
    def with_gradient(*args: Any) -> Any:
        arguments = [as_variable(arg) for arg in args]
        # The gradient may be asked for of other arguments than these: in a batch. Numbers of
        # Python's stay what they are, as their dtype follows the others'.
        given = [arg if arg.weak else arg.type() for arg in arguments]
        returned = f(*given)
        if not (isinstance(returned, tuple) and len(returned) == 2 and callable(returned[1])):
            raise TypeError(
                f"[custom_gradient] {name} returned {returned!r}; it has to return a pair, (value, "
                "gradient), of which the second is a function."
            )
        value, gradient = returned
        is_one = not isinstance(value, (list, tuple))
        values = [as_variable(each) for each in ([value] if is_one else value)]

        def pull_of(k: int) -> Pullback:
            def pull(g: Variable, others: Sequence[Variable]) -> list[Variable | None]:
                found = gradient(*(g if i == k else zeros_like(v) for i, v in enumerate(values)))
                several = list(found) if isinstance(found, (list, tuple)) else [found]
                if len(several) != len(given):
                    raise TypeError(
                        f"[custom_gradient] the gradient of {name} returned {len(several)}; it has "
                        f"to return one for each of the {len(given)} arguments, or None."
                    )
                there = [as_variable(each) for each in several if each is not None]
                at = iter(_of_others(there, given, others))
                return [None if each is None else next(at) for each in several]

            return pull

        outs = [
            CustomGradient(name, pull_of(k))(of_these, *arguments)
            for k, of_these in enumerate(_of_others(values, given, arguments))
        ]
        return outs[0] if is_one else tuple(outs)

    return with_gradient


def _of_others(
    made: list[Variable], given: Sequence[Variable], others: Sequence[Variable]
) -> list[Variable]:
    """Return the same of other arguments."""
    pairs = [pair for pair in zip(given, others, strict=True) if not pair[0].weak]
    found: list[Variable] = graph_replace(made, pairs, strict=False)
    return found


__all__ = ["CustomGradient", "custom_gradient"]

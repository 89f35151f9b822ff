"""Values that are checked before they are read: `Assert`, `CheckAndRaise`."""

from __future__ import annotations

from functools import reduce
from typing import Any

from thunkvm import _core, ops
from thunkvm._core import Apply, Type, Variable
from thunkvm._src.graph.op import Op
from thunkvm._src.graph.values import as_variable


class Refusal(Op):
    """An error in place of a value, in the arm that is taken where a condition is false."""

    __props__ = ("exception", "message", "type")

    def __init__(self, exception: type[Exception], message: str, type: Type) -> None:
        super().__init__()
        self.exception = exception
        self.message = message
        self.type = type

    def make_node(self, condition: Variable) -> Apply:
        """Take the condition, which is false."""
        return Apply(self, [condition], [self.type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Raise the error."""
        raise self.exception(self.message)

    def grad(self, inputs: list[Variable], output_gradients: list[Variable]) -> list[None]:
        """Return none: there is no value."""
        return [None]


class CheckAndRaise:
    """A value that has an error in its place where a condition is false.

    Parameters
    ----------
    exc_type : type
        The Exception to raise.
    msg : str
        What it says.

    Raises
    ------
    TypeError
        If `exc_type` is no Exception.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> positive = tv.CheckAndRaise(ValueError, "x has to be positive")
    >>> f = tv.function([x], tv.sqrt(positive(x, x > 0)))
    >>> float(f(4.0))
    2.0
    >>> f(-4.0)
    Traceback (most recent call last):
        ...
    ValueError: x has to be positive
    ...
    """

    def __init__(self, exc_type: type[Exception], msg: str = "") -> None:
        if not (isinstance(exc_type, type) and issubclass(exc_type, Exception)):
            raise TypeError(
                f"[CheckAndRaise] exc_type is {exc_type!r}; give a class of Exceptions, such as "
                "ValueError."
            )
        if not isinstance(msg, str):
            raise TypeError(f"[CheckAndRaise] msg is {msg!r}, a {type(msg).__name__}; give a text.")
        self.exc_type = exc_type
        self.msg = msg

    def __call__(self, value: Any, *conditions: Any) -> Variable:
        """Return the value, which is computed if all conditions are true.

        Parameters
        ----------
        value : Variable or array-like
        *conditions : Variable or array-like
            Bools or numbers; each element of each has to be true. They are demanded where the
            value is, and not before.

        Returns
        -------
        Variable
            Of the Type of the value; its gradient is that of the value.

        Raises
        ------
        TypeError
            If there is no condition.
        """
        value = as_variable(value)
        if not conditions:
            raise TypeError(
                f"[{type(self).__name__}] there are no conditions; give at least one after the "
                "value."
            )
        truths = [ops.all(as_variable(condition)) for condition in conditions]
        truth = reduce(_core.lazy_and, truths)
        refusal = Refusal(self.exc_type, self.msg, value.type)(truth)
        (checked,) = _core.conditional(truth, _core.Decoding.truth, [[refusal], [value]])
        return checked

    def __repr__(self) -> str:
        """Return the call that makes it."""
        return f"{type(self).__name__}({self.exc_type.__name__}, {self.msg!r})"


class Assert(CheckAndRaise):
    """A value that has an AssertionError in its place where a condition is false.

    Parameters
    ----------
    msg : str
        What the error says.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.vector("x")
    >>> f = tv.function([x], tv.Assert("two numbers, please")(x, tv.eq(x.size, 2)))
    >>> f([1.0, 2.0])
    array([1., 2.])
    >>> f([1.0])
    Traceback (most recent call last):
        ...
    AssertionError: two numbers, please
    ...
    """

    def __init__(self, msg: str = "a condition is false") -> None:
        super().__init__(AssertionError, msg)

    def __repr__(self) -> str:
        """Return the call that makes it."""
        return f"Assert({self.msg!r})"


__all__ = ["Assert", "CheckAndRaise"]

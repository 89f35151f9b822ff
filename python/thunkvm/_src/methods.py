"""The methods of Variables that are written here; most are functions of the package."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import FunctionType
from typing import Any

from thunkvm import _core, ops
from thunkvm._core import TensorType, Variable
from thunkvm._src.arrays import elementwise, exposed, indexing, shapes
from thunkvm._src.teaching.keywords import teaching


def _about(name: str, last: Variable) -> Any:
    from thunkvm._src.control.loops import about

    return about(last, name)


def _matrix_transpose(self: Variable) -> Variable:
    return shapes.swapaxes(self, -1, -2)


def _require_shared(variable: Variable, what: str) -> None:
    if variable.leaf != "shared":
        raise TypeError(
            f"{variable} is not a shared variable, so it has no {what}; only what tv.shared made "
            "has a value before a function runs."
        )


def _make_method(function: Any) -> Any:
    """Return a method that calls an Op's function with the Variable first."""

    def method(self: Variable, *args: Any, **kwargs: Any) -> Variable:
        out: Variable = function(self, *args, **kwargs)
        return out

    method.__name__ = function.__name__
    method.__doc__ = function.__doc__
    return method


class Methods:
    """The functions that Variables have under the same names; `variable.py` attaches it."""

    T = property(shapes.transpose, doc="The Variable with its axes in reverse order.")
    mT = property(  # noqa: N815
        _matrix_transpose, doc="The Variable with its last two axes exchanged."
    )
    shape = property(shapes.shape, doc="The shape, an int64 vector.")
    size = property(shapes.size, doc="The number of elements, 0-d.")
    real = property(ops.real, doc="The real part.")
    imag = property(ops.imag, doc="The imaginary part.")
    steps = property(partial(_about, "steps"), doc="Of a loop's last value: how many steps ran.")
    finished = property(
        partial(_about, "finished"), doc="Of a loop's last value: whether its condition ended it."
    )
    history = property(
        partial(_about, "history"), doc="Of a loop's last value: the values that it kept."
    )

    def reshape(self: Any, *shape: Any) -> Variable:
        """Give the elements another shape, as `thunkvm.reshape`: ``x.reshape(2, 3)``."""
        return shapes.reshape(self, shape[0] if len(shape) == 1 else shape)

    def transpose(self: Any, *axes: Any) -> Variable:
        """Permute the axes, as `thunkvm.transpose`: ``x.transpose(1, 0)``."""
        if not axes or axes == (None,):
            return shapes.transpose(self)
        return shapes.transpose(self, axes if isinstance(axes[0], int) else axes[0])

    def copy(self: Any) -> Variable:
        """Return the Variable itself: a graph is never changed, so it needs no copy."""
        itself: Variable = self
        return itself

    def flatten(self: Any) -> Variable:
        """Return the elements in C order as a vector, as `thunkvm.ravel`."""
        return shapes.ravel(self)

    def __round__(self: Any, decimals: int = 0) -> Variable:
        return elementwise.round(self, decimals)

    def __divmod__(self: Any, other: Any) -> tuple[Variable, Variable]:
        return elementwise.divmod(self, other)

    def __rdivmod__(self: Any, other: Any) -> tuple[Variable, Variable]:
        return elementwise.divmod(other, self)

    def set(self: Any, value: Any) -> Variable:
        """Return the array that was indexed, with this part of it replaced by `value`.

        Parameters
        ----------
        value : Variable or array-like
            Broadcast to the shape of the part.

        Returns
        -------
        Variable
            A new array; the indexed one stays as it is.

        Raises
        ------
        TypeError
            If this Variable was not made by indexing.

        Examples
        --------
        >>> import thunkvm as tv
        >>> x = tv.vector("x")
        >>> tv.function([x], x[1:].set(0.0))([1.0, 2.0, 3.0])
        array([1., 0., 0.])
        """
        return indexing.set_subtensor(self, value)

    def inc(self: Any, value: Any) -> Variable:
        """Return the array that was indexed, with `value` added to this part of it; see `set`.

        Examples
        --------
        >>> import thunkvm as tv
        >>> x = tv.vector("x")
        >>> tv.function([x], x[0].inc(10.0))([1.0, 2.0])
        array([11.,  2.])
        """
        return indexing.inc_subtensor(self, value)

    def eval(self: Any, inputs: Any = None, **named: Any) -> Any:
        """Compute the value of this Variable: make a function of it, and call that once.

        Parameters
        ----------
        inputs : dict, optional
            The values of what it depends on: by Variable, or by name.
        **named
            More of them, by name.

        Returns
        -------
        array, number or object

        Raises
        ------
        ValueError
            If it depends on no such Variable, on several of a name, or on one that has no value.

        Examples
        --------
        >>> import thunkvm as tv
        >>> x, y = tv.scalar("x"), tv.scalar("y")
        >>> float((x * y).eval({x: 2.0}, y=3.0)), float(tv.exp(0.0).eval())
        (6.0, 1.0)
        """
        from thunkvm._src.calls.evaluation import evaluate

        return evaluate(self, {**(inputs or {}), **named})

    def get_value(self: Any, borrow: bool = False) -> Any:
        """Return the value of a shared variable.

        Parameters
        ----------
        borrow : bool
            Return the array that the variable holds instead of a copy. It is read-only, unless it
            is an array that was lent with `borrow`.

        Returns
        -------
        array, number or object

        Raises
        ------
        TypeError
            If this is not a shared variable.

        Examples
        --------
        >>> import thunkvm as tv
        >>> tv.shared([1.0, 2.0]).get_value()
        array([1., 2.])
        """
        _require_shared(self, "get_value")
        return _core.get_value(self, borrow)

    def set_value(self: Any, value: Any, borrow: bool = False) -> None:
        """Change the value of a shared variable.

        Parameters
        ----------
        value : array-like, number or object
            The new value, of the variable's type.
        borrow : bool
            Keep the given array itself instead of a copy; it must not be written to later.

        Raises
        ------
        TypeError
            If this is not a shared variable, or the value does not fit its type.

        Examples
        --------
        >>> import thunkvm as tv
        >>> x = tv.shared(1.0)
        >>> x.set_value(2.0)
        >>> float(x.get_value())
        2.0
        """
        _require_shared(self, "set_value")
        _core.set_value(self, value, borrow)

    def __iter__(self: Any) -> Iterator[Variable]:
        """Iterate over the first axis; the first step says so where its length is not known.

        `iter` itself refuses nothing: SciPy asks whether a Variable can be iterated over, by
        numpy.iterable. It makes an ndarray of one that can, and is told then what to write.
        """
        if isinstance(self.type, TensorType) and self.ndim == 0:
            raise TypeError(f"cannot iterate over {self}: a scalar has no items; use it as it is.")
        length = self.type.shape[0] if isinstance(self.type, TensorType) and self.ndim else None
        if length is None:
            raise TypeError(
                f"cannot iterate over {self}: its length is not known before the "
                "function runs. Index it, use a reduction such as sum(), or give its type a known "
                "length, as in tv.tensor(shape=(3,))."
            )
        for i in range(length):
            yield self[i]


#: By name, the methods and properties that are written above.
METHODS: dict[str, Any] = {
    name: found
    for name, found in vars(Methods).items()
    if isinstance(found, (property, FunctionType))
}
for _name, _found in METHODS.items():
    if isinstance(_found, FunctionType):
        _found.__qualname__ = f"Variable.{_name}"
        METHODS[_name] = teaching(_found)
        setattr(Methods, _name, METHODS[_name])
for _name in exposed.METHODS_OF_OPS:
    setattr(Methods, _name, _make_method(getattr(exposed, _name)))

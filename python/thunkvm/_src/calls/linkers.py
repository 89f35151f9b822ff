"""Theano's linkers by their classes, as modes take them; each is the name of one of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Self


class Linker(str):
    """The name of a linker, made as Theano's and PyTensor's linkers are: by its class.

    Parameters
    ----------
    allow_gc : bool, optional
        Whether a mode with this linker releases intermediate values, as `Mode` has by `gc`; left
        out, the mode says.

    Raises
    ------
    TypeError
        If `allow_gc` is neither a bool nor None.

    Examples
    --------
    >>> import thunkvm as tv
    >>> x = tv.scalar("x")
    >>> f = tv.function([x], x * 2, mode=tv.Mode(linker=tv.LazyLinker()))
    >>> float(f(3.0)), tv.Mode(linker=tv.PerformLinker(allow_gc=False)).name
    (6.0, 'py_nogc')
    """

    __slots__ = ("allow_gc",)
    #: The name.
    linker = ""
    allow_gc: bool | None

    def __new__(cls, allow_gc: bool | None = None) -> Self:
        """Make the linker's name."""
        if allow_gc is not None and not isinstance(allow_gc, bool):
            raise TypeError(f"allow_gc is {allow_gc!r}; give True, False or None.")
        made = super().__new__(cls, cls.linker)
        made.allow_gc = allow_gc
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Return the arguments of `__new__` when a copy is made."""
        return (self.allow_gc,)


class LazyLinker(Linker):
    """The linker ``"cvm"``: the lazy VM, which the proposal of June 2010 calls so.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.Mode(linker=tv.LazyLinker()).name
    'cvm'
    """

    __slots__ = ()
    linker = "cvm"


class VMLinker(LazyLinker):
    """The linker ``"cvm"``, under the name that it has in Theano and PyTensor.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.Mode(linker=tv.VMLinker()).name
    'cvm'
    """

    __slots__ = ()


class CLinker(Linker):
    """The linker ``"c"``: C and native kernels alone.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.Mode(linker=tv.CLinker()).name
    'c'
    """

    __slots__ = ()
    linker = "c"


class OpWiseCLinker(Linker):
    """The linker ``"c|py"``: each node as a C function of its own, else by its `perform`.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.Mode(linker=tv.OpWiseCLinker()).name
    'c|py'
    """

    __slots__ = ()
    linker = "c|py"


class PerformLinker(Linker):
    """The linker ``"py"``: a `perform` for every node.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.Mode(linker=tv.PerformLinker()).name
    'py'
    """

    __slots__ = ()
    linker = "py"


__all__ = ["CLinker", "LazyLinker", "Linker", "OpWiseCLinker", "PerformLinker", "VMLinker"]

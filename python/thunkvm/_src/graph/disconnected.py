"""The Type of a gradient that there is none of."""

from __future__ import annotations

from typing import Any

from thunkvm._src.graph.keyed_type import KeyedType


class DisconnectedType(KeyedType):
    """Theano's way to say that there is no gradient: ``DisconnectedType()()`` in place of None.

    What `Op.grad` returns for an input may be a Variable of this Type. For outputs that the cost
    does not depend on, an Op with a ``connection_pattern`` gets such Variables. Other Ops get None.

    Examples
    --------
    >>> import thunkvm as tv
    >>> class Pick(tv.Op):
    ...     __props__ = ()
    ...     itypes, otypes = [tv.dvector, tv.lscalar], [tv.dscalar]
    ...     def perform(self, node, inputs, output_storage):
    ...         output_storage[0][0] = inputs[0][inputs[1]]
    ...     def grad(self, inputs, output_gradients):
    ...         x, i = inputs
    ...         return [tv.zeros_like(x)[i].inc(output_gradients[0]), tv.DisconnectedType()()]
    >>> x, i = tv.vector("x"), tv.lscalar("i")
    >>> tv.function([x, i], tv.grad(Pick()(x, i), x))([1.0, 2.0], 1)
    array([0., 1.])
    """

    #: What the core asks for.
    is_disconnected = True

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Refuse: there are no values."""
        raise TypeError("a DisconnectedType has no values: it stands for a gradient that is none.")


__all__ = ["DisconnectedType"]

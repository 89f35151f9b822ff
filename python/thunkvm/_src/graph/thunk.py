"""What an Op's `make_thunk` returns."""

from __future__ import annotations


class Thunk:
    """The result of `Op.make_thunk`: a callable that computes one node's outputs.

    The interface of the proposal of June 2010 for lazy evaluation in Theano.
    ``input_computed[i][0]`` is 1 once this thunk asked for input i, whose value is then
    ``input_registers[i][0]``; it sets ``output_registers[j][0]``, then
    ``output_computed[j][0] = 1``.

    Attributes
    ----------
    lazy : bool
        False: it is called once, with all inputs there, computes all outputs and returns None.
        True: it may return the list of the inputs that it still needs, and is then called again.

    Notes
    -----
    A lazy thunk may have a method ``raised(i, exception)``. It is called in place of the thunk
    where computing input i, which the thunk asked for, raised an Exception; it does and returns
    what the thunk may, or raises. Those asked for after i have not been computed. A thunk without
    the method lets the exception pass.

    Examples
    --------
    >>> import thunkvm as tv
    >>> class Pick(tv.Op):
    ...     __props__ = ()
    ...     def make_node(self, which, a, b):
    ...         which, a, b = map(tv.as_variable, (which, a, b))
    ...         return tv.Apply(self, [which, a, b], [a.type()])
    ...     def make_thunk(self, node, input_computed, output_computed, input_registers,
    ...                    output_registers):
    ...         class Run(tv.Thunk):
    ...             lazy = True
    ...             def __call__(self):
    ...                 if not input_computed[0][0]:
    ...                     return [0]
    ...                 i = 1 if input_registers[0][0] else 2
    ...                 if not input_computed[i][0]:
    ...                     return [i]
    ...                 output_registers[0][0] = input_registers[i][0]
    ...                 output_computed[0][0] = 1
    ...         return Run()
    >>> c, x = tv.scalar("c"), tv.scalar("x")
    >>> float(tv.function([c, x], Pick()(c, x, -x))(0.0, 3.0))
    -3.0
    """

    lazy: bool = False

    def __call__(self) -> list[int] | None:
        """Compute outputs, or ask for inputs.

        Returns
        -------
        list of int or None
            The inputs that are still needed; None or an empty list when it has finished.
        """
        raise NotImplementedError(f"{type(self).__name__} has no __call__.")


__all__ = ["Thunk"]

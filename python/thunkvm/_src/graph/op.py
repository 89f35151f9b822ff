"""Ops that users write in Python, their Types, and the thunks that they may return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thunkvm._core import Apply, Type, Variable
from thunkvm._src.graph.thunk import Thunk

__all__ = ["Apply", "Op", "PureOp", "Thunk", "Type"]


class Op:
    """An operation written in Python: subclass it.

    A subclass defines `make_node` and *one* of these:

    ``perform(self, node, inputs, output_storage)``
        Computes all outputs: ``output_storage[j][0] = value``. `inputs` is a list of NumPy arrays
        and scalars (or any objects, as the Types say). It must write to none that `destroy_map`
        does not name: they are the values themselves. Other nodes and the caller may hold
        them too, and a write would change their results without a word. Those of constants,
        defaults and shared variables are read-only.
    ``demand(self, node)``
        A generator, for a lazy Op: ``value = yield i`` demands input i, and what it returns is the
        output, or the tuple of outputs. An input that is never demanded is never computed. Where
        computing one raises an Exception, the ``yield`` raises it: the generator may catch it and
        go on with others. What failed stays failed for the call; asking again raises it again.
    ``make_thunk(self, node, input_computed, output_computed, input_registers, output_registers)``
        Returns a `Thunk`, which may be lazy. All four are lists of one-element lists; see `Thunk`.
        It may also take what Theano's does: ``make_thunk(self, node, storage_map, compute_map,
        no_recycling, impl=None)``. `Op.make_thunk` returns the thunk of the Op's other ways: it
        calls `prepare_node`, then `make_c_thunk` or `make_py_thunk`, which may be overridden.

    And where it applies:

    ``grad(self, inputs, output_gradients)``, or ``L_op(self, inputs, outputs, output_gradients)``
        Returns one gradient for each input, as Variables; None, or Theano's
        ``DisconnectedType()()``, where no output depends on it.
        An output that the cost does not depend on comes with zeros of its shape. It comes with None
        where the Op is lazy, and the shape could run it. Called once for all outputs whose
        gradients are there together; once more for one that has its gradient in another branch.
    ``R_op(self, inputs, eval_points)``, or ``pushforward(self, inputs, outputs, tangents)``
        Returns how each output changes where the inputs change along the tangents: a variable of
        its shape, or None where it does not. A None in them says that an input does not change.
        Without it `jvp` differentiates the gradient.
    ``infer_shape(self, node, input_shapes)``
        Returns the shapes of the outputs without computing them: for each a tuple with an entry
        for each axis. That is a 0-d integer, an int or a Variable; None where only computing the
        output tells. `input_shapes` has such tuples of the inputs, of 0-d Variables (None for an
        input that is no tensor). What asks for the length of an output then asks these, and demands
        nothing else. Without it an output is computed for its shape. One of three arguments is
        PyTensor's, whose first, `fgraph`, is None here.
    ``flops(self, inputs, outputs)``
        Returns how many floating-point operations a run does, for profiles: they divide it by the
        time. `inputs` and `outputs` are lists of shapes, such as ``[(2, 3), ()]``; None for what is
        no tensor. Called when a profile is read, not in calls. As Theano's.
    ``bytes_moved(self, node, inputs, outputs)``
        Returns how many bytes a run reads and writes, from the same shapes; `node` has the dtypes.
    ``batch(self, node, inputs, batched)``
        Returns the outputs of the same operation where the inputs marked in `batched` have one
        more leading axis; `jacobian` needs it.

    Attributes
    ----------
    __props__ : tuple of str
        Attributes that tell two Ops of one class apart; Ops that agree in them are equal.
    itypes, otypes : sequence of Type, optional
        The Types of all inputs and outputs, or what makes variables of them, such as `dvector`;
        they stand for a `make_node`.
    view_map : dict of int to list of int
        Which inputs an output may share memory with: ``{output: [input]}``.
    destroy_map : dict of int to list of int
        Which inputs `perform` overwrites to make an output. It then gets memory of its own: what
        it overwrites is nobody else's.
    implementation : {"py", "c", "c|py"}, optional
        Which of its ways this Op runs by, whatever the mode: those in Python, those in C, or C
        where it gives some. If left out, the mode says. ``super().__init__(implementation=)`` sets
        it.

    Raises
    ------
    ValueError
        If `implementation` is something else.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> class Scale(tv.Op):
    ...     __props__ = ("factor",)
    ...     def __init__(self, factor):
    ...         self.factor = factor
    ...     def make_node(self, x):
    ...         x = tv.as_variable(x)
    ...         return tv.Apply(self, [x], [x.type()])
    ...     def perform(self, node, inputs, output_storage):
    ...         output_storage[0][0] = inputs[0] * self.factor
    ...     def grad(self, inputs, output_gradients):
    ...         return [output_gradients[0] * self.factor]
    >>> x = tv.vector("x")
    >>> tv.function([x], Scale(2.0)(x))([1.0, 2.0])
    array([2., 4.])
    >>> Scale(2.0) == Scale(2.0), str(Scale(3.0))
    (True, 'Scale{factor=3.0}')

    A lazy one, which computes its second input only if the first is negative:

    >>> class Fallback(tv.Op):
    ...     __props__ = ()
    ...     def make_node(self, x, y):
    ...         x, y = tv.as_variable(x), tv.as_variable(y)
    ...         return tv.Apply(self, [x, y], [x.type()])
    ...     def demand(self, node):
    ...         x = yield 0
    ...         if x < 0:
    ...             x = yield 1
    ...         return x
    >>> a, b = tv.scalar("a"), tv.scalar("b")
    >>> float(tv.function([a, b], Fallback()(a, tv.exp(b)))(-1.0, 0.0))
    1.0
    """

    __props__: tuple[str, ...]
    itypes: Sequence[Any] | None = None
    otypes: Sequence[Any] | None = None
    view_map: dict[int, list[int]] = {}  # noqa: RUF012 (an instance may set its own)
    destroy_map: dict[int, list[int]] = {}  # noqa: RUF012
    implementation: str | None = None

    def __init__(self, *, implementation: str | None = None) -> None:
        if implementation is not None:
            if implementation not in ("py", "c", "c|py"):
                raise ValueError(
                    f"implementation is {implementation!r}; it has to be 'py', 'c', 'c|py' or None."
                )
            self.implementation = implementation

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Have nodes run by thunks where the class says how these are prepared or made."""
        super().__init_subclass__(**keywords)
        says = any(getattr(cls, name) is not getattr(Op, name) for name in HOOKS)
        if says and cls.make_thunk is Op.make_thunk and "make_thunk" not in vars(cls):
            from thunkvm._src.graph.default_thunk import make_prepared_thunk

            cls.make_thunk = make_prepared_thunk  # type: ignore[method-assign]

    def make_node(self, *inputs: Any, **attributes: Any) -> Apply:
        """Make the node that applies this Op: ``Apply(self, inputs, outputs)``.

        Parameters
        ----------
        *inputs, **attributes : Any
            What the user called the Op with; `as_variable` makes Variables of values.

        Returns
        -------
        Apply

        Raises
        ------
        TypeError
            If the class has `itypes` and `otypes`, and an input has another Type than they say.
        NotImplementedError
            If the subclass defines neither this nor them.
        """
        if self.itypes is not None and self.otypes is not None:
            return _typed_node(self, inputs)
        raise NotImplementedError(
            f"{type(self).__name__} has no make_node; define make_node(self, *inputs) and return "
            "tv.Apply(self, inputs, outputs), or give the class itypes and otypes."
        )

    def __call__(self, *inputs: Any, **attributes: Any) -> Any:
        """Apply the Op.

        Parameters
        ----------
        *inputs, **attributes : Any
            As `make_node` takes them.

        Returns
        -------
        Variable or list of Variable
            The output, or a list if there are several or none.

        Raises
        ------
        TypeError
            If `make_node` returns anything but an `Apply`.
        """
        node = self.make_node(*inputs, **attributes)
        if not isinstance(node, Apply):
            raise TypeError(
                f"{type(self).__name__}.make_node returned {node!r}; it has to return "
                "tv.Apply(self, inputs, outputs)."
            )
        outputs: list[Variable] = list(node.outputs)
        return outputs[0] if len(outputs) == 1 else outputs

    def make_thunk(
        self, node: Apply, *storage: Any, no_recycling: Any = None, impl: str | None = None
    ) -> Thunk:
        """Make the thunk of a node that runs the Op's `perform`, its `demand` or its C.

        It calls `prepare_node`, and then `make_c_thunk` or `make_py_thunk`, as Theano's does. A
        `make_thunk` that does more hands on what it gets, in the form of 2010 or in Theano's.

        Parameters
        ----------
        node : Apply
            A node of this Op.
        *storage
            ``input_computed, output_computed, input_registers, output_registers``; or
            ``storage_map, compute_map, no_recycling``.
        no_recycling
            Theano's; makes no difference.
        impl : {"py", "c", "c|py"}, optional
            Which of them; `implementation` if left out, else C where the Op has any.

        Returns
        -------
        Thunk

        Raises
        ------
        NotImplementedError
            If the Op has none of them.

        Examples
        --------
        >>> import thunkvm as tv
        >>> class Square(tv.Op):
        ...     __props__ = ()
        ...     itypes = otypes = [tv.dscalar]
        ...     def perform(self, node, inputs, output_storage):
        ...         output_storage[0][0] = inputs[0] ** 2
        ...     def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
        ...         print("a thunk of", node.op)
        ...         return super().make_thunk(node, storage_map, compute_map, no_recycling, impl)
        >>> x = tv.scalar("x")
        >>> float(tv.function([x], Square()(x))(3.0))
        a thunk of Square
        9.0
        """
        from thunkvm._src.graph.default_thunk import default_thunk

        if len(storage) == 4 and isinstance(storage[0], dict):  # Theano's, with impl
            *storage, impl = storage  # type: ignore[assignment]
        return default_thunk(self, node, *storage, impl=impl)

    def prepare_node(
        self,
        node: Apply,
        storage_map: dict[Variable, list[Any]] | None,
        compute_map: dict[Variable, list[Any]] | None,
        impl: str | None,
    ) -> None:
        """Do what has to be done before a node's thunk is made; Theano's. By itself nothing.

        Called for each node when a function is made. It is called again where one way to run fails
        and another is tried.

        Parameters
        ----------
        node : Apply
            A node of this Op.
        storage_map, compute_map : dict
            As Theano's `make_thunk` gets them; None in the mode ``c``.
        impl : {"py", "c"}
            How the node is to run.
        """

    def make_py_thunk(
        self,
        node: Apply,
        storage_map: dict[Variable, list[Any]],
        compute_map: dict[Variable, list[Any]] | None,
        no_recycling: Any = (),
        debug: bool = False,
    ) -> Thunk:
        """Make a thunk that runs the Op's `perform` or `demand`; see `make_thunk`.

        With `debug` it runs the Op's ``debug_perform`` where there is one.
        """
        from thunkvm._src.graph.default_thunk import python_thunk

        return python_thunk(self, node, storage_map, compute_map, debug)

    def make_c_thunk(
        self,
        node: Apply,
        storage_map: dict[Variable, list[Any]],
        compute_map: dict[Variable, list[Any]] | None,
        no_recycling: Any = (),
    ) -> Thunk:
        """Make a thunk that runs the Op's C; a NotImplementedError where a node has none."""
        from thunkvm._src.graph.default_thunk import c_thunk

        return c_thunk(self, node, storage_map, compute_map)

    def _properties(self) -> tuple[Any, ...] | None:
        names = getattr(self, "__props__", None)
        if names is None:
            return None
        try:
            return tuple(getattr(self, name) for name in names)
        except AttributeError as error:
            raise AttributeError(
                f"{error}: each of its __props__, {names!r}, has to be an attribute, set in "
                "__init__."
            ) from None

    def __eq__(self, other: object) -> bool:
        """Compare class and `__props__`; without `__props__`, identity."""
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        mine, others = self._properties(), other._properties()
        if mine is None or others is None or len(mine) != len(others):
            return False
        return all(_same(a, b) for a, b in zip(mine, others, strict=True))

    def __hash__(self) -> int:
        """Hash what `__eq__` compares."""
        mine = self._properties()
        return object.__hash__(self) if mine is None else hash((type(self), mine))

    def __str__(self) -> str:
        """Return the class's name with the `__props__`."""
        names = getattr(self, "__props__", None)
        if not names:
            return type(self).__name__
        values = zip(names, self._properties() or (), strict=True)
        inside = ", ".join(f"{name}={value!r}" for name, value in values)
        return f"{type(self).__name__}{{{inside}}}"


#: Theano's methods that `Op.make_thunk` calls.
HOOKS = ("prepare_node", "make_py_thunk", "make_c_thunk")
#: Theano's name of an Op that need not have a `perform` or C.
PureOp = Op


def _same(a: Any, b: Any) -> bool:
    """Compare two properties; Variables by identity, since `==` of them is symbolic."""
    if a is b:
        return True
    return not isinstance(a, Variable) and not isinstance(b, Variable) and bool(a == b)


def _typed_node(op: Op, inputs: tuple[Any, ...]) -> Apply:
    """Make a node of an Op that has `itypes` and `otypes`."""
    from thunkvm._src.graph.fitting import fitted
    from thunkvm._src.graph.functions_as_ops import types_of

    itypes, otypes = types_of(op.itypes, f"{op}.itypes"), types_of(op.otypes, f"{op}.otypes")
    if len(inputs) != len(itypes):
        raise TypeError(
            f"{op} takes {len(itypes)} inputs, as its itypes say, but got {len(inputs)}."
        )
    fitting = [
        fitted(value, type_, f"input {i} of {op}")
        for i, (value, type_) in enumerate(zip(inputs, itypes, strict=True))
    ]
    return Apply(op, fitting, [type_() for type_ in otypes])

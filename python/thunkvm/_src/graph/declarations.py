"""The builder of an Op's declaration: inputs, outputs and attributes by name, and its functions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from thunkvm._src.graph.prototypes import Attribute, Prototype, Slot

Checker = Callable[[Any], str | None]
Value = TypeVar("Value")
Work = TypeVar("Work", bound=Callable[..., Any])

#: How a prototype calls the types of attributes, and what one item is.
TYPES: dict[Any, tuple[str, type]] = {
    bool: ("bool", bool),
    int: ("int", int),
    float: ("float", float),
    str: ("str", str),
    list[bool]: ("list of bools", bool),
    list[int]: ("list of ints", int),
    list[float]: ("list of floats", float),
    list[str]: ("list of strings", str),
}
#: The rules that are bounds, by what holds between a value and its bound.
BOUNDS: dict[str, Callable[[Any, Any], bool]] = {
    "greater_than": operator.gt,
    "at_least": operator.ge,
    "at_most": operator.le,
}
_REQUIRED: Any = object()


class DeclaredAttribute(Generic[Value]):
    """An attribute of an Op that is being declared; each method returns it, for the next rule.

    Every rule holds for each item of a list.
    """

    def __init__(self, op: str, name: str, comment: str, kind: Any) -> None:
        self.op, self.name, self.comment = op, name, comment
        self.type, self.item = TYPES[kind]
        self._default: Any = _REQUIRED
        self._bounds: dict[str, float] = {}
        self._allowed: tuple[Any, ...] = ()
        self._checkers: list[Checker] = []

    def default(self, value: Value | None) -> DeclaredAttribute[Value]:
        """Set its value where it is left out; None stands for no value. Rules hold for it too."""
        self._default = value
        return self

    def greater_than(self, bound: float) -> DeclaredAttribute[Value]:
        """Refuse `bound` and all below it."""
        return self._set_bound("greater_than", bound)

    def at_least(self, bound: float) -> DeclaredAttribute[Value]:
        """Refuse all below `bound`."""
        return self._set_bound("at_least", bound)

    def at_most(self, bound: float) -> DeclaredAttribute[Value]:
        """Refuse all above `bound`."""
        return self._set_bound("at_most", bound)

    def in_enum(self, *allowed: Any) -> DeclaredAttribute[Value]:
        """Refuse all but these."""
        self._allowed = allowed
        return self

    def check(self, checker: Callable[[Value], str | None]) -> DeclaredAttribute[Value]:
        """Refuse values of which a function returns a message: the rule, and what to do."""
        if not callable(checker):
            raise TypeError(
                f"[{self.op}] the check of {self.name!r} is {checker!r}; give a function of the "
                "value that returns a message, or None where the value is right."
            )
        self._checkers.append(checker)
        return self

    @property
    def is_required(self) -> bool:
        """It has no default."""
        return self._default is _REQUIRED

    def check_value(self, value: Any) -> Any:
        """Return a value as the Op has it; a TypeError or ValueError if it is not one."""
        if value is None and not self.is_required and self._default is None:
            return None
        if self.type.startswith("list"):
            if not isinstance(value, (list, tuple)):
                raise TypeError(self._refusal(value, f"it has to be a {self.type}"))
            converted: Any = [self._item(item, value) for item in value]
        else:
            converted = self._item(value, value)
        for checker in self._checkers:
            message = checker(converted)
            if message is not None and not isinstance(message, str):
                raise TypeError(
                    f"[{self.op}] a check of {self.name!r} returned {message!r}; it has to return "
                    "a message, or None where the value is right."
                )
            if message is not None:
                raise ValueError(self._refusal(value, message))
        return converted

    def checked_default(self) -> Any:
        """Return the default; an error of the declaration if its own rules refuse it."""
        try:
            return self.check_value(self._default)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{error} This is its default; change it or the rule.") from None

    def prototype(self) -> Attribute:
        """Return its description for a front end."""
        default = None if self.is_required else self._default
        of = self._bounds.get
        return Attribute(
            self.name, self.type, self.comment, self.is_required, default,
            of("at_least"), of("at_most"), self._allowed, of("greater_than"),
        )  # fmt: skip

    def _set_bound(self, rule: str, bound: float) -> DeclaredAttribute[Value]:
        if self.item not in (int, float):
            raise TypeError(f"[{self.op}] {self.name!r} is a {self.type}, which has no {rule}().")
        self._bounds[rule] = bound
        return self

    def _item(self, item: Any, value: Any) -> Any:
        if hasattr(item, "item") and getattr(item, "ndim", None) == 0 and hasattr(item, "dtype"):
            item = item.item()  # a number of NumPy's
        if self.item is float and type(item) is int:
            item = float(item)
        if type(item) is not self.item:
            what = self.type if self.type.startswith("list") else self.item.__name__
            raise TypeError(self._refusal(value, f"it has to be a {what}"))
        for rule, bound in self._bounds.items():
            if not BOUNDS[rule](item, bound):
                words = rule.replace("_", " ")
                raise ValueError(self._refusal(value, f"it has to be {words} {bound:g}"))
        if self._allowed and item not in self._allowed:
            names = ", ".join(map(repr, self._allowed))
            raise ValueError(self._refusal(value, f"it has to be one of {names}"))
        return item

    def _refusal(self, value: Any, rule: str) -> str:
        given = f"{value!r}, a {type(value).__name__}" if value is not None else "None"
        return f"[{self.op}] {self.name} = {given}: {rule.rstrip('.')}."


@dataclass
class OpBuilder:
    """An Op that is being declared, as a function under `register_op` gets it.

    Attributes
    ----------
    name : str
        The Op's name in the registry.
    """

    name: str
    inputs: dict[str, Slot] = field(default_factory=dict)
    outputs: dict[str, Slot] = field(default_factory=dict)
    attributes: dict[str, DeclaredAttribute[Any]] = field(default_factory=dict)
    example: str = ""
    functions: dict[str, Callable[..., Any]] = field(default_factory=dict)

    def add_input(
        self,
        name: str,
        comment: str,
        *,
        duplicable: bool = False,
        no_gradient: bool = False,
        is_tensor: bool = True,
    ) -> None:
        """Declare the next input.

        Parameters
        ----------
        name, comment : str
            What it is called, and what it is.
        duplicable : bool
            It is a list of values. The last input alone may be.
        no_gradient : bool
            The outputs have no derivative by it; `grad` is not asked for one.
        is_tensor : bool
            It is a tensor; False: its values may be of any Type, such as that of `generic`.
        """
        self._name(name)
        for other in self.inputs.values():
            if other.duplicable:
                raise ValueError(
                    f"[{self.name}] the input {name!r} is behind {other.name!r}, which is "
                    "duplicable: it takes all values that remain. Declare it last."
                )
        self.inputs[name] = Slot(
            name, comment, duplicable, no_gradient=no_gradient, is_tensor=is_tensor
        )

    def add_output(
        self, name: str, comment: str, *, intermediate: bool = False, no_gradient: bool = False
    ) -> None:
        """Declare the next output.

        Parameters
        ----------
        name, comment : str
            What it is called, and what it is.
        intermediate : bool
            It is for `grad` alone: the Op's function does not return it.
        no_gradient : bool
            No gradient comes back through it.
        """
        self._name(name)
        self.outputs[name] = Slot(
            name, comment, False, intermediate=intermediate, no_gradient=no_gradient
        )

    def add_attribute(self, name: str, comment: str, type: type[Value]) -> DeclaredAttribute[Value]:
        """Declare an attribute, of a type; rules follow: ``.default(1.0).greater_than(0.0)``.

        Parameters
        ----------
        name, comment : str
            What it is called, and what it is.
        type : type
            bool, int, float, str, or a list of one of them, such as ``list[int]``.
        """
        self._name(name)
        if type not in TYPES:
            names = ", ".join(each.__name__ if each in (bool, int, float, str) else str(each)
                              for each in TYPES)  # fmt: skip
            raise TypeError(
                f"[{self.name}] the type of {name!r} is {type!r}; graph files hold {names}."
            )
        self.attributes[name] = DeclaredAttribute(self.name, name, comment, type)
        return self.attributes[name]

    def add_example(self, text: str) -> None:
        """Give an example, for the docstring."""
        self.example = text

    def perform(self, function: Work) -> Work:
        """Take the function that does the Op's work.

        It gets the arrays of the inputs and the attributes by name, and must not write to them. It
        returns the value of the output; of several outputs a tuple, or a dict by name.
        """
        return self._function("perform", function)

    def types(self, function: Work) -> Work:
        """Take the function that says the Types of the outputs.

        It gets the inputs, Variables, and the attributes by name. It returns a Type, or what makes
        variables of one, such as ``tv.dvector``; of several outputs a tuple, or a dict by name.
        Without it each output has the Type of the first input.
        """
        return self._function("types", function)

    def grad(self, function: Work) -> Work:
        """Take the gradient: ``grad(inputs, outputs, gradients, **attributes)``.

        The three are dicts of Variables by name. `gradients` has that of each output: zeros where
        the cost does not depend on it, None for an intermediate one. It returns a dict of the
        gradients by the inputs' names; one that is not there, or None, is disconnected.
        """
        return self._function("grad", function)

    def pushforward(self, function: Work) -> Work:
        """Take the forward rule: ``pushforward(inputs, outputs, tangents, **attributes)``.

        The three are dicts of Variables by name. `tangents` says how each input changes: None for
        one that does not, a list for a duplicable one. It returns how the output changes, of its
        shape, or None where it does not; of several outputs a dict by name, where one that is not
        there does not change, or a tuple. Without it `tv.jvp` differentiates the gradient.
        """
        return self._function("pushforward", function)

    def infer_shape(self, function: Work) -> Work:
        """Take the shape rule: ``infer_shape(inputs, shapes, **attributes)``.

        The two are dicts by the inputs' names, of Variables and of tuples of 0-d Variables. It
        returns a tuple of lengths, see `Op`; of several outputs a tuple of them or a dict by name.
        """
        return self._function("infer_shape", function)

    def batch(self, function: Work) -> Work:
        """Take the rule for a leading axis more: ``batch(inputs, batched, **attributes)``.

        The two are dicts by the inputs' names, of Variables and of bools. It returns the output;
        of several outputs a tuple or a dict by name. `jacobian` and `vmap` need it.
        """
        return self._function("batch", function)

    def prototype(self, comment: str) -> Prototype:
        """Return the declaration as front ends have it; an error if it is not whole."""
        if not self.outputs:
            raise ValueError(f"[{self.name}] it has no output; declare one with op.add_output.")
        if all(slot.intermediate for slot in self.outputs.values()):
            raise ValueError(
                f"[{self.name}] each of its outputs is intermediate, so its function returns "
                "nothing; declare one that is not."
            )
        if not self.inputs and "types" not in self.functions:
            raise ValueError(
                f"[{self.name}] it has no inputs, so the Types of its outputs are not known; give "
                "them with @op.types."
            )
        if "perform" not in self.functions:
            raise ValueError(
                f"[{self.name}] nothing does its work; give a function of arrays with @op.perform."
            )
        for attribute in self.attributes.values():
            if not attribute.is_required:
                attribute.checked_default()
        return Prototype(
            self.name, "registered", comment, tuple(self.inputs.values()),
            tuple(self.outputs.values()),
            tuple(each.prototype() for each in self.attributes.values()), self.example,
        )  # fmt: skip

    def _name(self, name: str) -> None:
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(
                f"[{self.name}] {name!r} is no name; inputs, outputs and attributes are keywords."
            )
        if name in self.inputs or name in self.attributes or name in self.outputs:
            raise ValueError(f"[{self.name}] {name!r} is declared twice; give it another name.")

    def _function(self, what: str, function: Work) -> Work:
        if not callable(function):
            raise TypeError(f"[{self.name}] {what} is {function!r}, which is no function.")
        if what in self.functions:
            raise ValueError(f"[{self.name}] it has two functions for {what}; give one.")
        self.functions[what] = function
        return function


__all__ = ["DeclaredAttribute", "OpBuilder"]

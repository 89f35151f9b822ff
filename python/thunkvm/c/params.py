"""Params: what an Op hands to its C code at run time, as one struct."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from thunkvm._core import TensorType
from thunkvm.c.enums import EnumType
from thunkvm.c.names import is_member
from thunkvm.c.params_values import Params, filter_attributes
from thunkvm.c.plain import PlainCType
from thunkvm.c.protocol import ask_method, every, one_text


class ParamsType(PlainCType):
    """The Type of an Op's params: in C a pointer to a struct with a member for each field.

    Parameters
    ----------
    **fields : Type
        A Type by name: `ScalarType`, `TensorType`, `EnumType`, `Generic` or any `CType`. The names
        are the struct's members, and the attributes of the Op that `get_params` reads.

    Raises
    ------
    TypeError
        For no field at all, a name that C refuses, and a Type without C.
    AttributeError
        For constants or aliases that two Types of constants both have.

    Examples
    --------
    >>> import thunkvm as tv
    >>> class Line(tv.COp):
    ...     __props__ = ("slope", "offset")
    ...     params_type = tv.ParamsType(
    ...         slope=tv.ScalarType("float64"), offset=tv.ScalarType("float64")
    ...     )
    ...     itypes = otypes = [tv.ScalarType("float64")]
    ...     def __init__(self, slope, offset):
    ...         self.slope, self.offset = slope, offset
    ...     def c_code(self, node, name, inputs, outputs, sub):
    ...         (x,), (y,), params = inputs, outputs, sub["params"]
    ...         return f"{y} = {params}->slope * {x} + {params}->offset;"
    >>> x = tv.ScalarType("float64")("x")
    >>> f = tv.function([x], [Line(2.0, 1.0)(x), Line(3.0, 0.0)(x)])
    >>> f(10.0)                                  # both nodes run one module
    [np.float64(21.0), np.float64(30.0)]
    """

    def __init__(self, **fields: Any) -> None:
        if not fields:
            raise TypeError("a ParamsType has to have at least one field.")
        for name, type_ in fields.items():
            if not is_member(name):
                raise TypeError(f"{name!r} cannot be the name of a member of a struct in C++.")
            if not hasattr(type_, "c_declare"):
                raise TypeError(f"the field {name!r} is {type_!r}; it has to be a Type that has C.")
        self.fields = tuple(sorted(fields))
        self.types = tuple(fields[name] for name in self.fields)
        self._check_constants()

    def _check_constants(self) -> None:
        constants: dict[str, str] = {}
        aliases: dict[str, str] = {}
        for name, type_ in zip(self.fields, self.types, strict=True):
            if not isinstance(type_, EnumType):
                continue
            for what, mine, known in (
                ("constant", type_.values, constants),
                ("alias", type_.aliases, aliases),
            ):
                for key in mine:
                    if key in known:
                        raise AttributeError(
                            f"the {what} {key!r} is in the Types of {known[key]!r} and {name!r}."
                        )
                    known[key] = name

    @property
    def length(self) -> int:
        """The number of fields."""
        return len(self.fields)

    @property
    def name(self) -> str:
        """The struct's name in C, which says what it holds."""
        described = "|".join(
            f"{name}:{type(type_).__module__}.{type(type_).__qualname__}:{type_}"
            for name, type_ in zip(self.fields, self.types, strict=True)
        )
        return f"params_{hashlib.sha256(described.encode()).hexdigest()[:16]}"

    @property
    def ctype(self) -> str:  # type: ignore[override]
        """The C type: a pointer to the struct."""
        return f"{self.name}*"

    def _key(self) -> tuple[Any, ...]:
        return self.fields, self.types

    def __str__(self) -> str:
        """Return the fields with their Types."""
        pairs = zip(self.fields, self.types, strict=True)
        return f"ParamsType({', '.join(f'{name}={type_}' for name, type_ in pairs)})"

    def __getattr__(self, name: str) -> Any:
        """Return the value of a constant of one of the Types."""
        for type_ in self.__dict__.get("types", ()):
            if isinstance(type_, EnumType) and name in type_:
                return type_[name]
        raise AttributeError(f"{type(self).__name__} has no {name!r}.")

    def has_type(self, type_: Any) -> bool:
        """Whether a field has this Type."""
        return type_ in self.types

    def type_of(self, field: str) -> Any:
        """Return the Type of a field."""
        return self.types[self.fields.index(field)]

    get_type = type_of

    def get_field(self, type_: Any) -> str:
        """Return the first field that has this Type; a ValueError if none has."""
        if type_ not in self.types:
            raise ValueError(f"no field of {self} has the Type {type_}.")
        return self.fields[self.types.index(type_)]

    get_enum = __getattr__

    def enum_from_alias(self, alias: str) -> Any:
        """Return the value of the constant with this alias, or else name; else `alias` itself."""
        for type_ in self.types:
            if isinstance(type_, EnumType) and (type_.has_alias(alias) or alias in type_):
                return type_.fromalias(alias)
        return alias

    def extended(self, **fields: Any) -> ParamsType:
        """Return a ParamsType that has these fields too."""
        return ParamsType(**{**dict(zip(self.fields, self.types, strict=True)), **fields})

    def get_params(self, *objects: Any, **values: Any) -> Params:
        """Make params of attributes of objects, the first that has one, and of keyword values.

        Parameters
        ----------
        *objects
            Where fields are looked for: an Op, a node.
        **values
            Values of fields; a constant may be given by its alias.

        Returns
        -------
        Params

        Raises
        ------
        TypeError
            If a field is nowhere, or a Type refuses its value.
        """
        return filter_attributes(self, self._gather_values(objects, values), False, None)

    def _gather_values(self, objects: tuple[Any, ...], values: dict[str, Any]) -> Params:
        found = dict(values)
        for name in self.fields:
            for giver in objects:
                if name not in found and hasattr(giver, name):
                    found[name] = getattr(giver, name)
            if name not in found and objects:
                raise TypeError(
                    f"the param {name!r} of {self} has no value: {objects[0]} has no attribute "
                    f"{name!r}. Set it, or define get_params."
                )
        return Params(self, **found)

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Return params of this Type, of params or of any object that has the attributes.

        Parameters
        ----------
        value
            The object; with `strict` it has to be params whose values are of their Types.
        strict, allow_downcast
            As the Types of the fields take them.

        Raises
        ------
        TypeError
            If a field is nowhere, or a Type refuses its value.
        """
        is_of_ours = isinstance(value, Params) and value.params_type == self
        if strict and not is_of_ours:
            raise TypeError(f"{value!r}, a {type(value).__name__}, is no Params of {self}.")
        given = value if is_of_ours else self._gather_values((value,), {})
        made = filter_attributes(self, given, strict, allow_downcast)
        return value if strict else made

    def values_eq(self, a: Params, b: Params) -> bool:
        """Whether all fields are equal, and of one dtype."""
        return self._compare_fields(a, b, TensorType.values_eq)

    def values_eq_approx(self, a: Params, b: Params) -> bool:
        """Whether all fields are nearly equal."""
        return self._compare_fields(a, b, TensorType.values_eq_approx)

    def _compare_fields(self, a: Params, b: Params, equal: Callable[[Any, Any], bool]) -> bool:
        if a.params_type != self or b.params_type != self:
            return False
        pairs = [(a[name], b[name]) for name in self.fields]
        return all(
            equal(x, y) if isinstance(x, (np.ndarray, np.generic, float)) else x == y
            for x, y in pairs
        )

    # ---- in C

    def _c_list(self, method: str, **kwargs: Any) -> list[str]:
        """Return the texts of the fields' Types, each once."""
        return every(self.types, method, **kwargs)

    def c_support_code(self, **kwargs: Any) -> list[str]:
        """Return the fields' support code, and the struct."""
        fail = "{ thunkvm_expect_exception(); return false; }"
        sub = {"fail": fail}
        declare = extract = read = init = clean_up = ""
        for name, type_ in zip(self.fields, self.types, strict=True):
            code = {
                method: one_text(type_, method, ask_method(type_, method, name, sub))
                for method in ("c_declare", "c_init", "c_extract", "c_cleanup")
            }
            declare += f"PyObject* py_{name};\n{code['c_declare']}\n"
            init += f"py_{name} = NULL;\n{code['c_init']}\n"
            extract += f"bool extract_{name}() {{\n{code['c_extract']}\nreturn true;\n}}\n"
            read += (
                f'py_{name} = PyObject_GetAttrString(object, "{name}");\n'
                f"if (py_{name} == NULL || !extract_{name}()) return false;\n"
            )
            clean_up += f"{{\n{code['c_cleanup']}\n}}\nPy_CLEAR(py_{name});\n"
        struct = (
            f"struct {self.name} {{\n{declare}{extract}"
            f"{self.name}() {{\n{init}}}\n~{self.name}() {{\n{clean_up}}}\n"
            f"bool extract(PyObject* object) {{\n{read}return true;\n}}\n}};"
        )
        return [*self._c_list("c_support_code", **kwargs), struct]

    def c_extract(
        self, name: str, sub: dict[str, str], check_input: bool = True, **kwargs: Any
    ) -> str:
        """Read all fields."""
        return (
            f"{name} = new (std::nothrow) {self.name};\n"
            f"if ({name} == NULL) {{\nPyErr_NoMemory();\n{sub['fail']}\n}}\n"
            f"if (!{name}->extract(py_{name})) {sub['fail']}"
        )

    def c_sync(self, name: str, sub: dict[str, str]) -> str:
        """Leave the object as it is: params are only read."""
        return ""

    def c_cleanup(self, name: str, sub: dict[str, str]) -> str:
        """Let all fields go."""
        return f"delete {name};\n{name} = NULL;"


__all__ = ["Params", "ParamsType"]

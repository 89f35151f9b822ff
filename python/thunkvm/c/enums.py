"""Types of constants that have names, in Python and in C."""

from __future__ import annotations

from typing import Any

from thunkvm._src.teaching.nearest import did_you_mean
from thunkvm.c.names import is_constant
from thunkvm.c.plain import NumberCType, put_object

#: C's integer and floating types by which a Python int or float is read.
_INTEGERS = frozenset(
    [
        "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int",
        "long", "unsigned long", "long long", "unsigned long long", "size_t", "ssize_t",
        "npy_bool", "npy_intp", "npy_uintp",
        *(f"npy_{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    ]
)  # fmt: skip
_FLOATS = frozenset(["float", "double", "npy_float32", "npy_float64"])


class EnumType(NumberCType):
    """Numbers that have names: the names are constants in C, and attributes of the Type.

    Parameters
    ----------
    ctype : str
        The C type of the values: ``"double"`` or any other of C's numbers.
    cname : str, optional
        What error messages call the Type in C.
    **constants : number or (str, number)
        Values by name, which has to be in capitals; with a pair the constant has an alias too.

    Raises
    ------
    AttributeError, TypeError
        For a name that is no constant's, and for a value that is no number. Also for an alias that
        is given twice or is a constant.

    Examples
    --------
    >>> import thunkvm as tv
    >>> e = tv.EnumType(ADD=("add", 1), SCALE=2.5)
    >>> e.ADD, e.SCALE, e.fromalias("add"), e.filter("add")
    (1, 2.5, 1, 1)
    """

    def __init__(
        self, *, ctype: str = "double", cname: str | None = None, **constants: Any
    ) -> None:
        values: dict[str, Any] = {}
        aliases: dict[str, str] = {}
        for name, value in constants.items():
            if isinstance(value, (tuple, list)):
                if len(value) != 2:
                    raise TypeError(
                        f"the constant {name} is {value!r}; it has to be a number or a pair of an "
                        "alias and a number."
                    )
                alias, value = value
                _add_alias(aliases, alias, name)
            values[name] = value
        self._set_up(ctype, cname, values, aliases)

    def _set_up(
        self, ctype: str, cname: str | None, values: dict[str, Any], aliases: dict[str, str]
    ) -> None:
        if ctype not in _INTEGERS | _FLOATS:
            raise TypeError(
                f"ctype is {ctype!r}; it has to be a type of C's numbers, such as 'int', 'double' "
                "or 'npy_int64'."
            )
        for name, value in values.items():
            if not is_constant(name):
                raise AttributeError(
                    f"{name!r} is no name of a constant: it has to be of capitals, digits and "
                    "underscores, and begin with a capital."
                )
            if not isinstance(value, (int, float)):
                raise TypeError(
                    f"the constant {name} is {value!r}; it has to be an int or a float."
                )
            if ctype in _INTEGERS and not isinstance(value, int):
                raise TypeError(f"the constant {name} is {value!r}, but its ctype is {ctype}.")
        for alias in aliases:
            if alias in values:
                raise TypeError(f"the alias {alias!r} is a constant's name.")
        self.ctype, self.values, self.aliases = ctype, dict(values), dict(aliases)
        self.cname = cname or f"enum of {', '.join(values)}"

    def __getattr__(self, name: str) -> Any:
        """Return the value of a constant."""
        values = self.__dict__.get("values", {})
        if name in values:
            return values[name]
        raise AttributeError(f"{type(self).__name__} has no {name!r}." + did_you_mean(name, values))

    def _key(self) -> tuple[Any, ...]:
        return self.ctype, tuple(self.values.items()), tuple(self.aliases.items())

    def __len__(self) -> int:
        """Return the number of constants."""
        return len(self.values)

    def __iter__(self) -> Any:
        """Iterate over the constants' names."""
        return iter(self.values)

    def __contains__(self, name: object) -> bool:
        """Whether it is a constant's name."""
        return name in self.values

    def __getitem__(self, name: str) -> Any:
        """Return the value of a constant."""
        return self.values[name]

    def __str__(self) -> str:
        """Return the constants with their values."""
        inside = ", ".join(f"{name}={value}" for name, value in self.values.items())
        return f"{type(self).__name__}<{self.ctype}>({inside})"

    def get_aliases(self) -> tuple[str, ...]:
        """Return all aliases, sorted."""
        return tuple(sorted(self.aliases))

    def has_alias(self, alias: object) -> bool:
        """Whether there is such an alias."""
        return alias in self.aliases

    def fromalias(self, alias: str) -> Any:
        """Return the value of the constant with this alias, or with this name.

        Raises
        ------
        KeyError
            If none has it.
        """
        name = self.aliases.get(alias, alias)
        if name not in self.values:
            known = [*self.get_aliases(), *self.values]
            raise KeyError(
                f"there is no alias {alias!r}; there are {', '.join(known)}."
                + did_you_mean(str(alias), known)
            )
        return self.values[name]

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Return the value of a constant, given by its alias or name too unless `strict`."""
        if not strict and isinstance(value, str) and (self.has_alias(value) or value in self):
            return self.fromalias(value)
        if not isinstance(value, (int, float)):
            value = getattr(value, "item", lambda: value)()
        if isinstance(value, (int, float)) and value in self.values.values():
            return value
        listed = ", ".join(f"{name} ({known})" for name, known in self.values.items())
        aliased = f", or by alias {', '.join(self.get_aliases())}" if self.aliases else ""
        raise TypeError(f"{value!r} is no constant of {self}: there are {listed}{aliased}.")

    def values_eq(self, a: Any, b: Any) -> bool:
        """Whether two values are equal."""
        return bool(a == b)

    def values_eq_approx(self, a: Any, b: Any) -> bool:
        """Whether two values are equal."""
        return self.values_eq(a, b)

    def c_literal(self, data: Any) -> str:
        """Return a value as C text."""
        return _number(self.filter(data))

    def c_support_code(self, **kwargs: Any) -> list[str]:
        """Return the constants, as macros."""
        lines = [
            f"#ifndef {name}\n#define {name} (({self.ctype}){_number(value)})\n#endif"
            for name, value in self.values.items()
        ]
        return ["\n".join(lines)] if lines else []

    def c_to_string(self, name: str = "thunkvm_constant_name") -> str:
        """Return a C function that returns a constant's name, or NULL."""
        tests = "".join(
            f'  if (value == {constant}) return "{constant}";\n' for constant in self.values
        )
        return f"static const char* {name}({self.ctype} value) {{\n{tests}  return NULL;\n}}\n"

    def c_extract(
        self, name: str, sub: dict[str, str], check_input: bool = True, **kwargs: Any
    ) -> str:
        """Read the Python number."""
        read = "PyFloat_AsDouble" if self.ctype in _FLOATS else "PyLong_AsLongLong"
        if self.ctype in ("unsigned long", "unsigned long long", "size_t", "npy_uint64"):
            read = "PyLong_AsUnsignedLongLong"
        return (
            f"{name} = ({self.ctype}){read}(py_{name});\n"
            f"if (PyErr_Occurred() != NULL) {sub['fail']}"
        )

    def c_sync(self, name: str, sub: dict[str, str]) -> str:
        """Make a Python number."""
        make = "PyFloat_FromDouble" if self.ctype in _FLOATS else "PyLong_FromLongLong"
        return put_object(name, f"{make}({name})", sub)

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Return the version of this text."""
        return (1, self.ctype, tuple(self.values.items()))


class EnumList(EnumType):
    """Constants that are numbered from 0 on.

    Parameters
    ----------
    *constants : str or (str, str)
        Names, each with an alias if it has one.
    ctype : str
        As `EnumType` takes it.
    cname : str, optional
        The same.

    Examples
    --------
    >>> import thunkvm as tv
    >>> e = tv.EnumList(("ADD", "+"), "SUB", ctype="int")
    >>> e.ADD, e.SUB, e.fromalias("+")
    (0, 1, 0)
    """

    def __init__(
        self,
        *constants: str | tuple[str, str],
        ctype: str = "int",
        cname: str | None = None,
    ) -> None:
        names, aliases = _list_names(constants)
        self._set_up(ctype, cname, {name: k for k, name in enumerate(names)}, aliases)


class CEnumType(EnumList):
    """Constants that C defines, in a header or support code: Python knows but their numbers here.

    Parameters
    ----------
    *constants : str or (str, str)
        Names that C knows, each with an alias if it has one.
    ctype : str
        The C type of the constants.
    cname : str, optional
        As `EnumType` takes it.

    Examples
    --------
    >>> import thunkvm as tv
    >>> e = tv.CEnumType(("RAND_MAX", "most"), "BUFSIZ", ctype="long")
    >>> e.RAND_MAX, e.BUFSIZ                # what they are in C is C's
    (0, 1)
    """

    def c_support_code(self, **kwargs: Any) -> list[str]:
        """Return nothing: C has the constants."""
        return []

    def c_extract(
        self, name: str, sub: dict[str, str], check_input: bool = True, **kwargs: Any
    ) -> str:
        """Find C's value by the number in the list."""
        cases = "".join(
            f"case {number}: {name} = {constant}; break;\n"
            for constant, number in self.values.items()
        )
        return (
            f"switch (PyLong_AsLong(py_{name})) {{\n{cases}default:\n"
            'PyErr_SetString(PyExc_ValueError, "this is no number of a constant.");\n'
            f"{sub['fail']}\n}}"
        )

    def c_sync(self, name: str, sub: dict[str, str]) -> str:
        """Find the number in the list by C's value."""
        tests = "".join(
            f"if ({name} == {constant}) number_{name} = {number};\n"
            for constant, number in reversed(self.values.items())
        )
        return (
            f"long number_{name} = -1;\n{tests}if (number_{name} < 0) {{\n"
            'PyErr_SetString(PyExc_ValueError, "the C code gave a value that is no constant.");\n'
            f"{sub['fail']}\n}}\n" + put_object(name, f"PyLong_FromLong(number_{name})", sub)
        )

    def c_literal(self, data: Any) -> str:
        """Return the constant's name."""
        number = self.filter(data)
        return next(name for name, known in self.values.items() if known == number)


def _number(value: Any) -> str:
    """Return a value as C text; a bool is a number there."""
    return repr(int(value) if isinstance(value, bool) else value)


def _list_names(constants: tuple[str | tuple[str, str], ...]) -> tuple[list[str], dict[str, str]]:
    names: list[str] = []
    aliases: dict[str, str] = {}
    for constant in constants:
        name, alias = (constant, None) if isinstance(constant, str) else constant
        if name in names:
            raise AttributeError(f"the constant {name} comes twice.")
        names.append(name)
        if alias is not None:
            _add_alias(aliases, alias, name)
    return names, aliases


def _add_alias(aliases: dict[str, str], alias: Any, constant: str) -> None:
    if not isinstance(alias, str) or not alias:
        raise TypeError(f"the alias of {constant} is {alias!r}; it has to be a str.")
    if alias in aliases:
        raise TypeError(f"the alias {alias!r} is that of {aliases[alias]} and of {constant}.")
    aliases[alias] = constant

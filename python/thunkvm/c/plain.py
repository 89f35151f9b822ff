"""Types whose variable in C is one plain value: a number or a pointer."""

from __future__ import annotations

from thunkvm._src.graph.keyed_type import KeyedType
from thunkvm.c.types import CType


class PlainCType(KeyedType, CType):
    """A Type whose variable is one plain value in C; a subclass says of which type.

    Attributes
    ----------
    ctype : str
        The C type of the variable.
    c_first : str
        Its value where there is no object.
    """

    ctype: str
    c_first: str = "NULL"

    def c_declare(self, name: str, sub: dict[str, str], check_input: bool = True) -> str:
        """Declare the variable."""
        return f"{self.ctype} {name};"

    def c_init(self, name: str, sub: dict[str, str]) -> str:
        """Begin with 0 or NULL."""
        return f"{name} = {self.c_first};"


class NumberCType(PlainCType):
    """A Type whose variable is a number."""

    c_first = "0"

    def c_element_type(self) -> str:
        """Return the C type."""
        return self.ctype

    def c_is_simple(self) -> bool:
        """Return True: it is a plain number."""
        return True


def put_object(name: str, made: str, sub: dict[str, str]) -> str:
    """Return the text that puts a new object in place of ``py_<name>``, or fails at NULL."""
    return (
        f"Py_XDECREF(py_{name});\npy_{name} = {made};\nif (py_{name} == NULL) {{ {sub['fail']} }}"
    )

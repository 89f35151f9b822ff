"""Files of profiles and decisions: written, and read whole and sound, or one error says why.

schemas.py checks the types of all fields, by the rows' classes; what rows
say of each other is checked by references.py.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints

from thunkvm._src.views.expression import cut_text
from thunkvm.profile.schemas import validator

#: How many characters of a wrong value are shown.
SHOWN = 60
Rows = TypeVar("Rows")


class ProfileFileError(ValueError):
    """A file is no profile, or no decisions, that can be read here.

    Examples
    --------
    >>> import tempfile
    >>> import thunkvm as tv
    >>> with tempfile.NamedTemporaryFile("w+", suffix=".json") as file:
    ...     try:
    ...         tv.profile.Profile.load(file.name)
    ...     except tv.profile.ProfileFileError as error:
    ...         print("it is not JSON" in str(error))
    True
    """

    __module__ = "thunkvm.profile"


@dataclass(frozen=True)
class Format(Generic[Rows]):
    """The format of a file."""

    what: str  #: what errors call its contents
    writer: str  #: what wrote it
    head: dict[str, str | int]  #: the fields that it begins with, and their values
    rows: type  #: the class of its contents
    faults: Callable[[Rows], Iterator[str]]  #: yields the faults of references among its rows

    def text(self, rows: Rows) -> str:
        """Return the text of a file; fields that have their default are left out."""
        return json.dumps(self.head | _encode_value(rows), allow_nan=False)

    def load(self, path: str | PathLike[str]) -> Rows:
        """Read a file.

        Raises
        ------
        ProfileFileError
            If it is something else, cut off, damaged, or of a version that is not known here.
        OSError
            If it cannot be read.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise ProfileFileError(f"{path} is no {self.what}: it is not text.") from None
        except ValueError as error:  # a NUL, half of a surrogate pair
            raise ProfileFileError(f"{str(path)!r} is the name of no file: {error}.") from None
        return self.parse(text, str(path))

    def parse(self, text: str, where: str) -> Rows:
        """Read a text; `where` is what errors call it."""
        try:
            found = json.loads(text, parse_constant=_NoNumber)
        except (ValueError, RecursionError) as error:
            begun = text.lstrip().startswith('{"format":')
            rule = "is cut off or damaged" if begun else "is not JSON"
            raise ProfileFileError(
                f"{where} is no {self.what} as {self.writer} writes it: it {rule} ({error})."
            ) from None
        content = dict(found) if isinstance(found, dict) else {}
        for key, value in self.head.items():
            if (is_there := content.pop(key, None)) != value:
                raise ProfileFileError(
                    f"{where} is no {self.what} that this thunkvm reads: its {key!r} has to be "
                    f"{value!r}, as {self.writer} writes it, and is {_show_value(is_there)}."
                )
        fault = _type_fault(self.rows, content)
        if fault is None:
            rows: Rows = _reader(self.rows)(content)
            fault = next(self.faults(rows), None)
        if fault is not None:
            raise ProfileFileError(f"{where} is a damaged {self.what}: {fault}.")
        return rows


def _encode_value(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: _encode_value(getattr(value, field.name))
            for field in fields(value)
            if field.default is MISSING or getattr(value, field.name) != field.default
        }
    return [_encode_value(item) for item in value] if isinstance(value, (tuple, list)) else value


def _type_fault(rows: type, content: dict[str, Any]) -> str | None:
    """Return the fault of a field's type, ``functions[0].nodes must be array, and is 3``."""
    from fastjsonschema import JsonSchemaValueException

    try:
        validator(rows)(content)
    except JsonSchemaValueException as error:
        where: str = error.message.removeprefix("data.")
        if where == error.message:  # all of it
            where = "it" + where.removeprefix("data")
        return f"{where}, and is {_show_value(error.value)}"
    return None


def _show_value(value: object) -> str:
    """Return a value in few characters, however large or deep it is."""
    return cut_text(reprlib.repr(value), SHOWN)


class _NoNumber:
    """NaN or Infinity, which JSON has not, and which no schema allows."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


@cache
def _reader(wanted: Any) -> Callable[[Any], Any]:
    """Return the function that makes a value of a type, such as a row, of JSON of its schema."""
    if isinstance(wanted, type) and is_dataclass(wanted):
        readers = {name: _reader(hint) for name, hint in get_type_hints(wanted).items()}
        return lambda row: wanted(**{name: readers[name](row[name]) for name in row})
    kinds = get_args(wanted) or (wanted,)
    if get_origin(wanted) is tuple:
        read_item = _reader(kinds[0])
        return lambda items: tuple(map(read_item, items))
    number = next((kind for kind in (float, int) if kind in kinds), None)
    if number is None:
        return lambda value: value
    read_number: Callable[[Any], Any] = number  # 1.0 is an integer in JSON
    if wanted is number:
        return read_number
    return lambda value: read_number(value) if isinstance(value, (int, float)) else value

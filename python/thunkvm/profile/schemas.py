"""The schemas of saved files, made of the rows' classes, and the functions that check them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

Schema = dict[str, Any]

TYPES = {int: "integer", float: "number", str: "string", bool: "boolean", NoneType: "null"}
#: Sums of two such numbers, and 10^9 times one, are finite; the length of a record is a Py_ssize_t.
LARGEST_FLOAT, LARGEST_INT = 1e30, 2**62
TEXT, FILE = "text without halves of surrogate pairs", "a file's name without NUL and such halves"
FORMATS = {TEXT: r"[^\ud800-\udfff]*\Z", FILE: r"[^\x00\ud800-\udfff]*\Z"}


def schema(cls: type) -> Schema:
    """Return the JSON schema of a row's class, with those of the rows in it as definitions."""
    definitions: dict[str, Schema] = {}
    return {**_row(cls, definitions), "definitions": definitions}


def _row(cls: type, definitions: dict[str, Schema]) -> Schema:
    hints = get_type_hints(cls)
    return {
        "type": "object",
        "required": [field.name for field in fields(cls) if field.default is MISSING],
        "properties": {name: _value(hint, name, definitions) for name, hint in hints.items()},
        "additionalProperties": False,
    }


def _value(hint: Any, name: str, definitions: dict[str, Schema]) -> Schema:
    """Return the schema of a field, whose name says whether it is a file's."""
    if is_dataclass(hint) and isinstance(hint, type):
        if hint.__name__ not in definitions:
            definitions[hint.__name__] = _row(hint, definitions)
        return {"$ref": f"#/definitions/{hint.__name__}"}
    kinds = get_args(hint) or (hint,)
    if get_origin(hint) is Literal:
        return {"enum": list(kinds)}
    if get_origin(hint) is tuple:
        length = {} if kinds[-1] is Ellipsis else {"minItems": len(kinds), "maxItems": len(kinds)}
        return {"type": "array", "items": _value(kinds[0], name, definitions), **length}
    found: Schema = {"type": [TYPES[kind] for kind in kinds]}
    if len(kinds) == 1:
        found["type"] = TYPES[hint]
    if int in kinds:
        found |= {"minimum": 0, "maximum": LARGEST_INT}
    if float in kinds:
        found |= {"minimum": -LARGEST_FLOAT, "maximum": LARGEST_FLOAT}
    if str in kinds:
        found["format"] = FILE if name == "file" else TEXT
    return found


@cache
def validator(cls: type) -> Callable[[Any], Any]:
    """Return the function that checks the fields of a saved row, made at the first use.

    It raises fastjsonschema's JsonSchemaValueException.
    """
    import fastjsonschema  # only those who load a file wait for it

    made: Callable[[Any], Any] = fastjsonschema.compile(schema(cls), formats=FORMATS)
    return made

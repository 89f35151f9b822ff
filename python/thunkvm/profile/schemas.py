"""The schemas of saved files, made of the rows' classes, and the code that checks them.

``python -m thunkvm.profile.schemas`` writes that code, valid_profile.py and valid_decisions.py, by
``fastjsonschema``, which nothing else needs. Run it after a field of a row was changed; a test
compares.
"""

from __future__ import annotations

import re
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from thunkvm._src.saving import save_text

Schema = dict[str, Any]

TYPES = {int: "integer", float: "number", str: "string", bool: "boolean", NoneType: "null"}
#: Sums of two such numbers, and 10^9 times one, are finite; the length of a record is a Py_ssize_t.
LARGEST_FLOAT, LARGEST_INT = 1e30, 2**62
TEXT, FILE = "text without halves of surrogate pairs", "a file's name without NUL and such halves"
FORMATS = {TEXT: r"[^\ud800-\udfff]*\Z", FILE: r"[^\x00\ud800-\udfff]*\Z"}

HEADER = '''\
"""Whether {what} are what their schema says: generated, do not edit.

``python -m thunkvm.profile.schemas`` writes this file, by fastjsonschema.
"""
# ruff: noqa
# fmt: off
# mypy: ignore-errors

'''


def schema(cls: type) -> Schema:
    """Return the JSON schema of a row's class, with those of the rows in it as definitions.

    Examples
    --------
    >>> from thunkvm.profile.rows import GroupRow
    >>> from thunkvm.profile.schemas import schema
    >>> schema(GroupRow)["properties"]["runs"]
    {'type': 'integer', 'minimum': 0, 'maximum': 4611686018427387904}
    """
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


def validator(cls: type, what: str) -> str:
    """Return the source of a module whose `validate` checks what a class is saved as."""
    import fastjsonschema

    source: str = fastjsonschema.compile_to_code(schema(cls), formats=FORMATS)
    source = re.sub(r"^VERSION = .*\n", "", source)
    source = source.replace(
        "from fastjsonschema import JsonSchemaValueException, JsonSchemaValuesException",
        "from thunkvm.profile.reading import SchemaError",
    )
    # What is not said by the message, the value and the rule would be most of the text.
    source = re.sub(
        r"JsonSchemaValueException\((.*), value=(\w+), name=.*, rule=('\w+')\)",
        r"SchemaError(\1, value=\2, rule=\3)",
        source,
    )
    return HEADER.format(what=what) + source.rstrip() + "\n"


def validators() -> dict[Path, str]:
    """Return the files of the package that are generated, and what they have to say."""
    from thunkvm.profile.decisions import SavedDecisions
    from thunkvm.profile.record import Profile

    package = Path(__file__).resolve().parent
    return {
        package / "valid_profile.py": validator(Profile, "saved profiles"),
        package / "valid_decisions.py": validator(SavedDecisions, "saved decisions"),
    }


if __name__ == "__main__":
    for path, text in validators().items():
        save_text(path, text)

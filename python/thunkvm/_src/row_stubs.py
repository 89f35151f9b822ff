"""The stub and the documentation of the core's rows, made from their declarations in C++."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from thunkvm import _core
from thunkvm._src.calls.mode import CHECKING, FEATURES, LINKERS, MODES, OPTIMIZERS
from thunkvm.profile import recorded
from thunkvm.profile.condition_rows import ConditionRow, RegionRow
from thunkvm.profile.rows import CallRow, Event, NodeRow

HEADER = '''"""The core's rows. Written by thunkvm._src.stubs; do not edit."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

'''
WIDTH = 100
#: The enums whose words rows have.
ENUMS = ("Decoding", "Form", "GroupKind", "BlockKind", "CallPart")
#: The lines of docs/profiling.md between which the table of the fields is.
BEGIN, END = "<!-- fields: written by thunkvm._src.stubs -->\n", "<!-- end of fields -->\n"
#: The rows of profiles that have fields of the core's.
SHARED = (NodeRow, ConditionRow, RegionRow, CallRow, Event)


def rows_stub() -> str:
    """Return the text of ``_rows.pyi``: the words of enums, and the classes of rows."""
    text = HEADER
    for name in ENUMS:
        listed = ", ".join(f'"{word}"' for word in getattr(_core, name).__members__)
        text += f"_{name} = Literal[{listed}]\n"
    text += "".join(laid_out_names(*each) for each in _names_of_modes().items())
    for name in _core.ROWS:
        text += f"\nclass {name}(NamedTuple):\n"
        text += "".join(
            f"    {field}: {_kind(kind)}\n" for field, kind, *_ in _declared_fields(name)
        )
    for name in recorded.SHARED:
        text += f"\n@dataclass(frozen=True, slots=True, kw_only=True)\nclass {name}:\n"
        text += "".join(map(_field, fields(getattr(recorded, name))))
    return text


def _names_of_modes() -> dict[str, list[str]]:
    """Return the types of modes, linkers, optimizers and features, for type checkers."""
    return {
        "ModeName": [*MODES, *CHECKING],
        "LinkerName": [*LINKERS],
        "OptimizerName": [name for name in OPTIMIZERS if name],
        "FeatureName": [*FEATURES],
    }


def laid_out_names(alias: str, names: Sequence[str]) -> str:
    r"""Return a type that is one of some words, a line if there is room.

    Examples
    --------
    >>> from thunkvm._src.row_stubs import laid_out_names
    >>> laid_out_names("Answer", ["yes", "no"])
    'Answer = Literal["yes", "no"]\n'
    """
    words = [f'"{name}"' for name in names]
    line = f"{alias} = Literal[{', '.join(words)}]\n"
    return (
        line if len(line) <= 101 else f"{alias} = Literal[\n    " + ",\n    ".join(words) + ",\n]\n"
    )


def _declared_fields(name: str) -> Any:
    return getattr(_core, name).declared


def _kind(kind: str) -> str:
    """Return a type in which an enum stands for its words, as ``_core.pyi`` has the enum."""
    return re.sub(rf"\b({'|'.join(ENUMS)})\b", r"_\1", kind)


def _field(field: Any) -> str:
    kind = field.type.__name__ if isinstance(field.type, type) else str(field.type)
    return f"    {field.name}: {_kind(kind)}" + ("\n" if field.default is MISSING else " = ...\n")


def with_fields(page: Path) -> str:
    """Return the text of a page with the table of the fields that profiles share with the core."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    table = "| row | field | unit | meaning |\n|---|---|---|---|\n"
    for row in SHARED:
        for field in fields(row):
            if "doc" in field.metadata:
                about = field.metadata
                table += (
                    f"| `{row.__name__}` | `{field.name}` | {about['unit']} | {about['doc']} |\n"
                )
    return before + BEGIN + "\n" + table + "\n" + END + after


__all__ = ["laid_out_names", "rows_stub", "with_fields"]

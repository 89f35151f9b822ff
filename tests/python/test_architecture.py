"""docs/architecture.md names each room, so that whoever reads it alone finds a thing's folder."""

from __future__ import annotations

import re
from pathlib import Path

from test_layers import ROOMS

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "thunkvm"
#: What comes before the table of the package's rooms.
BEFORE_PACKAGE = "The rooms of the package"


def first_cells(text: str) -> list[list[str]]:
    """The names in the first cell of each row of a page's tables."""
    rows = re.findall(r"^\| (.*?) \|", text, re.MULTILINE)
    return [re.findall(r"`([^`]+)`", row) for row in rows]


def rooms_of_layers(text: str) -> set[str]:
    """The rooms of a table; behind the first name of a row the others are in the same folder."""
    rows = [[name.rstrip("/") for name in row] for row in first_cells(text) if row]
    return {
        name if name == row[0] else f"{Path(row[0]).parent}/{name}" for row in rows for name in row
    }


def packages() -> set[str]:
    """The folders of the package, but for those that the row of the folder around them names."""
    folders = {path.parent for path in PACKAGE.rglob("__init__.py")} - {PACKAGE, PACKAGE / "_src"}
    return {
        str(folder.relative_to(PACKAGE)) for folder in folders if folder.parent.name != "arrays"
    }


def test_every_room_of_the_layers_has_a_row() -> None:
    of_layers = (ROOT / "docs" / "architecture.md").read_text().partition(BEFORE_PACKAGE)[0]
    assert set(ROOMS) - rooms_of_layers(of_layers) == set()


def test_every_room_of_the_package_has_a_row() -> None:
    of_package = (ROOT / "docs" / "architecture.md").read_text().partition(BEFORE_PACKAGE)[2]
    table = of_package.partition("\n## ")[0]
    assert packages() ^ {name for row in first_cells(table) for name in row} == set()


def test_a_row_of_several_rooms_names_each() -> None:
    assert rooms_of_layers("| `ops/shape`, `order` | words |") == {"ops/shape", "ops/order"}

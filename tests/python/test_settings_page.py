"""The pages of settings and errors name each setting, each variable that is read, each error."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import thunkvm as tv
from thunkvm._src.calls.config import SETTINGS

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("python/thunkvm", "python/bindings", "thunks", "vm", "linkers", "ops")


def rows(page: str, header: str) -> dict[str, str]:
    """Return a table of a page: by its first column, the second."""
    table = (ROOT / "docs" / page).read_text().partition(f"| {header} |")[2].partition("\n\n")[0]
    found = re.findall(r"^\| `([^`]+)` \| (.*?) \|", table, re.MULTILINE)
    return dict(found)


def test_the_table_of_settings_has_each_setting() -> None:
    assert sorted(rows("settings.md", "setting")) == sorted(SETTINGS)


def test_the_tables_have_each_variable_that_is_read() -> None:
    texts = (
        path.read_text()
        for folder in SOURCES
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".cpp", ".h"}
    )
    read = {name for text in texts for name in re.findall(r'"(THUNKVM_[A-Z_]+)"', text)}
    assert read == set(re.findall(r"`(THUNKVM_[A-Z_]+)`", (ROOT / "docs/settings.md").read_text()))


def test_the_table_of_errors_has_each_error_and_its_base() -> None:
    rooms = {"tv": tv, "tv.profile": tv.profile, "tv.testing": tv.testing}
    public = {
        f"{prefix}.{name}": getattr(room, name)
        for prefix, room in rooms.items()
        for name in room.__all__
    }
    errors = {
        name: value.__bases__[0]
        for name, value in public.items()
        if inspect.isclass(value) and issubclass(value, BaseException)
    }
    said = {
        name: base.strip("`").removeprefix("tv.")
        for name, base in rows("errors.md", "error").items()
    }
    assert said == {name: base.__name__ for name, base in errors.items()}

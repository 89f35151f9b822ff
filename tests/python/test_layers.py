"""The layers, read from the sources: includes point down, and every file is built."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# All tables go from the bottom to the top: a row may only name rows before it, so no cycle can be
# written down.

# What each folder may include. Arrows point down only.
MAY_INCLUDE = {
    "thunks": {"thunks"},
    "vm": {"thunks", "vm"},
    "ops": {"thunks", "ops"},
    "linkers": {"thunks", "vm", "ops", "linkers"},
    "python": {"thunks", "vm", "ops", "linkers", "python"},
}
# What each room of a layer may include of that layer's rooms, itself aside. Files on top of a layer
# are a room as well where its name has a row: that of linkers/ is above all of its rooms but
# the runner, a program.
ROOMS = {
    "vm": set(),
    "vm/verify": {"vm"},
    "ops/kernels": set(),
    "ops/graph": {"ops/kernels"},
    "ops/elementwise": {"ops/kernels", "ops/graph"},
    "ops/reduction": {"ops/kernels", "ops/graph"},
    "ops/shape": {"ops/kernels", "ops/graph", "ops/reduction"},
    "ops/indexing": {"ops/kernels", "ops/graph"},
    "ops/linalg": {"ops/kernels", "ops/graph"},
    "ops/order": {"ops/kernels", "ops/graph"},
    "ops/random": {"ops/kernels", "ops/graph"},
    "ops/control": {"ops/graph"},
    "ops/descriptions": {"ops/graph"},
    "ops/files": {"ops/graph", "ops/descriptions"},
    "ops/gradient": {"ops/graph", "ops/control"},
    "ops/rewrites": {"ops/graph"},
    "linkers/schedule": set(),
    "linkers/passes": {"linkers/schedule"},
    "linkers/compiler": set(),
    "linkers/user_code": {"linkers/compiler"},
    "linkers/codegen/runtime": set(),
    "linkers/codegen/plan": {"linkers/schedule", "linkers/passes", "linkers/codegen/runtime"},
    "linkers/codegen/emit": {
        "linkers/schedule",
        "linkers/codegen/runtime",
        "linkers/codegen/plan",
    },
    "linkers": {
        "linkers/schedule",
        "linkers/passes",
        "linkers/compiler",
        "linkers/user_code",
        "linkers/codegen/runtime",
        "linkers/codegen/plan",
        "linkers/codegen/emit",
    },
    "linkers/runner": {"linkers"},
    "python/bindings/python": set(),
    "python/bindings/arrays": {"python/bindings/python"},
    "python/bindings/compiling": {"python/bindings/python"},
    "python/bindings/graph": {"python/bindings/python", "python/bindings/arrays"},
    "python/bindings/thunks": {
        "python/bindings/python",
        "python/bindings/arrays",
        "python/bindings/compiling",
        "python/bindings/graph",
    },
    "python/bindings/call": {
        "python/bindings/python",
        "python/bindings/arrays",
        "python/bindings/graph",
        "python/bindings/thunks",
    },
}
# What each room of the Python package may import when it is imported itself; the core and the Ops
# (`thunkvm._core`, `thunkvm.ops`) all may.
PYTHON_ROOMS = {
    "_src/saving": set(),  # a file
    "_src/completion": set(),  # a file
    "_src/teaching": set(),
    "_src/graph": {"_src/teaching"},
    "_src/files": {"_src/saving", "_src/teaching", "_src/graph"},
    "_src/views": {"_src/saving", "_src/graph"},
    "_src/arrays": {"_src/teaching", "_src/graph"},
    "_src/control": {"_src/teaching", "_src/graph", "_src/arrays"},
    "_src/calls": {"_src/completion", "_src/teaching", "_src/graph", "_src/arrays"},
    "_src/derivatives": {"_src/teaching", "_src/graph", "_src/arrays", "_src/calls"},
    "c": {"_src/saving", "_src/teaching", "_src/graph", "_src/calls"},
    "checking": {"_src/teaching", "_src/graph", "_src/views", "_src/calls"},
    "profile": {"_src/saving", "_src/completion", "_src/teaching", "_src/views"},
}
CORE_LAYERS = ("thunks", "vm", "ops", "linkers")
PYTHON_HEADERS = ("Python.h", "pybind11/", "numpy/", "structmember.h", "datetime.h")
MAX_LINES = 400
# The folders of sources, tests among them.
WRITTEN = (*MAY_INCLUDE, "tests")

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def not_below(table: dict[str, set[str]]) -> Iterator[str]:
    """Name the arrows of a table that do not point to an earlier row."""
    below: set[str] = set()
    for room, seen in table.items():
        yield from (f"{room} -> {other}" for other in sorted(seen - below - {room}))
        below.add(room)


@pytest.mark.parametrize(
    "table", [MAY_INCLUDE, ROOMS, PYTHON_ROOMS], ids=["layers", "rooms", "package"]
)
def test_a_row_sees_only_rows_before_it(table: dict[str, set[str]]) -> None:
    assert list(not_below(table)) == []


def test_a_cycle_in_a_table_is_found() -> None:
    cycle = {"low": set(), "one": {"low", "other"}, "other": {"low", "one"}, "self": {"self"}}
    assert list(not_below(cycle)) == ["one -> other"]


def sources(layer: str) -> list[Path]:
    folder = ROOT / layer
    return sorted(p for p in folder.rglob("*") if p.suffix in {".h", ".cpp", ".c", ".inc"})


def includes(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield (where, quote or bracket, included name) for each include of a file."""
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if match := INCLUDE.match(line):
            yield f"{path.relative_to(ROOT)}:{number}", match[1], match[2]


def upward_arrows(layer: str) -> Iterator[str]:
    for path in sources(layer):
        for where, quote, name in includes(path):
            target = name.split("/")[0]
            if quote == '"' and "/" not in name:
                yield f"{where} includes {name!r}: write the path from the root of the repository"
            elif target in MAY_INCLUDE and target not in MAY_INCLUDE[layer]:
                allowed = ", ".join(sorted(MAY_INCLUDE[layer]))
                yield f"{where} includes {name!r}; {layer}/ may only see {allowed}"


@pytest.mark.parametrize("layer", MAY_INCLUDE)
def test_includes_point_down(layer: str) -> None:
    assert list(upward_arrows(layer)) == []


def arrows_out_of_the_room(room: str) -> Iterator[str]:
    layer = room.split("/")[0]
    allowed = ROOMS[room] | {room}
    if layer not in ROOMS:  # its files are below its rooms
        allowed.add(layer)
    for path in sources(room):
        if path.parent != ROOT / room:
            continue
        for where, quote, name in includes(path):
            target = name.rpartition("/")[0]
            if quote == '"' and target.split("/")[0] == layer and target not in allowed:
                yield f"{where} includes {name!r}"


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_include_only_the_rooms_below(room: str) -> None:
    assert list(arrows_out_of_the_room(room)) == []


def imports_out_of_the_room(room: str) -> Iterator[str]:
    allowed = tuple(f"thunkvm.{name.replace('/', '.')}" for name in PYTHON_ROOMS[room] | {room})
    place = ROOT / "python" / "thunkvm" / room
    for path in sorted(place.rglob("*.py")) or [place.with_suffix(".py")]:
        for node in ast.parse(path.read_text()).body:
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith(
                "thunkvm"
            ):
                continue
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                low = ("thunkvm._core.", "thunkvm.ops.", *(f"{room}." for room in allowed))
                if name.startswith("thunkvm") and not f"{name}.".startswith(low):
                    yield f"{path.relative_to(ROOT)}:{node.lineno} imports {name}"


@pytest.mark.parametrize("room", PYTHON_ROOMS)
def test_python_rooms_import_only_the_rooms_below(room: str) -> None:
    assert list(imports_out_of_the_room(room)) == []


@pytest.mark.parametrize("layer", MAY_INCLUDE)
def test_every_room_has_a_row(layer: str) -> None:
    rooms = {str(path.parent.relative_to(ROOT)) for path in sources(layer)}
    assert rooms - set(ROOMS) - {layer, "python/bindings"} == set()


@pytest.mark.parametrize(
    ("layer", "topmost"),
    [("ops", []), ("linkers/codegen", []), ("python/bindings", ["module.cpp"])],
)
def test_every_file_has_a_room(layer: str, topmost: list[str]) -> None:
    outside = [p.name for p in sources(layer) if p.parent == ROOT / layer]
    assert outside == topmost


@pytest.mark.parametrize("layer", CORE_LAYERS)
def test_the_core_includes_no_python(layer: str) -> None:
    found = [
        f"{where} includes {name!r}"
        for path in sources(layer)
        for where, _, name in includes(path)
        if name.startswith(PYTHON_HEADERS)
    ]
    assert found == []


def test_boost_graph_is_in_few_sources_and_no_header() -> None:
    """It compiles long, and what it does on the hot path of linking is done faster by hand."""
    users = {
        str(path.relative_to(ROOT))
        for layer in MAY_INCLUDE
        for path in sources(layer)
        if any(name.startswith("boost/graph") for _, _, name in includes(path))
    }
    assert users == {
        "ops/graph/drawing.cpp",
        "ops/graph/replacements.cpp",
        "vm/verify/body_graph.cpp",
    }


def unlisted(folder: Path, suffixes: set[str]) -> str:
    """Name the files of a folder that no meson.build in it names."""
    listed = {
        build.parent / name
        for build in folder.rglob("meson.build")
        for name in re.findall(r"'([^']+\.\w+)'", build.read_text())
    }
    present = {path for path in folder.rglob("*") if path.suffix in suffixes}
    return ", ".join(sorted(str(path.relative_to(ROOT)) for path in present - listed))


@pytest.mark.parametrize("layer", CORE_LAYERS)
def test_every_source_is_built(layer: str) -> None:
    assert not (names := unlisted(ROOT / layer, {".cpp"})), f"list in a meson.build: {names}"


def public_headers() -> set[str]:
    """What meson.build installs for C++ programs, from the root of the repository."""
    build = (ROOT / "meson.build").read_text()
    table = build.partition("public_headers = {")[2].partition("\n}")[0]
    folders = re.findall(r"'([\w/]+)': \[(.*?)\]", table, re.DOTALL)
    return {
        f"{folder}/{name}" for folder, names in folders for name in re.findall(r"'(.+)'", names)
    }


def test_public_headers_include_public_headers_alone() -> None:
    public = public_headers()
    assert "linkers/function.h" in public
    inside = [
        f"{where} includes {name!r}"
        for header in sorted(public)
        for where, quote, name in includes(ROOT / header)
        if quote == '"' and name not in public
    ]
    assert inside == []


def test_every_binding_is_built() -> None:
    assert not (names := unlisted(ROOT / "python" / "bindings", {".cpp"})), f"list: {names}"


def test_every_file_of_the_package_is_installed() -> None:
    package = ROOT / "python" / "thunkvm"
    suffixes = {".py", ".pyi", ".typed", ".js", ".css", ".html", ".txt", ".md", ".ini"}
    assert not (names := unlisted(package, suffixes)), f"list: {names}"


def test_every_cpp_test_is_built() -> None:
    assert not (names := unlisted(ROOT / "tests" / "cpp", {".cpp"})), f"list: {names}"


def long_files(folder: Path) -> Iterator[str]:
    """Name the sources of a folder that are longer than a noun should need."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in {".h", ".cpp", ".c", ".inc", ".py"}:
            continue
        lines = path.read_text().splitlines()
        if len(lines) > MAX_LINES:
            yield f"{path.relative_to(folder.parent)}: {len(lines)} lines"


@pytest.mark.parametrize("folder", WRITTEN)
def test_a_file_is_one_noun(folder: str) -> None:
    assert not (found := list(long_files(ROOT / folder))), f"longer than {MAX_LINES}: {found}"


def test_a_long_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "short.py").write_text("pass\n" * MAX_LINES)
    (tmp_path / "long.py").write_text("pass\n" * (MAX_LINES + 1))
    assert list(long_files(tmp_path)) == [f"{tmp_path.name}/long.py: 401 lines"]


# What asks for an Op by name outside of its family's file and its perform. Prototypes say instead
# what others have to know (`algebra`, `written`, `hint`, `numpy`).
ASKS_FOR_A_NAME = (
    re.compile(r'name\(\) *[!=]= *"'),
    re.compile(r"\bop\.name (==|!=|in|not in) "),
)


def test_no_layer_knows_an_op_by_its_name() -> None:
    files = [path for layer in MAY_INCLUDE for path in sources(layer)]
    files += [
        path
        for path in (ROOT / "python" / "thunkvm").rglob("*.py")
        if path.parent.name != "perform"  # a family's file too
    ]
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in files
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if any(asks.search(line) for asks in ASKS_FOR_A_NAME)
    ]
    assert found == []


#: A definition of a member outside of its class: "Status Requests::queue(Frame& frame, ...) {".
MEMBER = re.compile(r"^(?! )(?:\[\[.*?\]\] *)?(?:[\w:<>,&* ]+ [&*]?)?([A-Z]\w*)::(?:\w+::)*~?\w+\(")


def classes_in_several_files() -> Iterator[str]:
    """Name the classes whose members are defined in more than one file."""
    found: dict[str, set[str]] = {}
    for layer in MAY_INCLUDE:
        for path in sources(layer):
            for line in path.read_text().splitlines():
                if path.suffix == ".cpp" and not line.endswith(";") and (m := MEMBER.match(line)):
                    found.setdefault(m[1], set()).add(str(path.relative_to(ROOT)))
    yield from (f"{name}: {', '.join(sorted(f))}" for name, f in found.items() if len(f) > 1)


#: What an emitter could decode of a program, where its schedule says the same.
DECODES = re.compile(
    r"Opcode::\w+"
    r"|[\w()]+\.code\["
    r"|\.pc\b(?!\()"
    r"|\.retire(?:s|_first|_count)\b"
    r"|(?:\bplan_?\.program\(\)|\bprogram_?)\.(?:memos|branches|targets)\b"
)


def test_emission_reads_the_schedule_and_no_instructions() -> None:
    """An overlay's `Native` instruction is written there; structure is the schedule's to tell.

    For what code has to call a statement, its pc is asked for there and in one function more.
    """
    found = {
        f"{path.relative_to(ROOT)}: {what}"
        for path in (ROOT / "linkers" / "codegen").rglob("*.[hc]*")
        for what in DECODES.findall(path.read_text())
    }
    emit = "linkers/codegen/emit"
    assert found == {
        f"{emit}/emitter.cpp: Opcode::Native",
        f"{emit}/emitter.cpp: out_.code[",
        f"{emit}/emitter.cpp: .pc",
        f"{emit}/function_writer.h: .pc",
    }


def test_no_class_is_spread_over_files() -> None:
    assert list(classes_in_several_files()) == []


def test_an_arrow_that_points_up_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = tmp_path / "vm" / "frame.h"
    header.parent.mkdir()
    included = '#include "thunks/cell.h"\n#  include "ops/graph/op.h"\n#include "program.h"\n'
    header.write_text(included)
    monkeypatch.setitem(globals(), "ROOT", tmp_path)

    assert list(upward_arrows("vm")) == [
        "vm/frame.h:2 includes 'ops/graph/op.h'; vm/ may only see thunks, vm",
        "vm/frame.h:3 includes 'program.h': write the path from the root of the repository",
    ]

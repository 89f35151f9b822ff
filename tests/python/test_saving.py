"""Files that the package writes, on a disk that is full and where writing is broken off."""

from __future__ import annotations

import ast
import contextlib
import inspect
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import thunkvm as tv
from thunkvm._src.saving import save_text
from thunkvm.c import debugging
from thunkvm.profile import Profile

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "thunkvm"
ROOM = 64  # bytes


@contextlib.contextmanager
def full_disk() -> Iterator[None]:
    """Files cannot grow beyond `ROOM` bytes: the one that pytest's own output goes to neither."""
    before, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (before, hard))
        signal.signal(signal.SIGXFSZ, handler)


def recorded(write: str) -> Callable[[Path], None]:
    """A writer of what was recorded of a function."""

    def written(path: Path) -> None:
        x = tv.vector("x")
        f = tv.function([x], tv.ifelse(x.sum() > 0, tv.exp(x), x), name="f", mode="vm")
        with tv.profile("trace") as p, f.record() as r:
            f(np.ones(3))
        getattr(r if write == "Decisions.save" else p, write.rpartition(".")[2])(path)

    return written


#: All methods of a profile that are given a path, and what else writes a file that users name.
WRITERS = {
    name: recorded(name)
    for name, method in inspect.getmembers(Profile, inspect.isfunction)
    if "path" in inspect.signature(method).parameters
}
WRITERS["Decisions.save"] = recorded("Decisions.save")
WRITERS["tv.save"] = lambda path: tv.save(path, tv.exp(tv.scalar("x")))
WRITERS["save_text"] = lambda path: save_text(path, "x" * 2 * ROOM)
if shutil.which("dot") is None:
    del WRITERS["to_svg"]


def test_the_writers_of_a_profile_are_found() -> None:
    assert {"save", "to_json", "to_csv", "html", "to_dot", "to_chrome_trace"} <= set(WRITERS)
    assert "load" not in WRITERS


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_what_was_there(name: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"the old one\xff")
    with full_disk(), pytest.raises(OSError, match=r"File too large: '.*/file'"):
        WRITERS[name](file)
    assert file.read_bytes() == b"the old one\xff"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_no_file_where_none_was(name: str, tmp_path: Path) -> None:
    with full_disk(), pytest.raises(OSError, match="File too large"):
        WRITERS[name](tmp_path / "file")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("step", ["fsync", "chmod", "replace"])
@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), KeyboardInterrupt()])
def test_save_text_that_is_broken_off_leaves_what_was_there(
    step: str, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    file = tmp_path / "file"
    file.write_text("old")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(error)):
        save_text(file, "new")
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_save_text_writes_nothing_of_a_text_that_is_no_utf8(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(UnicodeEncodeError):
        save_text(tmp_path / "file", "new \ud800")
    assert (tmp_path / "file").read_text() == "old"


def test_the_source_for_a_debugger_is_whole_or_what_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debugging, "_directory", lambda: str(tmp_path))
    with full_disk(), pytest.raises(OSError, match="File too large"):
        debugging.keep_source("int x;\n" * 2 * ROOM)
    assert os.listdir(tmp_path) == []


def test_save_text_keeps_the_rights_and_the_link_of_a_file(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    save_text(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o640


def test_save_text_gives_a_new_file_the_rights_of_any_other(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        save_text(tmp_path / "file", "new")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


def test_save_text_names_the_file_whose_folder_there_is_not(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none/profile"):
        save_text(tmp_path / "none" / "profile", "text")


PRINTS = """
from thunkvm._src.saving import save_text
print("before", flush=True)
save_text("/dev/stdout", "saved\\n")
print("after", flush=True)
"""


@pytest.mark.parametrize("stdout", ["pipe", "file"])
def test_save_text_writes_to_a_stream_between_what_is_printed(stdout: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", PRINTS]
    if stdout == "pipe":
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    else:
        with open(tmp_path / "out", "a") as file:
            subprocess.run(command, check=True, stdout=file)
        printed = (tmp_path / "out").read_text()
    assert printed == "before\nsaved\nafter\n"


#: Calls that make or change a file.
WRITES = {
    "write_text", "write_bytes", "mkstemp", "NamedTemporaryFile", "fdopen", "copyfile", "tofile",
    "savetxt", "savez",
}  # fmt: skip
RENAMES = {"os.replace", "os.rename", "os.open"}


def file_writes(path: Path) -> Iterator[str]:
    """Name the calls in a source that write a file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        method = name.rpartition(".")[2]
        opened = method == "open" and writes(node)
        discarded = any(ast.unparse(a) == "os.devnull" for a in node.args)
        if (method in WRITES or name in RENAMES or opened) and not discarded:
            yield f"{path.name}:{node.lineno}: {name}"


def writes(call: ast.Call) -> bool:
    """Return whether a call of `open` has a mode that is not for reading alone."""
    given = [*call.args, *(k.value for k in call.keywords if k.arg == "mode")]
    texts = [a.value for a in given if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    return any(set(text) & set("wax+") and set(text) <= set("rwaxbt+") for text in texts)


def test_every_file_is_written_by_save_text() -> None:
    sources = [path for path in PACKAGE.rglob("*.py") if path.name != "saving.py"]
    assert [found for path in sources for found in file_writes(path)] == []


def test_a_file_that_is_written_otherwise_is_found(tmp_path: Path) -> None:
    source = tmp_path / "page.py"
    source.write_text(
        'open(p, "w").write(t)\nPath(p).open(mode="xb")\nPath(p).write_text(t)\n'
        "os.open(p, os.O_WRONLY)\nos.open(os.devnull, os.O_WRONLY)\n"
    )
    assert sorted(file_writes(source)) == [
        "page.py:1: open",
        "page.py:2: Path(p).open",
        "page.py:3: Path(p).write_text",
        "page.py:4: os.open",
    ]

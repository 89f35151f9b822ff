"""Files that profiles and decisions are saved as, on a disk that is full."""

import contextlib
import os
import resource
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.profile.saving import save_text

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


@pytest.fixture(scope="module")
def profile() -> Any:
    x = tv.vector("x")
    f = tv.function([x], tv.ifelse(x.sum() > 0, tv.exp(x), x), name="f")
    with tv.profile("trace") as p:
        f(np.ones(3))
    return p


@pytest.mark.parametrize(
    "name", ["save", "to_json", "to_csv", "html", "to_chrome_trace", "to_speedscope"]
)
def test_a_full_disk_leaves_what_was_there(profile: Any, name: str, tmp_path: Path) -> None:
    file = tmp_path / "profile"
    file.write_text("the old one")
    write: Callable[[Path], Any] = getattr(profile, name)
    with full_disk(), pytest.raises(OSError, match="File too large"):
        write(file)
    assert file.read_text() == "the old one"
    assert os.listdir(tmp_path) == ["profile"]


def test_save_text_keeps_the_rights_and_the_link_of_a_file(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    save_text(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o640


def test_save_text_names_the_file_whose_folder_there_is_not(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none/profile"):
        save_text(tmp_path / "none" / "profile", "text")

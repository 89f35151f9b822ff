"""The command ``python -m thunkvm``, and what `help` and tab completion show of the package."""

from __future__ import annotations

import os
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest

import thunkvm as tv
from thunkvm import _core
from thunkvm.__main__ import main
from thunkvm._src import doctor
from thunkvm._src.calls.mode import LINKERS
from thunkvm._src.graph import kinds

SCREEN = 24


def advice() -> dict[str, str]:
    """Return what doctor says to do, by part of the machine."""
    return {row.part: row.advice for row in doctor.findings() if row.advice}


def found() -> dict[str, str]:
    """Return what doctor found, by part of the machine."""
    return {row.part: row.found for row in doctor.findings()}


def test_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"thunkvm {tv.__version__}\n"


def test_a_command_ends_without_an_error_where_nobody_reads_on() -> None:
    read, write = os.pipe()
    os.close(read)
    ended = subprocess.run(
        [sys.executable, "-m", "thunkvm", "ops"], stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_no_argument_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    listed = capsys.readouterr().out
    for command in ("cache", "profile", "doctor", "thunkvm.demo"):
        assert command in listed


def test_doctor_names_each_part_and_runs_each_mode() -> None:
    parts = found()
    assert list(parts)[:2] == ["versions", "package"]
    assert {"C compiler", "C++ compiler", "BLAS", "cache", "processor"} <= parts.keys()
    assert {part for part in parts if part.startswith("mode ")} == {f"mode {m}" for m in LINKERS}
    assert parts["mode vm"] == "works"


def test_doctor_says_how_to_get_a_compiler() -> None:
    with tv.config.change(cc="no-such-cc", cxx="no-such-cxx"):
        told, parts = advice(), found()
    assert "apt install g++" in told["C compiler"]
    assert "'no-such-cxx' was not found" in told["C++ compiler"]
    assert parts["mode c"] == "needs a compiler"
    assert parts["mode cvm"] == "works"


@pytest.mark.parametrize(
    ("core", "flags", "wanted"),
    [
        ("Prescott", "sse2 avx2 fma avx512f", "OPENBLAS_CORETYPE=SkylakeX"),
        ("Prescott", "sse2 avx2 fma", "OPENBLAS_CORETYPE=Haswell"),
        ("Prescott", "sse2", ""),
        ("Haswell", "sse2 avx2 fma", ""),
    ],
)
def test_doctor_says_where_openblas_does_not_know_the_processor(
    core: str, flags: str, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor.blas, "describe", lambda: f"OpenBLAS 0.3 {core} MAX_THREADS=64")
    monkeypatch.setattr(doctor, "processor_rows", lambda: {"flags": flags})
    (row,) = doctor.libraries()
    assert wanted in row.advice
    assert bool(row.advice) == bool(wanted)


def test_doctor_says_what_to_do_without_a_cache() -> None:
    with tv.config.change(cache_dir=""):
        assert "THUNKVM_CACHE" in advice()["cache"]


def test_doctor_refuses_a_cache_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with tv.config.change(cache_dir=tmp_path / "file"):
        assert "THUNKVM_CACHE" in advice()["cache"]


def test_doctor_makes_no_cache(tmp_path: Path) -> None:
    with tv.config.change(cache_dir=tmp_path / "new" / "cache"):
        assert next(iter(doctor.cache())).found.startswith(str(tmp_path / "new" / "cache"))
    assert list(tmp_path.iterdir()) == []


def test_doctor_reports_a_mode_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError("no kernel\nof exp")

    monkeypatch.setattr(_core, "link", fail)
    (row, *_) = [row for row in doctor.modes() if row.part == "mode vm"]
    assert row == ("mode vm", "fails: no kernel", "Use another mode than 'vm'.")


def test_doctor_ends_with_its_advice(capsys: pytest.CaptureFixture[str]) -> None:
    with tv.config.change(cxx="no-such-cxx"):
        assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert out.partition("What to do:\n")[2].startswith("  C++ compiler: the C++ compiler")


def test_help_of_the_package_fits_three_screens() -> None:
    text = pydoc.render_doc(tv, renderer=pydoc.plaintext)
    assert len(text.splitlines()) <= 3 * SCREEN
    assert max(map(len, text.partition("PACKAGE")[0].splitlines())) <= 100


def test_help_names_only_names_that_there_are() -> None:
    table = (tv.__doc__ or "").partition("have the rest:\n\n")[2].partition("\n\n")[0]
    for line in table.splitlines():
        names = line[13:].replace("NumPy's functions under NumPy's names: ", "").replace(";", ",")
        for name in names.split(", "):
            if name.isidentifier():
                assert name in tv.__all__, name


def test_tab_completion_has_no_letters_before_kinds() -> None:
    assert "dvector" in tv.__all__
    assert {"vector", "vectors", "exp", "ifelse", "testing"} <= {*dir(tv)}
    assert not {*dir(tv)} & {"dvector", "bmatrices", *kinds.WITH_LETTERS}
    assert not {name for name in dir(tv) if name.startswith("_") and not name.startswith("__")}
    assert tv.dvector("x").type == tv.vector("x").type


def test_ops_lists_the_built_in_ops(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops"]) == 0
    assert "concatenate" in capsys.readouterr().out


def test_ops_describes_one_op(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "concatenate"]) == 0
    page = capsys.readouterr().out
    assert "parts (duplicable): tensors of one ndim" in page
    assert "axis (int, default 0): the axis" in page


def test_ops_names_the_nearest_op(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "concatt"]) == 1
    assert "no Op called 'concatt'. Did you mean 'concatenate'?" in capsys.readouterr().err

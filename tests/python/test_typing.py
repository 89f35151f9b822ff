"""Type checkers, over programs of users, the examples of the documentation and its programs."""

from __future__ import annotations

import doctest
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).with_name("typed_programs.py")
#: Events of SciPy's are functions with attributes, which no checker allows.
UNTYPED = {"docs/ode.md", "docs/gallery/bouncing_ball.py"}
#: What draws, which need not be there.
PLOTS = "matplotlib"
MYPY, PYRIGHT = shutil.which("mypy"), shutil.which("pyright")

needs_mypy = pytest.mark.skipif(MYPY is None, reason="mypy is not installed")
needs_pyright = pytest.mark.skipif(PYRIGHT is None, reason="pyright is not installed")


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the examples of each page, those that raise left out, and with the programs."""
    folder = tmp_path_factory.mktemp("examples")
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        name = str(page.relative_to(ROOT))
        found = doctest.DocTestParser().get_examples(page.read_text())
        lines = [e.source for e in found if e.exc_msg is None and doctest.SKIP not in e.options]
        if lines and name not in UNTYPED:
            module = name.removesuffix(".md").replace("/", "_").replace("-", "_")
            (folder / f"{module}.py").write_text("import thunkvm as tv\n" + "".join(lines))
    for program in [*(ROOT / "docs/gallery").glob("*.py"), ROOT / "docs/tutorials/tank.py"]:
        if str(program.relative_to(ROOT)) not in UNTYPED:
            (folder / program.name).write_text(program.read_text())
    return folder


def mypy(paths: list[Path], folder: Path, *options: str) -> list[str]:
    """Return what mypy complains of."""
    ran = subprocess.run(
        [
            str(MYPY), "--config-file=", "--check-untyped-defs", "--no-error-summary",
            "--follow-imports=silent", "--python-version=3.11",
            f"--python-executable={sys.executable}", f"--cache-dir={folder.parent / 'mypy'}",
            *options, *map(str, paths),
        ],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"MYPYPATH": str(ROOT / "python"), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert ran.stderr == ""
    lines = ran.stdout.splitlines()
    return [line for line in lines if "note:" not in line and PLOTS not in line]


def pyright(paths: list[Path], folder: Path, **settings: bool) -> list[str]:
    """Return what pyright complains of."""
    wanted = {
        "include": [os.path.relpath(path, folder) for path in paths],  # it ignores absolute ones
        "extraPaths": [str(ROOT / "python")],
        "pythonVersion": "3.11",
        "reportUnusedExpression": False,
        **settings,
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(wanted))
    ran = subprocess.run(
        [str(PYRIGHT), "--outputjson", f"--pythonpath={sys.executable}", "-p", str(folder)],
        capture_output=True,
        text=True,
    )
    report = json.loads(ran.stdout)
    assert report["summary"]["filesAnalyzed"] == len(paths)
    told = report["generalDiagnostics"]
    return [
        f"{each['file']}:{each['range']['start']['line'] + 1}: {each['message']}"
        for each in told
        if each["severity"] == "error" and PLOTS not in each["message"]
    ]


@needs_mypy
def test_mypy_knows_the_types_of_programs(tmp_path: Path) -> None:
    assert mypy([PROGRAMS], tmp_path, "--strict", "--allow-untyped-calls") == []


@needs_pyright
def test_pyright_knows_the_types_of_programs(tmp_path: Path) -> None:
    strict = {"reportUnnecessaryTypeIgnoreComment": True, "reportUnnecessaryComparison": True}
    assert pyright([PROGRAMS], tmp_path, **strict) == []


@needs_mypy
def test_mypy_accepts_the_examples(examples: Path, tmp_path: Path) -> None:
    # An example shows a value that is there, or it would show an error.
    told = mypy(sorted(examples.glob("*.py")), tmp_path, "--no-strict-optional")
    assert told == []


@needs_pyright
def test_pyright_accepts_the_examples(examples: Path, tmp_path: Path) -> None:
    pages = sorted(examples.glob("*.py"))
    # An example shows a value that is there, as for mypy.
    kinds = ("OptionalMemberAccess", "OptionalOperand", "PossiblyUnboundVariable")
    assert pyright(pages, tmp_path, **{f"report{kind}": False for kind in kinds}) == []

"""The library in a C++ program: docs/embedding.md, compiled against what meson installs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from thunkvm import _core

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(_core.__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "embedding.md").read_text()


def blocks(language: str) -> list[str]:
    """The fenced blocks of the page in this language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def output_of(command: list[str], **environment: str) -> str:
    """What a command prints; its errors fail the test."""
    run = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def meson(*arguments: str) -> str:
    return output_of([str(Path(sys.executable).with_name("meson")), *arguments])


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library, installed from the build that the tests run in."""
    directory = tmp_path_factory.mktemp("installed")
    arguments = ("-C", str(BUILD), "--no-rebuild", "--tags", "devel", "--destdir", str(directory))
    meson("install", *arguments)
    return directory


@pytest.fixture(scope="module")
def options() -> dict[str, Any]:
    """What meson was told of the build."""
    listed = json.loads(meson("introspect", str(BUILD), "--buildoptions"))
    return {option["name"]: option["value"] for option in listed}


@pytest.fixture(scope="module")
def program(installed: Path, options: dict[str, Any]) -> Path:
    """The program of the page."""
    prefix = f"{installed}{options['prefix']}"
    library = f"{prefix}/{options['libdir']}"
    flags = output_of(
        ["pkg-config", f"--define-variable=prefix={prefix}", "--cflags", "--libs", "thunkvm"],
        PKG_CONFIG_PATH=f"{library}/pkgconfig",
    ).split()
    sanitizers = options["b_sanitize"]  # a list, of older mesons a text
    for sanitizer in sanitizers.split(",") if isinstance(sanitizers, str) else sanitizers:
        if sanitizer != "none":
            flags.append(f"-fsanitize={sanitizer}")
    source, program = installed / "program.cpp", installed / "program"
    source.write_text("".join(blocks("cpp")))
    compiler = os.environ.get("CXX", "g++").split()
    flags += [f"-Wl,-rpath,{library}", "-Wall", "-Wextra", "-Werror"]
    output_of([*compiler, "-std=c++20", str(source), *flags, "-o", str(program)])
    return program


def test_the_program_of_the_page_prints_what_the_page_says(program: Path, tmp_path: Path) -> None:
    printed = output_of([str(program)], THUNKVM_CACHE=str(tmp_path))
    assert printed == "".join(blocks("text"))


def test_there_is_no_python_in_its_process(program: Path) -> None:
    libraries = output_of(["ldd", str(program)])
    assert "libthunkvm.so" in libraries
    assert "python" not in libraries


def test_the_runner_of_graph_files_is_installed_with_the_library(
    installed: Path, options: dict[str, Any]
) -> None:
    prefix = Path(f"{installed}{options['prefix']}")
    runner = prefix / options["bindir"] / "thunkvm-run"
    libraries = output_of(["ldd", str(runner)], LD_LIBRARY_PATH=str(prefix / options["libdir"]))
    assert f"libthunkvm.so.0 => {prefix}" in libraries
    assert "python" not in libraries


def test_it_sees_the_public_headers_alone(installed: Path) -> None:
    headers = {path.name for path in installed.rglob("*.h")}
    assert {"function.h", "mode.h", "functions.h", "demand.h"} <= headers
    assert not headers & {
        "plan.h",
        "emitter.h",
        "placement.h",
        "array_kernel.h",
        "verifier.h",
    }

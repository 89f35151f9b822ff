"""The script `dev`, in a folder of its own, where commands of the system are told what to say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: Who asks is no root, and may not become it.
STUBS = {"id": "echo 1000", "sudo": "exit 1"}
INSTALLED = "case $4 in graphviz | nettle-dev) echo not-installed ;; *) echo installed ;; esac"


def dev(folder: Path, *arguments: str, **stubs: str) -> subprocess.CompletedProcess[str]:
    """Run a copy of the script, with stubs in front of the system's commands."""
    shutil.copy(ROOT / "dev", folder / "dev")
    commands = folder / "commands"
    commands.mkdir()
    for name, body in {**STUBS, **stubs}.items():
        (commands / name).write_text(f"#!/bin/sh\n{body}\n")
        (commands / name).chmod(0o755)
    path = f"{commands}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [folder / "dev", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PATH": path},
    )


def test_help_lists_the_commands_that_there_are(tmp_path: Path) -> None:
    told = dev(tmp_path, "help").stdout
    dispatch = (ROOT / "dev").read_text().rpartition("case $command in")[2]
    commands = re.findall(r"^  ([a-z]+)[ |)]", dispatch, re.MULTILINE)
    assert {"demo", "test", "bench", "lint"} <= set(commands)
    assert set(re.findall(r"^  ([a-z]+)\b", told, re.MULTILINE)) == set(commands)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing"], "dev: there is no command nothing; ./dev help lists them."),
        (["build", "all"], "dev: build takes no arguments, not all."),
        (["test", "--sanitize=memory"], "dev: --sanitize takes address or thread, not memory."),
        (["clean", "some"], "dev: clean does not know some; it takes --all or nothing."),
    ],
)
def test_a_wrong_argument_is_a_sentence(tmp_path: Path, arguments: list[str], told: str) -> None:
    found = dev(tmp_path, *arguments)
    assert (found.returncode, found.stderr) == (1, f"{told}\n")


def test_missing_packages_are_named_with_the_command_that_installs_them(tmp_path: Path) -> None:
    found = dev(tmp_path, "lint", **{"dpkg-query": INSTALLED})
    assert found.returncode == 1
    assert "dev: these Debian packages are missing: nettle-dev. Run this" in found.stderr
    assert "sudo sh -c 'apt-get update && apt-get install -y" in found.stderr


def test_packages_are_installed_by_who_may_become_root(tmp_path: Path) -> None:
    called = tmp_path / "called"
    sudo = f'echo "$*" >>{called}; case "$*" in *install*) exit 1 ;; esac'  # where the test ends
    found = dev(tmp_path, "lint", **{"dpkg-query": INSTALLED, "sudo": sudo})
    commands = called.read_text().splitlines()
    assert commands[:2] == ["-n true", "-n apt-get update"]
    assert commands[2].endswith("apt-get install -y --no-install-recommends nettle-dev")
    assert "The Debian packages nettle-dev could not be installed." in found.stderr


def test_a_failing_installation_is_a_sentence_with_the_end_of_its_output(tmp_path: Path) -> None:
    stubs = {"dpkg-query": INSTALLED, "id": "echo 0", "apt-get": "echo no network; exit 100"}
    found = dev(tmp_path, "lint", **stubs)
    assert found.returncode == 1
    told = "The list of Debian packages could not be fetched. The whole output is in .dev/apt.log."
    assert found.stderr == f"no network\ndev: {told}\n"


def test_the_workflow_runs_commands_of_dev_alone() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    dispatch = (ROOT / "dev").read_text().rpartition("case $command in")[2]
    known = {f"./dev {name}" for name in re.findall(r"^  ([a-z]+)[ |)]", dispatch, re.MULTILINE)}
    run = re.findall(r"\brun: (.*)", workflow)
    assert set(run) == {".ci/run", "./dev lint", "./dev wheel", "./dev docs"}
    assert set(run) - known == {".ci/run"}
    assert 'exec "$(dirname "$0")/../dev" test' in (ROOT / ".ci" / "run").read_text()


def test_the_workflow_tests_each_python_that_the_package_is_for() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    classifiers = (ROOT / "pyproject.toml").read_text()
    pythons = re.findall(r"Python :: (3\.\d+)", classifiers)
    assert re.findall(r'"(3\.\d+)"', workflow) == pythons
    assert re.findall(r"^ +(3\.\d+)$", workflow, re.MULTILINE) == pythons

"""``python -m thunkvm profile``: what it prints, writes and refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from profiles import PROFILE, SEARCH

from thunkvm.__main__ import main
from thunkvm.profile import Profile


@pytest.fixture
def saved(tmp_path: Path) -> str:
    PROFILE.save(tmp_path / "p.json")
    return str(tmp_path / "p.json")


def test_view_prints_the_tables(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "view", saved]) == 0
    assert capsys.readouterr().out == str(PROFILE) + "\n"


def test_view_prints_as_many_rows_as_are_asked_for(
    saved: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["profile", "view", "--rows", "1", saved])
    assert "... the remaining 6 of 7 account for 11.1% of the time" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("by", "rows"),
    [
        ("time", ["88.9% 80.000 ms 2 solve.2", "8.9% 8.000 ms 8 mul.1"]),
        ("runs", ["29.4% 10 10 gt.0 always", "29.4% 10 10 ifelse.6 always"]),
        ("bytes", ["100.0% 1.6 KiB 2 solve.2"]),
    ],
)  # fmt: skip
def test_top_prints_the_nodes_that_took_most(
    by: str, rows: list[str], saved: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["profile", "top", "--by", by, "-n", "2", saved]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [" ".join(line.split()[:5]) for line in lines[4:]] == rows


def test_diff_prints_what_changed(
    saved: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    faster = tuple(replace(n, self_time=n.self_time / 2) for n in SEARCH.nodes)
    replace(PROFILE, functions=(replace(SEARCH, nodes=faster),)).save(tmp_path / "q.json")
    assert main(["profile", "diff", saved, str(tmp_path / "q.json")]) == 0
    assert capsys.readouterr().out.splitlines()[4].split()[:7] == [
        "-40.000", "ms", "80.000", "ms", "40.000", "ms", "2",
    ]  # fmt: skip


def test_html_writes_the_page_beside_the_profile(
    saved: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["profile", "html", saved]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'p.html'}\n"
    assert "<title>Profile of search</title>" in (tmp_path / "p.html").read_text()


def test_a_file_that_is_no_profile_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.json").write_text("{}")
    assert main(["profile", "view", str(tmp_path / "x.json")]) == 1
    assert "x.json is no profile" in capsys.readouterr().err
    assert main(["profile", "view", str(tmp_path / "none.json")]) == 1
    assert "none.json" in capsys.readouterr().err


PROGRAM = """
import sys
import thunkvm as tv

x = tv.scalar("x")
f = tv.function([x], tv.ifelse(x > 0, tv.exp(x), tv.log(x)), name="f", mode="vm")
print([f'{float(f(float(word))):.0f}' for word in sys.argv[1:]], __name__)
"""


def run(*arguments: str, program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(program)
    command = [sys.executable, "-m", "thunkvm", "profile", "run", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_run_records_a_program_that_knows_nothing_of_it(tmp_path: Path) -> None:
    options = ["--kind", "count", "-o", "p.json", "--html", "p.html"]
    done = run(*options, "program.py", "1", "-2", "0.5", program=PROGRAM, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("['3', 'nan', '2'] __main__\n")
    (function,) = Profile.load(tmp_path / "p.json").functions
    assert {row.op: row.runs for row in function.nodes} == {
        "gt": 3,
        "exp": 2,
        "log": 1,
        "ifelse": 3,
    }
    assert "Profile (count) of f in mode vm: 3 calls" in done.stdout
    assert (tmp_path / "p.html").exists()


def test_run_shows_what_was_recorded_of_a_program_that_fails(tmp_path: Path) -> None:
    done = run("-o", "p.json", "program.py", "1", program=PROGRAM + "1 / 0\n", folder=tmp_path)
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr
    assert Profile.load(tmp_path / "p.json").functions[0].n_calls == 1


def test_run_ends_as_the_program_does(tmp_path: Path) -> None:
    done = run("program.py", "1", program=PROGRAM + "sys.exit(7)\n", folder=tmp_path)
    assert done.returncode == 7


def test_run_names_a_program_that_is_not_there(tmp_path: Path) -> None:
    done = run("other.py", program="", folder=tmp_path)
    assert (done.returncode, done.stderr) == (1, "there is no program other.py.\n")


def test_a_program_that_is_run_by_itself_is_compared_with_one_that_profile_runs(
    tmp_path: Path,
) -> None:
    (tmp_path / "grow.py").write_text(
        "import thunkvm as tv\nx = tv.scalar('x')\nf = tv.function([x], tv.exp(x))\nf(1.0)\n"
    )
    alone = {**os.environ, "THUNKVM_PROFILE": "count:a.json"}
    subprocess.run([sys.executable, "grow.py"], check=True, cwd=tmp_path, env=alone)
    run = ["-m", "thunkvm", "profile", "run", "--kind", "count", "-o", "b.json", "grow.py"]
    subprocess.run([sys.executable, *run], check=True, cwd=tmp_path, stdout=subprocess.DEVNULL)
    before, after = (Profile.load(tmp_path / name) for name in ("a.json", "b.json"))
    ((change,),) = [function.nodes for function in before.diff(after).functions]
    assert (change.before.op, change.after.op, change.runs_change) == ("exp", "exp", 0)

"""``python -m thunkvm profile``: what it prints, writes and refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from profiles import PROFILE, SEARCH

from thunkvm.__main__ import main


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

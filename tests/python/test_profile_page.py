"""The page of a profile as text: what is in it, and what it must not ask for."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from profiles import PROFILE, SEARCH, node

import thunkvm
from thunkvm.profile import FunctionRecord, NodeRow, Profile
from thunkvm.profile.fold_tree import FITS, Box, fold_tree
from thunkvm.profile.html import page, page_data

VENDOR = Path(thunkvm.__path__[0]) / "profile" / "page" / "vendor"
SHA256 = {
    "d3.min.js": "63cdc8691107d063922c58ece1b9b4eeb9fef305429a55d3d962eea0812f1e03",
    "dagre.js": "cbd5cd24d786593f01dc138958bbfce44c254bcde7c3724bf85e6bcd7fe2a6e1",
    "tabulator.min.js": "e952272c3b2afa4ebb60cef5db8cbe9cbaabaa52b50c3cd3d22993ca5215a6ff",
    "tabulator_simple.min.css": "8a7431ff86fa6aa02943b70470df77fa7094e7eac9f2420b6780c6970c7345eb",
}


def test_libraries_are_what_their_packages_have() -> None:
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in VENDOR.iterdir()
        if path.suffix in (".js", ".css")
    }
    assert found == SHA256


def test_a_page_has_the_licences_of_what_is_in_it() -> None:
    text = page(PROFILE)
    for holder in ("Oli Folkerd", "Mike Bostock", "Lutz Roeder", "Chris Pettitt"):
        assert holder in text
    assert "Permission is hereby granted" in text


def test_a_page_asks_no_network() -> None:
    text = page(PROFILE)
    assert "default-src 'none'" in text
    assert re.findall(r"""<(?:script|link|img|iframe)[^>]*(?:src|href)\s*=""", text) == []


def test_a_users_line_does_not_end_the_data() -> None:
    evil = node(0, "exp", 1, source="</script><script>alert(1)</script>", runs=1)
    text = page(Profile(functions=(FunctionRecord(name="<i>", nodes=(evil,)),)))
    assert "<script>alert" not in text
    data = re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S)
    assert data is not None
    assert json.loads(data[1])["functions"][0]["nodes"][0]["source"] == evil.source
    assert "<title>Profile of &lt;i&gt;</title>" in text


def test_a_notebook_gets_the_tables_without_scripts() -> None:
    text = PROFILE._repr_html_()
    assert "<h4>branches" in text
    assert ">solve.2</td>" in text
    assert "<script" not in text
    assert len(text) < 30_000  # a page has 800,000 characters, and a notebook keeps what it shows


def files_of(row: NodeRow) -> list[dict[str, Any]]:
    data = page_data(Profile(functions=(FunctionRecord(name="f", nodes=(row,)),)))
    return cast(list[dict[str, Any]], data["functions"][0]["files"])


def test_the_lines_that_made_nodes_are_beside_the_times_that_they_took() -> None:
    row = replace(node(0, "exp", 3, runs=1, source="y = tv.exp(x)"), file="/nowhere/mine.py")
    assert files_of(row) == [{"name": "/nowhere/mine.py", "lines": [(3, "y = tv.exp(x)")]}]


def test_a_page_shows_nothing_of_a_file_that_a_profile_names(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("my password\n" * 5)
    assert files_of(replace(node(0, "exp", 3, runs=1, source=""), file=str(path))) == [
        {"name": str(path), "lines": [(3, "")]}
    ]
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert files_of(replace(node(0, "exp", 1, runs=1, source=""), file=str(pipe))) == [
        {"name": str(pipe), "lines": [(1, "")]}
    ]


def test_the_file_that_took_most_comes_first() -> None:
    rows = (
        replace(node(0, "exp", 1, self_time=1.0), file="/nowhere/a.py"),
        replace(node(1, "log", 1, self_time=2.0), file="/nowhere/b.py"),
    )
    data = page_data(Profile(functions=(FunctionRecord(name="f", nodes=rows),)))
    assert [file["name"] for file in data["functions"][0]["files"]] == [
        "/nowhere/b.py",
        "/nowhere/a.py",
    ]


def boxes(box: Box) -> list[Box]:
    return [box, *(found for inner in box["inside"] for found in boxes(inner))]


def test_boxes_are_the_regions_and_have_their_sums() -> None:
    root = fold_tree(SEARCH)
    assert [(b["label"], b["nodes"], b["count"]) for b in boxes(root)] == [
        ("always", [0, 6, 7], 8),
        ("better > 0: then", [1], 1),
        ("better > 0: else", [2, 3, 5], 4),
        ("step < 1: else", [4], 1),
    ]
    assert [(b["condition"], b["arm"]) for b in boxes(root)[1:]] == [(0, 0), (0, 1), (1, 1)]
    assert root["ran"] == 6


def test_no_box_shows_more_than_fits_and_none_loses_a_node() -> None:
    rows = tuple(node(i, "add", 1 + (i // 3) % 700) for i in range(10_000))
    found = boxes(fold_tree(FunctionRecord(name="f", nodes=rows)))
    assert max(len(b["nodes"]) + len(b["inside"]) for b in found) <= FITS
    assert sorted(i for b in found for i in b["nodes"]) == list(range(10_000))
    assert len({b["id"] for b in found}) == len(found)


def test_a_timeline_of_many_slices_keeps_the_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    from thunkvm.profile import html

    monkeypatch.setattr(html, "SLICES", 3)
    timeline = page_data(PROFILE)["timeline"]
    assert (timeline["total"], [row[4] for row in timeline["rows"]]) == (
        8,
        ["search", "ifelse.5", "solve.2"],
    )


def test_without_a_trace_the_timeline_has_the_calls() -> None:
    timeline = page_data(replace(PROFILE, functions=(replace(SEARCH, events=()),)))
    assert [row[4] for row in timeline["timeline"]["rows"]] == ["call 0", "call 1"]


def test_all_functions_stand_on_one_timeline_by_when_they_were_called() -> None:
    first, second = (replace(call, thread=0) for call in SEARCH.calls)
    search = replace(SEARCH, events=(), calls=(first, second))
    step = replace(search, name="step", calls=(replace(first, start=second.start + 7.0),))
    rows = page_data(replace(PROFILE, functions=(step, search)))["timeline"]["rows"]
    assert [(row[4], row[7]) for row in rows] == [
        ("search: call 0", 1),
        ("search: call 1", 1),
        ("step: call 0", 0),
    ]
    assert rows[2][1] - rows[1][1] == pytest.approx(7.0)

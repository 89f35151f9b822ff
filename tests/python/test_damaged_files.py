"""Saved profiles and decisions that are damaged: loaded soundly, or refused by the one error."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from profiles import PROFILE

import thunkvm as tv
from thunkvm.profile import Profile, ProfileFileError
from thunkvm.profile.decisions import Decisions

Where = tuple[str | int, ...]
MISSING = object()


def nested_lists(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


#: What a field is replaced by. JSON has a word for each, as Python's json writes it.
DAMAGE: dict[str, list[Any]] = {
    "other types": [None, True, "x", 1, 1.5, [], {}, [1], {"a": 1}, [[0, 0]]],
    "missing": [MISSING],
    "huge": [2**31, 2**32, 2**53, 2**63, 10**400, 1e308, -1e308, 5e-324, "x" * 10**5],
    "negative": [-1, -1.5, -(2**63)],
    "no numbers": [float("nan"), float("inf"), float("-inf")],
    "other indices": [0, 3, 6, 1.0],
    "too deep": [nested_lists(200), {"a": nested_lists(200)}],
    "no text": ["a\0b", "\ud800", "\udc80.py"],
    "arms": [[[0, 0], [0, 0]], [[0, 0], [0, 1]], [[1, 1], [0, 1]], [[0, 1], [1, 0]]],
}


def places(value: Any, at: Where = ()) -> Iterator[Where]:
    """Yield where each field, row and item of a file is."""
    yield at
    items = enumerate(value) if isinstance(value, list) else ()
    for key, inside in value.items() if isinstance(value, dict) else items:
        yield from places(inside, (*at, key))


def one_of_each(content: Any) -> Iterator[Where]:
    """Yield the first and the last place of each field, of all rows that have it."""
    found: dict[Where, list[Where]] = {}
    for place in places(content):
        found.setdefault(tuple(k for k in place if isinstance(k, str)), []).append(place)
    for several in found.values():
        yield from dict.fromkeys((several[0], several[-1]))


def shown(place: Where) -> str:
    """Return ``functions[0].nodes[1].runs``."""
    return "".join(f".{key}" if isinstance(key, str) else f"[{key}]" for key in place)[1:]


def damaged(content: Any, place: Where, value: Any) -> Any:
    """Return a file's content with one part replaced, or without it."""
    if not place:
        return None if value is MISSING else value
    copy = content.copy()
    if len(place) == 1 and value is MISSING:
        del copy[place[0]]
    else:
        copy[place[0]] = damaged(copy[place[0]], place[1:], value)
    return copy


def f() -> Any:
    x = tv.scalar("x")
    return tv.function([x], tv.ifelse(x > 0, tv.ifelse(x < 1, x, x * 10), -x), mode="vm")


def use_profile(profile: Profile, folder: Path) -> None:
    """Ask all views for what they make of a profile."""
    str(profile)
    str(profile.diff(profile))
    profile.merge(profile).to_json()
    for write in ("to_csv", "html", "to_collapsed", "to_dot"):
        getattr(profile, write)(folder / write)
    if any(function.events for function in profile.functions):
        profile.to_chrome_trace(folder / "trace")
    profile.save(folder / "again")
    assert Profile.load(folder / "again") == profile


def use_decisions(decisions: Decisions, folder: Path) -> None:
    """Replay the calls, where the function is still the one that they were recorded of."""
    str(decisions)
    decisions.divergence(decisions)
    decisions.save(folder / "again")
    assert Decisions.load(folder / "again").calls == decisions.calls
    for call in range(decisions.first, len(decisions)):
        try:
            replay = f().replay(decisions, call)
        except ValueError:  # the decisions are another function's
            continue
        replay(0.5)


@pytest.fixture(params=["profile", "decisions"])
def saved(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, Any, Any, Any]:
    """A file, its content, what loads it, and what uses what was loaded."""
    monkeypatch.setattr(os, "fsync", lambda _: None)  # thousands of files are written
    file = tmp_path / "saved.json"
    loads: Callable[[Path], Any]
    if request.param == "profile":
        PROFILE.save(file)
        loads, use = Profile.load, use_profile
    else:
        function = f()
        with function.record() as r:
            for x in (0.5, -1.0, 2.0):
                function(x)
        r.save(file)
        loads, use = Decisions.load, use_decisions
    return file, json.loads(file.read_text()), loads, use


def is_refused(load: Callable[[Path], Any], file: Path, use: Any, where: str = "") -> bool:
    """Return whether a file is refused, by its name and the place in it; else use it."""
    try:
        loaded = load(file)
    except ProfileFileError as error:
        message = str(error)
    else:
        use(loaded, file.parent)
        return False
    assert str(file) in message
    assert where in message
    assert len(message) < 500
    return True


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_field_is_refused_or_does_no_harm(kind: str, saved: Any) -> None:
    file, content, load, use = saved
    for place in one_of_each(content):
        for value in DAMAGE[kind]:
            file.write_text(json.dumps(damaged(content, place, value)))
            is_refused(load, file, use)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e308, 10**400, nested_lists(200)])
def test_what_no_field_can_be_is_refused_by_its_place(value: Any, saved: Any) -> None:
    file, content, load, use = saved
    for place in one_of_each(content):
        file.write_text(json.dumps(damaged(content, place, value)))
        assert is_refused(load, file, use, shown(place)), place


def test_a_file_that_is_cut_off_anywhere_is_refused(saved: Any) -> None:
    file, _, load, use = saved
    whole = file.read_bytes()
    for end in range(0, len(whole) - 1, 17):
        file.write_bytes(whole[:end])
        assert is_refused(load, file, use), end


def test_a_file_of_other_bytes_is_refused_or_does_no_harm(saved: Any) -> None:
    file, _, load, use = saved
    whole = file.read_bytes()
    for at in range(0, len(whole), 29):
        for byte in (b"\0", b"\xff", b"[", b"9", b'"'):
            file.write_bytes(whole[:at] + byte + whole[at + 1 :])
            is_refused(load, file, use)


@pytest.mark.parametrize("text", ["[" * 10**5, '{"a":' * 10**5, "9" * 5000, "NaN", "\ufeff{}", ""])
def test_a_text_that_is_no_file_of_ours_is_refused(text: str, saved: Any) -> None:
    file, _, load, use = saved
    file.write_text(text)
    assert is_refused(load, file, use)


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
@pytest.mark.parametrize("load", [Profile.load, Decisions.load])
def test_a_name_that_no_file_has_is_refused(name: str, load: Any) -> None:
    with pytest.raises(ProfileFileError, match=r"'a.*b' is the name of no file"):
        load(name)


def damaged_profile(tmp_path: Path, table: str, row: int, **fields: Any) -> Path:
    """Save the profile with other fields in one row of its function."""
    content = json.loads(PROFILE.to_json() or "")
    content["functions"][0][table][row].update(fields)
    file = tmp_path / "p.json"
    file.write_text(json.dumps(content))
    return file


@pytest.mark.parametrize(
    ("row", "fields", "message"),
    [
        (2, {"condition": 0}, r"regions\[2\] has condition 0 in arm 1 of condition 0"),
        (1, {"condition": 1}, r"regions\[2\] has condition 1 in arm 1 of condition 1"),
        (1, {"around": 1}, r"regions\[1\]\.around names region 1, and there are 1"),
        (0, {"condition": 2}, r"regions\[0\] names condition 2, and there are 2"),
        (0, {"arm": 2}, r"regions\[0\] names arm of condition 0 2, and there are 2"),
    ],
)
def test_a_region_that_is_nowhere_or_in_itself_is_refused(
    row: int, fields: dict[str, int], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ProfileFileError, match=message):
        Profile.load(damaged_profile(tmp_path, "regions", row, **fields))


@pytest.mark.parametrize(("row", "region"), [(6, 0), (5, 2)])
def test_a_node_in_an_arm_of_what_it_decides_is_refused(
    row: int, region: int, tmp_path: Path
) -> None:
    path = damaged_profile(tmp_path, "nodes", row, region_index=region)
    message = rf"nodes\[{row}\]\.region_index is inside a condition that the node decides"
    with pytest.raises(ProfileFileError, match=message):
        Profile.load(path)


@pytest.mark.parametrize("file", ["a\0b.py", "\ud800.py", "a\udc80.py"])
@pytest.mark.parametrize(("table", "row"), [("nodes", 3), ("conditions", 1)])
def test_the_name_of_a_source_is_one_that_a_file_can_have(
    file: str, table: str, row: int, tmp_path: Path
) -> None:
    path = damaged_profile(tmp_path, table, row, file=file)
    with pytest.raises(ProfileFileError, match=rf"{table}\[{row}\]\.file must be a file's name"):
        Profile.load(path)


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ([-1, 0], r"calls\[1\]\[0\]\[0\] must be bigger than or equal to 0, and is -1"),
        ([0, -1], r"calls\[1\]\[0\]\[1\] must be bigger than or equal to 0, and is -1"),
        ([0, 2**32], "names arm of condition 0 4294967296, and there are 2"),
        ([2, 0], r"calls\[1\] names condition 2, and there are 2"),
        ([0, "1"], r"calls\[1\]\[0\]\[1\] must be integer, and is '1'"),
        ([0], r"calls\[1\]\[0\] must contain at least 2 items"),
    ],
)
def test_a_decision_that_there_is_not_is_refused(pair: Any, message: str, tmp_path: Path) -> None:
    function = f()
    with function.record() as r:
        function(0.5)
    r.save(tmp_path / "d.json")
    content = json.loads((tmp_path / "d.json").read_text())
    content["calls"].append([pair])
    (tmp_path / "d.json").write_text(json.dumps(content))
    with pytest.raises(ProfileFileError, match=message):
        Decisions.load(tmp_path / "d.json")


@pytest.mark.parametrize("pair", [(-1, 0), (2, 0), (0, -1), (0, 2), (0, 2**32)])
def test_a_replay_refuses_decisions_that_there_are_not(pair: tuple[int, int]) -> None:
    function = f()
    with function.record() as r:
        function(0.5)
    made = Decisions(r.conditions, [((0, 0),), (pair,)])
    with pytest.raises(ValueError, match=r"calls\[1\] names"):
        function.replay(made, call=1)


def test_an_integer_that_json_writes_as_a_float_is_one(tmp_path: Path) -> None:
    path = damaged_profile(tmp_path, "nodes", 3, runs=2.0, inputs=[2.0, "1.0"], self_time=1)
    node = Profile.load(path).functions[0].nodes[3]
    assert [type(v) for v in (node.runs, node.inputs[0], node.self_time)] == [int, int, float]

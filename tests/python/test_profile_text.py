"""What a profile says in text: the shares, the branches, laziness, and the tables for programs."""

from __future__ import annotations

import csv
import io
import re
import sys
from dataclasses import replace

import pytest
from profiles import PROFILE, SEARCH, node, single

import thunkvm as tv
from thunkvm.profile import FunctionRecord, Profile
from thunkvm.profile.laziness import lazy_report
from thunkvm.profile.section import Section, fit_table
from thunkvm.profile.sections import profile_sections, top_section
from thunkvm.profile.shares import by_line, by_op
from thunkvm.profile.text import plain, print_sections, rich_tables


def section(profile: Profile, title: str, rows: int = 20) -> Section:
    return next(s for s in profile_sections(profile, rows) if s.title == title)


def test_the_table_of_the_ops_is_theanos() -> None:
    table = section(PROFILE, "by Op")
    assert table.headers == (
        "<% time>", "<sum %>", "<apply time>", "<time per call>", "<type>", "<#call>", "<#apply>",
        "<Op>",
    )  # fmt: skip
    assert table.rows[:2] == (
        ("88.9%", "88.9%", "80.000 ms", "40.000 ms", "C", "2", "1", "solve"),
        ("8.9%", "97.8%", "8.000 ms", "1.000 ms", "C", "8", "1", "mul"),
    )


def test_the_lines_of_the_source_have_the_time_of_all_their_nodes() -> None:
    line = next(share for share in by_line(SEARCH) if share.name == "search.py:7")
    assert [n.name for n in line.nodes] == ["lt.3", "cholesky.4", "ifelse.5"]
    assert line.time == pytest.approx(0.0006)
    assert line.type == "C, Py"


def test_shares_add_up_to_all_of_the_time() -> None:
    shares = by_op(SEARCH)
    assert sum(share.part for share in shares) == pytest.approx(1)
    assert shares[-1].sum == pytest.approx(1)


def test_the_table_of_the_nodes_has_p95_and_the_longest_run() -> None:
    table = section(PROFILE, "by node")
    columns = [table.headers.index(header) for header in ("<name>", "<p95>", "<max>")]
    shown = {row[columns[0]]: tuple(row[c] for c in columns[1:]) for row in table.rows}
    assert shown["gt.0"] == ("200.000 us", "300.000 us")
    assert shown["mul.1"] == ("", "")


def test_a_table_of_nodes_without_single_runs_has_no_columns_for_them() -> None:
    assert "<p95>" not in section(single("exp", 0.5), "by node").headers


@pytest.mark.parametrize(
    ("runs", "times", "marks"),
    [
        (9, {"first": 0.8, "max": 0.03}, ("exp.0: one run was 80% of this, the first",)),
        (9, {"first": 0.1, "max": 0.6}, ("exp.0: one run was 60% of this",)),
        (9, {"first": 0.4, "max": 0.1}, ()),
        (2, {"first": 0.6, "max": 0.4}, ()),
        (1, {"first": 1.0}, ()),
    ],
)
def test_a_node_is_marked_where_one_run_took_most_of_its_time(
    runs: int, times: dict[str, float], marks: tuple[str, ...]
) -> None:
    row = node(0, "exp", 3, runs=runs, self_time=1.0, **times)
    profile = Profile(functions=(FunctionRecord(name="f", nodes=(row,)),))
    assert section(profile, "by node").notes == marks
    assert top_section(profile).notes == marks


def test_rows_that_are_not_shown_are_summed_up() -> None:
    assert section(PROFILE, "by Op", rows=2).notes == (
        "... the remaining 5 of 7 account for 2.2% of the time",
    )


def test_a_row_of_the_branches_says_how_often_and_how_long() -> None:
    then, other, _, never = section(PROFILE, "branches").rows
    assert then == (
        "better > 0 (search.py:8)", "10", "3", "then", "8", "80.0%", "8.000 ms", "1.000 ms",
        "324.400 ms", "32.440 ms",
    )  # fmt: skip
    assert other[3:8] == ("else", "2", "20.0%", "80.600 ms", "40.300 ms")
    assert never[3:8] == ("else", "0", "0.0%", "0 s", "never ran")


def test_what_an_arm_that_never_ran_would_cost_is_unknown() -> None:
    assert section(PROFILE, "branches").rows[2][-2:] == ("unknown", "unknown")
    assert "324.400 ms; unknown for 1 condition with an arm that never ran" in str(PROFILE)


def test_a_condition_that_was_never_evaluated_says_so() -> None:
    inner = replace(
        SEARCH.conditions[1], evaluations=0, arms=(replace(SEARCH.conditions[1].arms[0], taken=0),)
    )
    f = replace(SEARCH, conditions=(SEARCH.conditions[0], inner))
    assert section(Profile(functions=(f,)), "branches").rows[2][-2] == "never evaluated"


def test_laziness_is_reported() -> None:
    assert section(PROFILE, "laziness").notes == (
        "never ran: cholesky.4 (search.py:7), exp.7 (search.py:9)",
        "evaluated but unused: none",
        "first demanded: mul.1 by ifelse.6, solve.2 by ifelse.6",
        "always one way: step < 1 (then, 2 times)",
        "copies for laziness's sake: ifelse.5 (2)",
        "memo bodies that ran never or in every call: exp.7 (0 times in 10 calls)",
        "saved by not running untaken arms: 324.400 ms; unknown for 1 condition with an arm that "
        "never ran",
    )


def test_a_node_whose_readers_never_ran_is_unused_unless_it_is_returned() -> None:
    nodes = (
        node(0, "exp", 1, runs=3),
        node(1, "log", 2, runs=3, output=True),
        node(2, "add", 3, inputs=(0, 1)),
    )
    report = lazy_report(FunctionRecord(name="f", nodes=nodes))
    assert [n.name for n in report.unused] == ["exp.0"]


def test_a_profile_that_counts_shows_no_times() -> None:
    titles = [s.title for s in profile_sections(replace(PROFILE, kind="count"))]
    assert "by Op" not in titles
    assert "overheads" not in titles
    counts = replace(PROFILE, kind="count")
    assert "times were not recorded." in str(counts)
    assert section(counts, "by node").headers == (
        "<type>",
        "<#call>",
        "<name>",
        "<region>",
        "<made at>",
    )
    assert section(counts, "branches").rows[0] == (
        "better > 0 (search.py:8)",
        "10",
        "3",
        "then",
        "8",
        "80.0%",
    )


def test_a_profile_of_memory_names_who_allocates() -> None:
    rows = section(replace(PROFILE, kind="memory"), "memory").rows
    assert rows == (("1.6 KiB", "800 B", "2", "solve.2", "scalar float64", "search.py:6"),)


def test_a_profile_of_nothing_says_so() -> None:
    assert "no function was called." in str(Profile())


def test_a_difference_shows_the_greatest_change_first() -> None:
    text = str(
        single("exp", 1.0, name="old").diff(single("exp", 3.0, runs=2, name="new", mode="cvm"))
    )
    assert text.splitlines()[0] == "old -> new: vm -> cvm, 1.000 s -> 3.000 s"
    assert text.splitlines()[-1].split() == [
        "+2.000", "s", "1.000", "s", "3.000", "s", "1", "2", "exp.0", "search.py:3",
    ]  # fmt: skip


def test_rows_have_the_tone_of_what_is_in_them() -> None:
    # In the order of their shares: solve has 88.9 % of the time, mul 8.9 %; what never ran is last.
    tones = ["hot", "warm", "", "", "", "", "idle", "idle"]
    assert [*section(PROFILE, "by node").tones] == tones
    assert [*section(PROFILE, "branches").tones] == ["", "", "", "idle"]
    assert [*top_section(PROFILE).tones] == tones[:6]
    assert [*top_section(PROFILE, "bytes").tones] == []


def test_rich_prints_the_same_cells_in_colour() -> None:
    console = pytest.importorskip("rich.console", reason="rich is not installed")
    out = console.Console(file=io.StringIO(), force_terminal=True, width=200)
    out.print(PROFILE)
    text = out.file.getvalue()
    assert "\x1b[1;31m" in text  # solve, with most of the time
    for word in ("<apply time>", "80.000 ms", "only if not better > 0", "better > 0: else"):
        assert word in text


def test_rich_breaks_no_number_where_a_line_has_80_characters() -> None:
    console = pytest.importorskip("rich.console", reason="rich is not installed")
    out = console.Console(file=io.StringIO(), force_terminal=True, color_system=None, width=80)
    out.print(PROFILE)
    text = out.file.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    for words in ("80.000 ms", "only if not", "not in 80 characters: <sum %>"):
        assert words in text


def test_a_table_that_fits_is_shown_whole() -> None:
    whole = section(PROFILE, "by node")
    assert fit_table(whole, 300) == whole
    narrow = fit_table(whole, 140)
    assert set(whole.headers) - set(narrow.headers) == {"<GFLOP/s>", "<GB/s>"}
    assert narrow.notes == (*whole.notes, "not in 140 characters: <GFLOP/s>, <GB/s>")


def test_what_is_no_terminal_gets_plain_text() -> None:
    console = pytest.importorskip("rich.console", reason="rich is not installed")
    out = console.Console(file=io.StringIO())
    print_sections(profile_sections(PROFILE), out)
    assert out.file.getvalue() == str(PROFILE) + "\n"


@pytest.mark.parametrize(("module", "what"), [("pandas", "to_pandas"), ("rich.table", "colour")])
def test_a_package_that_is_missing_is_named_with_what_to_type(
    module: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = module.partition(".")[0]
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"{what} needs {package}.*pip install {package}"):
        PROFILE.to_pandas() if package == "pandas" else list(rich_tables([], 80))


def test_plain_text_needs_no_other_package(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("pandas", "rich", "rich.table", "rich.console"):
        monkeypatch.setitem(sys.modules, package, None)
    assert "by Op" in str(PROFILE)
    assert plain([Section("t", ("a",))]) == "t\n-\nnone"


def of_a_function() -> tuple[tv.Function, Profile]:
    """A function, and what a profile of ten calls of it might say."""
    x = tv.scalar("x")
    f = tv.function([x], tv.ifelse(x > 0, tv.exp(x), tv.log(x)), mode="vm")
    times = {"gt": 0.25, "exp": 0.75}
    rows = tuple(
        node(i, row.op, 1, name=row.node, runs=0 if row.op == "log" else 10,
             self_time=times.get(row.op, 0.0), region=f"region {i}")
        for i, row in enumerate(f.node_runs())
    )  # fmt: skip
    return f, Profile(functions=(FunctionRecord(name="f", nodes=rows),))


def test_dprint_says_what_a_profile_has_of_each_node() -> None:
    f, profile = of_a_function()
    out = io.StringIO()
    f.dprint(file=out, profile=profile)
    region = {row.op: row.region for row in profile.functions[0].nodes}
    assert re.findall(r"(\w+)\.\d+ <.*?>  \[(.*)\]", out.getvalue()) == [
        ("ifelse", f"10 runs, {region['ifelse']}"),
        ("gt", f"10 runs, 250.000 ms (25.0%), {region['gt']}"),
        ("exp", f"10 runs, 750.000 ms (75.0%), {region['exp']}"),
        ("log", f"never ran, {region['log']}"),
    ]


def test_dprint_refuses_a_profile_of_another_function() -> None:
    f, _ = of_a_function()
    with pytest.raises(ValueError, match=r"there are 4; it has search \(8 nodes\)"):
        f.dprint(profile=PROFILE)


def test_a_data_frame_has_a_row_a_thunk() -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = PROFILE.to_pandas()
    solve = frame[frame.op == "solve"].iloc[0]
    assert (solve.node, solve.line, solve.region, solve.runs, solve.self_time) == (
        "solve.2", 6, "only if not better > 0", 2, 0.08,
    )  # fmt: skip
    mul = frame[frame.op == "mul"].iloc[0]
    assert (mul.gflops, mul.gb_per_second) == (pytest.approx(1.0), pytest.approx(8.0))


@pytest.mark.parametrize(
    ("rows", "number"), [("nodes", 8), ("arms", 4), ("calls", 2), ("groups", 1), ("overheads", 10)]
)
def test_each_table_can_be_had_as_csv(rows: str, number: int) -> None:
    found = list(csv.DictReader(io.StringIO(PROFILE.to_csv(rows=rows))))
    assert len(found) == number
    assert found[0]["function"] == "search"


def test_a_table_without_rows_has_its_columns() -> None:
    header, *rest = Profile().to_csv(rows="calls").splitlines()
    assert (header, rest) == ("function,mode,call,thread,start,time,bytes,failed,arms", [])


def test_a_table_that_there_is_not_is_named() -> None:
    with pytest.raises(ValueError, match="rows is 'node'; it has to be one of nodes, arms"):
        PROFILE.to_csv(rows="node")

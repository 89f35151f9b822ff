"""The page of a profile in a browser: what a reader clicks does what it says, and nothing fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser import chromium, complaints, needs_chromium
from profiles import PROFILE, node

import thunkvm as tv
from thunkvm.profile import CallRow, FunctionRecord, Profile

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

pytestmark = needs_chromium


@pytest.fixture(scope="module", params=[800, 1600])
def browser(request: pytest.FixtureRequest) -> Iterator[Chrome]:
    with chromium(request.param, 900) as driver:
        yield driver


@pytest.fixture
def page(browser: Chrome, tmp_path: Path) -> Iterator[Chrome]:
    """The page of PROFILE, opened from a file; no script may complain of anything."""
    PROFILE.html(tmp_path / "p.html")
    browser.get((tmp_path / "p.html").as_uri())
    yield browser
    assert complaints(browser) == []


def all_of(page: Chrome, selector: str) -> list[Any]:
    return [found for found in page.find_elements("css selector", selector) if found.is_displayed()]


def one(page: Chrome, selector: str) -> Any:
    (found,) = all_of(page, selector)
    return found


def click(page: Chrome, selector: str) -> None:
    # By script: what is clicked may be scrolled away inside a table or the graph.
    page.execute_script(
        "arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", one(page, selector)
    )


def text_of(page: Chrome, selector: str) -> list[str]:
    return [found.text for found in all_of(page, selector)]


def too_wide(page: Chrome) -> list[str]:
    """Return the texts in the graph that are wider than the box that they are in."""
    found: list[str] = page.execute_script(
        """const right = (shape) => shape.getBoundingClientRect().right;
        return [...document.querySelectorAll(".node, .folded, .title")].flatMap((group) =>
          [...group.querySelectorAll("text")]
            .filter((text) => right(text) > right(group.querySelector("rect")))
            .map((text) => text.textContent));"""
    )
    return found


NAMES = '#node-table .tabulator-cell[tabulator-field="name"]'


def test_the_page_opens_on_what_takes_the_time(page: Chrome) -> None:
    assert page.title == "Profile of search"
    assert text_of(page, "#top tr:first-child button") == ["solve.2", "search.py:6"]
    assert "6 of 8" in one(page, "#figures").text


def test_a_click_on_a_header_sorts_the_table(page: Chrome) -> None:
    click(page, "#tab-nodes")
    assert text_of(page, NAMES)[:2] == ["solve.2", "mul.1"]
    click(page, '#node-table .tabulator-col[tabulator-field="name"] .tabulator-col-content')
    assert text_of(page, NAMES)[:2] == ["cholesky.4", "exp.7"]


def test_the_line_beside_what_takes_the_time_leads_to_the_source(page: Chrome) -> None:
    click(page, "#top tr:first-child td:nth-child(4) button")
    assert "step = solve(a, b)" in one(page, "tr.marked").text


def test_the_nodes_have_p95_and_the_longest_run(page: Chrome) -> None:
    click(page, "#tab-nodes")
    headers = page.execute_script(
        "return [...document.querySelectorAll('#node-table .tabulator-col-title')]"
        ".map((title) => title.textContent)"
    )
    assert headers[2:7] == ["self", "a run", "p95", "max", "runs"]


def test_a_node_is_marked_where_one_run_took_most_of_its_time(
    browser: Chrome, tmp_path: Path
) -> None:
    row = node(0, "exp", 1, runs=9, self_time=1.0, first=0.8, max=0.03)
    Profile(functions=(FunctionRecord(name="f", nodes=(row,)),)).html(tmp_path / "p.html")
    browser.get((tmp_path / "p.html").as_uri())
    assert "one run was 80% of this, the first" in one(browser, "#top").text
    click(browser, "#tab-nodes")
    assert one(browser, "#node-table .standout").text == "1.000 s"


def test_searching_leaves_the_rows_that_have_all_words(page: Chrome) -> None:
    click(page, "#tab-nodes")
    one(page, "#search").send_keys("search.py:7 only")
    assert sorted(text_of(page, NAMES)) == ["cholesky.4", "ifelse.5", "lt.3"]
    assert one(page, "#found").text == "3 of 8 nodes"


def test_a_click_on_a_node_opens_what_is_known_of_it(page: Chrome) -> None:
    click(page, "#tab-graph")
    click(page, '.node[data-node="2"]')
    panel = one(page, "#details").text
    assert "solve.2" in panel
    assert "only if not better > 0" in panel
    assert "80.000 ms (88.9%)" in panel


def test_a_graph_narrower_than_the_window_is_seen_in_the_middle(
    browser: Chrome, tmp_path: Path
) -> None:
    rows = tuple(node(i, "add", i + 1, inputs=(i - 1,) if i else ()) for i in range(40))
    Profile(functions=(FunctionRecord(name="high", nodes=rows),)).html(tmp_path / "p.html")
    browser.get((tmp_path / "p.html").as_uri())
    click(browser, "#tab-graph")
    box, drawing = one(browser, ".node[data-node='0']").rect, one(browser, "#drawing").rect
    middle = drawing["x"] + drawing["width"] / 2
    assert box["x"] < middle < box["x"] + box["width"]


def test_a_box_folds_and_opens(page: Chrome) -> None:
    click(page, "#tab-graph")
    click(page, '.box[data-box="r_0_1"] > .title')
    assert one(page, '.folded[data-box="r_0_1"]').text.split("\n")[-1].endswith("80.600 ms")
    assert all_of(page, '.node[data-node="2"]') == []
    click(page, '.folded[data-box="r_0_1"]')
    one(page, '.node[data-node="2"]')


def test_what_never_ran_is_dashed(page: Chrome) -> None:
    click(page, "#tab-graph")
    assert sorted(text_of(page, ".node.never > text")) == [
        "cholesky.4",
        "exp.7",
        "never ran",
        "never ran",
    ]
    assert (
        one(page, '.node[data-node="4"] rect').value_of_css_property("stroke-dasharray") != "none"
    )
    assert (
        one(page, '.node[data-node="2"] rect').value_of_css_property("stroke-dasharray") == "none"
    )


def test_a_link_of_a_branch_leads_to_its_arm(page: Chrome) -> None:
    click(page, "#tab-branches")
    click(page, "#condition-0 tr:nth-child(2) button")
    assert "taken 2 of 10" in one(page, ".box.marked > .title").text
    box, drawing = one(page, ".box.marked > rect").rect, one(page, "#drawing").rect
    assert drawing["x"] <= box["x"]
    assert box["x"] + box["width"] <= drawing["x"] + drawing["width"]


def test_the_share_of_an_arm_is_drawn_and_written(page: Chrome) -> None:
    click(page, "#tab-branches")
    widths = [arm.rect["width"] for arm in all_of(page, "#condition-0 .arm")]
    assert widths[0] / sum(widths) == pytest.approx(0.8, abs=0.01)
    assert "never ran" in one(page, "#condition-1 tr.never").text


def test_a_loop_has_its_steps_and_its_conditions_a_bar_for_each_range_of_steps(
    browser: Chrome, tmp_path: Path
) -> None:
    x, n = tv.scalar("x"), tv.lscalar("n")
    loop = tv.fori_loop(0, n, lambda i, s: tv.ifelse(i < 1, s + 1.0, s * 0.5), x)
    f = tv.function([x, n], loop, mode="vm")
    with f.profile("trace") as p:
        f(1.0, 4)
        f(1.0, 2)
    p.html(tmp_path / "p.html")
    browser.get((tmp_path / "p.html").as_uri())
    click(browser, "#tab-branches")
    cards = text_of(browser, "#branch-list .card")
    of_loop = next(card for card in cards if "fori_loop" in card)
    assert "2 runs, 6 steps" in of_loop
    assert "min 2, median 2, max 4 steps" in of_loop
    assert "ended by condition 2" in of_loop
    inner = next(card for card in cards if "< 1" in card)
    steps = [line for line in inner.splitlines() if line.startswith("step")]
    assert steps == ["step 0", "step 1", "steps 2-3"]
    click(browser, "#tab-timeline")
    assert complaints(browser) == []


def test_a_break_even_that_nobody_knows_is_said_to_be_unknown(page: Chrome) -> None:
    click(page, "#tab-branches")
    assert "break-even 32.440 ms" in one(page, "#condition-0 .hint").text
    assert "break-even unknown" in one(page, "#condition-1 .hint").text  # an arm never ran


def test_the_timeline_shows_what_ran_where_the_mouse_is(page: Chrome) -> None:
    click(page, "#tab-timeline")
    assert "8 slices" in one(page, "#timeline-note").text
    shown = page.execute_script(
        """const canvas = document.getElementById("canvas"), box = canvas.getBoundingClientRect();
        const {tops, scale} = timeline.state;
        canvas.dispatchEvent(new MouseEvent("mousemove", {
          clientX: box.left + scale(0.02), clientY: box.top + tops.get(1) + 16 + 2 * 20 + 5}));
        return document.getElementById("tip").textContent;"""
    )
    assert shown == "solve.2: 40.000 ms, at 1.300 ms"


def test_lines_have_their_times_beside_them(page: Chrome) -> None:
    click(page, "#tab-source")
    rows = text_of(page, "#files tr.made")
    assert any("80.000 ms" in row and "step = solve(a, b)" in row for row in rows)
    click(page, "#line-0-7")
    assert sorted(text_of(page, NAMES)) == ["cholesky.4", "ifelse.5", "lt.3"]


def test_dark_and_light_change_places(page: Chrome) -> None:
    def paper() -> str:
        return one(page, "body").value_of_css_property("background-color")

    before = paper()
    click(page, "#theme")
    assert paper() != before
    click(page, "#theme")
    assert paper() == before


def test_nothing_is_wider_than_the_window(page: Chrome) -> None:
    for tab in text_of(page, "#tabs button"):
        page.find_element("xpath", f'//nav/button[text()="{tab}"]').click()
        assert page.execute_script(
            "return document.documentElement.scrollWidth <= window.innerWidth"
        ), f"{tab} is wider than the window"


def test_ten_thousand_nodes_are_shown_in_boxes_that_fit(browser: Chrome, tmp_path: Path) -> None:
    rows = tuple(
        node(i, "add", 1 + i // 20, runs=1, self_time=1e-6, inputs=(i - 1,) if i else ())
        for i in range(10_000)
    )
    Profile(functions=(FunctionRecord(name="large", nodes=rows),)).html(tmp_path / "p.html")
    browser.get((tmp_path / "p.html").as_uri())
    click(browser, "#tab-nodes")
    assert 0 < len(all_of(browser, NAMES)) < 200  # only the rows in sight are made
    click(browser, "#tab-graph")
    assert len(browser.find_elements("css selector", ".folded, .node")) <= 100
    browser.execute_script("graph.open(main.f, 5123)")
    one(browser, '.node.marked[data-node="5123"]')
    assert too_wide(browser) == []
    assert complaints(browser) == []


def test_two_functions_are_chosen_between(browser: Chrome, tmp_path: Path) -> None:
    other = FunctionRecord(name="other <b>", nodes=(node(0, "sin", 1, runs=1, self_time=1.0),))
    Profile(functions=(*PROFILE.functions, other)).html(tmp_path / "p.html")
    browser.get((tmp_path / "p.html").as_uri())
    click(browser, "#tab-branches")
    assert len(all_of(browser, ".card")) == 2
    browser.execute_script(
        """const select = document.getElementById("function");
        select.value = 1;
        select.dispatchEvent(new Event("change"));"""
    )
    assert all_of(browser, ".card") == []
    click(browser, "#tab-overview")
    assert text_of(browser, "#top button") == ["sin.0", "search.py:1"]
    assert complaints(browser) == []


def test_a_profile_of_nothing_opens(browser: Chrome, tmp_path: Path) -> None:
    Profile().html(tmp_path / "p.html")
    browser.get((tmp_path / "p.html").as_uri())
    assert one(browser, "#notes").text == "no function was called"
    assert complaints(browser) == []


def test_a_table_of_calls_opens_however_many_there_are(browser: Chrome, tmp_path: Path) -> None:
    for number in (1, 15, 16, 22, 23, 24, 25, 200):  # 23 are about as high as the window
        calls = tuple(CallRow(index=i, start=float(i), time=0.5) for i in range(number))
        record = FunctionRecord(name="f", n_calls=number, nodes=(node(0, "exp", 1),), calls=calls)
        Profile(functions=(record,), kind="time").html(tmp_path / "p.html")
        browser.get((tmp_path / "p.html").as_uri())
        click(browser, "#tab-calls")
        assert all_of(browser, "#call-table .tabulator-row")
        assert complaints(browser) == []

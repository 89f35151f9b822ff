"""Graphs in DOT: nodes, frames around what runs together, and what never ran."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import thunkvm as tv


def quoted(text: str) -> str:
    """What stands in the first quotes of a text."""
    return text.split('"')[1]


def boxes(dot: str) -> dict[str, str]:
    """The label of each box, by its number."""
    lines = [line.partition(" [label=") for line in dot.splitlines() if "->" not in line]
    return {number: quoted(label) for number, found, label in lines if found}


def arrows(dot: str) -> set[str]:
    """Arrows by labels: ``x -> exp.0`` and ``x -> ifelse.2 (then)``."""
    labels, found = boxes(dot), set()
    for line in dot.splitlines():
        if "->" in line:
            ends, _, label = line.rstrip(" ;").partition("  ")
            text = " -> ".join(labels[end].partition("\\n")[0] for end in ends.split("->"))
            found.add(f"{text} ({quoted(label)})" if label else text)
    return found


def frames(dot: str) -> dict[str, list[str]]:
    """The labels of the boxes right in each frame, by the frame's label and those around it."""
    labels, found = boxes(dot), {}
    around: list[str] = []
    for line in dot.splitlines()[1:]:
        if line.startswith("label="):
            around.append(quoted(line))
            found["; ".join(around)] = []
        elif line == "}" and around:
            around.pop()
        elif around and line.rstrip(";") in labels:
            found["; ".join(around)].append(labels[line.rstrip(";")].partition("\\n")[0])
    return found


def test_to_dot_of_a_variable_has_its_nodes_and_what_they_read() -> None:
    x = tv.vector("x")
    y = tv.exp(x) * x
    y.name = "y"
    assert tv.to_dot(y) == (
        "digraph G {\n"
        '0 [label="exp"];\n'
        '1 [label="x\\nvector float64 (?,)" shape="box"];\n'
        '2 [label="mul\\ny"];\n'
        "1->0 ;\n"
        "0->2 ;\n"
        "1->2 ;\n"
        "}"
    )


def test_to_dot_of_a_structure_says_where_each_variable_goes() -> None:
    x, n = tv.scalar("x"), tv.shared(0, "n")
    dot = tv.to_dot({"cost": -x, "counts": [n]})
    assert arrows(dot) == {"x -> neg", "neg -> ['cost']", "n -> ['counts'][0]"}


def test_to_dot_of_no_variable_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        tv.to_dot({"x": object()})


def test_to_dot_of_a_loop_frames_a_step_and_the_loops_in_it() -> None:
    x = tv.scalar("x")

    def halve(y: Any) -> Any:
        z = tv.while_loop(lambda z: z > 1.0, lambda z: z / tv.exp(x), y)
        return z + y

    dot = tv.to_dot(tv.while_loop(lambda y: y > x, halve, tv.sin(x)))
    outer, inner = "each step of while_loop", "each step of while_loop; each step of while_loop"
    assert {name: sorted(labels) for name, labels in frames(dot).items()} == {
        outer: ["add", "gt", "state", "while_loop"],
        inner: ["1.0", "gt", "state", "true_div"],
    }
    assert {
        "sin -> while_loop (state begins)",
        "gt -> while_loop (while)",
        "add -> while_loop (state becomes)",
        "state -> while_loop (state begins)",
        "true_div -> while_loop (state becomes)",
        "exp -> true_div",
        "x -> gt",
    } <= arrows(dot)


def test_to_dot_of_a_function_frames_its_regions_and_greys_what_never_ran() -> None:
    x = tv.scalar("x")
    f = tv.function([x], tv.ifelse(x > 0.0, tv.exp(x), x), mode="vm")
    never_called = f.to_dot()
    f(-1.0)
    never_taken = f.to_dot()
    assert never_taken == (
        "digraph G {\n"
        "subgraph cluster_0 {\n"
        'label="only if x > 0.0";\n'
        "1;\n"
        "}\n"
        '0 [label="gt.0"];\n'
        '1 [label="exp.1" style="dashed" color="grey45" fontcolor="grey45"];\n'
        '2 [label="ifelse.2"];\n'
        '3 [label="x\\nscalar float64" shape="box"];\n'
        '4 [label="0.0" shape="box"];\n'
        '5 [label="output" shape="plaintext"];\n'
        "3->0 ;\n"
        "4->0 ;\n"
        "3->1 ;\n"
        '0->2  [label="if"];\n'
        '1->2  [label="then"];\n'
        '3->2  [label="else"];\n'
        "2->5 ;\n"
        "}"
    )
    f(1.0)
    grey = ' style="dashed" color="grey45" fontcolor="grey45"'
    assert never_called == f.to_dot() == never_taken.replace(grey, "")


def test_to_dot_of_a_function_nests_the_frames_of_its_regions() -> None:
    x, y = tv.scalar("x"), tv.scalar("y")
    inner = tv.ifelse(y > 1.0, tv.exp(x), tv.sin(x) + 1.0)
    dot = tv.function([x, y], tv.ifelse(x > 0.0, -inner, x), mode="vm").to_dot()
    outer = "only if x > 0.0"
    assert {name: sorted(labels) for name, labels in frames(dot).items()} == {
        outer: ["gt.1", "ifelse.5", "neg.6"],
        f"{outer}; only if not y > 1.0": ["add.3", "sin.2"],
        f"{outer}; only if y > 1.0": ["exp.4"],
    }


def test_to_dot_of_a_function_frames_the_steps_of_its_loops() -> None:
    x = tv.scalar("x")
    f = tv.function([x], tv.while_loop(lambda y: y < x, lambda y: y * 2.0, 1.0), mode="vm")
    dot = f.to_dot()
    test, step = "each test of while_loop.2", "each step of while_loop.2"
    assert frames(dot) == {test: ["lt.0", "state"], f"{test}; {step}": ["mul.1"]}
    assert arrows(dot) == {
        "1.0 -> while_loop.2 (state begins)",
        "state -> lt.0",
        "x -> lt.0",
        "lt.0 -> while_loop.2 (while)",
        "state -> mul.1",
        "2.0 -> mul.1",
        "mul.1 -> while_loop.2 (state becomes)",
        "state -> while_loop.2 (leaves)",
        "while_loop.2 -> output",
    }


def test_to_dot_of_a_function_says_what_its_results_are() -> None:
    x, n = tv.scalar("x"), tv.shared(0, "n")
    dot = tv.function([x], [x * 2.0, x], updates={n: n + 1}, mode="vm").to_dot()
    assert {"mul.0 -> output 0", "x -> output 1", "add.1 -> update of n"} <= arrows(dot)


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "c|py"])
def test_to_dot_of_a_function_has_all_nodes_in_every_mode(mode: str) -> None:
    x = tv.scalar("x")
    f = tv.function([x], tv.ifelse(x > 0.0, tv.exp(x), tv.log(-x)), mode=mode)
    f(1.0)
    assert {row.node for row in f.node_runs()} <= set(boxes(f.to_dot()).values())


def test_to_dot_of_a_chain_of_many_nodes_and_arms_does_not_recurse() -> None:
    x = tv.scalar("x")
    y = x
    for i in range(3000):
        y = tv.ifelse(x > float(i), tv.exp(y), x)
    assert tv.to_dot(y).count('label="exp"') == 3000
    f = tv.function([x], y, mode="vm")
    assert f.to_dot().count('label="only if x > ') == 3000


@pytest.mark.parametrize("name", ["graph.dot", "graph.gv"])
def test_to_dot_writes_a_file_of_dot(name: str, tmp_path: Path) -> None:
    x = tv.scalar("x")
    dot = tv.to_dot(tv.exp(x), tmp_path / name)
    assert (tmp_path / name).read_text() == dot + "\n"


@pytest.mark.skipif(not shutil.which("dot"), reason="dot (graphviz) is not installed")
def test_to_dot_writes_a_file_of_svg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LD_PRELOAD", raising=False)  # a sanitizer's, which is for Python alone
    x = tv.scalar('x "and" \\N')
    tv.function([x], tv.exp(x), mode="vm").to_dot(tmp_path / "graph.svg")
    svg = (tmp_path / "graph.svg").read_text()
    assert ">exp.0</text>" in svg
    assert "x &quot;and&quot; \\N</text>" in svg


def test_to_dot_names_what_svg_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match=r"needs the program dot of Graphviz.*apt-get install"):
        tv.to_dot(tv.scalar("x"), tmp_path / "graph.svg")
    assert not (tmp_path / "graph.svg").exists()


def test_to_dot_refuses_a_file_of_another_format(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"graph.png' has to end in .dot, .gv or .svg"):
        tv.to_dot(tv.scalar("x"), tmp_path / "graph.png")

"""Origins of nodes that the caller gives: `Interface(origins=...)`."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.linking import Graph, Interface, Origin, link

NET = Origin("/models/net.yaml", 12, "- pick: [x, i]")
SHOWN = "net.yaml:12, - pick: [x, i]"


def origins_of(f: tv.Function) -> dict[str, str]:
    return {row.op: row.origin for row in f.explain().nodes}


def an_index() -> tuple[list[tv.Variable], tv.Variable]:
    x, i = tv.vector("x"), tv.lscalar("i")
    return [x, i], x[i]


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "c|py", "FAST_RUN", "DebugMode"])
def test_an_error_shows_the_given_origin(mode: str) -> None:
    inputs, picked = an_index()
    f = link(Graph(inputs, picked * 2.0), mode, Interface(origins={picked: NET}))
    with pytest.raises(IndexError) as caught:
        f([1.0], 3)
    notes = "\n".join(caught.value.__notes__)
    assert SHOWN in notes
    assert caught.value.node.origin == SHOWN


def test_nodes_without_a_given_origin_keep_their_lines() -> None:
    x = tv.vector("x")
    y = tv.exp(x)
    f = link(Graph([x], tv.log(y)), "vm", Interface(origins={y: NET}))
    found = origins_of(f)
    assert found["exp"] == SHOWN
    assert found["log"].startswith("test_given_origins.py:")


def test_an_origin_holds_for_the_nodes_in_front_up_to_those_of_another_one() -> None:
    x = tv.vector("x")
    first = tv.log(tv.exp(x))
    last = tv.cos(tv.sin(first))
    how = Interface(origins={first: Origin("a", 1), last: Origin("a", 2)})
    assert origins_of(link(Graph([x], last), "vm", how)) == {
        "exp": "a:1",
        "log": "a:1",
        "sin": "a:2",
        "cos": "a:2",
    }


def test_a_node_between_two_origins_has_the_first() -> None:
    x = tv.vector("x")
    between = tv.exp(x)
    one, two = tv.sin(between), tv.cos(between)
    how = Interface(origins={two: Origin("a", 2), one: Origin("a", 1)})
    found = origins_of(link(Graph([x], [one, two]), "vm", how))
    assert found == {"exp": "a:2", "sin": "a:1", "cos": "a:2"}


def test_leaves_and_variables_of_other_graphs_change_nothing() -> None:
    x, y, n = tv.vector("x"), tv.vector("y"), tv.shared(1.0, "n")
    how = Interface(origins={x: NET, n: NET, tv.exp(y): NET})
    assert origins_of(link(Graph([x], x * n), "vm", how))["mul"].startswith("test_given")


def test_the_variables_that_were_given_do_not_change() -> None:
    x = tv.vector("x")
    y = tv.exp(x)
    line = y.origin
    f = link(Graph([x], y), "vm", Interface(origins={y: Origin("a", 1)}))
    g = link(Graph([x], y), "vm", Interface(origins={y: Origin("b", 2)}))
    assert [origins_of(f)["exp"], origins_of(g)["exp"], y.origin] == ["a:1", "b:2", line]


@pytest.mark.parametrize(
    ("origin", "shown"),
    [
        (Origin("model.onnx"), "model.onnx"),
        (Origin("model.onnx", text="Gemm_3"), "model.onnx, Gemm_3"),
        (("a.py", 3, "y = (\n    x)"), "a.py:3, y = ( x)"),
        (("/lib/a.py", 3), "a.py:3"),
        (Origin("we\udcffird.py", 3, "\udcff"), "we\\udcffird.py:3, \\udcff"),
    ],
)
def test_an_origin_is_shown_on_one_line(origin: Any, shown: str) -> None:
    x = tv.vector("x")
    y = tv.exp(x)
    assert origins_of(link(Graph([x], y), "vm", Interface(origins={y: origin}))) == {"exp": shown}


def test_the_value_of_an_update_has_a_given_origin() -> None:
    n = tv.shared(1.0, "n")
    new = n * 3.0
    f = link(Graph([]), "vm", Interface(updates={n: new}, origins={new: NET}))
    assert origins_of(f) == {"mul": SHOWN}
    f()
    assert n.get_value() == 3.0


def test_a_profile_shows_the_given_file_line_and_text() -> None:
    inputs, picked = an_index()
    f = link(Graph(inputs, picked), "vm", Interface(profile="count", origins={picked: NET}))
    f([1.0], 0)
    (row,) = f.profile.functions[0].nodes
    assert (row.file, row.line, row.source) == NET


def test_a_profile_shows_the_line_of_a_given_file_without_a_text(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("\nz = net(x)\n")
    inputs, picked = an_index()
    origin = Origin(str(tmp_path / "net.py"), 2)
    f = link(Graph(inputs, picked), "vm", Interface(profile="count", origins={picked: origin}))
    f([1.0], 0)
    assert f.profile.functions[0].nodes[0].source == "z = net(x)"


def test_a_missing_input_shows_the_given_origin() -> None:
    x = tv.vector("x")
    y = tv.exp(x)
    with pytest.raises(tv.MissingInputError, match=r"through .* made at net.yaml:12, - pick"):
        link(Graph([], y), "vm", Interface(origins={y: NET}))


def test_emitted_code_names_the_given_origin() -> None:
    x = tv.vector("x")
    y = tv.exp(x)
    f = link(Graph([x], y), tv.Mode("cvm", compile="now"), Interface(origins={y: NET}))
    assert SHOWN in f.c_source()


def test_names_and_several_outputs_stay() -> None:
    m = tv.matrix("m")
    values, vectors = tv.eigh(m @ m.T)
    values.name = "values"
    f = link(Graph([m], [values, vectors]), "vm", Interface(origins={vectors: NET}))
    assert origins_of(f)["eigh"] == SHOWN
    assert "values" in [variable.name for variable in f.outputs]
    np.testing.assert_allclose(f(np.eye(2))[0], [1.0, 1.0])


def with_shared() -> tuple[tv.Function, tv.Variable]:
    x, n = tv.vector("x"), tv.shared(2.0, "n")
    y = tv.exp(x) * n
    return link(Graph([x], [y]), "vm", Interface(origins={y: NET})), n


@pytest.mark.parametrize("again", [copy.deepcopy, lambda f: pickle.loads(pickle.dumps(f))])
def test_a_copied_function_has_the_given_origins(again: Any) -> None:
    f, _ = with_shared()
    assert origins_of(again(f)) == {"exp": SHOWN, "mul": SHOWN}


def test_a_function_with_other_shared_variables_has_the_given_origins() -> None:
    f, n = with_shared()
    g = f.copy(swap={n: tv.shared(5.0, "m")})
    assert origins_of(g) == {"exp": SHOWN, "mul": SHOWN}
    assert g([0.0])[0].tolist() == [5.0]
    assert origins_of(pickle.loads(pickle.dumps(g))) == {"exp": SHOWN, "mul": SHOWN}


def test_a_deep_graph_gets_given_origins() -> None:
    x = tv.vector("x")
    y = x
    for _ in range(20_000):
        y = tv.sin(y)
    f = link(Graph([x], y), "vm", Interface(origins={y: NET}))
    assert {row.origin for row in f.explain().nodes} == {SHOWN}


x = tv.vector("x")
y = tv.exp(x)
WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "no dict": ([NET], TypeError, r"\[link\] origins is .*, a list; it has to be a dict"),
    "a key": ({"y": NET}, TypeError, r"origins has 'y', a str, as a key; .* a Variable"),
    "a file alone": ({y: "net"}, TypeError, r"the origin of .*exp.* is 'net'; .* an Origin, or"),
    "a line": ({y: ("net", "3")}, TypeError, r"is \('net', '3'\); it has to be"),
    "too much": ({y: ("net", 3, "", 4)}, TypeError, r"it has to be an Origin"),
    "a line below": ({y: ("net", -3)}, ValueError, r"has line -3; lines count from 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_origin_that_is_none_names_the_value_and_the_rule(name: str) -> None:
    origins, kind, message = WRONG[name]
    with pytest.raises(kind, match=message):
        link(Graph([x], y), "vm", Interface(origins=origins))

"""What a Variable, a node and a function look like: reprs, trees, and what notebooks show."""

from __future__ import annotations

import io
import re
import shutil
from base64 import b64decode
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm._src import later
from thunkvm._src.views.expression import WIDTH, expression
from thunkvm._src.views.notebook import DRAWN
from thunkvm._src.views.tree import tree_lines

PICTURE = re.compile('src="data:image/svg\\+xml;base64,([^"]+)"')
needs_dot = pytest.mark.skipif(not shutil.which("dot"), reason="dot (graphviz) is not installed")

x, y, n = tv.scalar("x"), tv.scalar("y"), tv.lscalar("n")
v, m, flags = tv.vector("v"), tv.matrix("m"), tv.tensor("flags", "bool", (None,))


class Pair(tv.Op):
    """Two outputs of one input."""

    __props__ = ()

    def make_node(self, value: Any) -> tv.Apply:
        value = tv.as_variable(value)
        return tv.Apply(self, [value], [value.type(), value.type()])


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        (x + 2, "x + 2.0"),
        (x - (y - 1.0), "x - (y - 1.0)"),
        (x - y - 1.0, "x - y - 1.0"),
        ((x + y) * 2.0, "(x + y) * 2.0"),
        (x + y * 2.0, "x + y * 2.0"),
        (-(x**2.0), "-x ** 2.0"),
        ((-x) ** 2.0, "(-x) ** 2.0"),
        ((x**y) ** 2.0, "(x ** y) ** 2.0"),
        (x ** (y**2.0), "x ** y ** 2.0"),
        (tv.constant(-1.0) ** x, "(-1.0) ** x"),
        (m @ v, "m @ v"),
        (tv.eq(x < y, y < x), "(x < y) == (y < x)"),
        (~flags & flags, "~flags & flags"),
        (v[1:, None], "v[1:, None]"),
        (v[n : n + 1], "v[n:n + 1]"),
        (v[n].set(x), "v[n].set(x)"),
        (v[:2].inc(1.0), "v[:2].inc(1.0)"),
        ((m + 1.0).T, "(m + 1.0).T"),
        (m.transpose((1, 0)).shape[0], "transpose(m, axes=[1, 0]).shape[0]"),
        (m.sum(), "sum(m)"),
        (m.sum(axis=0, keepdims=True), "sum(m, axis=[0], keepdims=True)"),
        (tv.ifelse(x > 0.0, tv.sqrt(x), 0.0), "ifelse(x > 0.0, sqrt(x), 0.0)"),
        (tv.switch_case(n, [x, y]), "switch_case(n, [x, y])"),
        (tv.switch_case(n, [x, y], default=0.0), "switch_case(n, [x, y], default=0.0)"),
        (tv.ifelse(x > 0.0, [x, y], [y, x])[1], "ifelse(x > 0.0, y, x)"),
        (tv.and_(x > 0.0, y > x), "and_(x > 0.0, y > x)"),
        (tv.or_(x > 0.0, y > x, y > 1.0), "or_(x > 0.0, or_(y > x, y > 1.0))"),
        (Pair()(x)[1], "Pair(x)[1]"),
        (tv.vector() + tv.shared(1.0), "<vector float64 (?,)> + <shared scalar float64>"),
        (v + np.array([1, 2]), "v + cast([1, 2], dtype='float64')"),
        (v + np.zeros(1000), "v + <vector float64 (1000,)>"),
    ],
)
def test_a_repr_shows_the_expression_that_one_would_write(variable: tv.Variable, text: str) -> None:
    assert expression(variable) == text


def test_a_repr_of_an_attempt_is_the_call() -> None:
    assert repr(tv.attempt(x, y)) == "<attempt(x, y): scalar float64>"
    assert repr(tv.attempt(x, y, on=KeyError)) == "<attempt(x, y, on=KeyError): scalar float64>"
    several = tv.attempt(x, y, on=(KeyError, ValueError))
    assert repr(several) == "<attempt(x, y, on=(KeyError, ValueError)): scalar float64>"


def test_a_repr_has_the_type_and_the_name() -> None:
    z = tv.exp(x)
    assert repr(z) == "<exp(x): scalar float64>"
    z.name = "z"
    assert repr(z) == "<z = exp(x): scalar float64>"
    assert repr(z + 1.0) == "<z + 1.0: scalar float64>"
    assert repr(z.owner) == "exp(x)"
    assert [repr(leaf) for leaf in (x, tv.scalar(), tv.shared(1.0))] == [
        "<x: scalar float64>", "<scalar float64>", "<shared: scalar float64>",
    ]  # fmt: skip
    objects = [tv.constant(2.0), tv.constant("text"), tv.constant(object())]
    assert [repr(constant) for constant in objects] == [
        "<constant 2.0: scalar float64>", "<constant 'text': generic>", "<constant: generic>",
    ]  # fmt: skip


def test_a_repr_is_cut_to_a_line() -> None:
    total = sum((tv.scalar("a_long_name") for _ in range(9)), x)
    assert len(expression(total)) <= WIDTH
    assert expression(total).endswith("...")
    named = tv.scalar("name" * 1000)
    assert len(repr(named)) < 100
    assert len(repr(named + 1.0)) < 100
    assert len(repr(tv.stack([x] * 100_000))) < 100
    assert len(repr(tv.constant("text" * 1000))) < 100


def test_a_repr_of_a_deep_chain_shows_its_last_steps() -> None:
    chain = x
    for _ in range(100_000):
        chain = chain + 1.0
    assert expression(chain).startswith("... + 1.0 + 1.0 + 1.0")
    chain = x
    for _ in range(100_000):
        chain = tv.exp(chain)
    assert expression(chain).startswith("exp(exp(exp(")


def test_a_repr_of_nested_sharing_is_no_tree() -> None:
    square = x
    for _ in range(60):
        square = square * square
    assert len(expression(square)) <= WIDTH
    assert len(list(tree_lines([("", square)], depth=None))) == 1 + 2 * 60


def test_a_tree_has_an_id_for_each_variable_and_marks_what_came_before() -> None:
    z = tv.exp(x)
    z.name = "z"
    out = io.StringIO()
    tv.dprint({"a": z * z, "b": [tv.switch_case(n, [x, z], default=2.0)]}, file=out)
    assert out.getvalue().splitlines() == [
        "['a']: mul [id A] <scalar float64>",
        " |exp [id B] 'z' <scalar float64>",
        " | |x [id C] <scalar float64>",
        " |exp [id B] ...",
        "['b'][0]: switch [id D] <scalar float64>",
        " |switch: n [id E] <scalar int64>",
        " |case 0: x [id C]",
        " |case 1: exp [id B] ...",
        " |default: 2.0",
    ]


def test_a_tree_goes_down_as_far_as_it_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    tv.dprint(tv.exp(tv.exp(x)), depth=1)
    assert capsys.readouterr().out.splitlines() == [
        "exp [id A] <scalar float64>",
        " |exp [id B] <scalar float64> ... (deeper than depth)",
    ]
    chain = x
    for _ in range(100_000):
        chain = tv.exp(chain)
    assert len(list(tree_lines([("", chain)]))) == 51


def test_a_tree_is_of_variables() -> None:
    with pytest.raises(TypeError, match="cannot become a Variable"):
        tv.dprint(object())


def test_a_function_prints_what_it_runs(capsys: pytest.CaptureFixture[str]) -> None:
    count = tv.shared(0, "count")
    twice = tv.exp(x) + tv.exp(x)
    f = tv.function([x], [twice], updates={count: count + 1}, mode="FAST_COMPILE")
    f.dprint()
    assert capsys.readouterr().out.splitlines() == [
        "output 0: add.1 <scalar float64>",
        " |exp.0 <scalar float64>",
        " | |x [id A] <scalar float64>",
        " |exp.0 ...",
        "update of count: add.2 <scalar int64>",
        " |count [id B] <scalar int64>",
        " |1",
    ]
    assert [row.node for row in f.explain().nodes] == ["exp.0", "add.1", "add.2"]


def test_a_function_knows_its_mode_outputs_and_updates() -> None:
    count = tv.shared(0, "count")
    z, new = tv.exp(x), count + 1
    f = tv.function([x], {"z": z}, updates={count: new}, mode="vm", name="step")
    assert f.mode == tv.get_mode("vm")
    assert f.inputs[0] is x
    assert f.outputs[0] is z
    assert [(target is count, value is new) for target, value in f.updates] == [(True, True)]
    assert repr(f) == "<function step(x) -> exp(x), in mode vm>"
    assert repr(tv.function([], None)).startswith("<function() -> None, in mode ")


def test_a_function_shows_its_public_names_alone() -> None:
    f = tv.function([x], tv.exp(x), mode="vm")
    assert [name for name in dir(f) if not name.startswith("_")] == [
        "c_source", "compile", "compiled", "copy", "counts", "disassemble", "dprint", "explain",
        "inputs", "mode", "name", "node_runs", "outputs", "profile", "record", "replay",
        "reset_counters", "rewrites", "to_dot", "updates", "why_not_compiled",
    ]  # fmt: skip


def test_a_function_a_variable_and_the_settings_show_no_private_names() -> None:
    f = tv.function([x], tv.exp(x), mode="vm")
    for shown in (f, x, tv.config, f.profile):
        assert [n for n in dir(shown) if n.startswith("_") and not n.startswith("__")] == []


@pytest.mark.parametrize(
    ("variable", "own"),
    [
        (x, set()),
        (tv.exp(x), set()),
        (tv.constant(1.0), {"value"}),
        (tv.shared(1.0), {"get_value", "set_value"}),
        (tv.while_loop(lambda s: s < 9.0, lambda s: s * 2.0, x), {"finished", "history", "steps"}),
    ],
    ids=["input", "exp", "constant", "shared", "loop"],
)
def test_a_variable_shows_names_that_mean_something_for_it(
    variable: tv.Variable, own: set[str]
) -> None:
    of_some = {"finished", "get_value", "history", "set_value", "steps", "value"}
    shown = set(dir(variable))
    assert shown & of_some == own
    assert {"sum", "T", "set", "eval", "dtype", "shape", "__add__"} <= shown
    assert not {"leaf", "weak", "broadcastable"} & shown


def test_the_package_shows_its_public_names_without_kinds_with_letters() -> None:
    shown = {name for name in dir(tv) if not name.startswith("__")}
    public = {name for name in tv.__all__ if not name.startswith("__")}
    assert (shown - public, {"dscalar", "fmatrix", "lvector"} & shown) == (set(), set())
    assert all(hasattr(tv, name) for name in public - shown)
    assert {"scalar", "vectors", "ifelse", "exp"} <= shown


@pytest.mark.parametrize("name", [*later.MODULES, "profile"])
def test_a_module_of_the_package_shows_its_public_names_alone(name: str) -> None:
    module = getattr(tv, name)
    assert {*dir(module)} - {*module.__all__} == ({"describe"} if name == "ops" else set())
    assert {*module.__all__} <= {*dir(module)}


def test_runs_of_nodes_are_named_tuples() -> None:
    f = tv.function([x], tv.exp(x), mode="vm")
    f(1.0)
    (row,) = f.node_runs()
    assert (row.node, row.op, row.form, row.runs) == ("exp.0", "exp", "perform", 1)
    assert row.origin.startswith("test_expression.py:")
    assert row == tuple(row)


def test_notebooks_show_text_that_is_escaped() -> None:
    shown = (x < y)._repr_html_()
    assert shown.startswith("<code>&lt;x &lt; y: scalar bool&gt;</code>")
    assert "x [id B] &lt;scalar float64&gt;" in shown
    f = tv.function([x], tv.exp(x), mode="vm")
    assert "-&gt; exp(x)" in f._repr_html_()
    assert ">exp.0</td>" in f.explain()._repr_html_()


def test_a_notebook_aligns_words_left_and_numbers_as_it_does_itself() -> None:
    f = tv.function([x], tv.exp(x), mode="vm", profile=True)
    f(1.0)
    assert '<td style="text-align: left">perform</td>' in f.explain()._repr_html_()
    assert "<td>1</td>" in f.explain()._repr_html_()
    assert '<td style="text-align: left">exp</td></tr>' in f.profile._repr_html_()


@needs_dot
def test_notebooks_show_a_picture_of_a_graph_a_node_and_a_function() -> None:
    picked = tv.ifelse(x < y, tv.exp(x), y)
    f = tv.function([x, y], picked, mode="vm")
    f(1.0, 0.0)
    shown = f._repr_html_()
    (drawn,) = PICTURE.findall(shown)
    assert "only if" in b64decode(drawn).decode()
    for graph in (picked, picked.owner):
        assert len(PICTURE.findall(graph._repr_html_())) == 1
    assert "[0]" not in picked._repr_html_()


@needs_dot
def test_notebooks_show_no_tag_of_svg_which_jupyterlab_takes_out() -> None:
    assert "<svg" not in tv.exp(x)._repr_html_()


def test_notebooks_show_no_picture_of_a_large_graph_or_of_an_input() -> None:
    chain = x
    for _ in range(DRAWN + 1):
        chain = tv.exp(chain)
    f = tv.function([x], chain, mode="vm")
    for shown in (chain, f, x):
        assert not PICTURE.search(shown._repr_html_())


def test_notebooks_without_graphviz_show_text_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    shown = tv.exp(x)._repr_html_()
    assert not PICTURE.search(shown)
    assert "<summary>graph</summary>" in shown


def test_notebooks_show_a_page_of_a_large_graph() -> None:
    wide = tv.stack([tv.scalar() for _ in range(1000)])
    shown = wide._repr_html_()
    assert shown.count("\n") == 200
    assert "and more, which dprint() prints" in shown
    f = tv.function([v], tv.stack([v[i] for i in range(300)]), mode="vm")
    table = f.explain()._repr_html_()
    assert table.count("<tr>") == 201
    assert "<p>... and 101 more, which print() prints</p>" in table


def test_a_product_is_called_as_it_was_written() -> None:
    a, b = tv.matrix("a"), tv.matrix("b")
    f = tv.function([a, b], [tv.dot(a, b), a @ b, tv.matmul(b, a)], mode="vm")
    assert sorted(row[1] for row in f._node_rows()) == ["dot", "matmul", "matmul"]
    assert [expression(tv.dot(a, b)), expression(a @ b)] == ["dot(a, b)", "a @ b"]


def test_dprint_shows_what_a_loop_begins_with_tests_and_becomes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    x, n = tv.scalar("x"), tv.lscalar("n")
    tv.dprint(tv.fori_loop(0, n, lambda i, s: s * tv.exp(x), x))
    assert capsys.readouterr().out.splitlines() == [
        "fori_loop[1] [id A] <scalar float64>",
        " |state[0] begins: 0",
        " |state[1] begins: x [id B] <scalar float64>",
        " |while: lt [id C] <scalar bool>",
        " | |state[0] [id D] <scalar int64>",
        " | |n [id E] <scalar int64>",
        " |state[0] becomes: add [id F] <scalar int64>",
        " | |state[0] [id D]",
        " | |1",
        " |state[1] becomes: mul [id G] <scalar float64>",
        " | |state[1] [id H] <scalar float64>",
        " | |exp [id I] <scalar float64>",
        " | | |x [id B]",
    ]

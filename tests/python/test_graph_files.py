"""Graph files: what is saved is there again, and what is damaged is an error with its place."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "graph.schema.json"


def model() -> tuple[list[tv.Variable], dict[str, tv.Variable]]:
    """Return inputs and outputs of a graph with all kinds of nodes."""
    x, y = tv.vector("x"), tv.scalar("y")
    w = tv.shared(np.array([1.0, 2.0]), "w")
    arm = tv.ifelse(y > 0, x * w * 2.0, x)
    arm.name = "arm"
    last, n = tv.while_loop(lambda s: s[0] < 10.0, lambda s: (s[0] * 2 + y, s[1] + 1), (y, 0), 8)
    tried = tv.attempt(arm[0], last, on=(ValueError, np.linalg.LinAlgError))
    spread = tv.var(x, ddof=1.5)
    joined = tv.concatenate([x, arm, tv.full((2,), -np.inf)])
    outputs = {"arm": arm, "last": last, "n": n, "tried": tried, "spread": spread, "all": joined}
    return [x, y], outputs


@pytest.fixture
def path(tmp_path: Path) -> Path:
    inputs, outputs = model()
    tv.save(tmp_path / "model.tv", outputs, inputs)
    return tmp_path / "model.tv"


def graph_of(path: Path) -> Any:
    with zipfile.ZipFile(path) as file:
        return json.loads(file.read("graph.json"))


def rewritten(path: Path, change: Callable[[Any], Any]) -> None:
    """Write the file anew with a changed graph.json."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    graph = json.loads(members["graph.json"])
    change(graph)
    members["graph.json"] = json.dumps(graph).encode()
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)


def test_a_loaded_graph_has_the_same_program_and_values(path: Path) -> None:
    inputs, outputs = model()
    loaded = tv.load(path)
    f, g = tv.function(inputs, outputs), tv.function(loaded.inputs, loaded.outputs)
    assert f.disassemble() == g.disassemble()
    for given in ([1.0, 2.0], 1.0), ([3.0, 4.0], -1.0):
        for one, other in zip(f(*given).values(), g(*given).values(), strict=True):
            np.testing.assert_array_equal(one, other)
    assert [v.name for v in loaded.inputs] == ["x", "y"]
    assert loaded.outputs["arm"].name == "arm"
    assert loaded.shared["w"].get_value().tolist() == [1.0, 2.0]


def test_a_graph_that_was_loaded_is_saved_as_the_same_bytes(path: Path, tmp_path: Path) -> None:
    loaded = tv.load(path)
    tv.save(tmp_path / "again.tv", loaded.outputs, loaded.inputs)
    assert (tmp_path / "again.tv").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("kind", ["one", "list"])
def test_outputs_come_back_in_their_structure(kind: str, tmp_path: Path) -> None:
    x = tv.scalar("x")
    tv.save(tmp_path / "g", x * 2 if kind == "one" else [x * 2, x])
    loaded = tv.load(tmp_path / "g")
    assert tv.function(loaded.inputs, loaded.outputs)(3.0) == (6.0 if kind == "one" else [6.0, 3.0])


def test_a_number_of_a_file_is_as_weak_as_it_was(tmp_path: Path) -> None:
    x = tv.tensor("x", dtype="float32")
    tv.save(tmp_path / "g", [tv.as_variable(2.0), tv.constant(2.0, dtype="float64")])
    weak, strong = tv.load(tmp_path / "g").outputs
    assert [(x * weak).dtype, (x * strong).dtype] == ["float32", "float64"]


def test_a_file_follows_the_schema(path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(graph_of(path), json.loads(SCHEMA.read_text()))


def ops(graph: Any, kind: str) -> Any:
    return next(op for op in graph["ops"] if op["type"] == kind)


def reverse(graph: Any) -> None:
    graph["ops"].reverse()


def leak(body: Any) -> None:
    """Give a body a free variable that is no input of it."""
    body["leaves"]["other"] = {"kind": "input", "type": {"dtype": "float64", "shape": []}}


EMPTY: Any = {"leaves": {}, "inputs": [], "ops": [], "outputs": []}


def nested(depth: int) -> Any:
    graph = EMPTY
    for _ in range(depth):
        op = {"type": "loop", "inputs": {}, "outputs": [], "types": []}
        graph = {**EMPTY, "ops": [{**op, "attributes": {"body": {"graph": graph}}}]}
    return graph


DAMAGES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "no format": (lambda g: g.pop("format"), "its format is not"),
    "later": (lambda g: g.update(version=2), r"its version is 2, and this program reads 1 to 1"),
    "bool version": (lambda g: g.update(version=True), "its version is true"),
    "no ops": (lambda g: g.pop("ops"), "'ops' is missing"),
    "unknown Op": (
        lambda g: ops(g, "mul").update(type="mull"),
        r"ops\[\d+\] \(mull\): .*no Op called 'mull'\. Did you mean 'mul'",
    ),
    "no attribute": (
        lambda g: ops(g, "concatenate")["attributes"].update(axes=1),
        r"\(concatenate\): .*has no attribute 'axes'",
    ),
    "bad attribute": (
        lambda g: ops(g, "conditional")["attributes"].update(n_arms=0),
        r"\(conditional\): .*'n_arms' = 0, but it has to be at least 1",
    ),
    "wrong arms": (
        lambda g: ops(g, "conditional")["attributes"].update(n_arms=3),
        r"\(conditional\): .*takes a selector and 3 arms",
    ),
    "cycle": (reverse, r"ops\[0\] .*reads 'v\d+', which ops\[\d+\] computes, not before it"),
    "dangling": (
        lambda g: ops(g, "mul")["inputs"].update(x=["v999"]),
        r"\(mul\): it reads 'v999', which nothing computes",
    ),
    "no input": (
        lambda g: ops(g, "mul")["inputs"].pop("x"),
        r"\(mul\): the input 'x' has to be one value, not 0",
    ),
    "two inputs": (
        lambda g: ops(g, "mul")["inputs"].update(x=["v0", "v0"]),
        r"\(mul\): the input 'x' has to be one value, not 2",
    ),
    "other input": (
        lambda g: ops(g, "mul")["inputs"].update(z=["v0"]),
        r"\(mul\): it has no input 'z'; it has: x, y",
    ),
    "twice": (lambda g: g["ops"].append(g["ops"][0]), r"two values are called 'v\d+'"),
    "other type": (
        lambda g: ops(g, "mul").update(types=["generic"]),
        r"\(mul\): its output 'v\d+' is vector float64.*, not generic",
    ),
    "no dtype": (
        lambda g: g["leaves"]["v0"]["type"].update(dtype="f8"),
        r"leaves\.v0: there is no dtype 'f8'",
    ),
    "bad length": (
        lambda g: g["leaves"]["v0"]["type"].update(shape=[-3]),
        r"leaves\.v0: a shape has the length -3",
    ),
    "huge length": (
        lambda g: g["leaves"]["v0"]["type"].update(shape=[2**62, 2**62]),
        r"leaves\.v0: ",
    ),
    "no array": (
        lambda g: g["leaves"]["v2"].update(kind="constant", array="arrays/99.npy"),
        r"leaves\.v2: it has no member 'arrays/99\.npy'",
    ),
    "output": (lambda g: g.update(outputs=["v999"]), "outputs: it reads 'v999'"),
    "unused input": (lambda g: g.update(inputs=["v0"]), "free variable .*y.* not among the inputs"),
    "no body": (
        lambda g: ops(g, "loop")["attributes"].pop("body"),
        r"\(loop\): \[loop\] needs the attribute 'body'",
    ),
    "states": (
        lambda g: ops(g, "loop")["attributes"].update(n_states=9),
        r"\(loop\): \[while_loop\] a body of .* does not fit the loop's attributes",
    ),
    "negative": (
        lambda g: ops(g, "loop")["attributes"].update(n_states=-1),
        r"\(loop\): \[loop\] attribute 'n_states' = -1, but it has to be at least 0",
    ),
    "in a body": (
        lambda g: ops(g, "loop")["attributes"]["body"]["graph"]["ops"][0].update(type="nothing"),
        r"ops\[\d+\] \(loop\): body: ops\[0\] \(nothing\): there is no Op",
    ),
    "leaf in a body": (
        lambda g: leak(ops(g, "loop")["attributes"]["body"]["graph"]),
        r"\(loop\): body: the leaf .* is neither an input nor a constant",
    ),
    "graph for a number": (
        lambda g: ops(g, "concatenate")["attributes"].update(axis={"graph": EMPTY}),
        r"\(concatenate\): .*attribute 'axis' = a graph, but it has to be a int",
    ),
    "number for a graph": (
        lambda g: ops(g, "loop")["attributes"].update(body=1),
        r"\(loop\): .*attribute 'body' = 1, but it has to be a graph",
    ),
    "list of lists": (
        lambda g: ops(g, "concatenate")["attributes"].update(axis=[[0]]),
        r"\(concatenate\): an attribute is a list of lists",
    ),
    "nested too deep": (
        lambda g: ops(g, "loop")["attributes"].update(body={"graph": nested(120)}),
        r"\(loop\): body: .*graphs are nested too deep",
    ),
    "exception": (
        lambda g: ops(g, "attempt")["attributes"].update(on=["os.system"]),
        r"ops\[\d+\] \(attempt\): it catches os\.system, which is no exception",
    ),
    "not imported": (
        lambda g: ops(g, "attempt")["attributes"].update(on=["antigravity.Error"]),
        r"ops\[\d+\] \(attempt\): it catches antigravity\.Error, .*import its module first",
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_file_that_says_what_cannot_be_is_refused_with_the_place(name: str, path: Path) -> None:
    change, message = DAMAGES[name]
    rewritten(path, change)
    with pytest.raises(tv.GraphFileError, match=rf"^model\.tv: graph\.json: .*{message}"):
        tv.load(path)


def test_damaged_bytes_are_an_error_or_the_same_graph(path: Path) -> None:
    data = path.read_bytes()
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(300):
        damaged = bytearray(data)
        for at in rng.integers(0, len(data), 3):
            damaged[at] ^= int(rng.integers(1, 256))
        path.write_bytes(damaged if rng.random() < 0.7 else data[: rng.integers(0, len(data))])
        try:
            tv.load(path)
        except tv.GraphFileError:
            refused += 1
    assert refused > 200


def test_loading_unpickles_nothing(path: Path, tmp_path: Path) -> None:
    data = io.BytesIO()
    np.save(data, np.array([{"a": 1}], object), allow_pickle=True)
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    members["arrays/0.npy"] = data.getvalue()
    with zipfile.ZipFile(path, "w") as file:
        for name, member in members.items():
            file.writestr(name, member)
    with pytest.raises(tv.GraphFileError, match=r"arrays/0\.npy: it is no array: its elements are"):
        tv.load(path)


def test_loading_imports_nothing(path: Path) -> None:
    rewritten(path, lambda g: ops(g, "attempt")["attributes"].update(on=["antigravity.Error"]))
    with pytest.raises(tv.GraphFileError):
        tv.load(path)
    assert "antigravity" not in sys.modules


class Mine(tv.Op):
    """An Op of the program's."""

    def make_node(self, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])


def test_what_no_file_can_hold_is_named(tmp_path: Path) -> None:
    x = tv.scalar("x")
    with pytest.raises(TypeError, match=r"Mine.* cannot be saved: it is an Op of the program's"):
        tv.save(tmp_path / "g", Mine()(x))
    with pytest.raises(TypeError, match="its value is a object"):
        tv.save(tmp_path / "g", tv.constant(object()))
    with pytest.raises(TypeError, match=r"outputs is .*, a Function; give a Variable, or a list"):
        tv.save(tmp_path / "g", tv.function([x], x * 2.0))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"need the free variable .*x.*; add it to inputs"):
        tv.save(tmp_path / "g", x, [])
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_cut_at_the_inputs_that_ops_compute(tmp_path: Path) -> None:
    x = tv.scalar("x")
    mine = Mine()(x)
    mine.name = "mine"
    tv.save(tmp_path / "g", mine + 1.0, inputs=[mine])
    loaded = tv.load(tmp_path / "g")
    assert [value.name for value in loaded.inputs] == ["mine"]
    assert tv.function(loaded.inputs, loaded.outputs)(2.0) == 3.0


X, W = tv.scalar("x"), tv.shared(1.0, "w")


@pytest.mark.parametrize(
    ("inputs", "error", "message"),
    [
        (X, TypeError, r"inputs is <x: .*a Variable; give a list of Variables, such as \[x, y\]"),
        ("x", TypeError, "inputs is 'x', a str; give a list of Variables"),
        (3, TypeError, "inputs is 3, a int; give a list of Variables"),
        (
            [X, 2.0],
            TypeError,
            r"input 1 is 2.0, a float; give a Variable such as",
        ),
        ([X, None], TypeError, "input 1 is None, a NoneType; give a Variable"),
        ([X, W], TypeError, r"input 1, <w: .*, is a shared variable; the file has its value"),
        ([X, tv.constant(2.0)], TypeError, "input 1, .*, is a constant variable; the file has its"),
        ([X, X], ValueError, r"the input <x: .* comes twice; give each once"),
        (
            [tv.exp(X) + 1.0],
            ValueError,
            r"the outputs need the free variable <x: .*; add it",
        ),
    ],
)
def test_inputs_that_no_file_can_have_are_refused(
    inputs: Any, error: type[Exception], message: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=message):
        tv.save(tmp_path / "g", X * W, inputs)
    assert list(tmp_path.iterdir()) == []


def test_a_graph_of_any_depth_is_saved_and_loaded(tmp_path: Path) -> None:
    y = tv.scalar("x")
    for _ in range(20_000):
        y = y + 1.0
    tv.save(tmp_path / "g", y)
    loaded = tv.load(tmp_path / "g")
    assert tv.function(loaded.inputs, loaded.outputs, mode="vm")(0.0) == 20_000.0
    assert tv.function(loaded.inputs, loaded.outputs, mode="vm")(0.0) == 20_000.0

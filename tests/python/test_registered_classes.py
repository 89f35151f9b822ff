"""`register_op` above classes of Ops, lazy ones too: files hold their names and attributes."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "cvm_nogc", "FAST_RUN"]
X = tv.scalar("x")

#: A module of a program's: two lazy Ops, one by a generator, one by a thunk.
MODULE = '''
import thunkvm as tv


class Choice(tv.Op):
    """An input from a list, or the next one where it is too small."""

    __props__ = ("least", "order", "label")

    def __init__(self, least, order=(0, 1), label=None):
        self.least, self.order, self.label = least, order, label

    def make_node(self, x, y):
        x, y = tv.as_variable(x), tv.as_variable(y)
        return tv.Apply(self, [x, y], [x.type()])


@tv.register_op("shop.choice")
class ByGenerator(Choice):
    def demand(self, node):
        for i in self.order:
            value = yield i
            if value >= self.least:
                break
        return value


@tv.register_op("shop.thunk")
class ByThunk(Choice):
    def make_thunk(self, node, input_computed, output_computed, input_registers, output_registers):
        op = self

        class Run(tv.Thunk):
            lazy = True

            def __call__(self):
                for i in op.order:
                    if not input_computed[i][0]:
                        return [i]
                    value = input_registers[i][0]
                    if value >= op.least:
                        break
                output_registers[0][0] = value
                output_computed[0][0] = 1

        return Run()
'''


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("program")
    (folder / "shop_of_ops.py").write_text(MODULE)
    sys.path.insert(0, str(folder))
    import shop_of_ops

    yield shop_of_ops
    sys.path.remove(str(folder))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["ByGenerator", "ByThunk"])
def test_a_lazy_op_of_a_class_is_saved_and_loaded_and_is_as_lazy(
    shop: Any, kind: str, mode: str, tmp_path: Path
) -> None:
    op = getattr(shop, kind)(0.5, order=(1, 0), label="a")
    y = op(tv.exp(X), tv.sin(X))
    tv.save(tmp_path / "model.tv", y, [X])
    loaded = tv.load(tmp_path / "model.tv")
    f, g = (tv.function(*of, mode=mode) for of in (([X], y), (loaded.inputs, loaded.outputs)))

    assert loaded.outputs.owner.op == op
    assert g.disassemble() == f.disassemble()
    for value, exps in (1.0, 0), (0.0, 1):
        g.reset_counters()
        assert g(value) == f(value)
        assert [row.runs for row in g.node_runs() if row.op == "exp"] == [exps]


def test_a_class_that_the_reader_has_not_imported_is_an_error_that_names_the_op(
    shop: Any, tmp_path: Path
) -> None:
    tv.save(tmp_path / "model.tv", shop.ByThunk(0.5)(X, X), [X])
    load = f"import thunkvm as tv; tv.load({str(tmp_path / 'model.tv')!r})"
    program = [sys.executable, "-c", load]

    failed = subprocess.run(program, capture_output=True, text=True)
    program[-1] = f"import sys; sys.path.append({sys.path[0]!r}); import shop_of_ops; {load}"
    read = subprocess.run(program, capture_output=True, text=True)

    assert "GraphFileError: model.tv: graph.json: ops[0] (shop.thunk): there is no Op called " in (
        failed.stderr
    )
    assert "import the module with its tv.register_op first" in failed.stderr
    assert read.returncode == 0, read.stderr


def test_a_pickle_of_a_registered_class_imports_its_module(shop: Any) -> None:
    other = pickle.loads(pickle.dumps(shop.ByGenerator(0.5)(X, X)))
    assert other.owner.op == shop.ByGenerator(0.5)


def test_describe_knows_a_registered_class(shop: Any) -> None:
    page = str(tv.ops.describe("shop.choice"))
    assert "least (number, text or list): one of its __props__" in page
    assert "order (number, text or list, default (0, 1)): one of its __props__" in page


def test_a_node_of_a_registered_class_is_built_by_its_name(shop: Any) -> None:
    desc = tv.OpDesc("shop.choice", ["x", "x"], ["y"], {"least": 0.5, "order": [1]})
    (y,) = desc.build({"x": X})
    assert y.owner.op == shop.ByGenerator(0.5, order=(1,))


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"least": 0.5, "lest": 1}, r"\[shop.choice\] it has no attribute 'lest'. Did you mean"),
        ({}, r"\[shop.choice\] missing a required argument: 'least'"),
    ],
)
def test_attributes_that_a_class_does_not_take_are_refused(
    shop: Any, attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        tv.OpDesc("shop.choice", ["x", "x"], ["y"], attributes).build({"x": X})


@pytest.mark.parametrize("least", [object(), 2**63, (1.0, b"one")])
def test_an_attribute_that_no_file_can_hold_is_named(shop: Any, least: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"cannot be saved: its least is or has .*, a "):
        tv.save(tmp_path / "model.tv", shop.ByThunk(least)(X, X), [X])


def test_a_class_that_derives_from_a_registered_one_has_no_name(shop: Any, tmp_path: Path) -> None:
    class Other(shop.ByThunk):
        """Another class."""

    with pytest.raises(TypeError, match="it is an Op of the program's"):
        tv.save(tmp_path / "model.tv", Other(0.5)(X, X), [X])


def without_props() -> type[tv.Op]:
    return type("Odd", (tv.Op,), {})


def without_keywords() -> type[tv.Op]:
    def init(self: Any, other: int) -> None:
        """Take another name than that of the attribute."""

    return type("Odd", (tv.Op,), {"__props__": ("scale",), "__init__": init})


@pytest.mark.parametrize(
    ("name", "of", "error", "message"),
    [
        ("tests.odd", without_props, TypeError, "Odd has no __props__, which are the attributes"),
        ("tests.odd", without_keywords, TypeError, "Odd cannot be made of its __props__"),
        ("cos", without_props, ValueError, "the name 'cos' is taken: it is built in"),
    ],
)
def test_register_op_refuses_a_class(
    name: str, of: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        tv.register_op(name)(of())
    with pytest.raises(KeyError):
        tv.ops.describe("tests.odd")


def test_register_op_refuses_a_second_name_of_a_class(shop: Any) -> None:
    with pytest.raises(ValueError, match=r"ByThunk has the name 'shop\.thunk' already"):
        tv.register_op("shop.again")(shop.ByThunk)

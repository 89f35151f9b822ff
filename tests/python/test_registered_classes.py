"""`register_op` above classes of Ops, lazy ones too: files hold their names and attributes."""

from __future__ import annotations

import importlib
import json
import pickle
import pkgutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm._src.arrays.equal_shapes import with_equal_axes, with_shape_of
from thunkvm._src.graph.registered_classes import OF_PACKAGE

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


def model_of_the_package() -> tuple[list[tv.Variable], list[tv.Variable]]:
    """Return a graph of all classes of thunkvm's own that files hold."""
    v, w = tv.vector("v"), tv.vector("w")
    half = tv.astype(v, "float16")
    spectrum = tv.fft.rfft(v)
    outputs = [
        tv.Assert("a message")(v, v > 0.0),
        tv.vmap(lambda a, b: a * b)(v, w),
        tv.fft.irfft(spectrum, n=4),
        tv.fft.ifft(tv.fft.fft(v)),
        tv.nextafter(v, w),
        tv.gammainc(v, w),
        tv.trace(tv.outer(v, w)),
        with_equal_axes(tv.outer(v, w), 0, 1, "x"),
        with_shape_of(v, w, "v", "w"),
        tv.grad_clip(v, -1.0, np.inf),
        tv.grad_scale(v, 2.0),
        tv.zero_grad(v),
        tv.gammainc(half, half),
        tv.grad_clip(half, -1.0, 1.0),
        tv.grad_scale(half, 2.0),
        tv.zero_grad(half),
        tv.print_(v, "seen"),
        tv.breakpoint_("large", tv.sum(v) > 1e3, v),
    ]
    slope = tv.grad(sum(tv.sum(abs(y)) for y in outputs), v)
    return [v, w], [*outputs, slope]


def test_ops_of_the_package_that_are_classes_are_saved_and_loaded(tmp_path: Path) -> None:
    inputs, outputs = model_of_the_package()
    tv.save(tmp_path / "model.tv", outputs, inputs)
    loaded = tv.load(tmp_path / "model.tv")
    given = [1.0, 2.0, 0.5, 3.0], [0.5, 1.0, 2.0, 4.0]

    f, g = tv.function(inputs, outputs), tv.function(loaded.inputs, loaded.outputs)

    assert [row.op for row in g.node_runs()] == [row.op for row in f.node_runs()]
    for value, expected in zip(g(*given), f(*given), strict=True):
        np.testing.assert_array_equal(value, expected)
    with zipfile.ZipFile(tmp_path / "model.tv") as file:
        graph = json.loads(file.read("graph.json"))
    assert {op["type"] for op in graph["ops"]} >= set(OF_PACKAGE)


def test_a_program_that_imported_nothing_else_loads_ops_of_the_package(tmp_path: Path) -> None:
    tv.save(tmp_path / "model.tv", tv.Assert("it is negative")(X, X > 0.0), [X])
    program = (
        f"import thunkvm as tv; m = tv.load({str(tmp_path / 'model.tv')!r})\n"
        "f = tv.function(m.inputs, m.outputs); print(f(2.0)); f(-1.0)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stdout == "2.0\n"
    assert "AssertionError: it is negative" in ran.stderr


#: They are made of functions or C.
NEEDS_A_PICKLE = {
    "FunctionOp",
    "RegisteredOp",
    "COp",
    "WrappedOp",
    "CustomGradient",
}


def test_every_op_of_the_package_that_is_a_class_has_a_name_in_files() -> None:
    for module in pkgutil.walk_packages(tv.__path__, "thunkvm."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    without = {
        of.__name__
        for of in subclasses(tv.Op)
        if of.__module__.startswith("thunkvm.")
        and f"{of.__module__}.{of.__qualname__}" not in OF_PACKAGE.values()
        and not any(base.__name__ in NEEDS_A_PICKLE for base in of.__mro__)
    }
    assert without == {"Identity", "Shown"}  # the bases of others


def subclasses(of: type[tv.Op]) -> Iterator[type[tv.Op]]:
    for each in of.__subclasses__():
        yield each
        yield from subclasses(each)


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

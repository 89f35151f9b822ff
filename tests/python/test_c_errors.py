"""What somebody is told who writes an Op in C for the first time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import thunkvm as tv


class Op(tv.COp):
    """An Op of one text, in which {x} and {z} are its variables and {fail} is what fails."""

    __props__: tuple[str, ...] = ("text",)

    def __init__(self, text: Any) -> None:
        self.text = text

    def make_node(self, x: Any) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        if not isinstance(self.text, str):
            return self.text
        names = {"x": inputs[0], "z": outputs[0], "fail": sub["fail"]}
        return self.text.format(**names)

    def __str__(self) -> str:
        return "Op"


COPY = "Py_XDECREF({z}); {z} = {x}; Py_INCREF({z});"
x = tv.vector("x")


def told(op: Any) -> str:
    """What the exception says that making a function of it raises, with its notes."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 (its words are what is looked at)
        tv.function([x], op(x))
    return "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "int k = 1;\n{z} = nothing({x});\n",
            "c_code of Op:2:6: error: 'nothing' was not declared in this scope\n      2 | V1 = not",
        ),
        ("if (0) {fail}\nint k = 3;", "      1 | if (0) FAIL\n"),
        (
            "if (0) {fail}\nint k = 3;",
            "hint: a failure jumps over this variable, which C++ forbids: put a { behind the last",
        ),
        ("return;", "hint: the code must not return"),
        ('if (1) {{ puts("}}"); // }}\n', "hint: c_code of Op has 1 more { than }."),
        (COPY + "}}", "hint: c_code of Op has 1 more } than {."),
        (None, "c_code of Op returned None, a NoneType; it has to return a str."),
        ("{nobody}", "'nobody'\nraised by a c_ method for a node of Op, made at test_c_errors.py"),
    ],
)
def test_a_mistake_in_c_code_is_shown_with_its_line_and_what_to_do(text: Any, words: str) -> None:
    assert words in told(Op(text))


def test_a_line_of_a_file_is_shown_with_its_macros_replaced(tmp_path: Path) -> None:
    class InFile(tv.ExternalCOp):
        __props__ = ()

        def __init__(self) -> None:
            super().__init__(tmp_path / "code.c", "APPLY_SPECIFIC(twice)")

        def make_node(self, x: Any) -> tv.Apply:
            return tv.Apply(self, [x], [x.type()])

    (tmp_path / "code.c").write_text(
        "#section support_code_apply\n"
        "int APPLY_SPECIFIC(twice)(PyArrayObject* x, PyArrayObject** z) {\n"
        "  DTYPE_INPUT_0* elements = PyArray_DATA(x) + ITEMSIZE_INPUT_0;\n"
        "  return 0;\n"
        "}\n"
    )
    text = told(InFile())
    assert f"{tmp_path}/code.c:3:" in text
    assert "which is: npy_float64* elements = PyArray_DATA(x) + 8;" in text
    assert "DTYPE_INPUT_0* elements = PyArray_DATA(x)" in text


def test_a_kernel_of_another_prototype_does_not_compile() -> None:
    class Kernel(Op):
        def c_kernel(self, node: Any, name: str) -> str:
            return f"int {name}(double *x, int n) {{\n  return 0;\n}}\n"

    text = told(Kernel(""))
    assert "c_kernel of Op:1:5: error: conflicting types for 'run_Kernel'" in text
    assert "      1 | int run_Kernel(double *x, int n) {\n" in text


def test_why_there_is_no_c_is_said_where_there_is_nothing_else() -> None:
    class NoExtract(tv.CType):
        def filter(self, value: Any, strict: bool = False, allow_downcast: Any = None) -> Any:
            return value

        def c_declare(self, name: str, sub: Any, check_input: bool = True) -> str:
            return f"int {name};"

    y = NoExtract()("y")
    with pytest.raises(NotImplementedError, match=r"Op has C alone.*made at .*no c_"):
        tv.function([y], Op("{z};")(y))

    class Refuses(Op):
        def c_code(self, *arguments: Any) -> str:
            raise NotImplementedError("not for vectors")

    with pytest.raises(NotImplementedError, match=r"Op has C alone.*: not for vectors"):
        tv.function([x], Refuses("")(x))


def test_mistakes_in_classes_are_named() -> None:
    class NoParam(Op):
        params_type = tv.ParamsType(k=tv.ScalarType("int32"))

    class ClassOfParams(Op):
        params_type = tv.ScalarType

    class NoProperty(Op):
        __props__ = ("factor",)

    assert "has no value: Op has no attribute 'k'. Set it, or define get_params." in told(
        NoParam(COPY)
    )
    assert "the params_type of Op is the class ScalarType; it has to be an instance" in told(
        ClassOfParams(COPY)
    )
    with pytest.raises(AttributeError, match=r"'factor': each of its __props__"):
        hash(NoProperty(COPY))


def test_arguments_of_the_compiler_may_be_one_text() -> None:
    class Flags(Op):
        def c_compile_args(self, **kwargs: Any) -> Any:
            return "-O3 -DNUMBER=3"

    f = tv.function([x], Flags("int k = NUMBER; " + COPY)(x))
    assert f([1.0]).tolist() == [1.0]


@pytest.mark.parametrize("name", ["A\nB", "Ends with a \\", '*/ // "quoted"', "Ölsäure ☃"])
def test_the_name_of_an_op_may_be_any_text(name: str) -> None:
    def c_code(self: Any, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        return f"Py_XDECREF({outputs[0]}); Py_INCREF({inputs[0]}); {outputs[0]} = {inputs[0]};"

    def make_node(self: Any, x: tv.Variable) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    body = {"view_map": {0: [0]}, "__props__": (), "make_node": make_node, "c_code": c_code}
    x = tv.vector("x")
    for mode in ("c", "c|py"):
        f = tv.function([x], type(name, (tv.Op,), body)()(x) * 2.0, mode=mode)
        assert f([1.0, 2.0]).tolist() == [2.0, 4.0]

"""C of a user's at its edges: what fails while it is loaded, cleaned up, compiled or run."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.c.generic_ops import register_shape_c_code

v = tv.vector("v")


class Same(tv.COp):
    """Gives its input."""

    __props__ = ()
    view_map = {0: [0]}
    before = ""

    def make_node(self, x: Any) -> tv.Apply:
        return tv.Apply(self, [x], [x.type()])

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        (x,), (z,) = inputs, outputs
        return f"{self.before % sub} Py_XDECREF({z}); Py_INCREF({x}); {z} = {x};"


def call(op: tv.Op, mode: str = "c|py") -> Any:
    return tv.function([v], op(v), mode=mode)([1.0, 2.0])


def test_an_exception_set_while_c_is_loaded_names_its_op() -> None:
    class Refuses(Same):
        def c_init_code(self, **kwargs: Any) -> list[str]:
            return ['PyErr_SetString(PyExc_ValueError, "no licence");']

    with pytest.raises(ValueError, match=r"^no licence\b") as raised:
        call(Refuses())
    assert raised.value.__notes__[0].startswith("raised when the C code of Refuses (node Refuses.0")


@pytest.mark.parametrize("fails_before", [False, True])
def test_a_failure_in_the_clean_up_of_c_is_an_error(fails_before: bool) -> None:
    class Unclean(Same):
        before = 'PyErr_SetString(PyExc_KeyError, "first"); %(fail)s' if fails_before else ""

        def c_code_cleanup(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
            return f"""
            int cleaned = 0;
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "while cleaning up");
            if (cleaned == 0) {sub["fail"]}
            PyErr_Clear();"""

    with pytest.raises(KeyError if fails_before else ValueError):
        call(Unclean())


def test_a_failure_in_a_types_clean_up_is_an_error() -> None:
    class Unclean(Listed):
        def c_cleanup(self, name: str, sub: Any) -> str:
            return f'PyErr_SetString(PyExc_ValueError, "of {{}}"); {sub["fail"]}'

    t = Unclean()("t")
    with pytest.raises(ValueError, match=r"of \{\}"):
        tv.function([t], Length()(t), mode="c|py")([1, 2, 3])


def test_c_raises_lin_alg_error() -> None:
    class Singular(Same):
        before = 'PyErr_SetString(PyExc_LinAlgError, "singular"); %(fail)s'

    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        call(Singular())


def test_a_kernel_raises_lin_alg_error() -> None:
    class Singular(tv.Op):
        __props__ = ()

        def make_node(self, x: Any) -> tv.Apply:
            return tv.Apply(self, [x], [x.type()])

        def c_kernel(self, node: Any, name: str) -> str:
            return f"""int {name}(tv_call *call, const tv_array *in, tv_array *out) {{
                return tv_fail(call, "LinAlgError", "order %d", 3);
            }}"""

    with pytest.raises(np.linalg.LinAlgError, match="order 3"):
        call(Singular(), "c")


def test_c_that_gets_no_memory_raises_memory_error() -> None:
    class Greedy(Same):
        before = "throw std::bad_alloc();"

    with pytest.raises(MemoryError):
        call(Greedy())


def test_a_strict_filter_that_returns_none_is_told_to_return_the_value() -> None:
    class Forgets(tv.CType):
        def filter(self, value: Any, strict: bool = False, allow_downcast: Any = None) -> Any:
            return None if strict else value

    class Passes(tv.Op):
        __props__ = ()

        def make_node(self, x: Any) -> tv.Apply:
            return tv.Apply(self, [x], [x.type()])

        def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
            output_storage[0][0] = inputs[0]

    t = Forgets()("t")
    f = tv.function([t], Passes()(t), mode="vm")
    with pytest.raises(
        TypeError, match=r"filter of Forgets.* returned None for .*, a list: it has"
    ):
        f([1])
    assert f(None) is None


class Listed(tv.CType):
    """Lists, which C sees as objects."""

    def filter(self, value: Any, strict: bool = False, allow_downcast: Any = None) -> Any:
        return value

    def c_declare(self, name: str, sub: Any, check_input: bool = True) -> str:
        return f"PyObject* {name};"

    def c_init(self, name: str, sub: Any) -> str:
        return f"{name} = NULL;"

    def c_extract(self, name: str, sub: Any, check_input: bool = True, **kwargs: Any) -> str:
        return f"{name} = py_{name};"

    def c_cleanup(self, name: str, sub: Any) -> str:
        return ""

    def c_code_cache_version(self) -> tuple[int, ...]:
        return (1,)


class Length(tv.COp):
    """The length of a list."""

    __props__ = ()

    def make_node(self, x: Any) -> tv.Apply:
        return tv.Apply(self, [x], [tv.TensorType("int64", ())()])

    def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
        (x,), (z,) = inputs, outputs
        return f"""
        Py_XDECREF({z});
        {z} = (PyArrayObject*)PyArray_EMPTY(0, NULL, NPY_INT64, 0);
        if ({z} == NULL) {sub["fail"]}
        *(npy_int64*)PyArray_DATA({z}) = PyList_Size({x});"""


def test_the_shape_of_an_own_type_is_what_was_registered_for_it() -> None:
    class Counted(Listed):
        pass

    t = Counted()("t")
    with pytest.raises(TypeError, match="must be a tensor"):
        t.shape  # noqa: B018
    code = """
    Py_XDECREF(%(oname)s);
    npy_intp one = 1;
    %(oname)s = (PyArrayObject*)PyArray_EMPTY(1, &one, NPY_INT64, 0);
    if (%(oname)s == NULL) %(fail)s
    *(npy_int64*)PyArray_DATA(%(oname)s) = PyList_Size(%(iname)s);
    """
    register_shape_c_code(Counted, code, (1,))
    assert tv.function([t], t.shape, mode="c|py")([1, 2, 3]).tolist() == [3]
    assert tv.function([t], t.shape[0] * 2, mode="c|py")([1, 2, 3]) == 6


# ---- processes of their own

SAME = """
import thunkvm as tv
class Same(tv.COp):
    __props__ = ()
    view_map = {0: [0]}
    def make_node(self, x):
        return tv.Apply(self, [x], [x.type()])
    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"Py_XDECREF({z}); Py_INCREF({x}); {z} = {x};"
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0]
v = tv.vector("v")
"""
CALL = """
try:
    print(tv.function([v], Same()(v), mode=MODE)([1.0]))
except Exception as error:
    print(type(error).__name__, error)
"""


def environment(**changed: str) -> dict[str, str]:
    return {**os.environ, "THUNKVM_CACHE_DIR": "", **changed}


@pytest.mark.parametrize("compiler", ["/nonexistent/g++", "/bin/false"])
def test_without_a_compiler_that_works_mode_c_says_so(compiler: str) -> None:
    for mode, words in (("c", f"NoCompilerError the Op Same has C code .*{compiler}"),
                        ("cvm", r"\[1\.\]"), ("c|py", r"\[1\.\]")):  # fmt: skip
        code = SAME + CALL.replace("MODE", repr(mode))
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                             env=environment(THUNKVM_CXX=compiler), timeout=60)  # fmt: skip
        assert re.search(words, ran.stdout), ran.stdout + ran.stderr


def test_ctrl_c_ends_the_question_for_a_compilers_macros(tmp_path: Path) -> None:
    asked, script = tmp_path / "asked", tmp_path / "hangs"
    os.mkfifo(asked)
    script.write_text(f"#!/bin/sh\necho > {asked}\nexec sleep 60\n")
    script.chmod(0o755)
    code = SAME + (
        "try:\n    tv.function([v], Same()(v), mode='c')\n"
        "except KeyboardInterrupt:\n    print('interrupted')"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
                          env=environment(THUNKVM_CXX=str(script))) as child:  # fmt: skip
        asked.read_text()  # waits until it is asked
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=50)[0] == "interrupted\n"  # which is before it answers


@pytest.mark.parametrize("thread", [False, True])
def test_a_stack_that_c_ran_over_names_its_op(thread: bool) -> None:
    code = SAME + (
        "class Deep(Same):\n"
        "    def c_support_code(self, **kwargs):\n"
        "        return '''static int deep(volatile int n) {\n"
        "          volatile char page[4096]; page[n % 4096] = 1;\n"
        "          return n == 0 ? 0 : deep(n + 1) + page[0]; }'''\n"
        "    def c_code(self, node, name, inputs, outputs, sub):\n"
        "        return 'deep(1);'\n"
        "f = tv.function([v], Deep()(v), mode='c|py')\n"
        "import threading\n"
    )
    code += "threading.Thread(target=f, args=([1.0],)).start()" if thread else "f([1.0])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                         timeout=60)  # fmt: skip
    assert ran.returncode == -signal.SIGSEGV
    assert "thunkvm: SIGSEGV in the C code of Deep (node Deep.0, made at" in ran.stderr

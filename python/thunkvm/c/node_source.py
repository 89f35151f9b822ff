"""The C++ of one node: a struct that holds what the node keeps, and how it is run.

A text depends on the Op, its Types and its params' Type alone, so equal nodes, in one function or
in many, are one module.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from thunkvm._core import Apply
from thunkvm.c.errors import MethodNotDefined
from thunkvm.c.protocol import ask, one_text, texts
from thunkvm.c.stages import FAILURE, Stage, failure_code, named, nested

#: What the C of a node calls its node, which makes names of its own.
NODE = "node_0"
PARAMS = "params_0"

#: What every module begins with, and is compiled but once.
HEADER = """\
#include <Python.h>
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <iostream>
#include <math.h>
#include <new>
#include <stdexcept>
"""

PRELUDE = r"""
static inline void thunkvm_expect_exception() {
  if (PyErr_Occurred() == NULL)
    PyErr_SetString(PyExc_RuntimeError,
                    "the C code failed without saying why: set a Python exception before the fail "
                    "code (sub[\"fail\"], FAIL).");
}
static inline bool thunkvm_is_array(PyObject* object, int type, int ndim) {
  if (!PyArray_Check(object)) {
    PyErr_Format(PyExc_TypeError, "the C code expects an ndarray, but got a %s.",
                 Py_TYPE(object)->tp_name);
    return false;
  }
  PyArrayObject* array = (PyArrayObject*)object;
  if (!PyArray_EquivTypenums(PyArray_TYPE(array), type) || PyArray_NDIM(array) != ndim ||
      !PyArray_ISALIGNED(array)) {
    PyErr_Format(PyExc_TypeError,
                 "the C code expects an aligned array of type number %d with %d dimensions, but "
                 "got one of type number %d with %d dimensions.",
                 type, ndim, PyArray_TYPE(array), PyArray_NDIM(array));
    return false;
  }
  return true;
}
"""


@dataclass(frozen=True)
class NodeSource:
    """A module's text, and how it is compiled."""

    text: str
    compiler: str | None
    flags: tuple[str, ...]
    left_out: tuple[str, ...]
    libraries: tuple[str, ...]
    version: tuple[Any, ...]


def node_source(node: Apply, c_compiler: str) -> NodeSource:
    """Return the source of a node's module.

    Parameters
    ----------
    node : Apply
        A node of an Op that has a ``c_code``.
    c_compiler : str
        What methods that take ``c_compiler`` are given.

    Raises
    ------
    MethodNotDefined
        If the Op, or one of its Types, has no C for this node.
    TypeError
        If a method returns something else than the protocol says.
    """
    return _Writer(node, c_compiler).source()


def function_name(op: Any) -> str:
    """Return what a debugger calls the function that runs an Op's code: ``run_`` and its class."""
    return "run_" + re.sub(r"\W", "_", type(op).__name__, flags=re.ASCII)


class _Writer:
    def __init__(self, node: Apply, c_compiler: str) -> None:
        self.node = node
        self.op = node.op
        self.c_compiler = c_compiler
        self.inputs = [f"V{i}" for i in range(len(node.inputs))]
        self.outputs = [f"V{len(self.inputs) + j}" for j in range(len(node.outputs))]
        self.check_input = getattr(self.op, "check_input", True)
        self.params_type = getattr(self.op, "params_type", None)
        self.givers: list[Any] = [self.op]
        for variable in (*node.inputs, *node.outputs):
            self.add_giver(variable.type)
        if self.params_type is not None:
            self.add_giver(self.params_type)

    def add_giver(self, giver: Any) -> None:
        """Note who has a say in the module, each once."""
        if not any(giver is other or giver == other for other in self.givers):
            self.givers.append(giver)

    def source(self) -> NodeSource:
        struct = self.struct()  # first, since it says whether there is C at all
        compilers = [c for giver in self.givers if (c := ask(giver, "c_compiler")) is not None]
        if len(set(compilers)) > 1:
            raise ValueError(f"{self.op} and its Types ask for several compilers: {compilers}.")
        flags = [f"-I{path}" for path in self.all("c_header_dirs")]
        flags += self.all("c_compile_args")
        libraries = [
            w for path in self.all("c_lib_dirs") for w in (f"-L{path}", f"-Wl,-rpath,{path}")
        ]
        libraries += [f"-l{name}" for name in self.all("c_libraries")]
        return NodeSource(
            text=f"// {self.op}\n{self.headers()}{PRELUDE}{self.support_code()}{struct}"
            + (ENTRIES % {"function": function_name(self.op)})
            + self.load(),
            compiler=compilers[0] if compilers else None,
            flags=tuple(flags),
            left_out=tuple(self.all("c_no_compile_args")),
            libraries=tuple(libraries),
            version=self.version(),
        )

    def all(self, method: str) -> list[str]:
        """Return what all givers list, each item once, in order."""
        items: dict[str, None] = {}
        for giver in self.givers:
            answer = ask(giver, method, c_compiler=self.c_compiler)
            items.update(dict.fromkeys(texts(giver, method, answer)))
        return list(items)

    def version(self) -> tuple[Any, ...]:
        apply = ask(self.op, "c_code_cache_version_apply", self.node)
        return apply or ask(self.op, "c_code_cache_version", default=()) or ()

    def headers(self) -> str:
        names = [h if h[:1] in '<"' else f'"{h}"' for h in self.all("c_headers")]
        return "".join(f"#include {name}\n" for name in names)

    def support_code(self) -> str:
        parts = [named(part, f"c_support_code of {self.op}") for part in self.all("c_support_code")]
        return "".join(parts) + self.op_code("c_support_code_apply", self.node, NODE)

    def op_code(self, method: str, *arguments: Any) -> str:
        """Ask the Op for a text that it need not have."""
        code = one_text(self.op, method, ask(self.op, method, *arguments))
        return named(code, f"{method} of {self.op}")

    def load(self) -> str:
        codes = [*self.all("c_init_code"), self.op_code("c_init_code_apply", self.node, NODE)]
        return LOAD % "".join(f"  {{\n{code}\n  }}\n" for code in codes)

    def struct(self) -> str:
        members = self.op_code("c_support_code_struct", self.node, NODE)
        return STRUCT % {
            "params": self.params_members(),
            "members": members,
            "init": nested(self.init_stages()),
            "cleanup": self.struct_cleanup(),
            "function": function_name(self.op),
            "run": nested(self.run_stages()),
        }

    # ---- what lives as long as the struct

    def params_members(self) -> str:
        if self.params_type is None:
            return ""
        sub = {"fail": ""}
        return f"PyObject* py_{PARAMS};\n" + self.type_code(
            self.params_type, "c_declare", PARAMS, sub, check_input=True
        )

    def init_stages(self) -> list[Stage]:
        stages = []
        if self.params_type is not None:
            sub = {"fail": failure_code(1)}
            extract = self.type_code(self.params_type, "c_extract", PARAMS, sub, check_input=True)
            cleanup = self.type_code(self.params_type, "c_cleanup", PARAMS, sub)
            stages.append(
                Stage(
                    1,
                    "the params",
                    "",
                    f"py_{PARAMS} = given;\n{extract}",
                    f"if ({FAILURE} != 0) {{\n{cleanup}\n}}",
                )
            )
        sub = self.op_sub(2)
        code = self.op_code("c_init_code_struct", self.node, NODE, sub)
        cleanup = self.op_struct_cleanup()
        stages.append(
            Stage(2, "c_init_code_struct", "", code, f"if ({FAILURE} != 0) {{\n{cleanup}\n}}")
        )
        return stages

    def op_struct_cleanup(self) -> str:
        return self.op_code("c_cleanup_code_struct", self.node, NODE)

    def struct_cleanup(self) -> str:
        text = f"{{\n{self.op_struct_cleanup()}\n}}\n"
        if self.params_type is not None:
            cleanup = self.type_code(self.params_type, "c_cleanup", PARAMS, {"fail": ""})
            text += f"{{\n{cleanup}\n}}\n"
        return text

    # ---- a run

    def run_stages(self) -> list[Stage]:
        stages = [self.input_stage(i) for i in range(len(self.inputs))]
        stages += [self.output_stage(j) for j in range(len(self.outputs))]
        number = len(stages) + 1
        sub = self.op_sub(number)
        arguments = (self.node, NODE, self.inputs, self.outputs, sub)
        code = ask(self.op, "c_code", *arguments)
        if not isinstance(code, str):
            if code is None:
                raise MethodNotDefined(f"{self.op} has no c_code for this node.")
            raise TypeError(
                f"c_code of {self.op} returned {code!r}, a {type(code).__name__}; it has to "
                "return a str."
            )
        cleanup = self.op_code("c_code_cleanup", *arguments)
        stages.append(Stage(number, f"{self.op}", "", named(code, f"c_code of {self.op}"), cleanup))
        return stages

    def input_stage(self, i: int) -> Stage:
        name, type_ = self.inputs[i], self.node.inputs[i].type
        sub = {"fail": failure_code(i + 1)}
        check = self.check_input
        return Stage(
            i + 1,
            f"input {i}, {type_}",
            f"PyObject* py_{name} = inputs[{i}];\n"
            + self.type_code(type_, "c_declare", name, sub, check_input=check),
            f"Py_INCREF(py_{name});\n"
            + self.type_code(type_, "c_extract", name, sub, check_input=check),
            self.type_code(type_, "c_cleanup", name, sub) + f"\nPy_XDECREF(py_{name});",
        )

    def output_stage(self, j: int) -> Stage:
        name, type_ = self.outputs[j], self.node.outputs[j].type
        number = len(self.inputs) + j + 1
        sub = {"fail": failure_code(number)}
        check = self.check_input
        extract: Callable[..., str] | None = getattr(type_, "c_extract_out", None)
        set_up = (
            self.type_code(type_, "c_init", name, sub)
            if extract is None
            else self.type_code(type_, "c_extract_out", name, sub, check_input=check)
        )
        sync = self.type_code(type_, "c_sync", name, sub)
        return Stage(
            number,
            f"output {j}, {type_}",
            f"PyObject* py_{name} = outputs[{j}];\n"
            + self.type_code(type_, "c_declare", name, sub, check_input=check),
            f"Py_INCREF(py_{name});\n{set_up}",
            f"if ({FAILURE} == 0) {{\n{sync}\nPy_INCREF(py_{name});\n"
            f"thunkvm_replace(&outputs[{j}], py_{name});\n}}\n"
            + self.type_code(type_, "c_cleanup", name, sub)
            + f"\nPy_XDECREF(py_{name});",
        )

    def op_sub(self, stage: int) -> dict[str, str]:
        sub = {"fail": failure_code(stage), "failure_var": FAILURE, "struct_id": NODE}
        if self.params_type is not None:
            sub["params"] = PARAMS
        return sub

    def type_code(
        self, type_: Any, method: str, name: str, sub: dict[str, str], **keywords: Any
    ) -> str:
        """Ask a Type for a text. Raises MethodNotDefined where it has none."""
        code = ask(type_, method, name, sub, **keywords)
        if code is None:
            raise MethodNotDefined(
                f"the Type {type_} of a variable of {self.op} has no {method}: derive it from "
                "thunkvm.CType."
            )
        return one_text(type_, method, code)


STRUCT = """
static inline void thunkvm_replace(PyObject** slot, PyObject* object) {
  PyObject* old = *slot;
  *slot = object;
  Py_XDECREF(old);
}
namespace {
struct thunkvm_node {
%(params)s
%(members)s
int init(PyObject* given) {
int thunkvm_failure = 0;
%(init)s
return thunkvm_failure;
}
void cleanup() {
%(cleanup)s
}
int %(function)s(PyObject* const* inputs, PyObject** outputs) {
int thunkvm_failure = 0;
%(run)s
return thunkvm_failure;
}
};
}
"""

ENTRIES = """
static void thunkvm_translate_exception() {
  try {
    throw;
  } catch (const std::exception& error) {
    PyErr_Format(PyExc_RuntimeError, "the C++ code threw an exception: %%s", error.what());
  }
}
extern "C" void* thunkvm_new(PyObject* params) {
  try {
    thunkvm_node* node = new thunkvm_node;
    if (node->init(params) == 0) return node;
    delete node;
  } catch (const std::exception&) {
    thunkvm_translate_exception();
  }
  return NULL;
}
extern "C" void thunkvm_delete(void* self) {
  thunkvm_node* node = (thunkvm_node*)self;
  node->cleanup();
  delete node;
}
extern "C" int thunkvm_run(void* self, PyObject* const* inputs, PyObject** outputs) {
  try {
    return ((thunkvm_node*)self)->%(function)s(inputs, outputs);
  } catch (const std::exception&) {
    thunkvm_translate_exception();
    return -1;
  }
}
"""

LOAD = """
static void* thunkvm_load_once() {
%s  static int loaded;
  return &loaded;
}
extern "C" int thunkvm_load(void) {
  if (_import_array() < 0) return -1;
  return thunkvm_load_once() == NULL ? -1 : 0;
}
"""

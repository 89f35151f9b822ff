"""The C++ of nodes that share one block: a struct that holds what they keep, and how it is run.

A value that one node gives the next stays a C variable. It is not extracted and, where its Type
allows it, not synced. It is let go behind the last node of the block that reads it.

.. code-block:: c++

    { // input 0 of A                      values from outside are extracted where they are needed
      { // output 0 of A
        { A's code; its clean-up }         a failure of A's ends all, through what was set up so far
        sync                               of what others read
        { // output 0 of B
          { B's code; its clean-up }
          let go of what nobody reads
        }
      }
    }

A text depends on its nodes alone. So equal blocks, in one function or in many, are one module.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from thunkvm.c.node_source import NodeSource, function_name
from thunkvm.c.protocol import compilers, includes, link_arguments
from thunkvm.c.stages import FAILURE, Stage, comment, nest_stages

#: The beginning of every module, compiled but once: without the C++ library, which takes as long
#: again, where no text names it.
HEADER = """\
#include <Python.h>
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <exception>
#include <math.h>
#include <new>
#if __has_include(<bits/cxxabi_forced.h>)
#include <bits/cxxabi_forced.h>
#define THUNKVM_FORCED_UNWIND __cxxabiv1::__forced_unwind
#endif
"""
FULL_HEADER = f"{HEADER}#include <iostream>\n#include <stdexcept>\n"
STANDARD = re.compile(r"\bstd\b|\b(cout|cerr|clog|cin|endl|assert|FILE)\b")

PRELUDE = r"""
static inline void thunkvm_expect_exception() {
  if (PyErr_Occurred() == NULL)
    PyErr_SetString(PyExc_RuntimeError,
                    "the C code failed without saying why: set a Python exception before the fail "
                    "code (sub[\"fail\"], FAIL).");
}
static inline PyObject* thunkvm_lin_alg_error() {
  static PyObject* found = NULL;
  if (found == NULL) {
    PyObject* module = PyImport_ImportModule("numpy.linalg");
    if (module != NULL) found = PyObject_GetAttrString(module, "LinAlgError");
    Py_XDECREF(module);
  }
  return found;
}
#define PyExc_LinAlgError thunkvm_lin_alg_error()
static bool thunkvm_is_array(PyObject* object, int type, int ndim) {
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
static bool thunkvm_check_value(PyObject* object, int type, int ndim, const char* what) {
  if (object == NULL) {
    PyErr_Format(PyExc_TypeError, "the C code left %s NULL, where an array has to be.", what);
    return false;
  }
  PyArrayObject* array = (PyArrayObject*)object;
  if (!PyArray_Check(object) || !PyArray_EquivTypenums(PyArray_TYPE(array), type) ||
      PyArray_NDIM(array) != ndim || !PyArray_ISBEHAVED_RO(array)) {
    PyErr_Format(PyExc_TypeError,
                 "%s has to be an aligned array of type number %d with %d dimensions; the C code "
                 "set it to a %s of another kind.",
                 what, type, ndim, Py_TYPE(object)->tp_name);
    return false;
  }
  return true;
}
// A C++ exception as one of Python's; what ends a thread goes on.
static void thunkvm_translate_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    if (PyErr_Occurred() == NULL) PyErr_NoMemory();
  } catch (const std::exception& error) {
    if (PyErr_Occurred() == NULL)
      PyErr_Format(PyExc_RuntimeError, "the C++ code threw an exception: %s", error.what());
#ifdef THUNKVM_FORCED_UNWIND
  } catch (THUNKVM_FORCED_UNWIND&) {
    throw;
#endif
  } catch (...) {
    if (PyErr_Occurred() == NULL)
      PyErr_SetString(PyExc_RuntimeError,
                      "the C++ code threw what is no std::exception.");
  }
}
#define THUNKVM_CATCH(stage)        \
  catch (...) {                     \
    thunkvm_translate_exception();  \
    thunkvm_failure = stage;        \
  }
static inline void thunkvm_replace(PyObject** slot, PyObject* object) {
  PyObject* old = *slot;
  *slot = object;
  Py_XDECREF(old);
}
"""


#: The numbers of stages that are closed at once begin here.
CLOSED = 1000


@dataclass(frozen=True)
class BlockSource:
    """A module's text, and how it is compiled."""

    header: str
    text: str
    compiler: str | None
    flags: tuple[str, ...]
    left_out: tuple[str, ...]
    libraries: tuple[str, ...]


@dataclass(frozen=True)
class Nodes:
    """The nodes of one block."""

    #: In the order in which they run; their variables have the same name where they are the same.
    nodes: Sequence[NodeSource]
    #: The outputs that others read, in the order of the slots for them.
    leaving: Sequence[str]


def module_source(blocks: Sequence[Nodes]) -> BlockSource:
    """Return the source of a module of blocks, whose functions end in their number.

    Parameters
    ----------
    blocks : sequence of Nodes
        All nodes have numbers of their own.

    Raises
    ------
    MethodNotDefined
        If an Op, or one of its Types, has no C for its node.
    TypeError
        If a method returns something else than the protocol says.
    """
    nodes = [node for block in blocks for node in block.nodes]
    structs = [_Writer(block.nodes, block.leaving).struct(k) for k, block in enumerate(blocks)]
    module = _Module(nodes)
    commands = compilers(giver for node in nodes for giver in node.givers)
    if len(commands) > 1:
        raise ValueError(f"{nodes[0].op} and its Types ask for several compilers: {commands}.")
    flags = [f"-I{path}" for path in module.all_items("c_header_dirs")]
    code = (
        f"{includes(module.all_items('c_headers'))}{module.support_code()}{module.loaded_flags()}"
    )
    for k, (block, struct) in enumerate(zip(blocks, structs, strict=True)):
        code += struct + module.load_block(k, block.nodes)
    ops = ", ".join(node.called for node in nodes)
    return BlockSource(
        header=FULL_HEADER if STANDARD.search(code) else HEADER,
        text=f"{comment(ops)}{PRELUDE}{code}",
        compiler=commands[0] if commands else None,
        flags=(*flags, *module.all_items("c_compile_args")),
        left_out=tuple(module.all_items("c_no_compile_args")),
        libraries=tuple(
            link_arguments(module.all_items("c_lib_dirs"), module.all_items("c_libraries"))
        ),
    )


class _Module:
    """The part of a module that it has once."""

    def __init__(self, nodes: Sequence[NodeSource]) -> None:
        self.nodes = nodes

    def all_items(self, method: str) -> list[str]:
        return list(dict.fromkeys(item for node in self.nodes for item in node.all_items(method)))

    def support_code(self) -> str:
        parts: dict[str, str] = {}
        for node in self.nodes:
            parts = node.support_code() | parts
        return "".join(parts.values()) + "".join(
            node.op_code("c_support_code_apply", node.node, node.name) for node in self.nodes
        )

    def loaded_flags(self) -> str:
        """Return the flags that note which of the module's statements at loading have run."""
        return f"static bool thunkvm_loaded[{len(self.all_items('c_init_code')) + 1}];\n"

    def load_block(self, k: int, nodes: Sequence[NodeSource]) -> str:
        """Return the function that loads block k, and its other functions."""
        every = self.all_items("c_init_code")
        own = dict.fromkeys(code for node in nodes for code in node.all_items("c_init_code"))
        codes = "".join(
            f"  if (!thunkvm_loaded[{every.index(code)}]) {{\n{code}\n"
            f"  thunkvm_loaded[{every.index(code)}] = true;\n  }}\n"
            for code in own
        )
        for node in nodes:
            code = node.op_code("c_init_code_apply", node.node, node.name)
            codes += f"  {{\n{code}\n  }}\n"
        return ENTRIES % {"k": k, "codes": codes, "function": _function(nodes)}


def _function(nodes: Sequence[NodeSource]) -> str:
    """Return the name of the function of a block."""
    return "_and_".join(dict.fromkeys(function_name(node.op) for node in nodes))


class _Writer:
    """The struct of one block."""

    def __init__(self, nodes: Sequence[NodeSource], leaving: Sequence[str]) -> None:
        self.nodes = nodes
        self.slots = {name: f"outputs[{k}]" for k, name in enumerate(leaving)}
        self.last_use = {
            name: k for k, node in enumerate(nodes) for name in (*node.outputs, *node.inputs)
        }

    def struct(self, number: int) -> str:
        init: list[Stage] = []
        for k, node in enumerate(self.nodes):
            init += node.init_stages(len(init) + 1, f"given[{k}]")
        return STRUCT % {
            "k": number,
            "members": "".join(node.members() for node in self.nodes),
            "init": nest_stages(init),
            "cleanup": "".join(node.struct_cleanup() for node in self.nodes),
            "function": _function(self.nodes),
            "run": self.run_nodes(),
        }

    # ---- a run

    def run_nodes(self) -> str:
        """Return the nodes' code, each within what was set up for those before it."""
        opened: list[tuple[Stage, str]] = []  # with its variable
        text, entered = "", 0
        codes = [node.code(CLOSED + k) for k, node in enumerate(self.nodes)]
        wanted = {name for node in self.nodes for name in node.objects}
        for k, node in enumerate(self.nodes):
            text += f"*at = {k};\n"
            stages: list[tuple[Stage, str]] = []
            known = {name for _, name in opened}
            for i, name in enumerate(node.inputs):
                if name in known:
                    continue
                known.add(name)
                number = len(opened) + len(stages) + 1
                stages.append((node.input_stage(i, number, f"inputs[{entered}]"), name))
                entered += 1
            for j, name in enumerate(node.outputs):
                number = len(opened) + len(stages) + 1
                earlier = self.slots.get(name, "Py_None")
                stages.append((node.output_stage(j, number, earlier), name))
            for stage, name in stages:
                text += (
                    f"{{ {comment(f'{stage.number}: {stage.comment}')}{stage.declare}\n"
                    f"{self.flag(name)}{stage.set_up}\n"
                )
            opened += stages
            text += codes[k]
            text += f"if ({FAILURE} != 0) goto thunkvm_label_{len(opened)};\n" if opened else ""
            for j, name in enumerate(node.outputs):
                if name in self.slots or name in wanted or node.needs_object(j):
                    text += node.sync(j, len(opened), self.slots.get(name, ""))
                else:
                    text += node.check_output(j, len(opened))
            text += "".join(
                f"{stage.clean_up}\nlive_{name} = false;\n"
                for stage, name in opened
                if self.is_let_go(name) and self.last_use[name] == k
            )
        for stage, name in reversed(opened):
            clean_up = stage.clean_up
            if self.is_let_go(name):
                clean_up = f"if (live_{name}) {{\n{clean_up}\n}}"
            text += f"thunkvm_label_{stage.number}:;\n{clean_up}\n}}\n"
        return text

    def is_let_go(self, name: str) -> bool:
        """Whether a value is let go before the end of the block."""
        return self.last_use[name] + 1 < len(self.nodes)

    def flag(self, name: str) -> str:
        return f"bool live_{name} = true;\n" if self.is_let_go(name) else ""


STRUCT = """
namespace {
struct thunkvm_block_%(k)d {
%(members)s
int init(PyObject* const* given) {
int thunkvm_failure = 0;
%(init)s
return thunkvm_failure;
}
void cleanup() {
%(cleanup)s
}
int %(function)s(PyObject* const* inputs, PyObject** outputs, volatile int* at) {
int thunkvm_failure = 0;
%(run)s
return thunkvm_failure;
}
};
}
"""

ENTRIES = """
static void* thunkvm_load_once_%(k)d() {
%(codes)s  static int loaded;
  return &loaded;
}
extern "C" int thunkvm_load_%(k)d(void) {
  if (_import_array() < 0) return -1;
  return thunkvm_load_once_%(k)d() == NULL ? -1 : 0;
}
extern "C" void* thunkvm_new_%(k)d(PyObject* const* params) {
  try {
    thunkvm_block_%(k)d* block = new thunkvm_block_%(k)d;
    if (block->init(params) == 0) return block;
    delete block;
  } catch (...) {
    thunkvm_translate_exception();
  }
  return NULL;
}
extern "C" void thunkvm_delete_%(k)d(void* self) {
  thunkvm_block_%(k)d* block = (thunkvm_block_%(k)d*)self;
  block->cleanup();
  delete block;
}
extern "C" int thunkvm_run_%(k)d(void* self, PyObject* const* inputs, PyObject** outputs,
                           volatile int* at) {
  try {
    return ((thunkvm_block_%(k)d*)self)->%(function)s(inputs, outputs, at);
  } catch (...) {
    thunkvm_translate_exception();
    return -1;
  }
}
"""

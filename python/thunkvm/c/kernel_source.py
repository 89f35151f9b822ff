"""The C of a node whose Op gives a `c_kernel`: a module without Python's headers.

`linkers/user_code/kernel_run.h` calls what is compiled here; the two `tv_` structs are the
same in both.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm._core import Apply, Function, TensorType
from thunkvm._src.calls.config import config
from thunkvm.c.compiling import OTHER_WAYS, has_c_alone, has_own
from thunkvm.c.debugging import DEBUG_FLAGS, keep_source
from thunkvm.c.node_source import function_name
from thunkvm.c.notes import CNote
from thunkvm.c.protocol import ask_method, includes, link_arguments, texts
from thunkvm.c.stages import name_lines

#: Behind those of the compiler's settings; and those for C alone.
FLAGS = ("-O3", "-fbuiltin", "-fno-strict-aliasing")
C_FLAGS = ("-Werror=implicit-function-declaration", "-Werror=incompatible-pointer-types")
#: C's own library, which nothing of ours is linked with.
LIBRARIES = ("m", "c")

HEADER = """\
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
// The elements of an array are at `data` plus index times stride, summed over its axes. A number is
// an array of no dimension. Inputs are not to be written to.
typedef struct {
  char *data;
  const int64_t *shape;    // the length of each axis
  const int64_t *strides;  // the step of each axis, in bytes
  int64_t size;            // how many elements
  int32_t ndim;
  int32_t contiguous;      // 1: in C order, without gaps
} tv_array;
typedef struct tv_call tv_call;
struct tv_call {
  int (*output)(tv_call *, int, const int64_t *);
  int (*view)(tv_call *, int, int, char *, const int64_t *, const int64_t *);
  int (*fail)(tv_call *, const char *, const char *, ...) __attribute__((format(printf, 3, 4)));
  int (*force)(tv_call *, int);
};
// Gives output j memory of this shape, in C order, not initialised. Not 0: there is none.
static inline int tv_output(tv_call *call, int j, const int64_t *shape) {
  return call->output(call, j, shape);
}
// Makes output j a view of input i, which view_map or destroy_map has to name for it.
static inline int tv_view(tv_call *call, int j, int i, char *data, const int64_t *shape,
                          const int64_t *strides) {
  return call->view(call, j, i, data, shape, strides);
}
// Where the Op says c_kernel_is_lazy: computes input i, if it is not there yet; before that in[i]
// has no data. Not 0: computing it failed, or the call is over. The function may go on with other
// inputs, or return not 0, and the failure is the call's.
static inline int tv_force(tv_call *call, int i) { return call->force(call, i); }
// Notes an exception of Python's by its name, and a message as printf writes it; it is not 0, for
// the function to return.
#define tv_fail(call, ...) (call)->fail(call, __VA_ARGS__)
"""

#: C's types of NumPy's dtypes, in modules of C.
C_TYPES = {
    "bool": "uint8_t",
    "float16": "_Float16",
    "float32": "float",
    "float64": "double",
    "complex64": "float _Complex",
    "complex128": "double _Complex",
    **{f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}

MISSING = object()
#: Whether it is C++; the compiler's command, or None; the text, flags, flags that are left out,
#: libraries, and the name of the function.
KernelSource = tuple[bool, str | None, str, list[str], list[str], list[str], str]


def kernel_source(node: Apply) -> KernelSource | None:
    """Return the source of a node's module, and how it is compiled; None where there is no C.

    Raises
    ------
    TypeError
        If the node has inputs or outputs that are no tensors of numbers, or the method returns no
        str.
    """
    op: Any = node.op
    name = function_name(op)
    code = ask_method(op, "c_kernel", node, name, default=MISSING)
    if code is MISSING:
        return None
    if not isinstance(code, str):
        raise TypeError(
            f"c_kernel of {op} returned {code!r}, a {type(code).__name__}; it has to return a str."
        )
    if name not in code:
        raise ValueError(
            f"c_kernel of {op} returned a text without {name!r}: it has to define the function "
            f"'int {name}(tv_call *call, const tv_array *in, tv_array *out)', whose name is the "
            "argument `name`."
        )
    is_cxx = bool(getattr(op, "c_kernel_is_cxx", False))
    if not _has_compiler(node, is_cxx):
        return None
    linkage = 'extern "C" ' if is_cxx else ""
    prototype = f"{linkage}int {name}(tv_call *, const tv_array *, tv_array *);\n"
    text = HEADER + _macros(node) + prototype + name_lines(code, f"c_kernel of {op}")
    return _compile_kernel(node, is_cxx, text, name)


def _has_compiler(node: Apply, is_cxx: bool) -> bool:
    """Whether there is a compiler; an error where the Op can do nothing without."""
    try:
        _core.compiler_version(is_cxx)
    except _core.NoCompilerError as error:
        if any(has_own(node.op, way) for way in (*OTHER_WAYS, "c_code")):
            return False
        raise has_c_alone(node, error) from None
    return True


def notes_of(function: Function) -> dict[int, CNote]:
    """Return notes on a function's nodes that were asked for their C since the last time.

    By the nodes' index. Each thread links functions of its own.
    """
    notes: dict[int, CNote] = getattr(_asked, "notes", {})
    _asked.notes = {}
    if not notes:
        return {}
    nodes = ((i, output.owner) for i, output in enumerate(function._nodes))
    return {
        i: notes[hash(node)]
        for i, node in nodes
        if node is not None and hash(node) in notes and hasattr(node.op, "c_kernel")
    }


_asked = threading.local()


def _compile_kernel(node: Apply, is_cxx: bool, text: str, name: str) -> KernelSource:
    op: Any = node.op
    compiler = _core.compiler_version(is_cxx)

    def list_texts(method: str) -> list[str]:
        return texts(op, method, ask_method(op, method, c_compiler=compiler))

    text = includes(list_texts("c_headers")) + text
    flags = [*FLAGS, *(() if is_cxx else C_FLAGS)]
    flags += [*(f"-I{path}" for path in list_texts("c_header_dirs")), *list_texts("c_compile_args")]
    libraries = link_arguments(list_texts("c_lib_dirs"), (*list_texts("c_libraries"), *LIBRARIES))
    path = ""
    if config.c_debug:
        text, path = keep_source(text)
        flags += DEBUG_FLAGS
    version = (
        ask_method(op, "c_code_cache_version_apply", node)
        or ask_method(op, "c_code_cache_version")
        or ()
    )
    _asked.notes = {**getattr(_asked, "notes", {}), hash(node): CNote(version, path)}
    left_out = list_texts("c_no_compile_args")
    return is_cxx, ask_method(op, "c_compiler"), text, flags, left_out, libraries, name


def _macros(node: Apply) -> str:
    lines = []
    for kind, variables in (("INPUT", node.inputs), ("OUTPUT", node.outputs)):
        for i, variable in enumerate(variables):
            type_ = variable.type
            if not isinstance(type_, TensorType) or type_.dtype not in C_TYPES:
                raise TypeError(
                    f"c_kernel of {node.op} is for tensors of numbers, but {kind.lower()} {i} is "
                    f"a {type_}: give such a node a c_code or a perform."
                )
            size = np.dtype(type_.dtype).itemsize
            lines += [
                f"#define DTYPE_{kind}_{i} {C_TYPES[type_.dtype]}\n",
                f"#define ITEMSIZE_{kind}_{i} {size}\n",
            ]
    return "".join(lines)

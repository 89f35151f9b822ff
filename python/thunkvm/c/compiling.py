"""From the nodes of a function to loaded modules."""

from __future__ import annotations

import logging
import sysconfig
from functools import cache
from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm._core import Apply, CompileError, NoCompilerError
from thunkvm.c.debugging import DEBUG_FLAGS, kept
from thunkvm.c.errors import MethodNotDefined
from thunkvm.c.node_source import HEADER, NodeSource, node_source
from thunkvm.c.notes import CNote
from thunkvm.c.protocol import ask
from thunkvm.config import config

#: What a node is: nothing in C, or its module, its params, and what is said of it.
Compiled = tuple[_core.NativeModule, Any, CNote] | None

#: Other ways of an Op's to run.
OTHER_WAYS = ("perform", "make_thunk", "demand")


def compile_nodes(nodes: list[Apply]) -> list[Compiled]:
    """Compile the C of nodes, side by side; equal sources once.

    Parameters
    ----------
    nodes : list of Apply
        Nodes of Ops that have a ``c_code``.

    Returns
    -------
    list
        For each node its module, its params, and what is said of it; None where the Op has no C
        for it, or where there is no compiler and the Op can run in another way, which is said once.

    Raises
    ------
    CompileError
        If the compiler rejects a source: the message has the node, and the lines of the C.
    NoCompilerError
        If there is no compiler, and an Op has nothing but C.
    """
    try:
        version = _core.compiler_version(True)
    except NoCompilerError as error:
        return _without_compiler(nodes, error)
    sources: dict[NodeSource, list[int]] = {}
    for i, node in enumerate(nodes):
        try:
            source = node_source(node, version)
        except MethodNotDefined:
            continue
        sources.setdefault(source, []).append(i)
    compiled: list[Compiled] = [None] * len(nodes)
    for command in dict.fromkeys(source.compiler for source in sources):
        group = [source for source in sources if source.compiler == command]
        texts = [kept(source.text) if config.c_debug else (source.text, "") for source in group]
        try:
            modules = _core.compile_cxx(
                [
                    _as_compiled(source, text)
                    for source, (text, _) in zip(group, texts, strict=True)
                ],
                command,
            )
        except NoCompilerError:
            raise
        except CompileError as error:
            source = group[error.index]
            raise _explained(error, nodes[sources[source][0]]) from None
        for source, module, (_, path) in zip(group, modules, texts, strict=True):
            for i in sources[source]:
                compiled[i] = (module, _params(nodes[i]), CNote(source.version, path))
    return compiled


def _as_compiled(source: NodeSource, text: str) -> tuple[str, str, list[str], list[str], list[str]]:
    flags = [f"-I{path}" for path in include_directories()]
    return (
        HEADER,
        text,
        [*flags, *source.flags, *(DEBUG_FLAGS if config.c_debug else ())],
        list(source.left_out),
        list(source.libraries),
    )


@cache
def include_directories() -> tuple[str, ...]:
    """Return where the headers of Python and NumPy are."""
    paths = sysconfig.get_paths()
    return tuple(dict.fromkeys([paths["include"], paths["platinclude"], np.get_include()]))


def _params(node: Apply) -> Any:
    if getattr(node.op, "params_type", None) is None:
        return None
    params = ask(node.op, "get_params", node)
    return node.op.params_type.filter(params, strict=False, allow_downcast=None)


_warned = False


def _without_compiler(nodes: list[Apply], error: NoCompilerError) -> list[Compiled]:
    global _warned
    for node in nodes:
        if not any(_has_own(node.op, way) for way in OTHER_WAYS):
            raise NoCompilerError(
                f"the Op {node.op} has C code alone (node {node.outputs[0]}"
                f"{_made_at(node)}), and {error}"
            )
    if not _warned:
        _warned = True
        logging.getLogger("thunkvm").warning("Ops with C code run their perform: %s", error)
    return [None] * len(nodes)


def _has_own(op: Any, method: str) -> bool:
    from thunkvm.op import Op

    own = getattr(type(op), method, None)
    return own is not None and own is not getattr(Op, method, None)


def _made_at(node: Apply) -> str:
    return f", made at {node.origin}" if node.origin else ""


def _explained(error: CompileError, node: Apply) -> CompileError:
    explained = CompileError(
        f"the C code of {node.op} (node {node.outputs[0]}{_made_at(node)}) does not compile: "
        f"{error}"
    )
    explained.diagnostics, explained.source_path = error.diagnostics, error.source_path
    explained.index = error.index
    return explained

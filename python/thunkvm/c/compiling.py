"""From the nodes of a function to loaded modules."""

from __future__ import annotations

import logging
import os
import sysconfig
from functools import cache
from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm._core import Apply, CompileError, NoCompilerError, Variable
from thunkvm._src.calls.config import config
from thunkvm._src.graph.default_thunk import prepare
from thunkvm.c.block_source import CLOSED, BlockSource, Nodes, module_source
from thunkvm.c.debugging import DEBUG_FLAGS, keep_source
from thunkvm.c.diagnosis import explained
from thunkvm.c.errors import MethodNotDefined
from thunkvm.c.node_source import NodeSource
from thunkvm.c.notes import CNote
from thunkvm.c.protocol import ask_method, compilers, texts

#: Other ways of an Op's to run.
OTHER_WAYS = ("perform", "make_thunk", "demand")
#: Those that are asked before `c_code` is.
NATIVE_WAYS = ("c_element", "c_kernel")

#: Nodes that run behind each other: their indices, the numbers of their inputs' values and of their
#: outputs', and the values that others read. Two values are the same where their numbers are.
Block = tuple[list[int], list[list[int]], list[list[int]], list[int]]
#: A part of a block that is compiled: its first node, how many, the module, its number there, and
#: the nodes' params.
Part = tuple[int, int, _core.NativeModule, int, tuple[Any, ...]]
#: Which block, its first node there, how many.
Position = tuple[int, int, int]


class CNodes:
    """The C of a function's nodes: asked first what has any, and later to compile it.

    Attributes
    ----------
    notes : dict of int to CNote
        What is said of the nodes, by their hashes, so that no node is held.
    """

    def __init__(self) -> None:
        self.notes: dict[int, CNote] = {}
        self._nodes: list[Apply] = []
        self._alone: dict[int, NodeSource] = {}
        self._alone_source: dict[int, BlockSource] = {}
        self._sharing: dict[int, Any] = {}
        self._by_itself: set[BlockSource] = set()
        self._version = ""

    def prepare(self, nodes: list[Apply]) -> list[int]:
        """Look at nodes of Ops that have a ``c_code``.

        Returns
        -------
        list of int
            For each node -1 where the Op has no C for it. The same where there is no compiler and
            the Op can run in another way, which is said once. Otherwise a number: nodes with the
            same one may share a block.

        Raises
        ------
        NoCompilerError
            If there is no compiler, and an Op has nothing but C.
        """
        self._nodes = nodes
        try:
            self._version = _core.compiler_version(True)
        except NoCompilerError as error:
            return _without_compiler(nodes, error)
        numbers: dict[Any, int] = {}
        found = []
        for i, node in enumerate(nodes):
            try:
                prepare(node.op, node)
                source = self._alone[i] = NodeSource(node, self._version)
                if source.has_own_types():
                    source.code(CLOSED)
                else:  # whose Types may lack a method
                    self._source_of(i)
            except MethodNotDefined as error:
                if not any(has_own(node.op, way) for way in (*OTHER_WAYS, *NATIVE_WAYS)):
                    raise NotImplementedError(
                        f"the Op {node.op} has C alone, and none for the node {node.outputs[0]}"
                        f"{_made_at(node)}: {error}"
                    ) from None
                found.append(-1)
                continue
            except Exception as error:
                error.add_note(f"raised by a c_ method for a node of {node.op}{_made_at(node)}")
                raise
            self._sharing[i] = _shares(source)
            # A node that overwrites an input is alone, since whether it may is seen when it runs.
            key = i if getattr(node.op, "destroy_map", None) else self._sharing[i]
            found.append(numbers.setdefault(key, len(numbers)))
        return found

    def compile(self, blocks: list[Block]) -> list[list[Part]]:
        """Compile blocks, side by side, several of them in one module; equal ones once.

        Returns
        -------
        list
            For each block the parts that it is made of: itself, or its nodes one by one where they
            do not compile together.

        Raises
        ------
        CompileError
            If the compiler rejects a source: the message has the node, and the lines of the C.
        """
        parts = [[(0, len(block[0]))] for block in blocks]
        while True:
            positions: dict[BlockSource, list[Position]] = {}
            for b, block in enumerate(blocks):
                for first, n in parts[b]:
                    positions.setdefault(self._source(block, first, n), []).append((b, first, n))
            try:
                return self._compile_modules(blocks, positions)
            except _NotTogether as error:
                if len(error.sources) > 1:
                    self._by_itself.update(error.sources)
                    continue
                for b, _, _ in positions[error.sources[0]]:
                    parts[b] = [(k, 1) for k in range(len(blocks[b][0]))]

    def _source(self, block: Block, first: int, n: int) -> BlockSource:
        if n == 1:
            return self._source_of(block[0][first])
        return module_source([self._part(block, first, n, 0)])

    def _source_of(self, i: int) -> BlockSource:
        """Return the source of node i by itself."""
        if i not in self._alone_source:
            self._alone_source[i] = module_source([Nodes([self._alone[i]], self._alone[i].outputs)])
        return self._alone_source[i]

    def _part(self, block: Block, first: int, n: int, number: int) -> Nodes:
        """Return the nodes of a part of a block, which have numbers from `number` on."""
        indices, inputs, outputs, leaving = block
        if n == 1:
            node = NodeSource(self._nodes[indices[first]], self._version, number)
            return Nodes([node], node.outputs)
        values = [v for i, o in zip(inputs, outputs, strict=True) for v in (*i, *o)]
        named = {value: f"V{k}" for k, value in enumerate(dict.fromkeys(values))}
        nodes = [
            NodeSource(
                self._nodes[i],
                self._version,
                number + k,
                [named[v] for v in a],
                [named[v] for v in b],
            )
            for k, (i, a, b) in enumerate(zip(indices, inputs, outputs, strict=True))
        ]
        return Nodes(nodes, [named[v] for v in leaving])

    def _compile_modules(
        self, blocks: list[Block], positions: dict[BlockSource, list[Position]]
    ) -> list[list[Part]]:
        self._load_modules(blocks, positions)
        compiled: list[list[Part]] = [[] for _ in blocks]
        for source, found in positions.items():
            module, number, path = _loaded[self._key(source)]
            for b, first, n in found:
                indices = blocks[b][0][first : first + n]
                params = tuple(_params(self._nodes[i]) for i in indices)
                compiled[b].append((first, n, module, number, params))
                for i in indices:
                    version = self._alone[i].version()
                    note = CNote(version, path, b if n > 1 else None)
                    self.notes[hash(self._nodes[i])] = note
        return [sorted(parts, key=lambda part: part[0]) for parts in compiled]

    def _key(self, source: BlockSource) -> Any:
        settings = config.cxx, config.cache_dir, config.cache_size, config.c_debug
        return source, self._version, settings

    def _load_modules(
        self, blocks: list[Block], positions: dict[BlockSource, list[Position]]
    ) -> None:
        """Compile what this process has not loaded yet; several modules side by side."""
        new: dict[Any, list[BlockSource]] = {}
        for source, found in positions.items():
            if self._key(source) not in _loaded:
                b, first, _ = found[0]
                alone = source if source in self._by_itself else None
                key = source.compiler, alone, self._sharing[blocks[b][0][first]]
                new.setdefault(key, []).append(source)
        groups = [group for sources in new.values() for group in _divide_sources(sources)]
        for command in dict.fromkeys(group[0].compiler for group in groups):
            mine = [group for group in groups if group[0].compiler == command]
            for group, (module, path) in zip(
                mine, self._modules(mine, command, blocks, positions), strict=True
            ):
                for number, source in enumerate(group):
                    _loaded[self._key(source)] = module, number, path

    def _together(
        self,
        group: list[BlockSource],
        blocks: list[Block],
        positions: dict[BlockSource, list[Position]],
    ) -> BlockSource:
        """Return the source of a module of several blocks."""
        if len(group) == 1:
            return group[0]
        parts, number = [], 0
        for source in group:
            b, first, n = positions[source][0]
            parts.append(self._part(blocks[b], first, n, number))
            number += n
        return module_source(parts)

    def _modules(
        self,
        groups: list[list[BlockSource]],
        command: str | None,
        blocks: list[Block],
        positions: dict[BlockSource, list[Position]],
    ) -> list[tuple[_core.NativeModule, str]]:
        """Compile modules with one compiler; with each its kept text's path."""
        sources = [self._together(group, blocks, positions) for group in groups]
        texts_ = [
            keep_source(source.text) if config.c_debug else (source.text, "") for source in sources
        ]
        given = [_compiler_input(s, text) for s, (text, _) in zip(sources, texts_, strict=True)]
        try:
            modules = _core.compile_cxx(given, command)
        except NoCompilerError:
            raise
        except CompileError as error:
            group = groups[error.index]
            b, first, n = positions[group[0]][0]
            if n > 1 or len(group) > 1:
                raise _NotTogether(group) from None
            text = texts_[error.index][0]
            raise _explain_error(error, self._nodes[blocks[b][0][first]], text) from None
        return [(module, path) for module, (_, path) in zip(modules, texts_, strict=True)]


#: The blocks that this process has loaded: their modules, numbers there, and sources' files.
_loaded: dict[Any, tuple[_core.NativeModule, int, str]] = {}
#: So many blocks at least have one module: most of its time goes to what a module begins with.
FEWEST = 4


def _divide_sources(sources: list[BlockSource]) -> list[list[BlockSource]]:
    """Divide what is to be compiled into modules: as many as there are processors."""
    size = max(FEWEST, -(-len(sources) // (os.cpu_count() or 1)))
    return [sources[k : k + size] for k in range(0, len(sources), size)]


class _NotTogether(Exception):  # noqa: N818 (never seen outside)
    """The blocks of a module, or the nodes of its one block, do not compile together."""

    def __init__(self, sources: list[BlockSource]) -> None:
        super().__init__()
        self.sources = sources


def _shares(source: NodeSource) -> Any:
    """Return the settings that nodes of one block, and blocks of one module, have in common.

    Top levels of different Ops are not put together: functions of one would be found by the other.
    """
    own = ask_method(source.op, "c_support_code", c_compiler=source.c_compiler)
    lists = [source.all_items(method) for method in SHARED]
    commands = compilers(source.givers)
    return tuple(map(tuple, (texts(source.op, "c_support_code", own), commands, *lists)))


SHARED = (
    "c_headers", "c_header_dirs", "c_compile_args", "c_no_compile_args", "c_libraries",
    "c_lib_dirs",
)  # fmt: skip


def _compiler_input(
    source: BlockSource, text: str
) -> tuple[str, str, list[str], list[str], list[str]]:
    flags = [f"-I{path}" for path in include_directories()]
    return (
        source.header,
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
    params = ask_method(node.op, "get_params", node)
    return node.op.params_type.filter(params, strict=False, allow_downcast=None)


_warned = False


def _without_compiler(nodes: list[Apply], error: NoCompilerError) -> list[int]:
    global _warned
    for node in nodes:
        if not any(has_own(node.op, way) for way in OTHER_WAYS):
            raise has_c_alone(node, error)
    if not _warned:
        _warned = True
        logging.getLogger("thunkvm").warning("Ops with C code run their perform: %s", error)
    return [-1] * len(nodes)


def has_c_alone(node: Apply, error: NoCompilerError) -> NoCompilerError:
    """Return the error of a node that nothing runs but C, for want of a compiler."""
    return NoCompilerError(
        f"the Op {node.op} has C code alone (node {node.outputs[0]}{_made_at(node)}), and {error}"
    )


def check_compiler(roots: list[Variable], error: NotImplementedError) -> None:
    """Raise another error where a mode has nothing to run a node by for want of a compiler.

    Raises
    ------
    NoCompilerError
        It names the Op, the node and what is the matter with the compiler.
    """
    for node in _core.topological_order(roots):
        ways = [way for way in (*NATIVE_WAYS, "c_code") if has_own(node.op, way)]
        if not ways or not str(error).startswith(f"[{type(node.op).__name__}]"):
            continue
        is_cxx = "c_code" in ways or bool(getattr(node.op, "c_kernel_is_cxx", False))
        try:
            _core.compiler_version(is_cxx)
        except NoCompilerError as missing:
            raise NoCompilerError(
                f"the Op {node.op} has C code (node {node.outputs[0]}{_made_at(node)}), and this "
                f"mode runs no perform instead; but {missing}"
            ) from None


def has_own(op: Any, method: str) -> bool:
    """Whether an Op has a way to run of its own, not that of `Op`, and may run by it."""
    from thunkvm._src.graph.op import Op

    if getattr(op, "implementation", None) == ("py" if method.startswith("c_") else "c"):
        return False
    own = getattr(type(op), method, None)
    return own is not None and own is not getattr(Op, method, None)


def _made_at(node: Apply) -> str:
    return f", made at {node.origin}" if node.origin else ""


def _explain_error(error: CompileError, node: Apply, source: str) -> CompileError:
    told = CompileError(
        f"the C code of {node.op} (node {node.outputs[0]}{_made_at(node)}) does not compile: "
        f"{explained(str(error), source)}"
    )
    told.diagnostics, told.source_path = error.diagnostics, error.source_path
    told.index = error.index
    return told

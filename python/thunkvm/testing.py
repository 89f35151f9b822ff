"""Tests of Ops: `check_op` checks an Op of yours in all ways that there are.

Examples
--------
>>> import thunkvm as tv
>>> tv.testing.check_op(tv.ops.exp, [[1.0, 2.0]]).ok
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm._core import Apply, TensorType, Variable
from thunkvm._src.calls.function import function
from thunkvm._src.derivatives.tangent_verification import wrong_tangents
from thunkvm._src.derivatives.verification import GradientError, verify_grad
from thunkvm._src.graph.op import Op
from thunkvm._src.graph.registered import RegisteredOp
from thunkvm._src.graph.types import tensor
from thunkvm._src.graph.values import as_variable
from thunkvm.checking.aliasing import copies, snapshot
from thunkvm.checking.comparison import disagreement
from thunkvm.checking.contract import Checks, Finding, NodeContract
from thunkvm.checking.op_report import MISSING, RIGHT, WRONG, OpError, OpReport, Row

#: What an Op may leave out, and what is lost.
OPTIONAL = {
    "c_code": "no C: it runs by Python, which mode='c' does not take",
    "infer_shape": "no infer_shape: an output is computed where its shape is asked for",
    "grad": "no gradient: tv.grad through it is an error",
    "R_op": "no R_op: tv.jvp differentiates its gradient",
    "batch": "no batch: tv.jacobian through it is an error",
    "__props__": "no __props__: two equal Ops are two, and their nodes are not merged",
}
#: The checks of one run of a node, in the order of the report.
OF_RUNS = (
    "no crash",
    "valid outputs",
    "the same twice",
    "undeclared writes",
    "undeclared views",
    "outputs apart",
    "outputs stay",
    "references",
    "preallocated outputs",
    "inputs of every layout",
)


def check_op(
    op: Op | Callable[..., Any], inputs: Sequence[Any], *, checks: Checks | None = None
) -> OpReport:
    """Check an Op at one point: that it computes, in each way that it has, and keeps its contract.

    Runs what `DebugMode` checks of a node: each implementation against the others, on inputs of
    every layout, with preallocated outputs of every layout; undeclared writes and views, outputs
    that share memory; C of yours in a child process first. Besides, `infer_shape` is held against
    the values, `Op.grad` and ``R_op`` against finite differences and each other. The Op runs in
    functions of the usual modes, too.

    Parameters
    ----------
    op : Op
        An Op, or what makes Variables of Variables and applies one Op.
    inputs : sequence
        A value for each input: arrays, numbers, or any object. A Variable is given as it is, to be
        part of the node: a constant, for example. Values that are no special case are best: without
        zeros, ties and equal lengths of axes.
    checks : Checks, optional
        Which checks, as `thunkvm.checking.contract.Checks`; all if left out.

    Returns
    -------
    OpReport
        A table of what is right, missing and wrong as ``str``; false if something is wrong, so that
        ``assert check_op(...)`` shows it. ``report.raise_if_wrong()`` raises.

    Examples
    --------
    >>> import thunkvm as tv
    >>> class Scale(tv.Op):
    ...     __props__ = ("factor",)
    ...     def __init__(self, factor):
    ...         self.factor = factor
    ...     def make_node(self, x):
    ...         return tv.Apply(self, [x], [x.type()])
    ...     def perform(self, node, inputs, output_storage):
    ...         output_storage[0][0] = inputs[0] * self.factor
    ...     def grad(self, inputs, output_gradients):
    ...         return [output_gradients[0]]
    >>> report = tv.testing.check_op(Scale(2.0), [[1.0, 2.0]])
    >>> report.ok, [row.check for row in report.wrong], [row.check for row in report.missing]
    (False, ['grad'], ['c_code', 'infer_shape', 'R_op', 'batch'])
    """
    report = OpReport(str(op))
    report.rows.extend(_OpCheck(op, inputs, checks or Checks()).rows())
    return report


class _OpCheck:
    """The checks of one Op with values."""

    def __init__(self, op: Any, inputs: Sequence[Any], checks: Checks) -> None:
        self._op = op
        self._checks = checks
        self._inferred: list[Finding] = []
        self._given = [_as_input(value) for value in inputs]
        self._free = [variable for variable, value in self._given if value is not _PART]
        self._values = [value for _, value in self._given if value is not _PART]

    def rows(self) -> Iterator[Row]:
        """Yield the report's rows; nothing else is checked where no node can be made."""
        try:
            outputs = self._op(*(variable for variable, _ in self._given))
        except Exception as error:  # of the user's code: told as a row
            yield Row("make_node", WRONG, _describe_error(error))
            return
        first = outputs[0] if isinstance(outputs, (list, tuple)) else outputs
        if not isinstance(first, Variable) or first.owner is None:
            yield Row("make_node", WRONG, f"it gave {first!r}, which no node computes")
            return
        node = first.owner
        types = ", ".join(str(variable.type) for variable in node.outputs)
        yield Row("make_node", RIGHT, f"its outputs are {types}")
        if not isinstance(node.op, _core.BuiltinOp):
            yield self._props(node)
        for row in self._runs(node):
            yield row
            if row.check == "no crash" and row.result == WRONG:
                return  # it would end this process too
        yield from self._functions(node)
        yield self._infer_shape(node, self._inferred)
        yield from self._derivatives(node)
        yield self._optional(node, "batch")

    def _props(self, node: Apply) -> Row:
        if getattr(type(node.op), "__props__", None) is None:
            return Row("__props__", MISSING, OPTIONAL["__props__"])
        try:
            hash(node.op)
        except TypeError as error:
            return Row("__props__", WRONG, f"a property cannot be hashed: {error}")
        except AttributeError as error:
            return Row("__props__", WRONG, str(error))
        return Row("__props__", RIGHT)

    def _functions(self, node: Apply) -> Iterator[Row]:
        """Run the Op in functions of the usual modes, and hold their outputs against each other."""
        results: dict[str, list[Any]] = {}
        for mode in ("vm", "cvm", "cvm_nogc"):
            try:
                f = function(self._free, node.outputs, mode=mode, on_unused_input="ignore")
                f(*copies(self._values))
                results[mode] = f(*copies(self._values))
            except NotImplementedError:
                if mode != "vm":  # which has no way to run C alone
                    raise
            except Exception as error:
                yield Row(f"mode {mode}", WRONG, _describe_error(error))
                return
        first, *others = results.items()
        for mode, values in others:
            found = disagreement(node, [], first[1], values, None)
            if found is not None:
                text = f"output {found[0]} is not that of mode {first[0]} (first): {found[1]}"
                yield Row(f"mode {mode}", WRONG, text)
                return
        yield Row("in functions", RIGHT, f"the same in the modes {', '.join(results)}")

    def _runs(self, node: Apply) -> Iterator[Row]:
        """Run each implementation as `DebugMode` does."""
        contract = NodeContract(node, self._checks)
        inputs = [self._value_of(variable) for variable in node.inputs]
        try:
            ways = contract.ways
        except Exception as error:
            yield Row("c_code", WRONG, _describe_error(error))
            return
        yield from self._ways(node, [way.form for way in ways])
        if not ways:
            return
        tried = list(contract.crash(inputs))
        if any(finding.check == "no crash" for finding in tried):
            yield from _rows_of(("no crash",), tried)
            return
        try:
            findings = [*self._findings(contract, inputs), *tried]
        except Exception as error:
            yield Row(ways[0].form, WRONG, _describe_error(error))
            return
        agreements = [f"{ways[0].form} and {way.form} agree" for way in ways[1:]]
        names = [*OF_RUNS[1:]] if contract.is_users else ["valid outputs", "the same twice"]
        in_c = contract.is_users and any(way.form in ("c", "kernel") for way in ways)
        crash = ["no crash"] if in_c else []
        yield from _rows_of((*crash, *names, *agreements), findings)

    def _findings(self, contract: NodeContract, inputs: list[Any]) -> Iterator[Finding]:
        way = contract.ways[0]
        given = copies(inputs)
        before = snapshot(given)
        outputs = way.run(given)
        yield from contract.check_writes(given, before, way.form)
        yield from contract.check_outputs(given, outputs, way.form)
        yield from contract.check_ways(copies(inputs), outputs, way.form)
        self._inferred = list(contract.check_shapes(inputs, outputs))

    def _ways(self, node: Apply, forms: list[str]) -> Iterator[Row]:
        if _own(node.op, "demand"):
            yield Row("demand", RIGHT, "lazy: it ran in functions, where its inputs are demanded")
            return
        for form, name in (("kernel", "kernel"), ("perform", "perform"), ("c", "c_code")):
            if form in forms:
                yield Row(name, RIGHT)
            elif (
                name in OPTIONAL
                and not isinstance(node.op, _core.BuiltinOp)
                and "kernel" not in forms
            ):
                yield Row(name, MISSING, OPTIONAL[name])

    def _infer_shape(self, node: Apply, found: Sequence[Finding]) -> Row:
        if found:
            return Row("infer_shape", WRONG, found[0].text)
        return self._optional(node, "infer_shape")

    def _derivatives(self, node: Apply) -> Iterator[Row]:
        """Hold gradient and forward rule against differences, and against each other."""
        built_in = isinstance(node.op, _core.BuiltinOp)
        has_gradient = built_in or _own(node.op, "grad") or _own(node.op, "L_op")
        has_tangent = built_in or _own(node.op, "R_op") or _own(node.op, "pushforward")
        constant = _declared_without_gradient(node)
        floats = [
            k
            for k, (variable, value) in enumerate(zip(self._free, self._values, strict=True))
            if _is_float(value) and not any(variable is other for other in constant)
        ]
        points = [self._values[k] for k in floats]
        is_smooth = bool(points and self._sloped(*(variable for variable, _ in self._given)))

        function_of = self._applied(floats)

        def wrong_gradient() -> str | None:
            for k in range(len(function_of(*map(as_variable, points)))):
                try:
                    verify_grad(lambda *x, k=k: function_of(*x)[k], points)
                except GradientError as error:
                    return f"of output {k}: {error}" if k else str(error)
            return None

        gradient = _slope_row("grad", has_gradient, is_smooth, wrong_gradient)
        yield gradient

        def wrong_tangent() -> str | None:
            return next(wrong_tangents(function_of, points, gradient.result == RIGHT), None)

        yield _slope_row("R_op", has_tangent, is_smooth, wrong_tangent)

    def _applied(self, floats: list[int]) -> Callable[..., list[Variable]]:
        """Return the outputs that have derivatives as a function of the inputs that are floats."""

        def applied(*moved: Variable) -> list[Variable]:
            variables = dict(zip(floats, moved, strict=True))
            at = iter(range(len(self._values)))
            arguments = []
            for variable, value in self._given:
                if value is _PART:
                    arguments.append(variable)
                    continue
                k = next(at)
                arguments.append(variables[k] if k in variables else as_variable(value))
            return self._sloped(*arguments)

        return applied

    def _sloped(self, *arguments: Variable) -> list[Variable]:
        """Apply the Op, and return its outputs that have derivatives."""
        returned = self._op(*arguments)
        outputs = list(returned) if isinstance(returned, (list, tuple)) else [returned]
        constant = _declared_without_gradient(outputs[0].owner)
        return [
            y
            for y in outputs
            if _is_float_type(y.type) and not any(y is other for other in constant)
        ]

    def _optional(self, node: Apply, name: str) -> Row:
        if isinstance(node.op, _core.BuiltinOp) or _own(node.op, name):
            return Row(name, RIGHT)
        return Row(name, MISSING, OPTIONAL[name])

    def _value_of(self, variable: Variable) -> Any:
        """Return the value of one of the node's inputs, which the given ones may have to give."""
        for free, value in zip(self._free, self._values, strict=True):
            if free is variable:
                return value
        compute = function(self._free, variable, mode="vm", on_unused_input="ignore")
        return compute(*self._values)


class _Part:
    """The type of `_PART`."""


#: Stands for the value of an input that is a Variable of the user's.
_PART = _Part()


def _as_input(value: Any) -> tuple[Variable, Any]:
    """Return a free variable for a value, with the value as its Type has it."""
    if isinstance(value, Variable):
        return value, _PART
    constant = as_variable(value)
    if isinstance(constant.type, TensorType):
        array = np.asarray(constant.value)
        free = tensor(None, str(array.dtype), (None,) * array.ndim)
        return free, array if array.ndim else array[()]
    return constant.type(), value


def _rows_of(names: Sequence[str], findings: Sequence[Finding]) -> Iterator[Row]:
    """Yield a row for each check: the first thing that it found, and how many there are."""
    found: dict[str, list[Finding]] = {name: [] for name in names}
    for finding in findings:
        found.setdefault(finding.check, []).append(finding)
    for name, of_name in found.items():
        if not of_name:
            yield Row(name, RIGHT)
            continue
        more = f" ({len(of_name) - 1} more)" if len(of_name) > 1 else ""
        yield Row(name, WRONG, of_name[0].text + more)


def _slope_row(name: str, is_there: bool, is_smooth: bool, find: Callable[[], str | None]) -> Row:
    """Return the row of a derivative; `find` says what is wrong with it."""
    if not is_there:
        return Row(name, MISSING, OPTIONAL[name])
    if not is_smooth:
        return Row(name, RIGHT, "nothing is a float, so nothing is differentiated")
    try:
        wrong = find()
    except NotImplementedError as error:
        return Row(name, MISSING, str(error))
    except Exception as error:  # of the user's code: told as a row
        return Row(name, WRONG, _describe_error(error))
    return Row(name, WRONG, wrong) if wrong else Row(name, RIGHT, "as finite differences have it")


def _declared_without_gradient(node: Apply | None) -> list[Variable]:
    """Return the inputs and outputs of a registered Op that are declared so."""
    if node is None or not isinstance(node.op, RegisteredOp):  # none: the argument itself
        return []
    inputs, outputs = (
        list(slots.values()) for slots in (node.op.declared.inputs, node.op.declared.outputs)
    )
    return [
        variable
        for slots, variables in ((inputs, node.inputs), (outputs, node.outputs))
        for at, variable in enumerate(variables)
        if slots[min(at, len(slots) - 1)].no_gradient  # a duplicable one is the last
    ]


def _own(op: Any, name: str) -> bool:
    method = getattr(op, name, None)  # of the class, or of the Op alone
    return method is not None and getattr(method, "__module__", "") != "thunkvm._src.graph.op"


def _is_float(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "fc"


def _is_float_type(type_: Any) -> bool:
    return isinstance(type_, TensorType) and np.dtype(type_.dtype).kind in "fc"


def _describe_error(error: Exception) -> str:
    return f"it raised {type(error).__name__}: {error}"


__all__ = ["OpError", "OpReport", "Row", "check_op"]


def __dir__() -> list[str]:
    """Return the names that users need, for tab completion."""
    return [*__all__]

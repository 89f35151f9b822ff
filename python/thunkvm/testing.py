"""Tests of Ops: `check_op` checks an Op of yours in all ways that there are.

Examples
--------
>>> import thunkvm as tv
>>> tv.testing.check_op(tv.ops.exp, [[1.0, 2.0]]).ok
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thunkvm import _core
from thunkvm._core import Apply, TensorType, Variable
from thunkvm._src.calls.function import function
from thunkvm._src.derivatives.verification import GradientError, verify_grad
from thunkvm._src.graph.op import Op
from thunkvm._src.graph.types import tensor
from thunkvm._src.graph.values import as_variable
from thunkvm._src.views.text_table import table
from thunkvm.checking.aliasing import copies, snapshot
from thunkvm.checking.comparison import disagreement
from thunkvm.checking.contract import Checks, Finding, NodeContract

RIGHT, MISSING, WRONG = "right", "missing", "WRONG"
#: What an Op may leave out, and what is lost.
OPTIONAL = {
    "c_code": "no C: it runs by Python, which mode='c' does not take",
    "infer_shape": "no infer_shape: an output is computed where its shape is asked for",
    "grad": "no gradient: tv.grad through it is an error",
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


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a report.

    Attributes
    ----------
    check : str
        What was looked at.
    result : str
        ``"right"``, ``"missing"`` or ``"WRONG"``.
    text : str
        What is missing or wrong, and what to do.

    Examples
    --------
    >>> import thunkvm as tv
    >>> row = tv.testing.check_op(tv.ops.exp, [[1.0, 2.0]]).rows[0]
    >>> row.check, row.result
    ('make_node', 'right')
    """

    check: str
    result: str
    text: str = ""


class OpError(AssertionError):
    """`check_op` found something wrong; the message is the report.

    Examples
    --------
    >>> import thunkvm as tv
    >>> def square(x):
    ...     return x * x
    >>> wrong = tv.as_op(square, [tv.dscalar], [tv.dscalar], grad=lambda inputs, slopes: slopes)
    >>> try:
    ...     tv.testing.check_op(wrong, [1.5]).raise_if_wrong()
    ... except tv.testing.OpError as error:
    ...     print(str(error).splitlines()[0])
    square: 1 wrong, 3 missing
    """


@dataclass(slots=True)
class OpReport:
    """The findings of `check_op`: a table, as text.

    Attributes
    ----------
    op : str
    rows : list of Row

    Examples
    --------
    >>> import thunkvm as tv
    >>> report = tv.testing.check_op(tv.ops.exp, [[1.0, 2.0]])
    >>> report.op, report.ok, report.wrong
    ('<Op exp(x, /)>', True, [])
    >>> [row.check for row in report.rows if row.check in ("grad", "infer_shape")]
    ['infer_shape', 'grad']
    """

    op: str
    rows: list[Row] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; something may be missing."""
        return not self.wrong

    @property
    def wrong(self) -> list[Row]:
        """The rows of what is wrong."""
        return [row for row in self.rows if row.result == WRONG]

    @property
    def missing(self) -> list[Row]:
        """The rows of what the Op leaves out."""
        return [row for row in self.rows if row.result == MISSING]

    def __bool__(self) -> bool:
        """Return `ok`, so that a test can assert a report."""
        return self.ok

    def __str__(self) -> str:
        """Return the table."""
        return (
            f"{self.op}: {'nothing wrong' if self.ok else f'{len(self.wrong)} wrong'}"
            f"{f', {len(self.missing)} missing' if self.missing else ''}\n"
            + table(
                ["check", "result", "what"],
                [[row.check, row.result, row.text] for row in self.rows],
                left=["check", "result", "what"],
            )
        )

    __repr__ = __str__

    def raise_if_wrong(self) -> OpReport:
        """Raise `OpError` with the report if something is wrong; else return it."""
        if not self.ok:
            raise OpError(str(self))
        return self


def check_op(op: Op, inputs: Sequence[Any], *, checks: Checks | None = None) -> OpReport:
    """Check an Op at one point: that it computes, in each way that it has, and keeps its contract.

    Runs what `DebugMode` checks of a node: each implementation against the others, on inputs of
    every layout, with preallocated outputs of every layout; undeclared writes and views, outputs
    that share memory; C of yours in a child process first. Besides, `infer_shape` is held against
    the values, and `grad` against finite differences. The Op runs in functions of the usual modes.

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
    (False, ['grad'], ['c_code', 'infer_shape', 'batch'])
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
        yield self._grad(node)
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

    def _grad(self, node: Apply) -> Row:
        rules = [name for name in ("grad", "L_op") if _own(node.op, name)]
        if not isinstance(node.op, _core.BuiltinOp) and not rules:
            return Row("grad", MISSING, OPTIONAL["grad"])
        floats = [k for k, value in enumerate(self._values) if _is_float(value)]
        if not floats or not _is_float_type(node.outputs[0].type):
            return Row("grad", RIGHT, "nothing is a float, so nothing is differentiated")
        try:
            verify_grad(self._float_function(floats), [self._values[k] for k in floats])
        except GradientError as error:
            return Row("grad", WRONG, str(error))
        except NotImplementedError as error:
            return Row("grad", MISSING, str(error))
        except Exception as error:
            return Row("grad", WRONG, _describe_error(error))
        return Row("grad", RIGHT, "as finite differences have it")

    def _float_function(self, floats: list[int]) -> Callable[..., Variable]:
        """Return the Op's first output as a function of its inputs that are floats."""

        def applied(*moved: Variable) -> Variable:
            variables = dict(zip(floats, moved, strict=True))
            at = iter(range(len(self._values)))
            arguments = []
            for variable, value in self._given:
                if value is _PART:
                    arguments.append(variable)
                    continue
                k = next(at)
                arguments.append(variables[k] if k in variables else as_variable(value))
            outputs = self._op(*arguments)
            first: Variable = outputs[0] if isinstance(outputs, (list, tuple)) else outputs
            return first

        return applied

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

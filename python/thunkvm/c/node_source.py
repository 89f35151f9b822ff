"""The C++ of one node: what it adds to a module, to the struct that runs it, and to its block.

It depends on the Op, its Types and its params' Type alone, and on the names of its variables.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from thunkvm._core import Apply
from thunkvm.c.errors import MethodNotDefined
from thunkvm.c.protocol import ask_method, every, one_text
from thunkvm.c.stages import (
    FAILURE,
    Stage,
    caught,
    clean_stage,
    failure_code,
    guard_stage,
    name_lines,
    nest_stages,
)

#: The Python object of a variable.
OBJECT = re.compile(r"\bpy_(V\d+)\b")


def function_name(op: Any) -> str:
    """Return the name of the function that runs an Op's code: ``run_`` and its class."""
    return "run_" + re.sub(r"\W", "_", type(op).__name__, flags=re.ASCII)


class NodeSource:
    """The texts of one node.

    Parameters
    ----------
    node : Apply
        A node of an Op that has a ``c_code``.
    c_compiler : str
        What methods that take ``c_compiler`` are given.
    number : int
        The node's in its block; names that it makes end in it.
    inputs, outputs : list of str, optional
        The names of its variables, if they are not to be ``V0``, ``V1``...
    """

    def __init__(
        self,
        node: Apply,
        c_compiler: str,
        number: int = 0,
        inputs: list[str] | None = None,
        outputs: list[str] | None = None,
    ) -> None:
        self.node = node
        self.op = node.op
        self.called = str(node.op)
        self.c_compiler = c_compiler
        self.name = f"node_{number}"
        self.params = f"params_{number}"
        n = len(node.inputs)
        self.inputs = [f"V{i}" for i in range(n)] if inputs is None else inputs
        self.outputs = (
            [f"V{n + j}" for j in range(len(node.outputs))] if outputs is None else outputs
        )
        self.objects: list[str] = []
        self.check_input = getattr(self.op, "check_input", True)
        self.params_type = getattr(self.op, "params_type", None)
        self.givers: list[Any] = [self.op]
        for variable in (*node.inputs, *node.outputs):
            self.add_giver(variable.type)
        if self.params_type is not None:
            if isinstance(self.params_type, type):
                raise TypeError(
                    f"the params_type of {self.called} is the class {self.params_type.__name__}; "
                    "it has to be an instance, with parentheses behind it."
                )
            self.add_giver(self.params_type)

    def add_giver(self, giver: Any) -> None:
        """Note an Op or a Type that has a say in the module, each once."""
        if not any(giver is other or giver == other for other in self.givers):
            self.givers.append(giver)

    def has_own_types(self) -> bool:
        """Whether all Types are thunkvm's own, which lack no C."""
        return all(type(giver).__module__.startswith("thunkvm.") for giver in self.givers[1:])

    def all_items(self, method: str) -> list[str]:
        """Return the items that all givers list, each once, in order."""
        return every(self.givers, method, c_compiler=self.c_compiler)

    def support_code(self) -> dict[str, str]:
        """Return the top level of the Op and its Types: each part, and it with its name."""
        name = f"c_support_code of {self.called}"
        return {part: name_lines(part, name) for part in self.all_items("c_support_code")}

    def version(self) -> tuple[Any, ...]:
        """Return the Op's version, which is shown and decides nothing."""
        apply = ask_method(self.op, "c_code_cache_version_apply", self.node)
        return apply or ask_method(self.op, "c_code_cache_version", default=()) or ()

    def op_code(self, method: str, *arguments: Any) -> str:
        """Ask the Op for a text that it need not have."""
        code = one_text(self.op, method, ask_method(self.op, method, *arguments))
        return name_lines(code, f"{method} of {self.called}")

    def members(self) -> str:
        """Return the node's members of the struct."""
        return self.params_members() + self.op_code("c_support_code_struct", self.node, self.name)

    # ---- what lives as long as the struct

    def params_members(self) -> str:
        """Return the members for the node's params."""
        if self.params_type is None:
            return ""
        sub = {"fail": ""}
        return f"PyObject* py_{self.params};\n" + self.type_code(
            self.params_type, "c_declare", self.params, sub, check_input=True
        )

    def init_stages(self, number: int, given: str) -> list[Stage]:
        """Return the stages that set the struct's members up, from `number` on."""
        stages = []
        if self.params_type is not None:
            sub = {"fail": failure_code(number)}
            extract = self.type_code(
                self.params_type, "c_extract", self.params, sub, check_input=True
            )
            cleanup = self.type_code(self.params_type, "c_cleanup", self.params, sub)
            stages.append(
                Stage(
                    number,
                    f"the params of {self.called}",
                    "",
                    f"py_{self.params} = {given};\n{guard_stage(extract, number)}",
                    f"if ({FAILURE} != 0) {{\n{cleanup}\n}}",
                )
            )
            number += 1
        code = self.op_code("c_init_code_struct", self.node, self.name, self.op_sub(number))
        cleanup = self.op_struct_cleanup()
        failed = f"if ({FAILURE} != 0) {{\n{cleanup}\n}}"
        stages.append(Stage(number, "c_init_code_struct", "", guard_stage(code, number), failed))
        return stages

    def op_struct_cleanup(self) -> str:
        """Return the Op's own part of `struct_cleanup`."""
        return self.op_code("c_cleanup_code_struct", self.node, self.name)

    def struct_cleanup(self) -> str:
        """Return the clean-up of the struct's members."""
        text = f"{{\n{self.op_struct_cleanup()}\n}}\n"
        if self.params_type is not None:
            cleanup = self.type_code(self.params_type, "c_cleanup", self.params, {"fail": ""})
            text += f"{{\n{cleanup}\n}}\n"
        return text

    # ---- a run

    def code(self, stage: int) -> str:
        """Return the block of the Op's own code, whose failure is its own clean-up.

        `objects` has the inputs then whose Python objects it names, as ``py_V0``.
        """
        arguments = (self.node, self.name, self.inputs, self.outputs, self.op_sub(stage))
        reasons: list[str] = []
        code = ask_method(self.op, "c_code", *arguments, default=self, reasons=reasons)
        if not isinstance(code, str):
            if code is self:
                why = reasons[0] if reasons else f"{self.called} has no c_code for this node."
                raise MethodNotDefined(why)
            raise TypeError(
                f"c_code of {self.called} returned {code!r}, a {type(code).__name__}; it has to "
                "return a str."
            )
        sub = {**self.op_sub(stage), "fail": failure_code(stage, "cleaned")}
        cleanup = clean_stage(self.op_code("c_code_cleanup", *arguments[:-1], sub), stage)
        if "py_V" in code or "py_V" in cleanup:
            named_in = set(OBJECT.findall(code + cleanup))
            self.objects = [name for name in self.inputs if name in named_in]
        own = Stage(
            stage, f"{self.called}", "", name_lines(code, f"c_code of {self.called}"), cleanup
        )
        return caught(nest_stages([own]), stage)

    def input_stage(self, i: int, number: int, source: str) -> Stage:
        """Return the stage that makes the variable of input i, from the object `source`."""
        return self._stage(f"input {i}", self.inputs[i], self.node.inputs[i].type, number, source)

    def output_stage(self, j: int, number: int, source: str) -> Stage:
        """Return the stage that makes the variable of output j; `source` is its earlier value."""
        type_ = self.node.outputs[j].type
        way = "c_init" if getattr(type_, "c_extract_out", None) is None else "c_extract_out"
        return self._stage(f"output {j}", self.outputs[j], type_, number, source, way)

    def _stage(
        self, what: str, name: str, type_: Any, number: int, source: str, way: str = "c_extract"
    ) -> Stage:
        """Return the stage of a variable, which is set up by the Type's method `way`."""
        sub = {"fail": failure_code(number)}
        keywords = {} if way == "c_init" else {"check_input": self.check_input}
        declare = self.type_code(type_, "c_declare", name, sub, check_input=self.check_input)
        set_up = self.type_code(type_, way, name, sub, **keywords)
        fail = {"fail": failure_code(number, "cleaned")}
        cleanup = self.type_code(type_, "c_cleanup", name, fail)
        return Stage(
            number,
            f"{what} of {self.called}, {type_}",
            f"PyObject* py_{name} = {source};\n{declare}",
            f"Py_INCREF(py_{name});\n{guard_stage(set_up, number)}",
            clean_stage(cleanup, number) + f"\nPy_XDECREF(py_{name});",
        )

    def sync(self, j: int, number: int, slot: str) -> str:
        """Return the text that makes an object of output j, for a slot if there is one.

        Stage `number` ends where it fails.
        """
        name, type_ = self.outputs[j], self.node.outputs[j].type
        code = self.type_code(type_, "c_sync", name, {"fail": failure_code(number)})
        if slot:
            code += f"\nPy_INCREF(py_{name});\nthunkvm_replace(&{slot}, py_{name});"
        return guard_stage(code, number)

    def needs_object(self, j: int) -> bool:
        """Whether `c_cleanup` alone would not free output j: an object frees the rest."""
        type_ = self.node.outputs[j].type
        if getattr(type_, "c_owns_variable", False) or hasattr(type_, "c_check_value"):
            return False
        return not ask_method(type_, "c_is_simple", default=False)

    def check_output(self, j: int, number: int) -> str:
        """Return the check of output j, which no Python object ever stands for."""
        check: Callable[..., str] | None = getattr(self.node.outputs[j].type, "c_check_value", None)
        if check is None:
            return ""
        return check(
            self.outputs[j], {"fail": failure_code(number)}, f"output {j} of {self.called}"
        )

    def op_sub(self, stage: int) -> dict[str, str]:
        """Return the insertions of the Op's texts, for a stage."""
        sub = {"fail": failure_code(stage), "failure_var": FAILURE, "struct_id": self.name}
        if self.params_type is not None:
            sub["params"] = self.params
        return sub

    def type_code(
        self, type_: Any, method: str, name: str, sub: dict[str, str], **keywords: Any
    ) -> str:
        """Ask a Type for a text. Raises MethodNotDefined where it has none."""
        code = ask_method(type_, method, name, sub, default=self, **keywords)
        if code is self:
            raise MethodNotDefined(
                f"the Type {type_} of a variable of {self.called} has no {method}, which a Type in "
                "C (a thunkvm.CType) has to define."
            )
        return one_text(type_, method, code)

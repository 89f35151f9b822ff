"""The C that calls a plain C function: reads inputs, checks lengths, makes outputs."""

from __future__ import annotations

from thunkvm.c.prototypes import Parameter, Prototype, c_length


class WrappedCall:
    """The C of one call of a function by its prototype."""

    def __init__(self, prototype: Prototype) -> None:
        self.prototype = prototype
        self.views = {p.name: f"in[{i}]" for i, p in enumerate(self.prototype.inputs)}
        first = 1 if self.prototype.returns_value else 0
        self.numbers = {p.name: first + j for j, p in enumerate(self.prototype.outputs)}

    def text(self) -> str:
        """Return the statements of the call."""
        return "\n".join([*self._inputs(), *self._lengths(), *self._outputs(), *self._call_lines()])

    def _check_condition(self, condition: str, exception: str, message: str, *values: str) -> str:
        """Return a statement that fails where the condition is false."""
        arguments = "".join(f", (long long)({value})" for value in values)
        text = f'"{self.prototype.name}: {message}"'
        return f'if (!({condition})) return tv_fail(call, "{exception}", {text}{arguments});'

    def _inputs(self) -> list[str]:
        lines = []
        for p in self.prototype.inputs:
            view = self.views[p.name]
            if p.is_pointer:
                held = f"held_{p.name}"
                lines += [
                    f"const thunkvm_held_array {held}({view}, sizeof({p.c_type}));",
                    self._check_condition(
                        f"{held}.data != NULL", "MemoryError", "no memory for an input."
                    ),
                ]
            else:
                lines.append(f"const {p.c_type} value_{p.name} = *(const {p.c_type}*){view}.data;")
        return lines

    def _lengths(self) -> list[str]:
        """Return the values of all integers, and the checks of the inputs' lengths."""
        lines, known = [], {}
        arrays = [p for p in self.prototype.inputs if p.is_pointer]
        for p in self.prototype.inputs:
            if not p.is_pointer and p.dtype[0] in "iu":
                lines.append(f"const thunkvm_length length_{p.name} = value_{p.name};")
        for p in self.prototype.lengths:
            owner, axis = next(
                (a, axis) for a in arrays for axis, n in enumerate(a.lengths) if n == p.name
            )
            known[owner.name, axis] = p.name
            lines += [
                f"const thunkvm_length length_{p.name} = {self.views[owner.name]}.shape[{axis}];",
                self._check_condition(
                    f"(long long)({p.c_type})length_{p.name}.value == length_{p.name}.value",
                    "OverflowError",
                    f"axis {axis} of {owner.name!r} has length %lld, which does not fit "
                    f"{p.c_type} {p.name}.",
                    f"length_{p.name}.value",
                ),
            ]
        for p in arrays:
            for axis, length in enumerate(p.lengths):
                if (p.name, axis) in known:
                    continue
                has, wanted = f"{self.views[p.name]}.shape[{axis}]", f"wanted_{p.name}_{axis}"
                lines += self._length(wanted, length, f"axis {axis} of {p.name!r}")
                lines.append(
                    self._check_condition(
                        f"{has} == {wanted}",
                        "ValueError",
                        f"axis {axis} of {p.name!r} has length %lld, but has to have [{length}] = "
                        "%lld" + self._length_origin(length) + ".",
                        has,
                        wanted,
                    )
                )
        return lines

    def _length(self, name: str, length: str, what: str) -> list[str]:
        """Return statements that compute what is in brackets, in integers that may be too large."""
        return [
            f"const thunkvm_length exact_{name} = {c_length(length)};",
            self._check_condition(
                f"exact_{name}.fits",
                "OverflowError",
                f"{what} cannot have the length [{length}], which does not fit 64 bits.",
            ),
            f"const long long {name} = exact_{name}.value;",
        ]

    def _length_origin(self, length: str) -> str:
        """Return which array has that length, where it is an array's."""
        for p in self.prototype.inputs:
            if length in p.lengths and any(length == q.name for q in self.prototype.lengths):
                return f", as axis {p.lengths.index(length)} of {p.name!r} has"
        return ""

    def _outputs(self) -> list[str]:
        return [
            line
            for p in self.prototype.outputs
            if p.lengths
            for line in self._output(p.name, self.numbers[p.name], p.lengths)
        ]

    def _output(self, name: str, number: int, lengths: tuple[str, ...]) -> list[str]:
        lines = []
        for axis, length in enumerate(lengths):
            found = f"length_of_{name}_{axis}"
            lines += self._length(found, length, f"axis {axis} of the output {name!r}")
            rule = f"cannot have [{length}] = %lld elements along axis {axis}."
            lines.append(
                self._check_condition(
                    f"{found} >= 0",
                    "ValueError",
                    f"the output {name!r} {rule}",
                    found,
                )
            )
        shape = ", ".join(f"length_of_{name}_{axis}" for axis in range(len(lengths)))
        lines += [
            f"const int64_t shape_{name}[] = {{{shape}}};",
            f"if (tv_output(call, {number}, shape_{name})) return -1;",
        ]
        return lines

    def _argument(self, p: Parameter) -> str:
        if p.is_output:
            return f"({p.c_type}*)out[{self.numbers[p.name]}].data"
        if p.is_pointer:
            return f"(const {p.c_type}*)held_{p.name}.data"
        if p in self.prototype.lengths:
            return f"({p.c_type})length_{p.name}.value"
        return f"value_{p.name}"

    def _call_lines(self) -> list[str]:
        found = self.prototype
        declared = ", ".join(p.declared_type for p in found.parameters)
        arguments = ", ".join(self._argument(p) for p in found.parameters)
        lines = [] if found.result == "void" else [f"{found.result} result;"]
        # A pointer to the function, since a call would convert numbers without a word.
        lines += [
            "{",
            f"{found.result} (*const function)({declared}) = ::{found.name};",
            f"{'' if found.result == 'void' else 'result = '}function({arguments});",
            "}",
        ]
        if found.returns_status:
            lines.append(
                self._check_condition("result == 0", "RuntimeError", "it returned %lld, not 0.",
                           "result")
            )  # fmt: skip
        if found.returns_value:
            lines.append(f"*({found.result}*)out[0].data = result;")
        return lines

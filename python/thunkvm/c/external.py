"""Ops in C whose code is in files of its own."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from thunkvm._core import Apply
from thunkvm.c.macros import (
    Macro,
    fail_macros,
    name_macros,
    params_macros,
    support_macros,
    within,
)
from thunkvm.c.op import COp
from thunkvm.c.sections import Sections, read_sections


class ExternalCOp(COp):
    """An Op whose C is in files, divided by ``#section`` lines.

    A section is named as the method of `COp` that it stands for, without the ``c_``:
    ``support_code``, ``support_code_apply``, ``init_code``, ``init_code_apply``,
    ``support_code_struct``, ``init_code_struct``, ``cleanup_code_struct``, ``code`` and
    ``code_cleanup``. In those that are of one node, macros stand for what depends on it:

    ==============================================  ==============================================
    ``APPLY_SPECIFIC(name)``                        a name that is the node's own
    ``DTYPE_INPUT_0``, ``TYPENUM_INPUT_0``,         of the elements of input 0: their C type,
    ``ITEMSIZE_INPUT_0``, ``DTYPE_OUTPUT_0`` ...    NumPy's number of it, their bytes
    ``FAIL``, ``PARAMS``                            in ``code``, ``code_cleanup`` and
                                                    ``init_code_struct``
    ``INPUT_0``, ``OUTPUT_0``                       in ``code`` and ``code_cleanup``: the variables
    ``PARAMS_TYPE``, ``DTYPE_PARAM_<field>``        where `params_type` is a `ParamsType`
    ==============================================  ==============================================

    Parameters
    ----------
    func_files : str, Path or sequence of them
        The files; a relative path begins where the module is that defines the class.
    func_name : str, optional
        A function that the files define, which computes the outputs and stands for a section
        ``code``: ``int f(input 0, ..., output 0's address, ..., params)``, where the params come
        last and only if there are any. It returns 0, or anything else with a Python exception set.

    Attributes
    ----------
    _cop_num_inputs, _cop_num_outputs : int, optional
        How many inputs and outputs the function takes; NULL stands for those that a node has not.

    Raises
    ------
    FileNotFoundError
        If a file is not there.
    SectionError
        If a file is not divided as it has to be; a ValueError.
    ValueError
        If there are both a function's name and a section ``code``, or neither.
    """

    _cop_num_inputs: int | None = None
    _cop_num_outputs: int | None = None

    def __init__(
        self, func_files: str | Path | Sequence[str | Path], func_name: str | None = None
    ) -> None:
        if isinstance(func_files, (str, Path)):
            func_files = [func_files]
        self.func_files = [self.get_path(file) for file in func_files]
        self.func_name = func_name
        self._sections = self.load_c_code(self.func_files)

    @classmethod
    def get_path(cls, file: str | Path) -> Path:
        """Return a file's path; a relative one begins where the class is defined."""
        path = Path(file)
        if path.is_absolute():
            return path
        module = sys.modules.get(cls.__module__)
        defined_in = getattr(module, "__file__", None) or inspect.getfile(cls)
        return (Path(defined_in).parent / path).resolve()

    def load_c_code(self, func_files: Sequence[Path]) -> Sections:
        """Read the files."""
        sections = read_sections(func_files)
        where = ", ".join(map(str, func_files))
        if self.func_name is not None and ("code" in sections or "code_cleanup" in sections):
            raise ValueError(
                f"{where}: the function {self.func_name!r} computes the outputs, so a section "
                "'code' or 'code_cleanup' cannot do it too: leave one of them out."
            )
        if self.func_name is None and "code" not in sections:
            raise ValueError(
                f"{where}: nothing computes the outputs: give func_name, or a section 'code'."
            )
        return sections

    def _apply_macros(self, node: Apply, name: str) -> list[Macro]:
        macros = support_macros(node, name, self.check_input)
        return macros + params_macros(self.params_type)

    def _section(self, name: str, macros: list[Macro]) -> str:
        return within(macros, self._sections.get(name))

    def c_support_code(self, **kwargs: Any) -> list[str]:
        """Return the section ``support_code``."""
        code = self._sections.get("support_code")
        return [code] if code else []

    def c_init_code(self, **kwargs: Any) -> list[str]:
        """Return the section ``init_code``."""
        code = self._sections.get("init_code")
        return [code] if code else []

    def c_support_code_apply(self, node: Apply, name: str) -> str:
        """Return the section ``support_code_apply``."""
        return self._section("support_code_apply", self._apply_macros(node, name))

    def c_support_code_struct(self, node: Apply, name: str) -> str:
        """Return the section ``support_code_struct``."""
        return self._section("support_code_struct", self._apply_macros(node, name))

    def c_init_code_apply(self, node: Apply, name: str) -> str:
        """Return the section ``init_code_apply``."""
        return self._section("init_code_apply", self._apply_macros(node, name))

    def c_cleanup_code_struct(self, node: Apply, name: str) -> str:
        """Return the section ``cleanup_code_struct``."""
        return self._section("cleanup_code_struct", self._apply_macros(node, name))

    def c_init_code_struct(self, node: Apply, name: str, sub: dict[str, str]) -> str:
        """Return the section ``init_code_struct``."""
        macros = self._apply_macros(node, name) + fail_macros(sub)
        return self._section("init_code_struct", macros)

    def c_code(
        self, node: Apply, name: str, inputs: list[str], outputs: list[str], sub: dict[str, str]
    ) -> str:
        """Return the section ``code``, or the call of the function."""
        macros = self._apply_macros(node, name) + fail_macros(sub)
        if self.func_name is None:
            return self._section("code", macros + name_macros(inputs, outputs))
        arguments = [*_padded("inputs", inputs, self._cop_num_inputs, self)]
        arguments += _padded("outputs", [f"&{o}" for o in outputs], self._cop_num_outputs, self)
        if "params" in sub:
            arguments.append(sub["params"])
        call = f"{{\nif ({self.func_name}({', '.join(arguments)}) != 0) {{\nFAIL\n}}\n}}"
        return within(macros, call)

    def c_code_cleanup(
        self, node: Apply, name: str, inputs: list[str], outputs: list[str], sub: dict[str, str]
    ) -> str:
        """Return the section ``code_cleanup``."""
        macros = self._apply_macros(node, name) + fail_macros(sub) + name_macros(inputs, outputs)
        return self._section("code_cleanup", macros)


def _padded(what: str, names: Sequence[str], wanted: int | None, op: ExternalCOp) -> list[str]:
    """Return as many arguments as the function takes."""
    if wanted is None:
        return list(names)
    if len(names) > wanted:
        raise ValueError(
            f"{op} has a node of {len(names)} {what}, but _cop_num_{what} is {wanted}."
        )
    return [*names, *["NULL"] * (wanted - len(names))]


class OpenMPOp(ExternalCOp):
    """An `ExternalCOp` whose code is compiled with OpenMP.

    Parameters
    ----------
    func_files, func_name
        As `ExternalCOp` takes them; left out where methods give the code. A bool instead is
        `openmp`.
    openmp : bool, optional
        Whether to use OpenMP; by default where the C++ compiler knows it, which is asked once.

    Examples
    --------
    >>> import thunkvm as tv
    >>> tv.OpenMPOp.test_gxx_support() in (True, False)
    True
    """

    gxx_support_openmp: bool | None = None

    def __init__(
        self,
        func_files: str | Path | Sequence[str | Path] | bool | None = None,
        func_name: str | None = None,
        openmp: bool | None = None,
    ) -> None:
        if isinstance(func_files, bool):  # as PyTensor's, which takes nothing else
            func_files, openmp = None, func_files
        self.openmp = openmp
        if func_files is not None:
            super().__init__(func_files, func_name)
        else:  # a subclass that gives its code by methods
            self._sections, self.func_name = Sections(), None

    def uses_openmp(self) -> bool:
        """Return whether OpenMP is asked for and there."""
        return self.openmp is not False and self.test_gxx_support()

    def update_self_openmp(self) -> None:
        """Make `openmp` what `uses_openmp` returns."""
        self.openmp = self.uses_openmp()

    def c_compile_args(self, **kwargs: Any) -> list[str]:
        """Return ``-fopenmp``."""
        return ["-fopenmp"] if self.uses_openmp() else []

    def c_libraries(self, **kwargs: Any) -> list[str]:
        """Return gcc's OpenMP."""
        return ["gomp"] if self.uses_openmp() else []

    def c_headers(self, **kwargs: Any) -> list[str]:
        """Return ``<omp.h>``."""
        return ["<omp.h>"] if self.uses_openmp() else []

    @classmethod
    def test_gxx_support(cls) -> bool:
        """Return whether the C++ compiler knows OpenMP."""
        if OpenMPOp.gxx_support_openmp is None:
            from thunkvm._core import CompileError, compile_cxx

            source = '#include <omp.h>\nextern "C" int thunkvm_threads() '
            source += "{ return omp_get_max_threads(); }\n"
            try:
                compile_cxx([("", source, ["-fopenmp"], [], ["-lgomp"])], None)
                OpenMPOp.gxx_support_openmp = True
            except CompileError:
                OpenMPOp.gxx_support_openmp = False
        return OpenMPOp.gxx_support_openmp


__all__ = ["ExternalCOp", "OpenMPOp"]

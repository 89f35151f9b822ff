"""Ops in C whose code is in files of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from thunkvm.c.op import COp


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

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import thunkvm as tv
    >>> source = Path(tempfile.mkdtemp()) / "halve.c"
    >>> _ = source.write_text('''
    ... #section support_code_apply
    ... int APPLY_SPECIFIC(halve)(PyArrayObject* x, PyArrayObject** z) {
    ...   Py_XDECREF(*z);
    ...   *z = (PyArrayObject*)PyArray_NewCopy(x, NPY_CORDER);
    ...   if (*z == NULL) return 1;
    ...   DTYPE_OUTPUT_0* elements = (DTYPE_OUTPUT_0*)PyArray_DATA(*z);
    ...   for (npy_intp i = 0; i < PyArray_SIZE(*z); ++i) elements[i] /= 2;
    ...   return 0;
    ... }
    ... ''')
    >>> class Halve(tv.ExternalCOp):
    ...     __props__ = ()
    ...     def __init__(self):
    ...         super().__init__(source, "APPLY_SPECIFIC(halve)")
    ...     def make_node(self, x):
    ...         return tv.Apply(self, [x], [x.type()])
    >>> x = tv.vector("x")
    >>> tv.function([x], Halve()(x))([1.0, 2.0])
    array([0.5, 1. ])
    """

    def __init__(
        self, func_files: str | Path | Sequence[str | Path], func_name: str | None = None
    ) -> None:
        super().__init__(func_files, func_name)


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
        COp.__init__(self, func_files, func_name)

    def uses_openmp(self) -> bool:
        """Return whether OpenMP is asked for and there."""
        return self.openmp is not False and self.test_gxx_support()

    def update_self_openmp(self) -> None:
        """Make `openmp` what `uses_openmp` returns."""
        self.openmp = self.uses_openmp()

    def _c_list(self, method: str, **kwargs: Any) -> list[str]:
        """Return what OpenMP needs: gcc's flag, its header and its library."""
        needed = {"c_compile_args": "-fopenmp", "c_headers": "<omp.h>", "c_libraries": "gomp"}
        return [needed[method]] if method in needed and self.uses_openmp() else []

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

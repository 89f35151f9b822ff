"""The Type of a pointer to something of C's or C++'s."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from thunkvm.c.plain import PlainCType, put_object

_CAPSULE = "thunkvm_capsule_free"


class CDataType(PlainCType):
    """A pointer that C code makes and reads, and Python only hands on, in a ``PyCapsule``.

    Parameters
    ----------
    ctype : str
        The type of the pointer: ``"gsl_rng*"``.
    freefunc : str, optional
        The function of one ``void*`` that frees what it points to.
    headers, header_dirs, libraries, lib_dirs : iterable of str
        What the type and the function are in.
    compile_args : iterable of str
        Arguments for the compiler.
    extra_support_code : str
        Code for the top level, such as a function for `freefunc`.
    version : tuple, optional
        Shown in explanations.

    Examples
    --------
    >>> import thunkvm as tv
    >>> str(tv.CDataType("int*", freefunc="free"))
    'CDataType(int*)'
    """

    def __init__(
        self,
        ctype: str,
        freefunc: str | None = None,
        headers: Iterable[str] = (),
        header_dirs: Iterable[str] = (),
        libraries: Iterable[str] = (),
        lib_dirs: Iterable[str] = (),
        compile_args: Iterable[str] = (),
        extra_support_code: str = "",
        version: tuple[Any, ...] | None = None,
    ) -> None:
        if not isinstance(ctype, str) or not ctype.strip().endswith("*"):
            raise TypeError(f"ctype is {ctype!r}; it has to be the type of a pointer: 'double*'.")
        self.ctype, self.freefunc = ctype.strip(), freefunc
        self.headers, self.header_dirs = tuple(headers), tuple(header_dirs)
        self.libraries, self.lib_dirs = tuple(libraries), tuple(lib_dirs)
        self.compile_args = tuple(compile_args)
        self.extra_support_code, self.version = extra_support_code, version

    def _key(self) -> tuple[Any, ...]:
        """Return all that it was made from, but for the version."""
        return (self.ctype, self.freefunc, self.headers, self.header_dirs, self.libraries,
                self.lib_dirs, self.compile_args, self.extra_support_code)  # fmt: skip

    def __str__(self) -> str:
        """Return ``CDataType(int*)``."""
        return f"CDataType({self.ctype})"

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Return a capsule as it is."""
        if type(value).__name__ != "PyCapsule":
            raise TypeError(
                f"{value!r}, a {type(value).__name__}, is no PyCapsule, in which a {self.ctype} "
                "has to come."
            )
        return value

    def copy(self, value: Any) -> Any:
        """Refuse: nobody knows how to copy what the pointer points to."""
        raise TypeError(f"a {self} cannot be copied, so no Op may overwrite one.")

    def _c_list(self, method: str, **kwargs: Any) -> list[str]:
        """Return the text that was given under the method's name."""
        return list(getattr(self, method.removeprefix("c_"), ()))

    def c_support_code(self, **kwargs: Any) -> list[str]:
        """Return the extra code, and what frees a capsule's pointer."""
        parts = [self.extra_support_code] if self.extra_support_code else []
        if self.freefunc is not None:
            parts.append(
                f"static void {_CAPSULE}_{self.freefunc}(PyObject* capsule) {{\n"
                f"  void* pointer = PyCapsule_GetPointer(capsule, NULL);\n"
                f"  if (pointer != NULL) {self.freefunc}(({self.ctype})pointer);\n}}"
            )
        return parts

    def c_extract(
        self, name: str, sub: dict[str, str], check_input: bool = True, **kwargs: Any
    ) -> str:
        """Read the capsule."""
        return (
            f"{name} = ({self.ctype})PyCapsule_GetPointer(py_{name}, NULL);\n"
            f"if ({name} == NULL) {sub['fail']}"
        )

    def c_extract_out(
        self, name: str, sub: dict[str, str], check_input: bool = True, **kwargs: Any
    ) -> str:
        """Begin with NULL: what an earlier call made is not written again."""
        return self.c_init(name, sub)

    def c_sync(self, name: str, sub: dict[str, str]) -> str:
        """Put the pointer into a capsule, which frees it; NULL becomes None."""
        free = f"{_CAPSULE}_{self.freefunc}" if self.freefunc is not None else "NULL"
        made = f"PyCapsule_New((void*){name}, NULL, {free})"
        return put_object(name, f"{name} == NULL ? Py_NewRef(Py_None) : {made}", sub)

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Return the version that it was given."""
        return self.version or ()

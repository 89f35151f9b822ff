"""The methods of Ops and Types for C code to be made of them, and how each is asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class CObject:
    """The methods that Ops and Types in C have in common, each with the answer "nothing".

    Every method may be defined with no argument, or with ``**kwargs``, or with one named
    ``c_compiler``: the C++ compiler's version, such as ``"gcc 12.2.0"``.
    """

    def _c_list(self, method: str, **kwargs: Any) -> list[str]:
        """Return the answer of a method below that a class does not define by itself."""
        return []

    def c_headers(self, **kwargs: Any) -> list[str]:
        """Return headers to include: ``["<math.h>"]``; a bare name is put between quotes."""
        return self._c_list("c_headers", **kwargs)

    def c_libraries(self, **kwargs: Any) -> list[str]:
        """Return libraries to link with: ``["gsl"]`` for ``-lgsl``."""
        return self._c_list("c_libraries", **kwargs)

    def c_header_dirs(self, **kwargs: Any) -> list[str]:
        """Return directories to look for headers in."""
        return self._c_list("c_header_dirs", **kwargs)

    def c_lib_dirs(self, **kwargs: Any) -> list[str]:
        """Return directories to look for libraries in, now and when the module is loaded."""
        return self._c_list("c_lib_dirs", **kwargs)

    def c_compile_args(self, **kwargs: Any) -> list[str]:
        """Return arguments for the compiler: ``["-O3"]``. They come after thunkvm's own."""
        return self._c_list("c_compile_args", **kwargs)

    def c_no_compile_args(self, **kwargs: Any) -> list[str]:
        """Return arguments that the compiler must not get."""
        return self._c_list("c_no_compile_args", **kwargs)

    def c_support_code(self, **kwargs: Any) -> str | list[str]:
        """Return functions and types for the top level of the module."""
        return []

    def c_init_code(self, **kwargs: Any) -> list[str]:
        """Return statements that run once, when the module is loaded.

        NumPy's C API is there already. To fail, set a Python exception and ``return NULL;``.
        """
        return self._c_list("c_init_code", **kwargs)

    def c_compiler(self) -> str | None:
        """Return the command of the compiler to use, or None for thunkvm's choice."""
        return None

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Return a version of the C code.

        Nothing depends on it: a module is found by its source. `Function.explain` shows it.
        """
        return ()


def ask_method(
    giver: object,
    method: str,
    *arguments: Any,
    default: Any = None,
    reasons: list[str] | None = None,
    **keywords: Any,
) -> Any:
    """Call an optional method of the protocol with those keywords that it takes.

    Parameters
    ----------
    giver : Op or Type
        Who is asked.
    method : str
        The method's name.
    *arguments
        Positional arguments.
    default
        The answer of a giver that has no such method, or whose method is not defined.
    reasons : list of str, optional
        Gets what the method says for why it is not defined.
    **keywords
        Given where the method names them or takes any.

    Returns
    -------
    Any
        What the method returned, or `default`.
    """
    function = getattr(giver, method, None)
    if function is None:
        return default
    try:
        return function(*arguments, **_taken_keywords(function, keywords))
    except NotImplementedError as error:  # MethodNotDefined among them
        if reasons is not None and str(error):
            reasons.append(str(error))
        return default


def _taken_keywords(function: Any, keywords: dict[str, Any]) -> dict[str, Any]:
    if not keywords:
        return keywords
    code = getattr(function, "__code__", None)
    if code is not None and not hasattr(function, "__wrapped__"):  # as nearly all are
        if code.co_flags & VAR_KEYWORDS:
            return keywords
        named = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        return {name: value for name, value in keywords.items() if name in named}
    import inspect

    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # a function of C without a signature
        return {}
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return keywords
    return {name: value for name, value in keywords.items() if name in parameters}


#: A flag of a code object: it takes ``**kwargs``.
VAR_KEYWORDS = 0x08


def texts(giver: object, method: str, answer: Any) -> list[str]:
    """Return an answer that is a str, a sequence of str, or None, as a list.

    Raises
    ------
    TypeError
        If it is anything else; the message names the giver, the method and the value.
    """
    if answer is None:
        return []
    if isinstance(answer, str):
        if method in ("c_compile_args", "c_no_compile_args"):
            return answer.split()
        return [answer] if answer else []
    if isinstance(answer, Iterable):
        listed = list(answer)
        if all(isinstance(text, str) for text in listed):
            return listed
    raise TypeError(
        f"{method} of {giver} returned {answer!r}, a {type(answer).__name__}; it has to return a "
        "str or a list of str."
    )


def every(givers: Iterable[object], method: str, **keywords: Any) -> list[str]:
    """Return the items that all givers list, each once, in order."""
    answers = (texts(giver, method, ask_method(giver, method, **keywords)) for giver in givers)
    return list(dict.fromkeys(item for answer in answers for item in answer))


def compilers(givers: Iterable[object]) -> list[str]:
    """Return the commands of the compilers that givers ask for."""
    found = (ask_method(giver, "c_compiler") for giver in givers)
    return list(dict.fromkeys(command for command in found if command is not None))


def includes(headers: Iterable[str]) -> str:
    """Return the lines that include headers; a bare name is put between quotes."""
    quoted = (name if name[:1] in '<"' else f'"{name}"' for name in headers)
    return "".join(f"#include {name}\n" for name in quoted)


def link_arguments(folders: Iterable[str], libraries: Iterable[str]) -> list[str]:
    """Return the linker's arguments for libraries, which are found now and at loading."""
    found = [word for path in folders for word in (f"-L{path}", f"-Wl,-rpath,{path}")]
    return [*found, *(f"-l{name}" for name in libraries)]


def one_text(giver: object, method: str, answer: Any) -> str:
    """Return an answer as one text; None is none."""
    return "\n".join(texts(giver, method, answer))

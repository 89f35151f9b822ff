"""Names that C++ takes: of the members of a struct, and of constants."""

from __future__ import annotations

import re

_NAME = re.compile(r"[^\W\d]\w*\Z", re.ASCII)
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*\Z", re.ASCII)
_KEYWORDS = frozenset(
    [
        "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
        "case", "catch", "char", "char16_t", "char32_t", "class", "compl", "const", "const_cast",
        "constexpr", "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast",
        "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto",
        "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq",
        "NULL", "nullptr", "operator", "or", "or_eq", "private", "protected", "public",
        "register", "reinterpret_cast", "return", "short", "signed", "sizeof", "static",
        "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local",
        "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
        "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
    ]
)  # fmt: skip
#: Macros that the headers of every module define.
_MACROS = frozenset(["NULL", "INT_MAX", "INT_MIN", "EOF"])


def is_member(name: str) -> bool:
    """Return whether a member of a struct may have a name."""
    return _NAME.match(name) is not None and name not in _KEYWORDS


def is_constant(name: str) -> bool:
    """Return whether a constant may have a name: capitals, digits and underscores."""
    return _CONSTANT.match(name) is not None and name not in _MACROS

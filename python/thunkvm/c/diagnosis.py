"""The messages of a compiler about a module, with the lines of the user's C that it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial

from thunkvm.c.stages import GENERATED, LINE_OF

#: The beginning of a line of a compiler: a name, a line, and a kind of trouble.
LOCATION = re.compile(
    r"^(?P<space>\s*)(?P<name>.+?):(?P<line>\d+):(?:\d+:)? (?:fatal error|error|note):"
)
DEFINE = re.compile(r"#define (?P<name>\w+)(?:\((?P<parameter>\w+)\))? (?P<text>.*)")
UNDEFINE = re.compile(r"#undef (?P<name>\w+)")
#: Strings, characters and comments, in which braces count for nothing.
QUOTED = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
#: The results of `failure_code`.
FAILURE_CODE = re.compile(
    r"\{ thunkvm_failure = \d+; thunkvm_expect_exception\(\); goto thunkvm_label_\d+; \}"
)
#: No line that is longer with its macros replaced is shown so.
LONGEST = 200

HINTS = (
    (
        "crosses initialization",
        "a failure jumps over this variable, which C++ forbids: put a { behind the last failure "
        "above it and a } at the end, or declare it without a value there",
    ),
    (
        "return-statement with no value",
        'the code must not return: leave it by its end, or by sub["fail"]',
    ),
)


@dataclass
class _Lines:
    """The lines of a module that have a name of their own, with the macros they see."""

    at: dict[tuple[str, int], tuple[str, dict[str, tuple[str | None, str]]]] = field(
        default_factory=dict
    )
    texts: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def parse_source(cls, source: str) -> _Lines:
        lines, macros, name, number = cls(), dict[str, tuple[str | None, str]](), "", 0
        for line in source.split("\n"):
            if marker := LINE_OF.match(line):
                name, number = marker["name"], int(marker["line"])
                continue
            if define := DEFINE.match(line):
                macros = {**macros, define["name"]: (define["parameter"], define["text"])}
            elif undefine := UNDEFINE.match(line):
                macros = {k: v for k, v in macros.items() if k != undefine["name"]}
            lines.at[name, number] = line, macros
            lines.texts.setdefault(name, []).append(line)
            number += 1
        return lines


def explained(message: str, source: str) -> str:
    """Add lines of C to what a compiler says.

    Parameters
    ----------
    message : str
        What it printed, with lines that begin ``name:line:``.
    source : str
        The module's text, in which ``#line`` gives the users' lines their names.

    Returns
    -------
    str
        The message. Behind what is about a line that has no file, that line; behind a line with
        macros, the line without them; and at the end what to do, where that is known.
    """
    lines = _Lines.parse_source(source)
    result = []
    for said in message.split("\n"):
        result.append(said)
        location = LOCATION.match(said)
        if location is None:
            continue
        line, macros = lines.at.get((location["name"], int(location["line"])), ("", {}))
        if not line.strip() or f'"{location["name"]}"' in GENERATED:
            continue
        if "/" not in location["name"]:  # of a file the compiler shows it
            shown = FAILURE_CODE.sub("FAIL", line)
            result.append(f"{location['space']}    {location['line']} | {shown}")
        if (expanded := _expand_macros(line, macros)) != line and len(expanded) < LONGEST:
            result.append(f"{location['space']}      which is: {expanded.strip()}")
    text = "\n".join(result)
    hints = [hint for words, hint in HINTS if words in text]
    hints += [hint for name, code in lines.texts.items() if (hint := _explain_braces(name, code))]
    return text + "".join(f"\nhint: {hint}." for hint in hints)


def _explain_braces(name: str, lines: list[str]) -> str:
    """Say that braces do not match in the code of this name."""
    if not name or f'"{name}"' in GENERATED:
        return ""
    code = QUOTED.sub("", "\n".join(lines))
    extra = code.count("{") - code.count("}")
    if extra == 0:
        return ""
    more, fewer = ("{", "}") if extra > 0 else ("}", "{")
    return f"{name} has {abs(extra)} more {more} than {fewer}"


def _expand_macros(line: str, macros: dict[str, tuple[str | None, str]]) -> str:
    for _ in range(8):  # of macros in macros
        changed = line
        for name, (parameter, text) in macros.items():
            if name not in changed:
                continue
            pattern = rf"\b{name}\b" + (r"\((?P<given>[^()]*)\)" if parameter else "")
            changed = re.sub(pattern, partial(_fill_parameter, parameter, text), changed)
        if changed == line:
            break
        line = changed
    return line


def _fill_parameter(parameter: str | None, text: str, match: re.Match[str]) -> str:
    if parameter is None:
        return text
    return re.sub(rf"\b{parameter}\b", match["given"], text).replace("##", "")

"""Files of C that are divided by ``#section`` lines.

A section's name is that of a method of the protocol without its ``c_``; sections of one name, in
one file or in several, are put together in their order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from thunkvm._src.teaching.nearest import did_you_mean
from thunkvm.c.stages import name_lines

#: Sections by name; and whether their code is of one node, and so gets macros.
SECTIONS = {
    "init_code": False,
    "support_code": False,
    "init_code_apply": True,
    "support_code_apply": True,
    "init_code_struct": True,
    "support_code_struct": True,
    "cleanup_code_struct": True,
    "code": True,
    "code_cleanup": True,
}
#: Those before sections: the file is cut at lines that say what the code behind them is of.
OLD_MARKERS = {
    "THEANO_APPLY_CODE_SECTION": "support_code_apply",
    "THEANO_SUPPORT_CODE_SECTION": "support_code",
}

_SECTION = re.compile(r"^#section\s+(\S*)\s*$")
_OLD = re.compile(r"^/\*\s*(" + "|".join(OLD_MARKERS) + r")\s*\*/\s*$")
_NOTHING = re.compile(r"(?s)\A(\s|//[^\n]*\n|/\*.*?\*/)*\Z")


class SectionError(ValueError):
    """A file of C that is not divided as it has to be; the message has the file and the line."""


def read_sections(paths: Iterable[Path]) -> dict[str, str]:
    """Read files and divide them.

    Parameters
    ----------
    paths : iterable of Path
        The files, in the order in which their sections are put together.

    Returns
    -------
    dict of str
        The code of each section that a file has. Each piece begins with a ``#line``, so that errors
        and debuggers name the file.

    Raises
    ------
    FileNotFoundError
        If a file is not there.
    SectionError
        For a section of an unknown name, and for code in front of the first section. Also for a
        file that has no section, or mixes sections with the older markers.
    """
    sections: dict[str, str] = {}
    for path in paths:
        _read_sections(path, sections)
    return sections


def _read_sections(path: Path, sections: dict[str, str]) -> None:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise FileNotFoundError(
            f"the C file {path} is not there; a relative path begins where the module is that "
            "defines the Op's class."
        ) from None
    name, begin, code, first_marker = "", 1, list[str](), ""
    for number, line in enumerate(lines, start=1):
        section, old = _SECTION.match(line), _OLD.match(line)
        if not section and not old:
            code.append(line)
            continue
        marker = "#section" if section else "/* ... */"
        if first_marker not in ("", marker):
            raise SectionError(
                f"{path}:{number}: {line.strip()!r} does not go with the {first_marker} lines "
                "above: use #section lines in the whole file."
            )
        first_marker = marker
        _end_section(path, sections, name, begin, code)
        name = section[1] if section else OLD_MARKERS[old[1]] if old else ""
        if name not in SECTIONS:
            raise SectionError(
                f"{path}:{number}: there is no section {name!r}; there are "
                f"{', '.join(SECTIONS)}." + did_you_mean(name, SECTIONS)
            )
        begin, code = number + 1, []
    if not name:
        raise SectionError(
            f"{path}:1: the file has no section; put a line such as '#section support_code' in "
            "front of the code."
        )
    _end_section(path, sections, name, begin, code)


def _end_section(
    path: Path, sections: dict[str, str], name: str, begin: int, code: list[str]
) -> None:
    """Add the lines since the last marker, which begin at line `begin`."""
    if name:
        piece = name_lines("\n".join(code) + "\n", str(path), begin)
        sections[name] = sections.get(name, "") + piece
    elif not _NOTHING.match("".join(line + "\n" for line in code)):
        stray = next(n for n, line in enumerate(code, start=1) if line.strip())
        raise SectionError(
            f"{path}:{stray}: there is code in front of the first section: {code[stray - 1]!r}. "
            "Put a '#section ...' line in front of it."
        )

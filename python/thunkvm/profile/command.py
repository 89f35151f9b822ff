"""The command ``python -m thunkvm profile``: profiles seen, compared, and recorded of programs."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from pathlib import Path

import thunkvm as tv
from thunkvm.profile.difference_sections import difference_sections
from thunkvm.profile.file_format import ProfileFileError
from thunkvm.profile.live import KINDS
from thunkvm.profile.record import Profile
from thunkvm.profile.sections import ROWS, profile_sections, top_section
from thunkvm.profile.text import print_sections


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to a parser's."""
    parser = commands.add_parser(
        "profile",
        help="see, compare and record profiles",
        description="Profiles that Profile.save wrote; and programs, of which one is recorded.",
    )
    actions = parser.add_subparsers(dest="action", required=True)

    view = actions.add_parser("view", help="print the tables of a profile")
    top = actions.add_parser("top", help="print the nodes of all functions that took most")
    top.add_argument(
        "--by", choices=("time", "runs", "bytes"), default="time",
        help="most of what: self time, runs, or bytes allocated; time if left out",
    )  # fmt: skip
    diff = actions.add_parser("diff", help="print what changed from one profile to another")
    html = actions.add_parser("html", help="write the page of a profile")
    for one in (view, top, html):
        one.add_argument("file", metavar="FILE", help="what Profile.save wrote")
    diff.add_argument("before", metavar="BEFORE", help="what Profile.save wrote")
    diff.add_argument("after", metavar="AFTER", help="the same of a later run, or another mode")
    html.add_argument("page", nargs="?", metavar="PAGE", help="FILE.html if left out")
    for one in (view, top, diff):
        one.add_argument(
            "-n", "--rows", type=int, default=ROWS, help=f"rows of a table; {ROWS} if left out"
        )

    run = actions.add_parser(
        "run",
        help="run a program, which need not know of it, and record all functions that it calls",
        description="Options of the program come after its name.",
    )
    run.add_argument(
        "--kind", choices=KINDS, default="time", help="how much is recorded; time if left out"
    )
    run.add_argument("-o", "--output", metavar="FILE", help="save the profile there")
    run.add_argument("--html", metavar="PAGE", help="write its page there")
    run.add_argument("script", metavar="script.py", help="the program")
    run.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")


def main(chosen: argparse.Namespace) -> int:
    """Carry out what was chosen; return 0 if it did what it says."""
    try:
        return ACTIONS[chosen.action](chosen)
    except (ProfileFileError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def view(chosen: argparse.Namespace) -> int:
    """Print the tables of a profile."""
    print_sections(profile_sections(Profile.load(chosen.file), chosen.rows))
    return 0


def top(chosen: argparse.Namespace) -> int:
    """Print the nodes that took most."""
    print_sections([top_section(Profile.load(chosen.file), chosen.by, chosen.rows)])
    return 0


def diff(chosen: argparse.Namespace) -> int:
    """Print what changed."""
    difference = Profile.load(chosen.before).diff(Profile.load(chosen.after))
    print_sections(difference_sections(difference, chosen.rows))
    return 0


def html(chosen: argparse.Namespace) -> int:
    """Write the page of a profile."""
    page = chosen.page or str(Path(chosen.file).with_suffix(".html"))
    Profile.load(chosen.file).html(page)
    print(page)
    return 0


def run(chosen: argparse.Namespace) -> int:
    """Run a program as `python` does, and show what its functions did, also where it fails."""
    if not os.path.isfile(chosen.script):
        print(f"there is no program {chosen.script}.", file=sys.stderr)
        return 1
    sys.argv = [chosen.script, *chosen.arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(chosen.script))
    profile = tv.profile(chosen.kind)
    try:
        with profile:
            runpy.run_path(chosen.script, run_name="__main__")
    finally:
        sys.stdout.flush()
        print_sections(profile_sections(profile))
        if chosen.output:
            profile.save(chosen.output)
        if chosen.html:
            profile.html(chosen.html)
    return 0


ACTIONS = {"view": view, "top": top, "diff": diff, "html": html, "run": run}

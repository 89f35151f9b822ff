"""The command ``python -m thunkvm``: what is done with the package outside of programs."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from importlib import import_module

from thunkvm import _core
from thunkvm._src import doctor
from thunkvm._src.calls.config import config
from thunkvm._src.graph.prototypes import describe, prototypes
from thunkvm._src.version import __version__
from thunkvm._src.views.text_table import show_bytes, table
from thunkvm.profile import command

SHOWN_KEY = 12


def modules() -> list[tuple[str, str, int, float]]:
    """Return the contents of the cache; nothing is made where there is none."""
    return _core.cache_list() if os.path.isdir(config.cache_dir) else []


def show_list() -> None:
    """Print a line for each module, the latest used first."""
    rows = []
    for key, description, size, used in modules():
        compiler, _, source = description.partition("\t")
        day = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(used))
        rows.append([day, show_bytes(size), key[:SHOWN_KEY], compiler, source.strip()])
    print(
        table(
            ["last used", "size", "key", "compiler", "first line of the source"],
            rows,
            left=["last used", "key", "compiler", "first line of the source"],
        )
    )


def show_size() -> None:
    """Print how many modules there are, and how large."""
    sizes = [size for _, _, size, _ in modules()]
    number = "1 module" if len(sizes) == 1 else f"{len(sizes)} modules"
    print(f"{number}, {show_bytes(sum(sizes))} of {show_bytes(config.cache_size)}")


def clear() -> None:
    """Remove all modules; processes that use them keep them."""
    number = _core.cache_clear() if os.path.isdir(config.cache_dir) else 0
    print(f"removed {number} module{'' if number == 1 else 's'}")


def show_path() -> None:
    """Print where the cache is."""
    print(config.cache_dir)


def show_ops(name: str | None, module: str | None) -> int:
    """Print a line for each Op, or a page about one; those of a module too."""
    try:
        if module is not None:
            sys.path.insert(0, os.getcwd())
            import_module(module)
        if name is not None:
            print(describe(name))
            return 0
    except (KeyError, ImportError) as error:
        print(error.args[0], file=sys.stderr)
        return 1
    rows = [[op.family, op.name, op.summary] for op in prototypes().values()]
    columns = ["family", "name", "summary"]
    print(table(columns, sorted(rows), left=columns))
    return 0


CACHE = {"list": show_list, "size": show_size, "clear": clear, "path": show_path}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return 0 if it did what it says."""
    parser = argparse.ArgumentParser(
        prog="python -m thunkvm",
        description="thunkvm: a lazy-evaluation virtual machine for numerical Python.",
        epilog="python -m thunkvm.demo fits a data set of NIST's with it.",
    )
    parser.add_argument("--version", action="version", version=f"thunkvm {__version__}")
    commands = parser.add_subparsers(dest="command", title="commands", metavar="COMMAND")
    cache = commands.add_parser(
        "cache",
        help="the compiled modules that are kept",
        description="The directory of compiled modules (tv.config.cache_dir, THUNKVM_CACHE).",
    )
    cache.add_argument(
        "action", nargs="?", choices=CACHE, default="list",
        help="list its modules, tell its size, remove all, or print its path; list if left out",
    )  # fmt: skip
    command.add_to(commands)
    commands.add_parser(
        "doctor",
        help="the compiler, BLAS, cache, processor and modes of this machine",
        description="Looks for all that the package uses, and says what to do where it is missing.",
    )
    ops = commands.add_parser(
        "ops",
        help="the built-in Ops, or one of them",
        description="Prints the names of all built-in Ops, or what one takes, gives and is told.",
    )
    ops.add_argument("name", nargs="?", help="the Op; a list of all if left out")
    ops.add_argument("--import", dest="module", help="a module that registers Ops, imported first")
    chosen = parser.parse_args(sys.argv[1:] if argv is None else argv)
    if chosen.command is None:
        parser.print_help()
        return 0
    if chosen.command == "doctor":
        return doctor.main()
    if chosen.command == "ops":
        return show_ops(chosen.name, chosen.module)
    if chosen.command == "profile":
        return command.main(chosen)
    try:
        CACHE[chosen.action]()
    except RuntimeError as error:  # the directory is refused; its message says why
        print(error, file=sys.stderr)
        return 1
    return 0


def run() -> int:
    """Run a command for a shell, where the output's reader may have seen enough."""
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
        return 0
    return status


if __name__ == "__main__":
    sys.exit(run())

"""Wheels that install where nothing of ours is: with their libraries, and the licences of these.

``python repair.py WHEEL DIRECTORY`` writes the wheel anew into the directory: `auditwheel` puts the
libraries into it, under the manylinux tag that they allow, and each gets the licence of its Debian
package.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

LICENCES = Path("/usr/share/doc")


def run(*command: str | Path) -> str:
    """Run a command, and return what it says."""
    ran = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if ran.returncode:
        raise SystemExit(f"{command[0]} failed:\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def tool(name: str, *arguments: str | Path) -> str:
    """Run a module of the interpreter's environment."""
    return run(sys.executable, "-m", name, *arguments)


def soname(library: str) -> str:
    """Return a library's name without the hash that auditwheel gave it.

    >>> soname("libopenblas-r0-f650aae0.3.21.so"), soname("libnettle-3fc2a2b4.so.8.6")
    ('libopenblas', 'libnettle')
    """
    return re.split(r"-(?:r0-)?[0-9a-f]{8}|\.so", library)[0]


def package_of(name: str) -> str:
    """Return the Debian package that a library came from."""
    for line in run("ldconfig", "-p").splitlines()[1:]:
        path = Path(line.split(" => ")[-1])
        file = path.resolve()
        if not file.name.startswith((f"{name}.so", f"{name}-")):
            continue
        for each in (path, file):
            found = subprocess.run(["dpkg", "-S", each], capture_output=True, text=True)
            if found.returncode == 0:
                return found.stdout.split(":")[0]
    raise SystemExit(f"no Debian package is known of {name}, so its licence is not either")


def add_licences(tree: Path) -> list[str]:
    """Add the licences of the libraries in an unpacked wheel; return their packages."""
    (info,) = tree.glob("*.dist-info")
    folder = info / "licenses" / "libraries"
    folder.mkdir(parents=True, exist_ok=True)
    packages = sorted({package_of(soname(lib.name)) for lib in tree.glob("*.libs/*")})
    for package in packages:
        text = (LICENCES / package / "copyright").read_text()
        (folder / f"{package}.txt").write_text(text)
    return packages


def repair(wheel: Path, directory: Path) -> Path:
    """Write a wheel anew, with its libraries and their licences; return its path."""
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        tool("auditwheel", "repair", "--plat", "auto", "-w", place / "repaired", wheel)
        (repaired,) = (place / "repaired").glob("*.whl")
        tool("wheel", "unpack", "-d", place / "tree", repaired)
        (tree,) = (place / "tree").iterdir()
        packages = add_licences(tree)
        tool("wheel", "pack", "-d", directory, tree)
    made = directory / repaired.name
    print(f"{made} holds libraries of {', '.join(packages)}")
    return made


if __name__ == "__main__":
    repair(Path(sys.argv[1]), Path(sys.argv[2]))

"""A copy of the tree and of its build, in which one rule at a time is broken."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from thunkvm import _core

#: No file of the tree, or none that a build or a test reads.
_LEFT_OUT = shutil.ignore_patterns(
    "build", "build-*", ".*", "dist", "docs", "__pycache__", "thunkvm-tests*", "*.so"
)
#: Seconds that tests which end at all may take.
_PATIENCE = 300


@dataclass(frozen=True)
class Mutant:
    """Edits that break a rule.

    Parameters
    ----------
    name, rule : str
        What the product does wrong, and what is right.
    edits : tuple of (str, str, str)
        Paths from the root of the repository, old texts, each of which stands in its file once,
        and the new ones.
    caught_by : str
        The test that has to fail by the values that it has in sight: without the verifier.
    random : bool
        Whether random graphs meet it often enough to fail, too.
    """

    name: str
    rule: str
    edits: tuple[tuple[str, str, str], ...]
    caught_by: str
    random: bool = True


class BrokenTree:
    """A copy of a tree that was built, built again by `ninja` after each edit.

    Parameters
    ----------
    root : Path
        The tree; the extension module that is imported was built from it.
    to : Path
        An empty directory.
    """

    def __init__(self, root: Path, to: Path) -> None:
        """Copy what is up to date then."""
        self.root = to / "tree"
        self._whole: dict[Path, str] = {}  # edited files, as they were
        module = Path(_core.__file__).resolve()
        build = module.parents[2]
        self._module = module.relative_to(build)
        if not (build / "build.ninja").is_file() or build.parent != root:
            raise RuntimeError(
                f"{module} was not built from {root}: mutants need ./dev build and its package."
            )
        _make(build, self._module)
        # With the times of the files, by which ninja knows that there is nothing to do.
        shutil.copytree(root, self.root, ignore=_LEFT_OUT)
        self._build = self.root / "build"
        shutil.copytree(
            build, self._build, symlinks=True, ignore=shutil.ignore_patterns("thunkvm-tests*")
        )
        self._link_package()
        self.make()

    def _link_package(self) -> None:
        """Make a package of the copy's own files."""
        package = self._build / "python" / "thunkvm"
        shutil.rmtree(package)
        package.mkdir()
        built = self._build / self._module
        for entry in [*(self.root / "python" / "thunkvm").iterdir(), built]:
            (package / entry.name).symlink_to(entry)
        found = self._python("-c", "import thunkvm._core as c; print(c.__file__)").stdout.strip()
        if Path(found).resolve() != built:
            raise RuntimeError(f"the copy imports {found} instead of {built}")

    def break_rule(self, mutant: Mutant) -> None:
        """Edit the files, and build. Raises RuntimeError where that is not possible."""
        for name, old, new in mutant.edits:
            path = self.root / name
            text = path.read_text()
            if text.count(old) != 1:
                raise RuntimeError(
                    f"{mutant.name}: {name} has {text.count(old)} times\n{old}\nand has to have it "
                    f"once: mend the mutant, which breaks the rule that {mutant.rule}."
                )
            self._whole.setdefault(path, text)
            path.write_text(text.replace(old, new))
        self.make()

    def mend(self) -> None:
        """Put back what was edited; the next build compiles it again."""
        while self._whole:
            path, text = self._whole.popitem()
            path.write_text(text)

    def make(self) -> None:
        """Build the extension module. Raises RuntimeError with what the compiler says."""
        _make(self._build, self._module)

    def fails(self, test: str, *options: str, verify: bool) -> tuple[bool, str]:
        """Return whether a test fails, and what it says. Raises RuntimeError if it does not run."""
        done = self._python(
            "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", test, *options,
            THUNKVM_VERIFY="1" if verify else "0",
        )  # fmt: skip
        if done.returncode > 1:  # not of tests that failed: nothing collected, wrong arguments
            raise RuntimeError(f"{test} did not run:\n{done.stdout}")
        return done.returncode != 0, done.stdout

    def _python(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            env=os.environ | {"PYTHONPATH": str(self._build / "python")} | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=_PATIENCE,
        )


def _make(build: Path, target: Path) -> None:
    done = subprocess.run(
        ["ninja", "-C", str(build), str(target)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{build} cannot be built:\n{done.stdout[-4000:]}")

"""A wheel in an environment of its own, which has no compiler, no headers and no OpenBLAS."""

from __future__ import annotations

import doctest
import os
import subprocess
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: What every Linux has: the loader's and the C library's, which manylinux takes for granted.
OF_EVERY_SYSTEM = (
    "libc.so",
    "libm.so",
    "libdl.so",
    "librt.so",
    "libpthread.so",
    "libutil.so",
    "ld-linux",
)


@pytest.fixture(scope="session")
def python(
    wheel: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """An interpreter that has the wheel installed."""
    place = tmp_path_factory.mktemp("environment")
    made_by = request.config.getoption("--interpreter")
    subprocess.run([made_by, "-m", "venv", place], check=True)
    interpreter = place / "bin" / "python"
    subprocess.run([interpreter, "-m", "pip", "install", "-q", wheel], check=True)
    return interpreter


def run(python: Path, program: str, path: str | None = None) -> str:
    """Run a program without this process's environment; only what is in `path` is found."""
    environment = {"PATH": path or str(python.parent), "HOME": str(python.parents[1])}
    ran = subprocess.run(
        [python, "-c", program], capture_output=True, text=True, env=environment, cwd=python.parent
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_a_wheel_has_its_libraries_and_their_licences(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    libraries = {Path(name).name.split("-")[0] for name in names if ".libs/" in name}
    assert {"libopenblasp", "libspdlog", "libboost_context", "libnettle", "libgomp"} <= libraries
    assert "libminizip" in libraries
    licences = {Path(name).stem for name in names if "/licenses/libraries/" in name}
    assert {"libnettle8", "libgomp1"} <= licences
    assert "manylinux" in wheel.name


def test_the_libraries_that_are_loaded_are_those_of_the_wheel(python: Path) -> None:
    program = (
        "import sys, numpy, thunkvm as tv\n"
        "x = tv.matrix('x'); tv.function([x], tv.inv(x))([[2.0]])\n"
        "print(sys.base_prefix)\n"
        "print(*sorted({l.split()[-1] for l in open('/proc/self/maps') if '.so' in l}), sep='\\n')"
    )
    prefix, *mapped = run(python, program).split()
    foreign = [
        path
        for path in mapped
        if not path.startswith((str(python.parents[1]), prefix))
        and not Path(path).name.startswith(OF_EVERY_SYSTEM)
    ]
    # NumPy's and Python's own need no others than these, either.
    assert [path for path in foreign if "openblas" in path or "spdlog" in path] == []
    assert [path for path in foreign if "boost" in path or "nettle" in path] == []


def test_the_threads_of_the_wheels_openblas_are_set(python: Path) -> None:
    program = (
        "import thunkvm as tv\n"
        "tv.config.blas_threads = 1\n"
        "from thunkvm._src import doctor\n"
        "print(tv.config.blas_threads, next(doctor.libraries()).found)"
    )
    told = run(python, program)
    assert told.startswith("1 OpenBLAS ")
    assert f"({python.parents[1]}/lib/" in told
    assert "thunkvm.libs/libopenblas" in told


def test_the_examples_of_the_readme_run(python: Path) -> None:
    examples = doctest.DocTestParser().get_examples((ROOT / "README.md").read_text())
    assert examples
    program = (
        "import doctest, pathlib\n"
        f"text = pathlib.Path({str(ROOT / 'README.md')!r}).read_text()\n"
        "test = doctest.DocTestParser().get_doctest(text, {}, 'README.md', None, 0)\n"
        "ran = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)\n"
        "print(ran.failed, ran.attempted == len(test.examples))"
    )
    assert run(python, program).split()[-2:] == ["0", "True"]


LOOP = (
    "import thunkvm as tv\n"
    "x = tv.scalar('x')\n"
    "f = tv.function([x], tv.while_loop(lambda s: s < 100.0, lambda s: s * 2.0, x))\n"
)


def test_without_a_compiler_the_same_functions_run(python: Path) -> None:
    value, state = run(python, LOOP + "print(f(1.0), f.compiled)").split()
    assert (value, state == "ready") == ("128.0", False)


def test_with_a_compiler_functions_are_compiled(python: Path) -> None:
    told = run(python, LOOP + "print(f.compile(), f(1.0))", path=os.environ["PATH"])
    assert told.split() == ["ready", "128.0"]

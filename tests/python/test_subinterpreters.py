"""The package belongs to the main interpreter, and says so in others."""

import subprocess
import sys

SCRIPT = """
try:
    import _interpreters as interpreters  # from Python 3.13 on
except ImportError:
    import _xxsubinterpreters as interpreters

made = interpreters.create()
failure = interpreters.{run}(made, "import thunkvm._core")
if failure is not None:
    raise SystemExit(failure.formatted)
"""


def test_importing_in_a_subinterpreter_is_an_import_error():
    run = "exec" if sys.version_info >= (3, 13) else "run_string"
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(run=run)], capture_output=True, text=True, timeout=60
    )
    assert "ImportError" in result.stderr
    assert "thunkvm cannot be imported in a subinterpreter" in result.stderr

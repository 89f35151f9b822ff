"""Print what solutions of differential equations evaluate and cost beside SciPy's, in the same run.

    PYTHONPATH=build/python python tests/benchmarks/differential_equations.py [--peers PYTHON]

SciPy is given exact Jacobians where its method takes them. A time is the best of many second calls,
each from another initial value.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from timing import best

MOON = 0.012277471


class Equation(NamedTuple):
    """A problem; the function takes arrays, and Variables too."""

    name: str
    methods: tuple[str, ...]
    fun: Callable[[Any, Any], Any]
    end: float
    start: tuple[float, ...]
    rtol: float
    atol: float
    jac: Callable[[Any, Any], Any] | None = None


def hunting(t: Any, y: Any) -> Any:
    """Predators and prey."""
    return [1.5 * y[0] - y[0] * y[1], -3.0 * y[1] + y[0] * y[1]]


def orbit(t: Any, y: Any) -> Any:
    """Arenstorf's orbit."""
    x, z = y[0], y[1]
    earth, moon = ((x + MOON) ** 2 + z**2) ** 1.5, ((x - 1.0 + MOON) ** 2 + z**2) ** 1.5
    return [
        y[2],
        y[3],
        x + 2.0 * y[3] - (1.0 - MOON) * (x + MOON) / earth - MOON * (x - 1.0 + MOON) / moon,
        z - 2.0 * y[2] - (1.0 - MOON) * z / earth - MOON * z / moon,
    ]


def reactions(t: Any, y: Any) -> Any:
    """Robertson's reactions."""
    slow, fast, back = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
    return [fast - slow, slow - fast - back, back]


def of_reactions(t: Any, y: Any) -> Any:
    """Return the Jacobian of Robertson's reactions."""
    fast, faster, back = 1e4 * y[2], 1e4 * y[1], 6e7 * y[1]
    return np.array([[-0.04, fast, faster], [0.04, -fast - back, -faster], [0.0, back, 0.0]])


def jumps(t: Any, y: Any) -> Any:
    """Van der Pol's oscillator, mu = 1000."""
    return [y[1], 1e3 * (1.0 - y[0] ** 2) * y[1] - y[0]]


def of_jumps(t: Any, y: Any) -> Any:
    """Return the Jacobian of van der Pol's oscillator."""
    return np.array([[0.0, 1.0], [-2e3 * y[0] * y[1] - 1.0, 1e3 * (1.0 - y[0] ** 2)]])


EXPLICIT = ("RK23", "RK45", "DOP853")
EQUATIONS = (
    Equation("hunting", EXPLICIT, hunting, 15.0, (10.0, 5.0), 1e-6, 1e-9),
    Equation(
        "Arenstorf", EXPLICIT[1:], orbit, 17.0652165601579625588917206249,
        (0.994, 0.0, 0.0, -2.00158510637908252240537862224), 1e-8, 1e-10,
    ),
    Equation(
        "Robertson", ("Radau",), reactions, 1e5, (1.0, 0.0, 0.0), 1e-6, 1e-12, of_reactions
    ),
    Equation("van der Pol", ("Radau",), jumps, 1000.0, (2.0, 0.0), 1e-6, 1e-9, of_jumps),
)  # fmt: skip


def measured(solve_ivp: Callable[..., Any], gives_jac: bool) -> dict[str, Any]:
    """Return evaluations, Jacobians, factors and seconds by row."""
    rows = {}
    for each in EQUATIONS:
        for method in each.methods:
            given = {"jac": each.jac} if gives_jac and each.jac is not None else {}

            def solve(k: int, e: Equation = each, m: str = method, g: Any = given) -> Any:
                start = np.array(e.start) * (1.0 + 1e-9 * (k % 7))
                return solve_ivp(e.fun, (0.0, e.end), start, m, rtol=e.rtol, atol=e.atol, **g)

            numbers = iter(range(1 << 30))
            found = solve(next(numbers))
            time = best(lambda s=solve, n=numbers: s(next(n)), repeats=10)
            counts = [int(found.nfev), int(found.njev), int(found.nlu)]
            rows[f"{each.name}: {method}"] = [counts, float(found.y[0, -1]), time]
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("--peers", metavar="PYTHON", help="the Python that has SciPy")
    parser.add_argument("--scipy", action="store_true", help="print SciPy's rows as JSON")
    given = parser.parse_args()
    if given.scipy:
        from scipy.integrate import solve_ivp

        print(json.dumps(measured(solve_ivp, True)))
        return
    theirs: dict[str, Any] = {}
    if given.peers:
        script = [given.peers, __file__, "--scipy"]
        theirs = json.loads(
            subprocess.run(script, capture_output=True, text=True, check=True).stdout
        )
    import thunkvm as tv

    print(f"{'nfev, njev, nlu':>44}{'y[0]':>16}")
    for row, (counts, end, time) in measured(tv.optimize.solve_ivp, False).items():
        line = f"{row:<22}{counts!s:>22}{end:16.9g}{time * 1e3:10.3f} ms"
        if row in theirs:
            others, _, other = theirs[row]
            line += f"   SciPy {others!s:>18}{other * 1e3:10.3f} ms {other / time:6.1f}x"
        print(line, flush=True)


if __name__ == "__main__":
    main()

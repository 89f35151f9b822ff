"""Print what minimisers evaluate and cost beside SciPy's and optimistix', in the same run.

    PYTHONPATH=build/python python tests/benchmarks/optimize.py [--peers PYTHON]

The problems are those of the tests (Moré, Garbow and Hillstrom), whose evaluations are counted,
and two that are timed: a small one, and one in which linear algebra takes the time. SciPy is given
exact gradients, and Hessians where its method takes them. A time is the best of many second calls,
each with another starting point. A minimiser of optimistix is called in a function of `jax.jit`,
which has no Python around its loop; its tolerance is such that gradients end as small.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from timing import best

sys.path.append(str(Path(__file__).parents[1] / "python"))

from more_garbow_hillstrom import PROBLEMS, Problem

METHODS = ("BFGS", "CG", "L-BFGS-B", "Newton-CG", "dogleg", "trust-ncg")
GTOL = 1e-5
#: Not differentiated by complex steps: it has an absolute value.
COUNTED = [problem for problem in PROBLEMS if not problem.name.startswith("11 ")]
MAXITER = 2000
#: Of optimistix, whose minimisers compare two values of x and of the function.
CAUCHY = 1e-7
ROWS, COLUMNS = 20_000, 40
MANY = 1000


def options(method: str) -> dict[str, Any]:
    """Return the same tolerances for both."""
    found: dict[str, Any] = {"gtol": GTOL, "maxiter": MAXITER}
    if method == "L-BFGS-B":
        found["ftol"] = 1e-12
    if method == "Newton-CG":
        found = {"xtol": 1e-8, "maxiter": MAXITER}
    return found


def regression() -> tuple[np.ndarray, np.ndarray]:
    """Return the features and the signs of a logistic regression."""
    random = np.random.default_rng(0)
    features = random.normal(size=(ROWS, COLUMNS))
    signs = np.sign(features @ random.normal(size=COLUMNS) + random.normal(size=ROWS))
    return features, signs


def small_start(number: int) -> np.ndarray:
    """Return a starting point of the small problem."""
    return np.array([1.3, 0.7, 0.8, 1.9, 1.2]) + 1e-3 * (number % 7)


def large_start(number: int) -> np.ndarray:
    """Return a starting point of the regression."""
    return np.full(COLUMNS, 0.1 * (number % 7))


class Counter:
    """A function, and how often it was called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.calls = 0

    def __call__(self, *arguments: Any) -> Any:
        self.calls += 1
        return self.function(*arguments)


# ---- SciPy


def derivatives(problem: Problem) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Return the gradient, by complex steps, and the Hessian, by differences of it."""

    def jac(x: Any) -> Any:
        step = 1e-30
        shifted = x + 1j * step * np.eye(len(x))
        return np.array([problem.sum_of_squares(row).imag / step for row in shifted])

    def hess(x: Any) -> Any:
        steps = 1e-6 * np.maximum(np.abs(x), 1e-3)
        rows = [
            (jac(x + h * e) - jac(x - h * e)) / (2.0 * h)
            for h, e in zip(steps, np.eye(len(x)), strict=True)
        ]
        matrix = np.array(rows)
        return (matrix + matrix.T) / 2.0

    return jac, hess


def of_scipy() -> dict[str, Any]:
    """Return what SciPy evaluates, finds and costs, by row."""
    from scipy import optimize

    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    rows: dict[str, Any] = {}
    for method in METHODS:
        for problem in COUNTED:
            jac, hess = derivatives(problem)
            given = {"hess": hess} if method in METHODS[3:] else {}
            try:
                found = optimize.minimize(
                    problem.sum_of_squares, np.array(problem.start), method=method, jac=jac,
                    options=options(method), **given,
                )  # fmt: skip
            except Exception as error:  # dogleg, where the Hessian is indefinite
                rows[f"{method}: {problem.name}"] = str(error)
                continue
            rows[f"{method}: {problem.name}"] = [int(found.nfev), float(found.fun)]
    features, signs = regression()

    def loss(w: Any) -> Any:
        return np.logaddexp(0.0, -signs * (features @ w)).mean() + 0.005 * (w @ w)

    def slope(w: Any) -> Any:
        weights = -signs / (1.0 + np.exp(signs * (features @ w)))
        return features.T @ weights / ROWS + 0.01 * w

    for method in METHODS[:3]:
        for row, start, fun, jac in (
            ("small", small_start, optimize.rosen, optimize.rosen_der),
            ("large", large_start, loss, slope),
        ):
            solve = lambda k, m=method, s=start, f=fun, j=jac: optimize.minimize(  # noqa: E731
                f, s(k), method=m, jac=j, options=options(m)
            )
            rows[f"{row}: {method}"] = seconds(solve)
    return rows


# ---- optimistix


def of_optimistix() -> dict[str, Any]:
    """Return what optimistix costs, by row; nothing where it is not installed."""
    try:
        import jax
        import jax.numpy as jnp
        import optimistix
    except ImportError:
        return {}
    jax.config.update("jax_enable_x64", True)
    features, signs = map(jnp.asarray, regression())

    def rosen(x: Any, _: Any) -> Any:
        return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)

    def loss(w: Any, data: Any) -> Any:
        features, signs = data
        return jnp.mean(jax.nn.softplus(-signs * (features @ w))) + 0.005 * jnp.sum(w**2)

    kinds = optimistix.BFGS, optimistix.NonlinearCG, optimistix.LBFGS
    rows: dict[str, Any] = {}
    for method, kind in zip(METHODS, kinds, strict=False):
        solver = kind(rtol=CAUCHY, atol=CAUCHY)
        for row, start, fun, data in (
            ("small", small_start, rosen, None),
            ("large", large_start, loss, (features, signs)),
        ):

            def minimised(x: Any, data: Any, fun: Any = fun, solver: Any = solver) -> Any:
                found = optimistix.minimise(fun, solver, x, data, max_steps=MAXITER, throw=False)
                return found.value, jax.grad(fun)(found.value, data)

            compiled = jax.jit(minimised)
            solve = lambda k, c=compiled, s=start, d=data: jax.block_until_ready(c(s(k), d))  # noqa: E731
            rows[f"{row}: {method}"] = seconds(solve)
            slope = float(abs(solve(0)[1]).max())
            rows[f"{row}: {method}, gradient"] = slope
    return rows


# ---- thunkvm


def ours() -> Iterator[tuple[str, Any]]:
    """Yield the same rows of thunkvm."""
    import thunkvm as tv

    once = tv.Mode("cvm", compile="never")
    for method in METHODS:
        for problem in COUNTED:
            found = tv.optimize.minimize(
                problem.sum_of_squares, problem.start, method=method, options=options(method),
                mode=once,
            )  # fmt: skip
            yield f"{method}: {problem.name}", [found.nfev, float(found.fun)]
    features, signs = regression()

    def rosen(x: Any) -> Any:
        return tv.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)

    def loss(w: Any, features: Any, signs: Any) -> Any:
        return tv.mean(tv.softplus(-signs * (features @ w))) + 0.005 * tv.sum(w**2)

    for method in METHODS[:3]:
        for row, start, fun, args in (
            ("small", small_start, rosen, ()),
            ("large", large_start, loss, (features, signs)),
        ):
            solve = lambda k, m=method, s=start, f=fun, a=args: tv.optimize.minimize(  # noqa: E731
                f, s(k), a, method=m, options=options(m)
            )
            yield f"{row}: {method}", seconds(solve)

    random = np.random.default_rng(0)
    starts = random.uniform(-2.0, 2.0, (MANY, 50))
    for workers in (1, 2):
        solve = lambda k, w=workers: tv.optimize.minimize_many(  # noqa: E731
            rosen, starts, method="L-BFGS", workers=w
        )
        yield f"many: {MANY} starts on {workers} threads", seconds(solve, repeats=3)


def seconds(solve: Callable[[int], Any], repeats: int = 30) -> float:
    """Return the time of a second call, each with another starting point."""
    numbers = iter(range(1 << 30))
    solve(next(numbers))
    return best(lambda: solve(next(numbers)), repeats=repeats)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("--peers", metavar="PYTHON", help="the Python that has SciPy")
    parser.add_argument("--rows-of", choices=PEERS, help="print the rows of a peer as JSON")
    given = parser.parse_args()
    if given.rows_of:
        print(json.dumps(PEERS[given.rows_of]()))
        return
    theirs: dict[str, Any] = {}
    jaxs: dict[str, Any] = {}
    if given.peers:
        theirs, jaxs = (rows_of(given.peers, peer) for peer in PEERS)
    totals: dict[str, list[int]] = {}
    for row, value in ours():
        other = theirs.get(row)
        if isinstance(value, float):
            print(f"{row:<46}{value * 1e3:9.3f} ms{beside(value, other)}", end="")
            if row in jaxs:
                ends = f"gradient {jaxs[f'{row}, gradient']:.0e}"
                print(f"   optimistix{beside(value, jaxs[row])} {ends}", end="")
            print(flush=True)
            continue
        count, least = value
        line = f"{row:<46}{count:6} {least:14.7g}"
        if isinstance(other, list):
            # Where both end at the same value, their numbers of evaluations can be compared.
            same = abs(least - other[1]) <= 1e-4 * max(abs(other[1]), 1e-5)
            line += f" {other[0]:6} {other[1]:14.7g}  {'' if same else 'another optimum'}"
            if same:
                total = totals.setdefault(row.partition(":")[0], [0, 0, 0])
                total[0] += count
                total[1] += other[0]
                total[2] += 1
        elif other is not None:
            line += f"  {other}"
        print(line, flush=True)
    for method, (mine, other, number) in totals.items():
        print(f"{method:<12} {number} problems: nfev {mine} beside {other}, {mine / other:.2f}")


#: What prints the rows of the peers, each in a process of its own.
PEERS: dict[str, Callable[[], dict[str, Any]]] = {"scipy": of_scipy, "optimistix": of_optimistix}


def rows_of(python: str, peer: str) -> dict[str, Any]:
    """Return the rows of a peer, from its Python."""
    script = [python, __file__, "--rows-of", peer]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    rows: dict[str, Any] = json.loads(done.stdout)
    return rows


def beside(value: float, other: float | None) -> str:
    """Return the time of a peer, and how many times ours it is."""
    return "" if other is None else f" {other * 1e3:9.3f} ms {other / value:8.1f}x"


if __name__ == "__main__":
    main()

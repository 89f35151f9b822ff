"""Print what thunkvm costs beside its targets and, in the same run, beside other libraries.

    ./dev bench [--peers] [job ...]

Figures are the best of many repeats. Nanoseconds differ between machines, so the ratios are what
counts: the last column is how many times faster thunkvm is than the best of the others. "c" is a
loop written by hand (by_hand.c).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from checks import NAMES, ROW
from jobs import JOBS

# Row: the most that it may cost, in seconds. Rows that only explain others have no target.
TARGETS = {
    "machine: vm_empty_call": 15e-9,
    "machine: chain_above_kernel": 4e-9,
    "machine: ifelse_two_arms": 25e-9,
    "call: x*2+1 of a float": 80e-9,
    "call: x*2+1 of 4 elements": 150e-9,
    "chain: cos, per node": 14e-9,
    "chain: cos, above its kernel": 4e-9,
    "branch: ifelse(y > .5, cos(y), exp(y))": 25e-9,
    "perform: a Python thunk, above its body": 60e-9,
    "profile: time, per thunk": 20e-9,
    "profile: time, per thunk of arrays": 20e-9,
    "profile: trace, per thunk": 40e-9,
    "profile: time, per group": 20e-9,
    "profile: trace, per group": 40e-9,
    "build: 10,000 nodes, per node": 0.3e-6,
    "build: 1,000,000 nodes, per node": 0.3e-6,
    "link: 10,000 nodes, per node": 1e-6,
    "link: 1,000,000 nodes, per node": 1e-6,
    "armijo: 4 inputs, 5 outputs": 0.3e-6,
    "elementwise: exp(a)*b+log(b), n = 1,000": 1.4e-9,
    "elementwise: exp(a)*b+log(b), n = 1,000,000": 1.25e-9,
    "mean: ifelse(a < b, mean(exp(x)), mean(exp(y)))": 0.3e-3,
    "branch: the same, emitted": 12e-9,
    "trial: an Armijo trial, refused": 0.5e-6,
    "trial: an Armijo trial, accepted": 0.5e-6,
    "gradient: first result, empty cache": 50e-3,
    "gradient: first result, full cache": 8e-3,
    "gradient: per call": 0.25e-6,
    "large: 10,000 scalar nodes": 3.0,
    "large: 10,000 nodes, branching": 3.0,
    "large: 1,000 loops": 2.0,
    "import: above NumPy": 60e-3,
    "compile: a loop, nothing cached": 40e-3,
    "c: a C Op of a chain, above its own code": 40e-9,
    "c: 20 C Ops, empty cache": 2.0,
    "c: 20 C Ops, full cache, new process": 20e-3,
    **{ROW.format(name): 20e-9 for name in NAMES},
}
PEERS = ("c", "numpy", "pytensor", "jax", "numba")


def peer_rows(python: str, library: str, jobs: list[str]) -> dict[str, float]:
    """What another library costs; nothing where it is not installed."""
    script = Path(__file__).with_name("peers.py")
    module = "ctypes" if library == "c" else library
    found = subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0
    if not found:
        return {}
    run = subprocess.run([python, script, library, *jobs], capture_output=True, text=True)
    if run.returncode != 0:
        print(f"{library} failed: {run.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return {}
    rows: dict[str, float] = json.loads(run.stdout.splitlines()[-1])
    return rows


def shown(seconds: float | None) -> str:
    """Seconds with a unit that fits."""
    if seconds is None:
        return ""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def times(ratio: float) -> str:
    """A ratio; of one below 1, two digits that count."""
    return f"{ratio:.1f}x" if ratio >= 1 else f"{ratio:.2g}x"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument(
        "jobs", nargs="*", metavar="job", help=f"which of {', '.join(JOBS)}; all if none"
    )
    parser.add_argument(
        "--peers",
        default=sys.executable,
        metavar="PYTHON",
        help="the Python that has the other libraries; ./dev bench --peers gives it one",
    )
    options = parser.parse_args()
    jobs = options.jobs or list(JOBS)
    if unknown := [job for job in jobs if job not in JOBS]:
        parser.error(f"there is no job {unknown[0]}; there are {', '.join(JOBS)}")

    columns = ["row", "target", "thunkvm", "", *PEERS, "faster"]
    layout = "{:<64}{:>9}{:>10}  {:<5}" + "{:>10}" * len(PEERS) + "{:>9}"
    print(layout.format(*columns))
    for job in jobs:
        ours = dict(JOBS[job]())
        theirs = {library: peer_rows(options.peers, library, [job]) for library in PEERS}
        for row, seconds in ours.items():
            others = [theirs[library].get(row) for library in PEERS]
            target = TARGETS.get(row)
            verdict = "" if target is None else "ok" if seconds <= target else "OVER"
            best = min((other for other in others if other is not None), default=None)
            ratio = "" if best is None or seconds <= 0 else times(best / seconds)
            print(
                layout.format(
                    row, shown(target), shown(seconds), verdict, *map(shown, others), ratio
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()

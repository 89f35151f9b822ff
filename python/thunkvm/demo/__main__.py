"""The command ``python -m thunkvm.demo``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import thunkvm as tv
from thunkvm._src.teaching.nearest import did_you_mean
from thunkvm.demo import report
from thunkvm.demo.datasets import DATASETS, SHOWN, Dataset
from thunkvm.demo.fit import Fit, Fitter

WANTED_DIGITS = 6.0
MODES = ("py", "vm", "cvm")


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    """Read the command line; a name that does not exist ends the program with a sentence."""
    parser = argparse.ArgumentParser(
        prog="python -m thunkvm.demo",
        description="Fit NIST StRD data sets with tv.optimize.levenberg_marquardt: one lazily "
        "evaluated loop, decisions included.",
    )
    parser.add_argument(
        "--data", nargs="+", default=list(SHOWN), metavar="NAME",
        help=f"which data sets: {', '.join(DATASETS)}, or all; {', '.join(SHOWN)} if left out",
    )  # fmt: skip
    parser.add_argument(
        "--mode", nargs="+", default=list(MODES), metavar="NAME",
        help="which modes: py, vm, cvm, or one of these with _nogc; the first three if left out",
    )  # fmt: skip
    parser.add_argument("--start", type=int, choices=(1, 2), help="which start; both if left out")
    chosen = parser.parse_args(argv)
    names = {name.lower(): name for name in DATASETS}
    if "all" in chosen.data:
        chosen.data = list(DATASETS)
    for name in chosen.data:
        if name.lower() not in names:
            known = ", ".join(DATASETS)
            hint = did_you_mean(name, names)
            parser.error(f"there is no data set {name!r}; there are {known}." + hint)
    chosen.data = [names[name.lower()] for name in chosen.data]
    for mode in chosen.mode:
        try:
            tv.get_mode(mode)
        except ValueError as error:
            parser.error(str(error))
    return chosen


def main(argv: Sequence[str] | None = None) -> int:
    """Run the demo; return 0 if every fit agrees with its certified values to six digits."""
    chosen = arguments(sys.argv[1:] if argv is None else argv)
    starts = (1, 2) if chosen.start is None else (chosen.start,)
    missed = 0
    first: dict[str, tuple[Dataset, int, Fit]] = {}
    for mode in chosen.mode:
        fits: list[tuple[Dataset, int, Fit]] = []
        for name in chosen.data:
            dataset = DATASETS[name]
            fitter = Fitter(dataset, mode)
            fits += [(dataset, start, fitter.fit(dataset.starts[start - 1])) for start in starts]
        print(f"mode {mode}\n")
        print(report.fits_table(fits), end="\n\n")
        print(report.accuracy_sentence(fits, WANTED_DIGITS))
        print(report.jacobian_sentence(fits), end="\n\n")
        missed += sum(report.fit_digits(dataset, fit) < WANTED_DIGITS for dataset, _, fit in fits)
        first[mode] = fits[0]

    dataset, start, _ = next(iter(first.values()))
    print(f"Thunks of the fit of {dataset.name} from start {start}: how often each of them ran.\n")
    print(report.thunks_table({mode: fit.nodes for mode, (_, _, fit) in first.items()}), end="\n\n")
    for mode, (_, _, fit) in first.items():
        print(f"{mode}: {report.thunks_sentence(fit.nodes)}")
        print(f"{mode}: {report.loops_sentence(fit.loops)}")
    print()
    print(report.branches_table({mode: fit.branches for mode, (_, _, fit) in first.items()}))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

"""The demo reaches the certified values, and runs the Jacobian only when it has to."""

from __future__ import annotations

import numpy as np
import pytest

import thunkvm as tv
from thunkvm.demo.__main__ import main
from thunkvm.demo.datasets import DATASETS, SHOWN
from thunkvm.demo.fit import Fitter
from thunkvm.demo.report import digits, fit_digits, thunks_table

MODES = ["py", "vm", "cvm"]


@pytest.mark.parametrize("mode", [*MODES, "cvm_nogc"])
@pytest.mark.parametrize("name", SHOWN)
def test_every_data_set_reaches_the_certified_values(name: str, mode: str) -> None:
    dataset = DATASETS[name]
    fitter = Fitter(dataset, mode)
    for start in dataset.starts:
        fit = fitter.fit(start)
        assert fit.converged
        assert fit_digits(dataset, fit) >= 6.0
        assert digits(fit.rss, dataset.rss) >= 9.0
        assert fit.jacobians == 1 + fit.accepted
        assert fit.jacobians <= fit.trials


def test_all_modes_end_at_the_same_parameters() -> None:
    # How many trials the last digits take differs: sums and exponentials round differently.
    dataset = DATASETS["Rat43"]
    fits = [Fitter(dataset, mode).fit(dataset.starts[0]) for mode in MODES]
    for fit in fits[1:]:
        np.testing.assert_allclose(fit.parameters, fits[0].parameters, rtol=1e-6)


@pytest.mark.parametrize("mode", ["py", "cvm"])
def test_the_counters_of_loops_and_branches_are_those_of_the_fit(mode: str) -> None:
    dataset = DATASETS["BoxBOD"]
    fit = Fitter(dataset, mode).fit(dataset.starts[0])
    outer, inner = fit.loops
    assert (outer.steps, outer.within, inner.within) == (fit.trials, False, True)
    lower, short = fit.branches
    assert lower.then + lower.otherwise == fit.trials
    assert short.then + short.otherwise == fit.trials
    assert 0 < short.otherwise <= inner.steps


def test_what_never_ran_is_listed_last() -> None:
    dataset = DATASETS["DanWood"]
    fit = Fitter(dataset, "cvm").fit(dataset.starts[1])
    last = thunks_table({"cvm": fit.nodes}).splitlines()
    never = [line for line in last if " never " in line]
    assert never
    assert last[-1] in never or last[-1].startswith("   ")


def test_data_are_nists() -> None:
    lengths = {name: (len(d.y), len(d.certified)) for name, d in DATASETS.items()}
    assert lengths == {
        "Misra1a": (14, 2), "Chwirut2": (54, 3), "Chwirut1": (214, 3), "Lanczos3": (24, 6),
        "Gauss1": (250, 8), "Gauss2": (250, 8), "DanWood": (6, 2), "Misra1b": (14, 2),
        "Kirby2": (151, 5), "Hahn1": (236, 7), "Nelson": (128, 3), "MGH17": (33, 5),
        "Lanczos1": (24, 6), "Lanczos2": (24, 6), "Gauss3": (250, 8), "Misra1c": (14, 2),
        "Misra1d": (14, 2), "Roszman1": (25, 4), "ENSO": (168, 9), "MGH09": (11, 4),
        "Thurber": (37, 7), "BoxBOD": (6, 2), "Rat42": (9, 3), "MGH10": (16, 3),
        "Eckerle4": (35, 3), "Rat43": (15, 4), "Bennett5": (154, 3),
    }  # fmt: skip
    for dataset in DATASETS.values():
        assert dataset.x.shape[-1] == len(dataset.y)
        assert all(len(start) == len(dataset.certified) for start in dataset.starts)


def test_certified_values_have_the_certified_sum_of_squares() -> None:
    # So that no number of the data is wrong.
    for name, dataset in DATASETS.items():
        b = tv.vector("b")
        residuals = dataset.model(b, tv.constant(dataset.x)) - dataset.y
        rss = tv.function([b], tv.sum(residuals**2), mode="FAST_COMPILE")(dataset.certified)
        if name != "Lanczos1":  # which is rounding
            assert digits(float(rss), dataset.rss) >= 6.0, name


def test_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", "danwood", "--mode", "cvm", "--start", "2"]) == 0
    out = capsys.readouterr().out
    for part in (
        "mode cvm",
        "DanWood",
        "7.6886226176e-01",
        "1 of 1 fits agree with every certified parameter to 6 digits or more.",
        "The Jacobian ran",
        "never",
        "datasets.py:",
        "trials are steps of one loop",
        "the cost is lower",
    ):
        assert part in out


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (["--data", "Dan"], "there is no data set 'Dan'; there are Misra1a, Chwirut2"),
        (["--mode", "cmv"], "Did you mean 'cvm'?"),
        (["--start", "3"], "invalid choice"),
    ],
)
def test_a_wrong_choice_is_a_sentence(
    argument: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(argument)
    assert message in capsys.readouterr().err

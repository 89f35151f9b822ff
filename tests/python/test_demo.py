"""The demo reaches the certified values, and runs the Jacobian only when it has to."""

from __future__ import annotations

import numpy as np
import pytest

from thunkvm.demo.__main__ import main
from thunkvm.demo.datasets import DATASETS
from thunkvm.demo.fit import Fitter
from thunkvm.demo.report import digits, fit_digits, thunks_table

MODES = ["py", "vm", "cvm"]


@pytest.mark.parametrize("mode", [*MODES, "cvm_nogc"])
@pytest.mark.parametrize("name", DATASETS)
def test_every_data_set_reaches_the_certified_values(name: str, mode: str) -> None:
    dataset = DATASETS[name]
    fitter = Fitter(dataset, mode)
    for start in dataset.starts:
        fit = fitter.fit(start)
        assert fit.converged
        assert fit_digits(dataset, fit) >= 6.0
        assert digits(fit.rss, dataset.rss) >= 9.0
        assert fit.jacobians == 1 + fit.accepted - fit.last_accepted
        assert fit.jacobians <= fit.trials


def test_all_modes_end_at_the_same_parameters() -> None:
    # How many trials the last digits take differs: sums and exponentials round differently.
    dataset = DATASETS["Rat43"]
    fits = [Fitter(dataset, mode).fit(dataset.starts[0]) for mode in MODES]
    for fit in fits[1:]:
        np.testing.assert_allclose(fit.parameters, fits[0].parameters, rtol=1e-6)


def test_what_never_ran_is_listed_last() -> None:
    dataset = DATASETS["DanWood"]
    fit = Fitter(dataset, "cvm").fit(dataset.starts[1])
    assert fit.trials == fit.accepted  # so the damping was never raised
    assert [node.op for node in fit.nodes if node.runs == 0] == ["mul"]
    last = thunks_table({"cvm": fit.nodes}).splitlines()[-1]
    assert last.split()[-3:] == ["kernel", "never", "mul"]


def test_data_are_nists() -> None:
    assert {name: (len(d.x), len(d.y), len(d.certified)) for name, d in DATASETS.items()} == {
        "Misra1a": (14, 14, 2),
        "DanWood": (6, 6, 2),
        "BoxBOD": (6, 6, 2),
        "MGH09": (11, 11, 4),
        "Rat42": (9, 9, 3),
        "Rat43": (15, 15, 4),
    }


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
        "fit.py:",
    ):
        assert part in out


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (["--data", "Dan"], "there is no data set 'Dan'; there are Misra1a, DanWood"),
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

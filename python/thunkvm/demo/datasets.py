"""Six data sets of the NIST Statistical Reference Datasets (StRD) for nonlinear regression.

Data, models, starting values and certified values are NIST's:
https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import thunkvm as tv

Model = Callable[[tv.Variable, tv.Variable], tv.Variable]


@dataclass(frozen=True)
class Dataset:
    """One data set.

    Attributes
    ----------
    name : str
        NIST's name.
    formula : str
        The model as NIST writes it.
    model : callable
        The same as graph: ``model(b, x)``, with b a vector of parameters and x a vector.
    x, y : array of float64, shape (m,)
        The data.
    starts : tuple of tuple of float
        Two starting points for the parameters; the second is nearer to the solution.
    certified : tuple of float
        The certified parameters.
    rss : float
        The certified residual sum of squares.
    """

    name: str
    formula: str
    model: Model
    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]
    starts: tuple[tuple[float, ...], tuple[float, ...]]
    certified: tuple[float, ...]
    rss: float


def saturation(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """Misra1a and BoxBOD: growth towards b1."""
    return b[0] * (1.0 - tv.exp(-b[1] * x))


def power_law(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """DanWood."""
    return b[0] * x ** b[1]


def rational(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """MGH09: Kowalik and Osborne's problem."""
    return b[0] * (x * x + x * b[1]) / (x * x + x * b[2] + b[3])


def logistic(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """Rat42: sigmoidal growth."""
    return b[0] / (1.0 + tv.exp(b[1] - b[2] * x))


def richards(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """Rat43: sigmoidal growth with one more parameter."""
    return b[0] / (1.0 + tv.exp(b[1] - b[2] * x)) ** (1.0 / b[3])


def numbers(text: str) -> npt.NDArray[np.float64]:
    """Read numbers separated by blanks."""
    return np.array(text.split(), dtype="float64")


DATASETS: dict[str, Dataset] = {
    dataset.name: dataset
    for dataset in (
        Dataset(
            name="Misra1a",
            formula="y = b1 (1 - exp(-b2 x))",
            model=saturation,
            y=numbers(
                "10.07 14.73 17.94 23.93 29.61 35.18 40.02 44.82 50.76 55.05 61.01 66.40 75.47"
                " 81.78"
            ),
            x=numbers(
                "77.6 114.9 141.1 190.8 239.9 289.0 332.8 378.4 434.8 477.3 536.8 593.1 689.1 760.0"
            ),
            starts=((500.0, 1e-4), (250.0, 5e-4)),
            certified=(2.3894212918e02, 5.5015643181e-04),
            rss=1.2455138894e-01,
        ),
        Dataset(
            name="DanWood",
            formula="y = b1 x^b2",
            model=power_law,
            y=numbers("2.138 3.421 3.597 4.340 4.882 5.660"),
            x=numbers("1.309 1.471 1.490 1.565 1.611 1.680"),
            starts=((1.0, 5.0), (0.7, 4.0)),
            certified=(7.6886226176e-01, 3.8604055871e00),
            rss=4.3173084083e-03,
        ),
        Dataset(
            name="BoxBOD",
            formula="y = b1 (1 - exp(-b2 x))",
            model=saturation,
            y=numbers("109 149 149 191 213 224"),
            x=numbers("1 2 3 5 7 10"),
            starts=((1.0, 1.0), (100.0, 0.75)),
            certified=(2.1380940889e02, 5.4723748542e-01),
            rss=1.1680088766e03,
        ),
        Dataset(
            name="MGH09",
            formula="y = b1 (x^2 + x b2) / (x^2 + x b3 + b4)",
            model=rational,
            y=numbers(".1957 .1947 .1735 .1600 .0844 .0627 .0456 .0342 .0323 .0235 .0246"),
            x=numbers("4 2 1 .5 .25 .167 .125 .1 .0833 .0714 .0625"),
            starts=((25.0, 39.0, 41.5, 39.0), (0.25, 0.39, 0.415, 0.39)),
            certified=(
                1.9280693458e-01,
                1.9128232873e-01,
                1.2305650693e-01,
                1.3606233068e-01,
            ),
            rss=3.0750560385e-04,
        ),
        Dataset(
            name="Rat42",
            formula="y = b1 / (1 + exp(b2 - b3 x))",
            model=logistic,
            y=numbers("8.930 10.800 18.590 22.330 39.350 56.110 61.730 64.620 67.080"),
            x=numbers("9 14 21 28 42 57 63 70 79"),
            starts=((100.0, 1.0, 0.1), (75.0, 2.5, 0.07)),
            certified=(7.2462237576e01, 2.6180768402e00, 6.7359200066e-02),
            rss=8.0565229338e00,
        ),
        Dataset(
            name="Rat43",
            formula="y = b1 / (1 + exp(b2 - b3 x))^(1/b4)",
            model=richards,
            y=numbers(
                "16.08 33.83 65.80 97.20 191.55 326.20 386.87 520.53 590.03 651.92 724.93 699.56"
                " 689.96 637.56 717.41"
            ),
            x=numbers("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"),
            starts=((100.0, 10.0, 1.0, 1.0), (700.0, 5.0, 0.75, 1.3)),
            certified=(
                6.9964151270e02,
                5.2771253025e00,
                7.5962938329e-01,
                1.2792483859e00,
            ),
            rss=8.7864049080e03,
        ),
    )
}

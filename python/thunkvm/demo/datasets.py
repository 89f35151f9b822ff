"""The data sets of the NIST Statistical Reference Datasets (StRD) for nonlinear regression.

Data, models, starting values and certified values are NIST's, in ``nist.toml``:
https://www.itl.nist.gov/div898/strd/nls/nls_main.shtml
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import thunkvm as tv

#: Of Variables a model makes a graph, and of arrays an array.
Model = Callable[[Any, Any], Any]


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
        The same as graph: ``model(b, x)``, with b a vector of parameters and x a vector, or a
        matrix with a row for each predictor.
    x, y : array of float64, shape (m,)
        The data; x has shape ``(2, m)`` where there are two predictors.
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


def hyperbola(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """Misra1d."""
    return b[0] * b[1] * x / (1.0 + b[1] * x)


def square_hyperbola(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """Misra1b."""
    return b[0] * (1.0 - (1.0 + b[1] * x / 2.0) ** -2)


def root_hyperbola(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """Misra1c."""
    return b[0] * (1.0 - (1.0 + 2.0 * b[1] * x) ** -0.5)


def decay(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """Chwirut1 and Chwirut2: ultrasonic response by distance."""
    return tv.exp(-b[0] * x) / (b[1] + b[2] * x)


def three_exponentials(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """Lanczos1, 2 and 3."""
    return b[0] * tv.exp(-b[1] * x) + b[2] * tv.exp(-b[3] * x) + b[4] * tv.exp(-b[5] * x)


def level_and_exponentials(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """MGH17: Osborne's first problem."""
    return b[0] + b[1] * tv.exp(-x * b[3]) + b[2] * tv.exp(-x * b[4])


def two_peaks(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """Gauss1, 2 and 3: two peaks on a falling exponential."""
    return (
        b[0] * tv.exp(-b[1] * x)
        + b[2] * tv.exp(-((x - b[3]) ** 2) / b[4] ** 2)
        + b[5] * tv.exp(-((x - b[6]) ** 2) / b[7] ** 2)
    )


def peak(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """Eckerle4."""
    return b[0] / b[1] * tv.exp(-0.5 * ((x - b[2]) / b[1]) ** 2)


def power_law(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """DanWood."""
    return b[0] * x ** b[1]


def shifted_power_law(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """Bennett5: magnetisation of a superconductor."""
    return b[0] * (b[1] + x) ** (-1.0 / b[2])


def shifted_exponential(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """MGH10: Meyer's problem."""
    return b[0] * tv.exp(b[1] / (x + b[2]))


def rational(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """MGH09: Kowalik and Osborne's problem."""
    return b[0] * (x * x + x * b[1]) / (x * x + x * b[2] + b[3])


def quadratics(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """Kirby2: a quotient of two polynomials of degree 2."""
    return (b[0] + b[1] * x + b[2] * x**2) / (1.0 + b[3] * x + b[4] * x**2)


def cubics(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """Hahn1 and Thurber: a quotient of two polynomials of degree 3."""
    above = b[0] + b[1] * x + b[2] * x**2 + b[3] * x**3
    return above / (1.0 + b[4] * x + b[5] * x**2 + b[6] * x**3)


def logistic(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """Rat42: sigmoidal growth."""
    return b[0] / (1.0 + tv.exp(b[1] - b[2] * x))


def richards(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """Rat43: sigmoidal growth with one more parameter."""
    return b[0] / (1.0 + tv.exp(b[1] - b[2] * x)) ** (1.0 / b[3])


def degradation(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """Nelson: the logarithm of breakdown strength, by time and temperature."""
    return b[0] - b[1] * x[0] * tv.exp(-b[2] * x[1])


def quantum_defects(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """Roszman1."""
    return b[0] - b[1] * x - tv.arctan(b[2] / (x - b[3])) / np.pi


def three_cycles(b: tv.Variable, x: tv.Variable) -> tv.Variable:
    """ENSO: the year, and two cycles whose periods are parameters."""
    year, first, second = (2.0 * np.pi * x / period for period in (12.0, b[3], b[6]))
    return (
        b[0]
        + b[1] * tv.cos(year)
        + b[2] * tv.sin(year)
        + b[4] * tv.cos(first)
        + b[5] * tv.sin(first)
        + b[7] * tv.cos(second)
        + b[8] * tv.sin(second)
    )


MODELS: dict[str, Model] = {
    "Bennett5": shifted_power_law,
    "BoxBOD": saturation,
    "Chwirut1": decay,
    "Chwirut2": decay,
    "DanWood": power_law,
    "ENSO": three_cycles,
    "Eckerle4": peak,
    "Gauss1": two_peaks,
    "Gauss2": two_peaks,
    "Gauss3": two_peaks,
    "Hahn1": cubics,
    "Kirby2": quadratics,
    "Lanczos1": three_exponentials,
    "Lanczos2": three_exponentials,
    "Lanczos3": three_exponentials,
    "MGH09": rational,
    "MGH10": shifted_exponential,
    "MGH17": level_and_exponentials,
    "Misra1a": saturation,
    "Misra1b": square_hyperbola,
    "Misra1c": root_hyperbola,
    "Misra1d": hyperbola,
    "Nelson": degradation,
    "Rat42": logistic,
    "Rat43": richards,
    "Roszman1": quantum_defects,
    "Thurber": cubics,
}

#: What the demo fits if nothing else is said: one of each kind.
SHOWN = ("Misra1a", "DanWood", "BoxBOD", "MGH09", "Rat42", "Rat43")


def _read_dataset(name: str, table: dict[str, Any]) -> Dataset:
    columns = {key: _numbers(table[key]) for key in ("x", "x1", "x2", "y") if key in table}
    x = columns["x"] if "x" in columns else np.stack([columns["x1"], columns["x2"]])
    # Nelson's model is that of the logarithm.
    y = np.log(columns["y"]) if table["formula"].startswith("log(y)") else columns["y"]
    return Dataset(
        name=name,
        formula=table["formula"].strip(),
        model=MODELS[name],
        x=x,
        y=y,
        starts=(tuple(table["start1"]), tuple(table["start2"])),
        certified=tuple(table["certified"]),
        rss=table["rss"],
    )


def _numbers(text: str) -> npt.NDArray[np.float64]:
    return np.array(text.split(), dtype="float64")


DATASETS: dict[str, Dataset] = {
    name: _read_dataset(name, table)
    for name, table in tomllib.loads(Path(__file__).with_name("nist.toml").read_text()).items()
}

"""Coefficients of explicit Runge-Kutta methods with an embedded error and dense output."""

from __future__ import annotations

from typing import NamedTuple

Row = tuple[float, ...]


class Tableau(NamedTuple):
    """One method; its last stage is the slope at the new point, which the next step begins with.

    Parameters
    ----------
    name : str
        SciPy's name of the method.
    order : int
        The order of the estimate of the error.
    nodes : tuple of float, shape (s,)
        When the stages are, in steps.
    stages : tuple of rows
        Row i has the weights of the slopes before stage i, for its point.
    weights : tuple of float, shape (s,)
        The weights of the slopes in the step.
    errors : tuple of float, shape (s + 1,)
        The weights of the slopes, that at the new point too, in the estimate of the error.
    dense : tuple of rows, shape (s + 1, d)
        The weight of a slope at the fraction x of a step is the polynomial
        ``row[0] * x + row[1] * x**2 + ...``.
    beta : float
        How much the error of the step before counts in the next step's size; 0: not at all.
    third : tuple of float
        The weights of a second estimate of the error, of order 3; none for most methods.
    extra_nodes, extra_stages : tuple
        Nodes and rows of stages behind the new point, for the dense output alone.
    """

    name: str
    order: int
    nodes: Row
    stages: tuple[Row, ...]
    weights: Row
    errors: Row
    dense: tuple[Row, ...]
    beta: float = 0.0
    third: Row = ()
    extra_nodes: Row = ()
    extra_stages: tuple[Row, ...] = ()


#: P. Bogacki, L. F. Shampine, A 3(2) pair of Runge-Kutta formulas, 1989.
BOGACKI_SHAMPINE = Tableau(
    name="RK23",
    order=2,
    nodes=(0, 1 / 2, 3 / 4),
    stages=((), (1 / 2,), (0, 3 / 4)),
    weights=(2 / 9, 1 / 3, 4 / 9),
    errors=(5 / 72, -1 / 12, -1 / 9, 1 / 8),
    dense=((1, -4 / 3, 5 / 9), (0, 1, -2 / 3), (0, 4 / 3, -8 / 9), (0, -1, 1)),
)

#: J. R. Dormand, P. J. Prince, A family of embedded Runge-Kutta formulae, 1980; the dense output is
#: that of L. F. Shampine, Some practical Runge-Kutta formulas, 1986, with the best c*_6.
DORMAND_PRINCE = Tableau(
    name="RK45",
    order=4,
    nodes=(0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1),
    stages=(
        (),
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    ),
    weights=(35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    errors=(-71 / 57600, 0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40),
    dense=(
        (
            1,
            -8048581381 / 2820520608,
            8663915743 / 2820520608,
            -12715105075 / 11282082432,
        ),
        (0, 0, 0, 0),
        (
            0,
            131558114200 / 32700410799,
            -68118460800 / 10900136933,
            87487479700 / 32700410799,
        ),
        (0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072),
        (
            0,
            127303824393 / 49829197408,
            -318862633887 / 49829197408,
            701980252875 / 199316789632,
        ),
        (0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844),
        (0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423),
    ),
)

#: The same formulas with the control of Hairer's dopri5: E. Hairer, S. P. Norsett, G. Wanner,
#: Solving Ordinary Differential Equations I, 1993, section II.4, and IV.2 of the second volume.
DOPRI5 = DORMAND_PRINCE._replace(name="DOPRI5", beta=0.04)

__all__ = ["BOGACKI_SHAMPINE", "DOPRI5", "DORMAND_PRINCE", "Row", "Tableau"]

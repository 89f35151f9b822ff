"""
A fit of NIST's data by Levenberg and Marquardt
===============================================

The Jacobian runs only behind trials that lowered the sum of squares.

NIST publishes data sets for nonlinear regression, with certified results. Thurber's data set
describes electrons in a semiconductor by a quotient of two cubic polynomials. The seven
parameters differ by a factor of 30,000.
"""

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv
from thunkvm.demo.datasets import DATASETS

thurber = DATASETS["Thurber"]
print(thurber.formula)

# %%
# The residuals are a graph, and the solver derives the Jacobian from it. A trial costs the
# residuals alone. The Jacobian runs only behind a trial that lowered the sum of squares.


def residuals(b, x, y):
    return thurber.model(b, x) - y


with tv.profile() as profile:
    fits = [
        tv.optimize.least_squares(
            residuals, np.array(start), args=(thurber.x, thurber.y), ftol=1e-14, xtol=1e-10
        )
        for start in thurber.starts
    ]
for fit in fits:
    print(f"{fit.nfev} trials, {fit.njev} Jacobians, sum of squares {2 * fit.cost:.7e}")

# %%
# Both starts end at the certified parameters. The profile says how often the branch was taken.

lower = next(row for row in profile.functions[0].conditions if row.text == "the cost is lower")
print(lower.text, {arm.name: arm.taken for arm in lower.arms})
for fit in fits:
    assert fit.success
    assert fit.njev < fit.nfev
    np.testing.assert_allclose(fit.x, thurber.certified, rtol=1e-6)

# %%
x = np.linspace(thurber.x.min(), thurber.x.max(), 300)
figure, (top, bottom) = plt.subplots(
    2, 1, figsize=(7, 5), sharex=True, height_ratios=[3, 1], layout="constrained"
)
top.plot(thurber.x, thurber.y, "o", markersize=4, label="data")
top.plot(x, thurber.model(fits[0].x, x), label="fit")
for start in thurber.starts:
    top.plot(x, thurber.model(np.array(start), x), "--", linewidth=1, label="start")
top.set(title="Thurber's electrons", ylabel="mobility", ylim=(-100, 1700))
top.legend()
bottom.axhline(0.0, color="gray", linewidth=0.8)
bottom.plot(thurber.x, fits[0].fun, "o", markersize=3)
bottom.set(xlabel="log of the density", ylabel="residual")
plt.show()

# %%
# Top: the data, the fit, and the curves of the two starts. Bottom: the residuals of the fit.

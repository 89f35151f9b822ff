"""
Robust regression
=================

A loss that grows slowly leaves wild measurements aside.

A curve has 60 good measurements and 15 wild ones. Least squares follows the wild ones. Other
losses do not.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv

rng = np.random.default_rng(4)
time = np.linspace(0.0, 10.0, 75)
truth = {"height": 2.0, "rate": 0.4, "speed": 3.0}


def wave(b, t):
    return b["height"] * tv.exp(-b["rate"] * t) * tv.sin(b["speed"] * t)


signal = truth["height"] * np.exp(-truth["rate"] * time) * np.sin(truth["speed"] * time)
values = signal + rng.normal(scale=0.05, size=75)
wild = rng.choice(75, 15, replace=False)
values[wild] += rng.uniform(1.0, 3.0, size=15)

# %%
# The last loss is a function of ours. The solver derives its slopes. The Jacobian runs only
# behind trials that helped.


def residuals(b, t, y):
    return wave(b, t) - y


def geman(squares):
    return squares / (1.0 + squares)


start = {"height": 1.0, "rate": 0.2, "speed": 2.8}
losses: dict[str, Any] = {"least squares": "linear", "soft L1": "soft_l1", "Geman": geman}
fits = {}
for name, loss in losses.items():
    fit = tv.optimize.least_squares(residuals, start, args=(time, values), loss=loss, f_scale=0.2)
    fits[name] = fit.x
    found = {key: round(float(value), 3) for key, value in fit.x.items()}
    print(f"{name}: {found}, {fit.nfev} trials, {fit.njev} Jacobians")
    assert fit.njev <= fit.nfev


def error(x):
    return max(abs(float(x[key]) - truth[key]) for key in truth)


assert error(fits["Geman"]) < 0.05 < error(fits["least squares"])

# %%
fine = np.linspace(0.0, 10.0, 400)
plt.figure(figsize=(8, 4), layout="constrained")
plt.plot(time, values, "k.", markersize=5)
plt.plot(time[wild], values[wild], "rx", label="wild")
curve = tv.function([t := tv.vector("t")], [wave(x, t) for x in fits.values()])
for name, line in zip(fits, curve(fine), strict=True):
    plt.plot(fine, line, label=name)
plt.legend()
plt.xlabel("time")
plt.show()

# %%
# The measurements, with crosses on the wild ones, and the three fits. Least squares is drawn to
# the crosses.

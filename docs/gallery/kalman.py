"""
A Kalman filter with missing observations
=========================================

A filter corrects its state only where the sensor reports.

A sensor measures the level of a river, with noise, and fails now and then. The filter predicts
the level, and corrects it where there is a report. The correction is one arm of a conditional.
"""

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv

rng = np.random.default_rng(5)
truth = np.cumsum(np.cumsum(rng.normal(scale=0.05, size=200)))
reports = truth + rng.normal(scale=1.0, size=200)
reports[(np.arange(200) % 50 > 30) | (rng.random(200) < 0.2)] = np.nan

# %%
# The state is the level and the slope, with their covariance. The third state sums the
# log-likelihood.

variances, series = tv.tensor("variances", shape=(2,)), tv.vector("series")
move = tv.constant([[1.0, 1.0], [0.0, 1.0]])
noise = tv.stack([0.0, variances[0]]) * tv.eye(2)


def step(state, report):
    mean, spread, total = state
    mean, spread = move @ mean, move @ spread @ move.T + noise
    error, variance = report - mean[0], spread[0, 0] + variances[1]
    gain = tv.counted(spread[:, 0] / variance, "corrections")
    surprise = 0.5 * (tv.log(variance) + error**2 / variance)
    corrected = (mean + gain * error, spread - tv.outer(gain, spread[0]), total - surprise)
    mean, spread, total = tv.ifelse(tv.isnan(report), (mean, spread, total), corrected)
    return (mean, spread, total), (mean[0], spread[0, 0])


start = (np.zeros(2), 10.0 * np.eye(2), 0.0)
(_, _, likelihood), (levels, spreads) = tv.scan_carry(step, start, series)

# %%
# The likelihood and its gradient are one function, which a solver calls. It finds the two
# variances from the data.

smooth = tv.function([variances, series], [levels, spreads])
best = tv.optimize.minimize(
    -likelihood, {variances: np.array([0.1, 0.5])}, args={series: reports},
    bounds=tv.optimize.Bounds(1e-6, np.inf),
)  # fmt: skip
level, spread = smooth(best.x[variances], reports)
print(best.message, best.x[variances])
print(f"{smooth.counts()} of {len(reports)} steps")

assert best.success
assert smooth.counts()["corrections"] == np.isfinite(reports).sum()
assert np.mean(np.abs(level - truth) < 3.0 * np.sqrt(spread)) > 0.95

# %%
time, width = np.arange(len(truth)), 2.0 * np.sqrt(spread)
plt.figure(figsize=(8, 4), layout="constrained")
plt.fill_between(time, level - width, level + width, alpha=0.3, label="two deviations")
plt.plot(time, level, label="filter")
plt.plot(time, truth, "k--", linewidth=1, label="truth")
plt.plot(time, reports, ".", color="tab:red", markersize=4, label="reports")
plt.title("the band widens where reports are missing")
plt.legend()
plt.show()

# %%
# The filter's level with a band of two deviations, the true level, and the reports. The band
# widens where reports are missing.

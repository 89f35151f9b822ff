"""
A mixture of Gaussians by EM, with an early stop
================================================

A loop guesses groups of points, and stops when the likelihood stands still.

Three groups of points overlap. The EM algorithm guesses the group of each point, then the groups
from the guesses. It repeats both. The stop is the condition of a loop.
"""

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv

rng = np.random.default_rng(11)
centers = np.array([[0.0, 0.0], [3.0, 1.0], [1.0, 4.0]])
groups = rng.integers(3, size=600)
points = centers[groups] + rng.normal(size=(600, 2)) * np.array([0.6, 0.9, 0.7])[groups, None]

# %%
# A pass has both halves of EM. It counts itself, so that the counts show the stop.

data, first = tv.matrix("data"), tv.matrix("first")


def logs(means, variances, shares):
    distance = tv.sum((data[:, None, :] - means) ** 2, axis=2)
    return tv.log(shares) - tv.log(2.0 * np.pi * variances) - 0.5 * distance / variances


def improve(s):
    parts = logs(s["means"], s["variances"], s["shares"])
    total = tv.logsumexp(parts, axis=1)
    likelihood = tv.counted(tv.mean(total), "passes")
    weights = tv.exp(parts - total[:, None])
    size = tv.sum(weights, axis=0)
    means = weights.T @ data / size[:, None]
    distance = tv.sum((data[:, None, :] - means) ** 2, axis=2)
    return {
        "means": means,
        "variances": tv.sum(weights * distance, axis=0) / (2.0 * size),
        "shares": size / data.shape[0],
        "likelihood": likelihood,
        "gain": likelihood - s["likelihood"],
    }


start = {
    "means": first, "variances": tv.ones(3), "shares": tv.ones(3) / 3.0,
    "likelihood": -1e10, "gain": 1e10,
}  # fmt: skip
loop = tv.while_loop(lambda s: s["gain"] > 1e-7, improve, start, max_steps=500, history="all")
fit = tv.function(
    [data, first],
    [loop["means"], loop["variances"], loop.history["likelihood"], loop.history["means"]],
)
means, variances, likelihoods, path = fit(points, points[:3])
print(f"{fit.counts()} of at most 500")
print(means.round(2), np.sqrt(variances).round(2))

order = [np.argmin(np.sum((means - center) ** 2, axis=1)) for center in centers]
assert fit.counts()["passes"] == len(likelihoods) < 500
assert np.allclose(means[order], centers, atol=0.3)
assert np.all(np.diff(likelihoods) > -1e-12)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
left.scatter(*points.T, c=groups, s=6, cmap="Set2")
for k in range(3):
    left.plot(path[:, k, 0], path[:, k, 1], "k.-", markersize=3, linewidth=1)
    left.add_patch(plt.Circle(means[k], 2.0 * np.sqrt(variances[k]), fill=False))
left.set(title="the paths of the means", aspect="equal")
right.plot(likelihoods, ".-")
right.set(title="mean log-likelihood", xlabel="pass")
plt.show()

# %%
# Left: the points, and the paths of the three means. A circle has a radius of two deviations.
# Right: the likelihood rises from pass to pass, and then stands still.

"""
A Gaussian process that mends its matrix
========================================

A second Cholesky factor runs only where the first one failed.

A Gaussian process factors a matrix of covariances. Measurements that lie close together make this
matrix singular. Then the factor fails, and a small number on the diagonal helps.
"""

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv

rng = np.random.default_rng(8)
times = np.sort(rng.uniform(0.0, 10.0, size=30))
values = np.sin(times) + 0.3 * times + rng.normal(scale=0.1, size=30)
values -= values.mean()

scales, x, y, at = tv.vector("scales"), tv.vector("x"), tv.vector("y"), tv.vector("at")
height, width, noise = tv.exp(scales[0]), tv.exp(scales[1]), tv.exp(scales[2])


def covariance(a, b):
    return height**2 * tv.exp(-0.5 * ((a[:, None] - b[None, :]) / width) ** 2)


plain = covariance(x, x) + noise**2 * tv.eye(x.shape[0])
mended = plain + 1e-6 * height**2 * tv.eye(x.shape[0])
factor = tv.attempt(
    tv.counted(tv.cholesky(plain), "plain"),
    tv.counted(tv.cholesky(mended), "mended"),
    on=np.linalg.LinAlgError,
)

# %%
# The evidence of the data chooses the scales. A prior keeps them near 1.

weights = tv.cho_solve((factor, True), y)
evidence = -0.5 * tv.dot(y, weights) - tv.sum(tv.log(tv.diagonal(factor)))
goal = -evidence + 0.02 * tv.sum(scales**2)
best = tv.optimize.minimize(goal, {scales: np.array([0.0, 0.0, -1.0])}, args={x: times, y: values})
print(best.message, np.exp(best.x[scales]).round(3))

# %%
# The prediction needs the weights, and the band needs one more solution. A call for the mean
# alone computes no band.

cross = covariance(at, x)
mean = cross @ weights
half = tv.counted(tv.solve_triangular(factor, cross.T, lower=True), "bands")
band = tv.sqrt(tv.maximum(height**2 - tv.sum(half**2, axis=0), 0.0))
predict = tv.function([scales, x, y, at], [mean, band])
fine = np.linspace(-1.0, 11.0, 300)
line, width_of_band = predict(best.x[scales], times, values, fine)
print(predict.counts())
assert predict.counts() == {"plain": 1, "mended": 0, "bands": 1}

# %%
# Without noise, and with each time twice, the plain matrix is singular.

twice = np.repeat(times, 2)
exact = best.x[scales].copy()
exact[2] = -30.0
means, _ = predict(exact, twice, np.repeat(values, 2), fine)
print(predict.counts())
assert best.success
assert np.sqrt(np.mean((line[30:-30] - np.interp(fine, times, values)[30:-30]) ** 2)) < 0.2
assert predict.counts()["mended"] == 1
assert np.all(np.isfinite(means))

# %%
plt.figure(figsize=(8, 4), layout="constrained")
plt.fill_between(fine, line - 2 * width_of_band, line + 2 * width_of_band, alpha=0.3)
plt.plot(fine, line, label="mean")
plt.plot(times, values, "k.", label="data")
plt.legend()
plt.title("the mean, and two deviations")
plt.show()

# %%
# The line is the mean of the process, and the band is two deviations wide on each side.

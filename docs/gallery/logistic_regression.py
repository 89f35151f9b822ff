"""
Logistic regression by L-BFGS
=============================

A line search takes a gradient only where the value is low enough.

A classifier of two classes has 28 weights: one for each product of powers of the inputs. The
solver finds them by L-BFGS.
"""

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv

rng = np.random.default_rng(3)
turn = rng.uniform(0.0, np.pi, 200)
moons = np.r_[np.c_[np.cos(turn), np.sin(turn)], np.c_[1.0 - np.cos(turn), 0.5 - np.sin(turn)]]
points = moons + rng.normal(scale=0.15, size=moons.shape)
labels = np.repeat([0.0, 1.0], 200)


def features(p):
    return np.stack([p[:, 0] ** i * p[:, 1] ** j for i in range(7) for j in range(7 - i)], axis=1)


# %%
# The loss is the mean of log(1 + exp(-margin)), plus a small penalty. The solver derives its
# gradient.


def loss(weights, inputs, labels):
    margin = (2.0 * labels - 1.0) * (inputs @ weights)
    return tv.mean(tv.softplus(-margin)) + 1e-4 * tv.sum(weights**2)


inputs = features(points)
with tv.profile() as profile:
    result = tv.optimize.minimize(
        loss, np.zeros(inputs.shape[1]), args=(inputs, labels), method="L-BFGS"
    )
print(result.message)
print(f"{result.nit} steps, {result.nfev} values, {result.njev} gradients")

# %%
# The profile shows the branch: the gradient runs in the arm of "low enough".

low = next(row for row in profile.functions[0].conditions if row.text == "low enough")
print(low.text, {arm.name: arm.taken for arm in low.arms})
right_ones = np.mean((inputs @ result.x > 0) == labels)
print(f"{right_ones:.1%} of the points are on the right side")

assert result.success
assert result.njev < result.nfev
assert right_ones > 0.95

# %%
x, y = np.meshgrid(np.linspace(-1.6, 2.6, 150), np.linspace(-1.2, 1.7, 150))
height = (features(np.c_[x.ravel(), y.ravel()]) @ result.x).reshape(x.shape)
plt.figure(figsize=(6.5, 4), layout="constrained")
plt.contourf(x, y, 1.0 / (1.0 + np.exp(-height)), levels=20, cmap="RdBu_r", alpha=0.7)
plt.contour(x, y, height, levels=[0.0], colors="black")
plt.scatter(*points.T, c=labels, cmap="RdBu_r", s=12, edgecolors="black", linewidths=0.3)
plt.title("the probability of the second class")
plt.show()

# %%
# The points of both classes. The colour behind them is the probability of the second class. It is
# one half on the line.

"""
Armijo's line search on Rosenbrock's function
=============================================

Armijo's rule halves a step until the value falls by enough.

Gradient descent on a curved valley needs a good step. Each halving costs one value. The gradient
runs only at the point that was accepted.
"""

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv


def rosenbrock(p):
    return 100.0 * (p[1] - p[0] ** 2) ** 2 + (1.0 - p[0]) ** 2


# %%
# One pass of the loop is one trial. The conditional is the line search: an accepted trial moves
# the point, takes a new gradient and doubles the step. A refused trial halves the step and
# keeps the rest.


def trial(s):
    point = s["point"] - s["rate"] * s["slope"]
    value = tv.counted(rosenbrock(point), "values")
    enough = s["value"] - 1e-4 * s["rate"] * tv.sum(s["slope"] ** 2)
    slope = tv.counted(tv.grad(value, point), "gradients")
    moved = {"point": point, "value": value, "slope": slope, "rate": 2.0 * s["rate"]}
    kept = {**s, "rate": 0.5 * s["rate"]}
    return tv.ifelse(value < enough, moved, kept)


start = tv.vector("start")
first = rosenbrock(start)
state = {"point": start, "value": first, "slope": tv.grad(first, start), "rate": 1.0}
loop = tv.while_loop(
    lambda s: tv.max(tv.abs(s["slope"])) > 1e-4, trial, state, max_steps=20_000, history="all"
)
descend = tv.function([start], [loop.history["point"], loop.steps])

path, trials = descend(np.array([-1.2, 1.0]))
counts = descend.counts()
print(f"{trials} trials: {counts}")

# %%
# The descent ends at the minimum. Half of the trials were refused, and had no gradient.

assert np.allclose(path[-1], [1.0, 1.0], atol=1e-3)
assert counts["gradients"] < 0.6 * counts["values"]

# %%
x, y = np.meshgrid(np.linspace(-1.5, 1.5, 200), np.linspace(-0.5, 1.5, 200))
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
left.contour(x, y, rosenbrock([x, y]), levels=np.geomspace(0.1, 500.0, 12), cmap="viridis")
left.plot(path[:, 0], path[:, 1], ".-", color="tab:red", markersize=3, linewidth=0.8)
left.set(title="the path of the descent", xlabel="x", ylabel="y")
right.bar(list(counts), list(counts.values()), color=["tab:blue", "tab:orange"])
right.set(title="computations")
plt.show()

# %%
# Left: the accepted points, on their way along the valley to (1, 1). Right: how often the value
# and the gradient were computed.

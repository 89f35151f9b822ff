"""
Hamiltonian Monte Carlo on a banana
===================================

Trajectories that diverge end at once, and save their gradients.

Hamiltonian Monte Carlo moves a point along the slopes of a density. Each leap needs a gradient. A
step that is too large makes the energy diverge. Such a trajectory would be refused anyway.
"""

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv


def banana(p):
    return -0.5 * p[0] ** 2 - 2.0 * (p[1] - p[0] ** 2) ** 2


# %%
# The chain is a part of a graph, and the size of a leap is an input. So one compiled function
# serves all sizes.

size = tv.scalar("size")
chain = tv.optimize.hmc(
    banana, np.array([0.0, 0.0]), tv.random.key(1), 2000, step_size=size, length=20
)
draw = tv.function([size], [chain.x, tv.mean(chain.accepted), tv.sum(chain.history.leaps)])

sizes = [0.05, 0.1, 0.2, 0.4, 0.8]
rates, gradients = [], []
for value in sizes:
    draw.reset_counters()
    points, rate, leaps = draw(value)
    rates.append(float(rate))
    gradients.append(draw.counts()["njev"])
    print(f"leap {value}: {rate:.0%} accepted, {gradients[-1]} gradients")
    if value == 0.2:
        kept = points

# %%
# Small leaps always take 20 gradients each. Large leaps diverge early and take far fewer.

assert gradients[0] == 2000 * 20 + 1
assert gradients[-1] < gradients[0] / 2
assert abs(np.mean(kept[:, 0])) < 0.2
assert abs(np.var(kept[:, 0]) - 1.0) < 0.2

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
x, y = np.meshgrid(np.linspace(-3.2, 3.2, 200), np.linspace(-2.0, 9.0, 200))
left.contour(x, y, np.exp(banana([x, y])), levels=6, cmap="viridis")
left.plot(*kept.T, ".", color="tab:red", markersize=2, alpha=0.5)
left.set(title="draws with leaps of 0.2")
right.bar(range(5), gradients, tick_label=sizes)
right.axhline(gradients[0], color="gray", linestyle="--", linewidth=1)
right.set(title="gradients that ran", xlabel="size of a leap")
plt.show()

# %%
# Left: the draws, on the contours of the density. Right: how many gradients ran for each size of
# a leap. The dashed line is 20 for each trajectory.

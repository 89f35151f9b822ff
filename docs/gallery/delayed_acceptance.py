"""
Metropolis with delayed acceptance
==================================

A cheap formula refuses bad proposals before a costly simulation runs.

Each value of a posterior density may need a simulation. Here it is a pendulum, whose friction and
length are sought. The formula holds for small swings. The simulation runs only for promising
proposals.
"""

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv

times = np.linspace(0.5, 5.0, 10)


def swing(length, friction):
    def slope(t, y):
        return [y[1], -9.81 / length * tv.sin(y[0]) - friction * y[1]]

    path = tv.optimize.integrate(slope, (0.0, 5.0), [1.0, 0.0], rtol=1e-5)
    return tv.counted(path.at(times)[:, 0], "simulations")


def small_swing(length, friction):
    speed = tv.sqrt(9.81 / length)
    slower = 1.0 - 1.0 / 16.0  # a swing of 1 radian takes longer than a small one
    return tv.exp(-0.5 * friction * times) * tv.cos(slower * speed * times)


def density_by(model):
    def density(p, angles):
        return -0.5 * tv.sum(((model(p[0], p[1]) - angles) / 0.05) ** 2)

    return density


truth = np.array([1.3, 0.25])
angles = tv.function([], swing(*truth))() + np.random.default_rng(7).normal(scale=0.05, size=10)

# %%
# The second decision mends what the cheap formula got wrong. So the chain has the distribution
# of the simulation.


def cheap(p, angles):
    return 0.3 * density_by(small_swing)(p, angles)


chain = tv.optimize.metropolis(
    density_by(swing),
    truth,
    tv.random.key(2),
    3000,
    scale=[0.04, 0.08],
    cheap=cheap,
    args=(angles,),
)
f = tv.function([], [chain.x, tv.sum(chain.accepted)])
draws, accepted = f()
counts = f.counts()
print(f"{counts['ncheap']} formulas, {counts['simulations']} simulations, {accepted} accepted")
for name, column, true in zip(["length", "friction"], draws.T, truth, strict=True):
    print(f"{name}: {column.mean():.3f} +- {column.std():.3f} (true: {true})")

assert counts["simulations"] < 0.5 * counts["ncheap"]
assert np.all(np.abs(draws.mean(axis=0) - truth) < 4.0 * draws.std(axis=0))

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
left.plot(*draws.T, ".", markersize=3, alpha=0.3)
left.plot(*truth, "r*", markersize=12, label="truth")
left.set(title="the posterior", xlabel="length", ylabel="friction")
left.legend()
right.barh(
    ["proposals", "simulations", "accepted"],
    [counts["ncheap"] - 1, counts["simulations"] - 1, accepted],
)
right.invert_yaxis()
right.set(title="who got how far")
plt.show()

# %%
# Left: the draws of the chain, and the truth. Right: how many proposals there were, how many
# reached the simulation, and how many were accepted.

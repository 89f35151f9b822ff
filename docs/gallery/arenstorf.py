"""
Arenstorf's orbit
=================

A spacecraft flies around the earth and the moon, with steps that differ a thousandfold.

The orbit is closed (R. F. Arenstorf, 1963). The spacecraft is slow far away, and fast near the
earth and the moon. The solver changes its step by a factor of a thousand, and refuses some steps.
"""

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv

MOON = 0.012277471


def orbit(t, y):
    x, z, u, v = y[0], y[1], y[2], y[3]
    earth = ((x + MOON) ** 2 + z**2) ** 1.5
    moon = ((x - 1.0 + MOON) ** 2 + z**2) ** 1.5
    pull_x = x + 2.0 * v - (1.0 - MOON) * (x + MOON) / earth - MOON * (x - 1.0 + MOON) / moon
    pull_z = z - 2.0 * u - (1.0 - MOON) * z / earth - MOON * z / moon
    return [u, v, pull_x, pull_z]


# %%
# DOP853 computes three more stages where a curve between the steps is asked for. They run
# behind accepted steps only.

period = 17.0652165601579625588917206249
start = np.array([0.994, 0.0, 0.0, -2.00158510637908252240537862224])
times = np.linspace(0.0, period, 1500)
path = tv.optimize.integrate(
    orbit, (0.0, period), tv.constant(start), "DOP853", rtol=1e-11, atol=1e-11
)
f = tv.function([], [path.y, path.at(times), path.ts, path.steps])
with f.profile() as profile:
    end, places, steps, tried = f()

accepted = next(row for row in profile.functions[0].conditions if row.text == "accepted")
taken = {arm.name: arm.taken for arm in accepted.arms}
print(f"{tried} steps: {taken}")
print(f"the gap after one period: {np.abs(end[:2] - start[:2]).max():.1e}")

sizes = np.diff(steps)
assert np.allclose(end[:2], start[:2], atol=1e-5)
assert taken["else"] == tried - len(sizes) > 0
assert sizes.max() > 100.0 * sizes.min()

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
left.plot(places[:, 0], places[:, 1], linewidth=1)
left.plot(-MOON, 0.0, "o", color="tab:green", markersize=10, label="earth")
left.plot(1.0 - MOON, 0.0, "o", color="gray", markersize=5, label="moon")
left.set(title="the orbit, in a frame that turns", aspect="equal")
left.legend()
right.semilogy(steps[1:], sizes, ".-", markersize=3, linewidth=0.8)
right.set(title="sizes of accepted steps", xlabel="time")
plt.show()

# %%
# Left: one period of the orbit, which closes. Right: the accepted steps. They are smallest beside
# the moon, where the orbit begins and ends.

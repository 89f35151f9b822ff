"""
An image without its noise, by FISTA
====================================

A trial of FISTA costs one value, and an accepted one a gradient.

Total variation keeps edges and removes noise. Its dual problem has a simple form: least squares
over arrows of bounded length (A. Chambolle, 2004). FISTA solves it.
"""

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv

x, y = np.meshgrid(np.linspace(-1.0, 1.0, 96), np.linspace(-1.0, 1.0, 96))
clean = 0.2 + 0.6 * (x**2 + y**2 < 0.5) - 0.4 * (np.maximum(abs(x - 0.1), abs(y + 0.1)) < 0.25)
noisy = clean + np.random.default_rng(6).normal(scale=0.15, size=clean.shape)

# %%
# An arrow is a difference across and a difference down. The divergence of all arrows is the
# noise that is removed.


def divergence(arrows):
    across = tv.pad(arrows[0][:, :-1], ((0, 0), (1, 1)))
    down = tv.pad(arrows[1][:-1, :], ((1, 1), (0, 0)))
    return across[:, 1:] - across[:, :-1] + down[1:, :] - down[:-1, :]


def misfit(arrows, image, limit):
    return 0.5 * tv.sum((image + divergence(arrows)) ** 2)


def shorten(arrows, t, image, limit):
    length = tv.sqrt(tv.sum(arrows**2, axis=0))
    return arrows / tv.maximum(1.0, length / limit)


limit = 0.2
with tv.profile() as profile:
    result = tv.optimize.minimize(
        misfit, np.zeros((2, 96, 96)), args=(noisy, limit), method="fista",
        options={"prox": shorten, "xtol": 1e-3, "maxiter": 1000},
    )  # fmt: skip
image = tv.constant(noisy)
restored = tv.function([], image + divergence(tv.constant(result.x)))()

print(result.message)
print(f"{result.nfev} values, {result.njev} gradients")


def error(picture):
    return np.sqrt(np.mean((picture - clean) ** 2))


print(f"error before {error(noisy):.3f}, after {error(restored):.3f}")
assert result.success
assert result.njev < result.nfev
assert error(restored) < 0.4 * error(noisy)

# %%
figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
for axis, picture, title in zip(
    axes, [clean, noisy, restored], ["the image", "with noise", "restored"], strict=True
):
    axis.imshow(picture, cmap="gray", vmin=-0.2, vmax=1.0)
    axis.set(title=title, xticks=[], yticks=[])
plt.show()

# %%
# The image, the image with noise, and the restored one. Flat parts are smooth again, and edges
# are sharp.

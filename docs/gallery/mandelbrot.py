"""
The Mandelbrot set, a loop for each pixel
=========================================

Each pixel has a loop of its own, which ends when the pixel escapes.

A pixel belongs to the set if z = z² + c stays small. Most pixels escape after a few steps. An
array program goes on with all of them until the last one is done.
"""

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv

LIMIT = 200


def escape(x, y):
    def step(s):
        u, v = s
        return tv.counted(u * u - v * v + x, "steps"), 2.0 * u * v + y

    return tv.while_loop(lambda s: s[0] ** 2 + s[1] ** 2 < 4.0, step, (0.0, 0.0), max_steps=LIMIT)


# %%
# The function of one pixel is batched over the image. The loops stay apart, since their lengths
# differ.

xs, ys = tv.vector("xs"), tv.vector("ys")
picture = tv.function([xs, ys], tv.vmap(lambda x, y: escape(x, y).steps)(xs, ys))

across, down = np.linspace(-2.1, 0.7, 420), np.linspace(-1.2, 1.2, 360)
x, y = np.meshgrid(across, down)
steps = picture(x.ravel(), y.ravel()).reshape(x.shape)

# %%
# The counts say how much work was left out.

ran, all_steps = picture.counts()["steps"], LIMIT * x.size
print(f"{ran:,} steps of {all_steps:,}: {ran / all_steps:.0%}")

assert ran == steps.sum()
assert ran < all_steps / 2
assert steps[180, np.abs(across + 0.1).argmin()] == LIMIT  # inside
assert steps[0, 0] < 3  # far outside

# %%
plt.figure(figsize=(7, 5.4), layout="constrained")
plt.imshow(np.log(steps), extent=(-2.1, 0.7, -1.2, 1.2), cmap="magma", origin="lower")
plt.colorbar(label="log of the steps")
plt.title("how long each pixel stayed")
plt.show()

# %%
# The steps of each pixel. Dark pixels escape at once, and the brightest ones never.

"""
Branches in a batch: light through a prism
==========================================

Each ray takes its own branches, and its own number of reflections.

A ray of light that meets glass is bent, or it is mirrored. An array program would compute all
branches of all rays, and choose afterwards.
"""

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv

INDEX = 1.6
LAMP = np.array([-1.6, -0.3])
CORNERS = np.array([[0.0, 1.0], [-0.9, -0.6], [0.9, -0.6]])
SIDES = np.roll(CORNERS, -1, axis=0) - CORNERS
NORMALS = np.c_[SIDES[:, 1], -SIDES[:, 0]] / np.linalg.norm(SIDES, axis=1)[:, None]


def meet(place, way):
    """Return where a ray from inside leaves, and the normal there."""
    ahead = NORMALS @ way
    distance = tv.sum(NORMALS * (CORNERS - place), axis=1) / ahead
    side = tv.argmin(tv.where((ahead > 1e-9) & (distance > 1e-9), distance, np.inf))
    return place + distance[side] * way, tv.constant(NORMALS)[side]


def bend(way, normal, ratio):
    """Return the way behind a surface by Snell's law, and whether there is one."""
    cosine = tv.dot(normal, way)
    square = 1.0 - ratio**2 * (1.0 - cosine**2)
    passes = square > 0.0
    passed = tv.counted(ratio * way + (tv.sqrt(square) - ratio * cosine) * normal, "bent")
    mirrored = tv.counted(way - 2.0 * cosine * normal, "mirrored")
    return tv.ifelse(passes, passed, mirrored), passes


# %%
# A ray comes from a lamp, enters on the left, and is mirrored inside until it leaves. That is a
# loop around a conditional.


def trace(height):
    place = tv.stack([-0.9 + 0.9 * (height + 0.6) / 1.6, height])
    way, _ = bend((place - LAMP) / tv.norm(place - LAMP), tv.constant(-NORMALS[0]), 1.0 / INDEX)

    def step(s):
        place, normal = meet(s["path"][s["n"]], s["way"])
        way, passes = bend(s["way"], normal, INDEX)
        path = s["path"][s["n"] + 1].set(place)
        return {"path": path, "way": way, "inside": tv.logical_not(passes), "n": s["n"] + 1}

    path = tv.full((10, 2), np.nan)[0].set(place)
    start = {"path": path, "way": way, "inside": True, "n": 0}
    end = tv.while_loop(lambda s: s["inside"], step, start, max_steps=8)
    return end["path"], end["way"], end["n"]


heights = tv.vector("heights")
trace_all = tv.function([heights], tv.vmap(trace)(heights))
paths, ways, steps = trace_all(np.linspace(-0.55, 0.95, 40))
counts = trace_all.counts()
print(f"{counts}; meetings of a ray: {np.bincount(steps)}")

assert counts["mirrored"] + counts["bent"] == 40 + steps.sum()
assert counts["mirrored"] > 0
np.testing.assert_allclose(np.linalg.norm(ways, axis=1), 1.0)

# %%
plt.figure(figsize=(7, 4.2), layout="constrained")
plt.fill(*CORNERS.T, color="tab:blue", alpha=0.2)
for path, way, n in zip(paths, ways, steps, strict=True):
    ends = [LAMP, *path[: n + 1], path[n] + way]
    plt.plot(*np.array(ends).T, linewidth=0.8, color="tab:orange" if n == 1 else "tab:red")
plt.axis("equal")
plt.title("rays through a prism")
plt.show()

# %%
# Orange rays leave the prism where they first meet a side. Red rays are mirrored inside before
# they leave.

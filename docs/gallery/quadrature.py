"""
Adaptive quadrature
===================

Panels are split only where the function bends.

An integral needs many points where the function bends, and few elsewhere. Simpson's rule compares
one panel with its two halves. Where they agree, the panel is done. Where they differ, both halves
wait on a stack.
"""

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv


def peak(x):
    return tv.counted(1.0 / ((x - 0.3) ** 2 + 1e-4) + 1.0 / ((x - 0.9) ** 2 + 4e-3), "points")


# %%
# A row of the stack is a panel: its two ends, and the values at its ends and its middle. A pass
# takes the panel at the top and computes two points. New rows are made only in the arm of a
# panel that has to be split.

DEPTH = 60


def simpson(width, left, middle, right):
    return width / 6.0 * (left + 4.0 * middle + right)


def refine(s):
    panel = s["stack"][s["top"]]
    a, b, left, middle, right = (panel[k] for k in range(5))
    center, half = 0.5 * (a + b), 0.5 * (b - a)
    first, last = peak(0.5 * (a + center)), peak(0.5 * (center + b))
    coarse = simpson(2.0 * half, left, middle, right)
    fine = simpson(half, left, first, middle) + simpson(half, middle, last, right)
    error = (fine - coarse) / 15.0
    good = tv.abs(error) < 1e-4 * half
    good.name = "good enough"
    lower = tv.stack([a, center, left, first, middle])
    upper = tv.stack([center, b, middle, last, right])
    pushed = s["stack"][s["top"]].set(upper)[s["top"] + 1].set(lower)
    done = {"stack": s["stack"], "top": s["top"] - 1, "sum": s["sum"] + fine + error}
    split = {"stack": pushed, "top": s["top"] + 1, "sum": s["sum"]}
    return {**tv.ifelse(good, done, split), "middle": center}


a, b = tv.scalar("a"), tv.scalar("b")
panel = tv.stack([a, b, peak(a), peak(0.5 * (a + b)), peak(b)])
start = {"stack": tv.zeros((DEPTH, 5))[0].set(panel), "top": 0, "sum": 0.0, "middle": 0.0}
loop = tv.while_loop(lambda s: s["top"] >= 0, refine, start, max_steps=100_000, history="all")
integrate = tv.function([a, b], [loop["sum"], loop.history["middle"]])
with integrate.profile() as profile:
    area, middles = integrate(0.0, 1.0)


def exact(x):
    return 100.0 * np.arctan(100.0 * (x - 0.3)) + np.arctan((x - 0.9) / np.sqrt(4e-3)) / np.sqrt(
        4e-3
    )


row = next(row for row in profile.functions[0].conditions if row.text == "good enough")
print(f"area {area:.12f}, error {area - (exact(1.0) - exact(0.0)):.1e}")
print(f"{integrate.counts()}; {row.text}: {[(arm.name, arm.taken) for arm in row.arms]}")
assert np.isclose(area, exact(1.0) - exact(0.0), rtol=1e-6)
assert row.arms[0].taken == row.arms[1].taken + 1  # a binary tree has one leaf more

# %%
x = np.linspace(0.0, 1.0, 1000)
plt.figure(figsize=(8, 3.8), layout="constrained")
plt.semilogy(x, tv.function([v := tv.vector("v")], peak(v))(x))
plt.plot(middles, np.full(len(middles), 11.0), "|", color="tab:red", label="middles of panels")
plt.legend()
plt.show()

# %%
# The function, and a mark for each panel that was looked at. The panels are dense at the two
# peaks.

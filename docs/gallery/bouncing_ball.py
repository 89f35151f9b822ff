"""
A ball that bounces
===================

The bounces are events of a differential equation, and gradients go through them.

A ball flies until it meets the ground. The moment of the bounce is an event of the differential
equation. The solver searches for it only in the step in which the height changes its sign.
"""

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv


def fall(t, y, drag):
    return [y[1], -9.81 - drag * y[1] * tv.abs(y[1])]


def ground(t, y, drag):
    return tv.counted(y[0], "looks at the ground")


ground.terminal, ground.direction = True, -1

# %%
# One flight is a solution up to its event. A loop of flights is still one function, with a
# gradient.

kept, drag = tv.scalar("kept"), tv.scalar("drag")
samples = np.linspace(0.0, 1.0, 40)


def flight(state, _):
    begin, speed = state
    up = tv.optimize.integrate(
        fall, (begin, begin + 100.0), [0.0, speed], args=(drag,), events=ground, rtol=1e-8
    )
    times = begin + samples * (up.t - begin)
    return (up.t, -kept * up.y[1]), (times, up.at(times)[:, 0])


(end, speed), (times, heights) = tv.scan_carry(flight, (0.0, 12.0), np.arange(8))
bounce = tv.function([kept, drag], [end, tv.grad(end, [kept, drag]), times, heights])

with bounce.profile() as profile:
    end_without_drag = bounce(0.8, 0.0)[0]
total = 2.0 * 12.0 / 9.81 * sum(0.8**n for n in range(8))
print(f"without drag: {end_without_drag:.6f} s, by the formula {total:.6f} s")
end, (by_kept, by_drag), times, heights = bounce(0.8, 0.02)
print(f"with drag: {end:.3f} s; slopes {by_kept:.3f} and {by_drag:.3f}")

crosses = next(row for row in profile.functions[0].conditions if row.text == "crosses zero")
print(f"steps that cross zero, and others: {[arm.taken for arm in crosses.arms]}")
assert crosses.arms[0].taken == 8

# %%
# A finite difference agrees with the gradient through all eight events.

h = 1e-5
difference = (bounce(0.8 + h, 0.02)[0] - bounce(0.8 - h, 0.02)[0]) / (2.0 * h)
assert np.isclose(end_without_drag, total, rtol=1e-6)
assert np.isclose(by_kept, difference, rtol=1e-4)
assert heights.min() > -1e-6

# %%
plt.figure(figsize=(8, 3.6), layout="constrained")
for drag_of_line in (0.0, 0.02, 0.1):
    _, _, times, heights = bounce(0.8, drag_of_line)
    plt.plot(times.ravel(), heights.ravel(), label=f"drag {drag_of_line}")
plt.axhline(0.0, color="black", linewidth=1)
plt.xlabel("time in s")
plt.ylabel("height in m")
plt.legend()
plt.show()

# %%
# The height of the ball over time, for three drags. More drag makes lower bounces.

"""
Robertson's reaction, a stiff equation
======================================

A stiff equation is solved with few Jacobians and few factors.

Three substances react at rates from 0.04 to 30 million (H. H. Robertson, 1966). An explicit
method must follow the fastest one for ever. Radau's method solves equations in each step, and
needs a Jacobian and LU factors.
"""

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv


def reaction(t, y):
    slow, fast, fastest = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
    return [fast - slow, slow - fast - fastest, fastest]


# %%
# The Jacobian runs only where Newton's iterations got slow. The factors run only where the
# matrix changed.

times = np.r_[0.0, np.geomspace(1e-6, 1e11, 200)]
found = tv.optimize.solve_ivp(
    reaction, (0.0, 1e11), [1.0, 0.0, 0.0], "Radau", t_eval=times, rtol=1e-6, atol=1e-10
)
print(found.message)
counts = {"slopes": found.nfev, "factors": found.nlu, "Jacobians": found.njev}
print(counts)

# %%
# RK45 needs more steps for the first 40 seconds than Radau for 3,000 years.

explicit = tv.optimize.solve_ivp(reaction, (0.0, 40.0), [1.0, 0.0, 0.0], "RK45", atol=1e-9)
print(f"RK45 up to 40 s: {explicit.nfev} slopes")

assert found.success
assert found.njev < found.nlu < found.nfev
assert explicit.nfev > found.nfev
np.testing.assert_allclose(found.y.sum(axis=0), 1.0, rtol=1e-8)
# the reference solution of E. Hairer and G. Wanner at t = 1e11
np.testing.assert_allclose(found.y[0, -1], 0.2083340149701255e-7, rtol=1e-3)

# %%
figure, (left, right) = plt.subplots(
    1, 2, figsize=(9, 3.8), width_ratios=[2, 1], layout="constrained"
)
for values, label in zip(found.y * [[1.0], [1e4], [1.0]], ["A", "B * 10,000", "C"], strict=True):
    left.semilogx(times[1:], values[1:], label=label)
left.set(title="concentrations", xlabel="time in s")
left.legend()
right.bar(list(counts), list(counts.values()), color=["tab:blue", "tab:orange", "tab:green"])
right.set(title="computations")
plt.show()

# %%
# Left: the three concentrations, from a microsecond to 3,000 years. Right: how often Radau's
# method computed what.

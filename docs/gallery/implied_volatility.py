"""
Roots with gradients: implied volatility
========================================

The gradient of a root comes from the equation, not from the solver's steps.

The market quotes the price of an option, and the volatility is sought. It is the root of an
equation. A quote without a root needs no solver.
"""

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv

quote, strike, rate = tv.scalar("quote"), tv.scalar("strike"), tv.scalar("rate")


def black_scholes(volatility):
    d = (tv.log(1.0 / strike) + rate + 0.5 * volatility**2) / volatility
    return tv.ndtr(d) - strike * tv.exp(-rate) * tv.ndtr(d - volatility)


# %%
# A price below the least possible one has no volatility. The conditional returns NaN, and the
# solver does not start.

least = tv.maximum(1.0 - strike * tv.exp(-rate), 0.0)
possible = tv.and_(quote > least, quote < 1.0)
root = tv.optimize.brent(lambda v: black_scholes(v) - quote, 1e-4, 10.0)
volatility = tv.ifelse(possible, root, np.nan)
slopes = tv.grad(volatility, [quote, rate])
implied = tv.function([quote, strike, rate], [volatility, *slopes])

strikes = np.linspace(0.6, 1.6, 60)
smile = 0.2 + 0.3 * (strikes - 1.05) ** 2
v, k = tv.vector("v"), tv.vector("k")
d = (tv.log(1.0 / k) + 0.02 + 0.5 * v**2) / v
market = tv.function([v, k], tv.ndtr(d) - k * np.exp(-0.02) * tv.ndtr(d - v))(smile, strikes)

found, by_quote, by_rate = np.array(
    [implied(q, k, 0.02) for q, k in zip(market, strikes, strict=True)]
).T
print(f"{implied.counts()['nfev'] / 60:.1f} prices a root, error {abs(found - smile).max():.1e}")

# %%
# The gradient agrees with a difference. An impossible quote runs nothing.

h = 1e-6
difference = (implied(0.1 + h, 1.0, 0.02)[0] - implied(0.1 - h, 1.0, 0.02)[0]) / (2.0 * h)
assert np.allclose(found, smile, atol=1e-8)
assert np.isclose(implied(0.1, 1.0, 0.02)[1], difference, rtol=1e-5)
implied.reset_counters()
assert np.isnan(implied(0.3, 0.6, 0.02)[0])
assert implied.counts()["nfev"] == 0

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.plot(strikes, found, ".-")
left.set(title="implied volatility", xlabel="strike")
right.semilogy(strikes, by_quote, label="by the quote")
right.semilogy(strikes, -by_rate, label="by the rate (negative)")
right.set(title="its gradient", xlabel="strike")
right.legend()
plt.show()

# %%
# Left: the volatility that was found for each strike price. Right: its slopes, by the quote and
# by the rate.

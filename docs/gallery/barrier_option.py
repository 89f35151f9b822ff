"""
The price of an option with a barrier
=====================================

Simulated paths of a price end where they fall below a barrier.

An option is worthless once the price of its stock falls below a barrier. A simulated path needs
no more steps then. Each path is a loop, which ends at the barrier.
"""

import math

import matplotlib.pyplot as plt

import thunkvm as tv

PRICE, STRIKE, BARRIER, RATE, VOLATILITY, STEPS, PATHS = 100.0, 100.0, 95.0, 0.03, 0.3, 250, 20_000
DAY = 1.0 / STEPS

# %%
# A path draws its random numbers in the body of its loop. So a path that has ended draws no
# more.


def path(key):
    def day(s):
        stream = tv.random.Stream(s["key"])
        drift = (RATE - 0.5 * VOLATILITY**2) * DAY
        move = drift + VOLATILITY * math.sqrt(DAY) * stream.normal()
        price = tv.counted(s["price"] * tv.exp(move), "days")
        return {"price": price, "key": stream.state, "day": s["day"] + 1}

    def alive(s):
        return tv.and_(s["day"] < STEPS, s["price"] > BARRIER)

    end = tv.while_loop(alive, day, {"price": PRICE, "key": key, "day": 0})
    return tv.where(end["price"] > BARRIER, end["price"], 0.0), end["day"]


keys = tv.random.split(tv.random.key(12), PATHS)
ends, days = tv.vmap(path)(keys)
payoff = math.exp(-RATE) * tv.maximum(ends - STRIKE, 0.0)
simulate = tv.function([], [payoff, ends, days])
payoffs, ends, days = simulate()

# %%
# A formula is known for a barrier that is watched at all times. A barrier that is watched daily
# lies a bit lower (M. Broadie, P. Glasserman, S. Kou, 1997).


def call(price, strike):
    def below(z):
        return 0.5 * (1.0 + math.erf(z / math.sqrt(2.0)))

    d = (math.log(price / strike) + RATE + 0.5 * VOLATILITY**2) / VOLATILITY
    return price * below(d) - strike * math.exp(-RATE) * below(d - VOLATILITY)


lower = BARRIER * math.exp(-0.5826 * VOLATILITY * math.sqrt(DAY))
power = 2.0 * RATE / VOLATILITY**2 - 1.0
formula = call(PRICE, STRIKE) - (lower / PRICE) ** power * call(lower**2 / PRICE, STRIKE)
price, error = payoffs.mean(), payoffs.std() / math.sqrt(PATHS)
ran = simulate.counts()["days"]
print(f"price {price:.3f} +- {error:.3f}, by the formula {formula:.3f}")
print(f"{ran:,} days of {PATHS * STEPS:,}")

assert abs(price - formula) < 4.0 * error
assert ran == days.sum() < 0.6 * PATHS * STEPS

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.hist(days, bins=50)
left.set(title="how many days a path ran", yscale="log", xlabel="days")
right.hist(ends[ends > 0.0], bins=60)
right.axvline(STRIKE, color="black", linewidth=1)
right.set(title="last prices of the paths that survived")
plt.show()

# %%
# Left: how many days each path ran; the bar at 250 has the paths that survived. Right: their last
# prices. The line is the strike price, above which the option pays.

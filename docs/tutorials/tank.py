"""A tank that is heated, hour by hour: the program of the tutorial on costly branches."""

import sys

import numpy as np

import thunkvm as tv

size = 60
stiff = 2.0 * np.eye(size) - np.eye(size, k=1) - np.eye(size, k=-1)
heat, before, limit = tv.vector("heat"), tv.vector("before"), tv.scalar("limit")
drift = tv.max(tv.abs(heat - before))
factor = tv.cholesky(stiff + tv.diag(tv.exp(-heat)))
exact = tv.cho_solve((factor, True), heat)
quick = 0.25 * (tv.roll(heat, 1) + 2.0 * heat + tv.roll(heat, -1))
stale = drift > limit
plan = tv.ifelse(stale, exact, quick)
warm = tv.mean(plan) > 0.0
level = tv.ifelse(warm, tv.sum(plan), tv.median(plan))
step = tv.function([heat, before, limit], [plan, level], name="step")


def day(limit=0.01, hours=200):
    rng = np.random.default_rng(0)
    before = rng.normal(size=size)
    for _ in range(hours):
        heat = before + 0.02 * rng.normal(size=size)
        step(heat, before, limit)
        before = heat


if __name__ == "__main__":
    day(*map(float, sys.argv[1:]))

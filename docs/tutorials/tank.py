"""A tank that is heated, hour by hour: the program of the tutorial on costly branches."""

import sys

import numpy as np

import thunkvm as tv

size = 60
stiff = 2.0 * np.eye(size) - np.eye(size, k=1) - np.eye(size, k=-1)
heat, limit = tv.vector("heat"), tv.scalar("limit")
planned, kept = tv.vector("planned"), tv.vector("kept")
drift = tv.max(tv.abs(heat - planned))
factor = tv.cholesky(stiff + tv.diag(tv.exp(-heat)))
exact = tv.cho_solve((factor, True), heat)
stale = drift > limit
plan, now_planned = tv.ifelse(stale, (exact, heat), (kept, planned))
warm = tv.mean(plan) > 0.0
level = tv.ifelse(warm, tv.sum(plan), tv.median(plan))
step = tv.function([heat, planned, kept, limit], [plan, now_planned, level], name="step")


def day(limit=0.01, hours=200):
    rng = np.random.default_rng(0)
    heat = rng.normal(size=size)
    planned, plan = np.zeros(size), np.zeros(size)
    for _ in range(hours):
        heat = heat + 0.02 * rng.normal(size=size)
        plan, planned, _ = step(heat, planned, plan, limit)


if __name__ == "__main__":
    day(float(sys.argv[1]) if sys.argv[1:] else 0.01)

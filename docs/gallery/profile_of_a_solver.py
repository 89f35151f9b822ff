"""
The profile of a program, and its page
======================================

A profile finds the branches of a program that somebody else wrote.

A program that somebody else wrote calls a solver. Nobody knows where its time goes. The profile
names each condition, says how often each arm was taken, and what it took.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv


def chain(x):
    """Return the energy of a hanging chain of springs."""
    y = tv.concatenate([np.zeros(1), x, np.zeros(1)])
    length = tv.sqrt((y[1:] - y[:-1]) ** 2 + 0.01)
    return tv.sum(50.0 * (length - 0.08) ** 2) + 0.02 * tv.sum(x)


# %%
# All functions that run in the block are recorded. The program itself knows nothing of it.

with tv.profile("time") as profile:
    result = tv.optimize.minimize(chain, np.zeros(30), method="L-BFGS")
assert result.success

# %%
# The rows are objects with fields. Here are the conditions with short names that went both
# ways.

both = {
    row.text: row
    for row in profile.functions[0].conditions
    if all(arm.taken for arm in row.arms) and len(row.text) < 40
}
for text, row in both.items():
    print(text, {arm.name: arm.taken for arm in row.arms})
low = both["low enough"]
assert low.arms[0].taken == result.njev - 1

# %%
# The page has all tables, the graph with its branches, and the lines of the source. It is one
# file that needs no network.

with tempfile.TemporaryDirectory() as folder:
    page = Path(folder) / "chain.html"
    profile.html(page)
    print(f"{page.stat().st_size / 1e6:.1f} MB")
    assert "low enough" in page.read_text()

# %%
# The same rows make a picture. It shows how often each part of the solver ran.

nodes = profile.functions[0].nodes
runs = np.array(sorted((node.runs for node in nodes), reverse=True))
assert runs.min() == 0  # some nodes never ran
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.plot(runs, drawstyle="steps-mid")
left.set(title="runs of each node", xlabel="node, by runs")
left.set_yscale("symlog")
right.plot(np.r_[0.0, result.x, 0.0], "o-", markersize=3)
right.set(title="the chain")
plt.show()

# %%
# Left: how often each node of the solver ran, in falling order. Right: the shape of the chain
# that it found.

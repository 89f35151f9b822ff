"""
A model in a file, and calls on all processors
==============================================

A file holds a graph and its branches, and another program calls it on threads.

One program makes a model, and another one uses it. The file holds the graph and its weights, and
no code. The second program calls the model for many inputs at once.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import thunkvm as tv

# %%
# The model says how far a ball flies. A slow ball needs a formula, and a fast one a simulation
# with drag.

angle, speed = tv.scalar("angle"), tv.scalar("speed")
limit = tv.shared(5.0, "limit")
start = tv.stack([0.0, 0.0, speed * tv.cos(angle), speed * tv.sin(angle)])


def flight(s):
    place, step = s["place"], 0.002
    drag = 0.02 * tv.sqrt(place[2] ** 2 + place[3] ** 2)
    pull = tv.stack([place[2], place[3], -drag * place[2], -9.81 - drag * place[3]])
    return {"place": tv.counted(place + step * pull, "steps"), "flew": True}


def above(s):
    return tv.or_(tv.logical_not(s["flew"]), s["place"][1] > 0.0)


simulated = tv.while_loop(above, flight, {"place": start, "flew": False}, max_steps=10_000)
formula = speed**2 * tv.sin(2.0 * angle) / 9.81
distance = tv.ifelse(speed < limit, formula, simulated["place"][0])

folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "flight.tv"
tv.save(path, {"distance": distance}, inputs=[angle, speed])
print(f"{path.stat().st_size:,} bytes")

# %%
# The other program loads the graph, derives what it needs, and compiles. Shared variables have
# their values.

model = tv.load(path)
throw = tv.function(model.inputs, model.outputs["distance"])
print([each.name for each in model.inputs], model.shared["limit"].get_value())

angles = np.radians(np.linspace(2.0, 88.0, 60))
speeds = [4.0, 10.0, 20.0, 40.0]
far = {}
for value in speeds:
    throw.reset_counters()
    far[value] = np.array(tv.map_calls(throw, [(each, value) for each in angles], workers=2))
    print(f"{value} m/s: {throw.counts()['steps']:,} steps")
    if value < 5.0:
        assert throw.counts()["steps"] == 0  # the formula alone

# %%
# Drag lowers the best angle of fast balls.

best = {value: float(np.degrees(angles[np.argmax(row)])) for value, row in far.items()}
print({value: round(each, 1) for value, each in best.items()})
one_by_one = [throw(each, 40.0) for each in angles]
assert np.array_equal(far[40.0], one_by_one)
assert best[40.0] < best[20.0] < best[4.0] + 1.0
folder.cleanup()

# %%
plt.figure(figsize=(7, 4), layout="constrained")
for value, row in far.items():
    plt.plot(np.degrees(angles), row, label=f"{value:.0f} m/s")
plt.legend()
plt.xlabel("angle in degrees")
plt.ylabel("distance in m")
plt.show()

# %%
# The distance of a throw by its angle, for each speed. Drag lowers the best angle of fast balls.

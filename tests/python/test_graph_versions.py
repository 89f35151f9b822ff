"""Graph files of each version that there was: they stay readable.

A file here is never written anew. A new version adds one.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_graph_files import model

import thunkvm as tv

FILES = Path(__file__).resolve().parents[1] / "data"
#: `test_graph_files.model`, saved by that version.
VERSIONS = [1]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_graph_file_of_each_version_has_the_graph_that_was_saved(version: int) -> None:
    inputs, outputs = model()
    loaded = tv.load(FILES / f"graph_version_{version}.tv")

    assert [v.name for v in loaded.inputs] == ["x", "y"]
    assert list(loaded.outputs) == list(outputs)
    assert loaded.shared["w"].get_value().tolist() == [1.0, 2.0]
    f, g = tv.function(inputs, outputs), tv.function(loaded.inputs, loaded.outputs)
    for given in ([1.0, 2.0], 1.0), ([3.0, 4.0], -1.0):
        for one, other in zip(f(*given).values(), g(*given).values(), strict=True):
            np.testing.assert_array_equal(one, other)


def test_there_is_a_file_of_each_version_and_no_other() -> None:
    assert [path.name for path in sorted(FILES.glob("graph_version_*.tv"))] == [
        f"graph_version_{version}.tv" for version in VERSIONS
    ]

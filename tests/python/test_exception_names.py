"""The classes of exceptions that an attempt catches, by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm._src.graph.exception_names import classes_of, names_of


def made_in_a_function() -> type[Exception]:
    class Same(Exception):
        """A class that no module has."""

    return Same


def test_names_are_those_by_which_modules_have_the_classes() -> None:
    classes = (ValueError, np.linalg.LinAlgError)
    assert names_of(classes) == ["ValueError", "numpy.linalg.LinAlgError"]
    assert classes_of(names_of(classes)) == classes


def test_classes_that_no_module_has_have_names_of_their_own() -> None:
    first, second = made_in_a_function(), made_in_a_function()
    names = names_of((first, second))
    assert names[0] != names[1]
    assert classes_of(names) == (first, second)


def test_a_name_that_nothing_has_is_refused() -> None:
    for name in "no.Error", "os.system", "int", "KeyboardInterrupt":
        with pytest.raises(ValueError, match=f"it catches {name}, which is no exception"):
            classes_of([name])


def test_what_is_no_exception_is_refused() -> None:
    for wrong in (KeyboardInterrupt, int, 3):
        with pytest.raises(TypeError, match="which is no subclass of Exception"):
            names_of([wrong])  # type: ignore[list-item]


@pytest.mark.parametrize("mode", ["vm", "FAST_RUN"])
def test_attempts_of_two_classes_of_one_name_stay_two(mode: str) -> None:
    first, second = made_in_a_function(), made_in_a_function()

    def fail(x: Any) -> Any:
        raise second("always")

    x = tv.vector("x")
    y = tv.as_op(fail, [tv.dvector], [tv.dvector])(x)
    f = tv.function([x], tv.attempt(y, x, on=second), mode=mode)
    assert f([1.0]).tolist() == [1.0]
    g = tv.function([x], [tv.attempt(y, x, on=second), tv.attempt(y, x, on=first)], mode=mode)
    with pytest.raises(second, match="always"):
        g([1.0])

"""tv.config.check_perform: undeclared writes to inputs are found in the ordinary modes."""

from __future__ import annotations

from typing import Any

import lying_ops as lies
import numpy as np
import pytest

import thunkvm as tv

MODES = ["py", "vm", "cvm", "cvm_nogc", "c|py", "FAST_RUN"]
VALUE = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
WORDS = r"wrote to its input 0, at element \(0, 0\), which its destroy_map does not name"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "lie", [lies.WritesToItsInput, lies.WritesToItsInputInC, lies.WritesToItsInputInAKernel]
)
def test_a_write_to_an_argument_is_an_error_and_put_back(lie: Any, mode: str) -> None:
    if lie is not lies.WritesToItsInput and mode in ("py", "vm"):
        pytest.skip("has C alone")
    x = tv.matrix("x")
    with tv.config.change(check_perform=True):
        f = tv.function([x], lie()(x), mode=mode)
    value = VALUE.copy()
    for _ in range(2):
        with pytest.raises(ValueError, match=WORDS) as raised:
            f(value)
        np.testing.assert_array_equal(value, VALUE)
    assert f"node {lie.__name__}.0" in raised.value.__notes__[0]


def test_what_a_failing_perform_wrote_is_put_back() -> None:
    class WritesAndFails(lies.Lie):
        def perform(self, node: Any, inputs: list, output_storage: list) -> None:
            inputs[0][...] = 0.0
            raise KeyError("later")

    x = tv.matrix("x")
    with tv.config.change(check_perform=True):
        f = tv.function([x], WritesAndFails()(x))
    value = VALUE.copy()
    with pytest.raises(KeyError):
        f(value)
    np.testing.assert_array_equal(value, VALUE)


def test_a_write_through_strides_is_found_where_it_is() -> None:
    class WritesOne(lies.Lie):
        def perform(self, node: Any, inputs: list, output_storage: list) -> None:
            inputs[0][1, 2] = -1.0
            output_storage[0][0] = inputs[0] * 2.0

    x = tv.matrix("x")
    with tv.config.change(check_perform=True):
        f = tv.function([x], WritesOne()(x))
    value = np.zeros((6, 4)).T[:, ::2]
    with pytest.raises(ValueError, match=r"at element \(1, 2\)"):
        f(value)
    assert not value.any()


def test_declared_writes_and_honest_ops_pass() -> None:
    class Destroys(lies.Lie):
        destroy_map = {0: [0]}

        def perform(self, node: Any, inputs: list, output_storage: list) -> None:
            inputs[0] *= 2.0
            output_storage[0][0] = inputs[0]

    x = tv.matrix("x")
    with tv.config.change(check_perform=True):
        f = tv.function([x], [Destroys()(x), Destroys()(x + 1.0), lies.HonestInC()(x)])
    doubled, more, honest = f(VALUE)
    np.testing.assert_array_equal(doubled, VALUE * 2.0)
    np.testing.assert_array_equal(more, VALUE * 2.0 + 2.0)
    np.testing.assert_array_equal(honest, VALUE * 2.0)


def test_functions_that_were_made_before_stay_as_they_are() -> None:
    x = tv.matrix("x")
    f = tv.function([x], lies.WritesToItsInput()(x))
    with tv.config.change(check_perform=True):
        f(VALUE.copy())


def test_the_setting_and_its_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tv.config.check_perform is False
    monkeypatch.setenv("THUNKVM_CHECK_PERFORM", "1")
    assert tv.config.check_perform is True
    with pytest.raises(TypeError, match="check_perform has to be True, False or None; it is 1"):
        tv.config.check_perform = 1  # type: ignore[assignment]

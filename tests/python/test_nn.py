"""`tv.nn`: layers, their activations and parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thunkvm as tv

X = tv.tensor("x", "float64", (None, 2))
DATA = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def test_fc_layer_is_the_activation_of_a_product_and_a_bias() -> None:
    hd = tv.nn.fc_layer(input=X, size=3, with_bias=True, activation="sigmoid", bias=np.ones)

    w, b = (p.get_value() for p in tv.nn.parameters(hd))
    expected = 1.0 / (1.0 + np.exp(-(DATA @ w + b)))
    np.testing.assert_allclose(tv.function([X], hd)(DATA), expected, rtol=1e-14)
    assert [p.name for p in tv.nn.parameters(hd)] == ["fc.w", "fc.b"]


def test_fc_layer_adds_the_products_of_several_inputs() -> None:
    z = tv.tensor("z", "float64", (None, 1))
    y = tv.nn.fc_layer([X, z], 2, activation=None, with_bias=False, weights=np.ones, name="top")

    value = tv.function([X, z], y)(DATA, np.full((4, 1), 0.5))

    np.testing.assert_array_equal(value, DATA.sum(1, keepdims=True) + 0.5 + np.zeros((1, 2)))
    assert [p.name for p in tv.nn.parameters(y)] == ["top.w0", "top.w1"]


def test_fc_layer_keeps_float32() -> None:
    y = tv.nn.fc_layer(tv.tensor("x", "float32", (None, 2)), 3)
    assert [v.dtype for v in [y, *tv.nn.parameters(y)]] == ["float32"] * 3


@pytest.mark.parametrize("activation", ["tanh", "relu", "gelu", "softmax", "exp", lambda y: y * 2])
def test_fc_layer_takes_activations_by_name_or_as_functions(activation: Any) -> None:
    y = tv.nn.fc_layer(X, 2, activation, with_bias=False, weights=lambda shape: np.eye(2))
    of = getattr(tv, activation) if isinstance(activation, str) else activation
    np.testing.assert_array_equal(tv.function([X], y)(DATA), tv.function([X], of(X))(DATA))


def test_two_fc_layers_learn_exclusive_or() -> None:
    rng = np.random.default_rng(3)
    hidden = tv.nn.fc_layer(X, 8, "tanh", weights=tv.nn.glorot(rng), name="hidden")
    y = tv.nn.fc_layer(hidden, 1, weights=tv.nn.glorot(rng), name="out")
    loss = tv.mean((y - np.array([[0.0], [1.0], [1.0], [0.0]])) ** 2)
    found = tv.nn.parameters(loss)
    slopes = tv.grad(loss, found)
    step = tv.function(
        [X], loss, updates={p: p - 2.0 * g for p, g in zip(found, slopes, strict=True)}
    )

    losses = [float(step(DATA)) for _ in range(400)]

    assert losses[0] > 0.2
    assert losses[-1] < 0.01
    np.testing.assert_array_equal(tv.function([X], y)(DATA)[:, 0] > 0.5, [0, 1, 1, 0])


def test_glorot_goes_on_with_a_generator_and_repeats_a_seed() -> None:
    first, again, other = (tv.nn.glorot(seed)((3, 4)) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).all()
    assert abs(first).max() <= np.sqrt(6.0 / 7.0)


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (lambda: tv.nn.fc_layer(X, 0), "size is 0; it has to be an int, at least 1."),
        (lambda: tv.nn.fc_layer(X, 2, "sigmod"), "no activation 'sigmod'. Did you mean 'sigmoid'?"),
        (lambda: tv.nn.fc_layer(X, 2, "sum"), "the activation 'sum' returned"),
        (lambda: tv.nn.fc_layer(X, 2, "dot"), "'dot' is no activation: "),
        (
            lambda: tv.nn.fc_layer(tv.matrix("m"), 2),
            "the number of features of <m: matrix float64 (?, ?)> is",
        ),
        (lambda: tv.nn.fc_layer(tv.vector("v"), 2), "it has to be a matrix of floats."),
        (lambda: tv.nn.fc_layer([], 2), "input is empty"),
        (lambda: tv.nn.fc_layer(X, 2, bias=lambda shape: 0.0), "fc.b returned the shape ();"),
    ],
)
def test_fc_layer_refuses(layer: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError)) as raised:
        layer()
    assert message in str(raised.value)
    assert str(raised.value).startswith("[fc_layer] ")

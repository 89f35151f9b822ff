"""Layers of neural networks, of the functions of the package.

Their weights are shared variables, which `parameters` finds in the graph of a result.

Examples
--------
>>> import numpy as np
>>> import thunkvm as tv
>>> x = tv.tensor("x", "float64", (None, 2))
>>> hidden = tv.nn.fc_layer(x, 8, activation="tanh", weights=tv.nn.glorot(1))
>>> y = tv.nn.fc_layer(hidden, 1, weights=tv.nn.glorot(2))
>>> [p.get_value().shape for p in tv.nn.parameters(y)]
[(2, 8), (8,), (8, 1), (1,)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import thunkvm as tv
from thunkvm import _core
from thunkvm._core import Variable
from thunkvm._src.arrays import exposed
from thunkvm._src.teaching.nearest import did_you_mean

Initialiser = Callable[[tuple[int, ...]], Any]


def glorot(seed: Any = None) -> Initialiser:
    """Return an initialiser of weights: uniform, with the variance 2 / (inputs + outputs).

    Parameters
    ----------
    seed : int or numpy.random.Generator, optional
        As of `numpy.random.default_rng`; a Generator goes on from layer to layer.

    Returns
    -------
    callable
        Takes the shape (inputs, outputs) and returns an array.

    References
    ----------
    Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks,
    2010.

    Examples
    --------
    >>> import thunkvm as tv
    >>> bool(abs(tv.nn.glorot(1)((50, 100))).max() < 0.2)
    True
    """
    rng = np.random.default_rng(seed)

    def initialiser(shape: tuple[int, ...]) -> Any:
        bound = np.sqrt(6.0 / max(1, sum(shape)))
        return rng.uniform(-bound, bound, shape)

    return initialiser


def fc_layer(
    input: Any,
    size: int,
    activation: str | Callable[[Variable], Variable] | None = "sigmoid",
    with_bias: bool = True,
    *,
    weights: Initialiser | None = None,
    bias: Initialiser = np.zeros,
    name: str = "fc",
) -> Variable:
    """Return a fully connected layer: ``activation(input @ w + b)``.

    Parameters
    ----------
    input : Variable or list of Variables
        Matrices of floats, (rows, features), of a known number of features. Several have weights
        each, and their products are added.
    size : int
        How many features the output has.
    activation : str, callable or None
        The name of a function of the package that keeps the shape, such as ``"tanh"`` or
        ``"relu"``; or a function of a Variable. None leaves the sum as it is.
    with_bias : bool
        Whether a bias is added.
    weights, bias : callable, optional
        Functions of a shape that return first values: (features, size) and (size,). `glorot` and
        zeros if left out.
    name : str
        What the parameters are called: ``name.w``, ``name.b``; ``name.w0`` ... of several inputs.

    Returns
    -------
    Variable
        (rows, size), in the dtype of the input. `parameters` has its shared variables.

    Raises
    ------
    ValueError
        If `size` is no positive int, or a number of features is not known. Also if an initialiser
        returns another shape, or there is no such activation.
    TypeError
        If an input is no matrix of floats.

    Examples
    --------
    >>> import numpy as np
    >>> import thunkvm as tv
    >>> x = tv.tensor("x", "float64", (None, 3))
    >>> y = tv.nn.fc_layer(input=x, size=2, activation="relu", weights=np.ones)
    >>> tv.function([x], y)([[1.0, 2.0, 3.0], [-1.0, -2.0, -3.0]])
    array([[6., 6.],
           [0., 0.]])
    """
    if type(size) is not int or size < 1:
        raise ValueError(f"[fc_layer] size is {size!r}; it has to be an int, at least 1.")
    initial = glorot() if weights is None else weights
    several = isinstance(input, (list, tuple))
    inputs = [_matrix(x) for x in (input if several else [input])]
    if not inputs:
        raise ValueError("[fc_layer] input is empty; give a matrix, or several.")
    products = []
    for i, x in enumerate(inputs):
        label = f"{name}.w{i}" if several else f"{name}.w"
        products.append(tv.dot(x, _parameter(initial, (x.type.shape[1], size), x.dtype, label)))
    total = products[0]
    for product in products[1:]:
        total = total + product
    if with_bias:
        total = total + _parameter(bias, (size,), total.dtype, f"{name}.b")
    return total if activation is None else _apply_activation(total, activation)


def parameters(outputs: Variable | Iterable[Variable]) -> list[Variable]:
    """Return the shared variables of floats that outputs are computed of, each once.

    Parameters
    ----------
    outputs : Variable or iterable of Variables
        Results, such as a loss.

    Returns
    -------
    list of Variable
        In the order of first use.

    Examples
    --------
    >>> import thunkvm as tv
    >>> w = tv.shared([1.0, 2.0], "w")
    >>> tv.nn.parameters((w * w).sum()) == [w]
    True
    """
    values = [outputs] if isinstance(outputs, Variable) else list(outputs)
    return [
        leaf
        for leaf in _core.leaves(values)
        if leaf.leaf == "shared" and np.dtype(leaf.dtype).kind in "fc"
    ]


def _matrix(x: Any) -> Variable:
    """Return an input of a layer, whose features are known."""
    made: Variable = tv.as_variable(x)
    if made.ndim != 2 or np.dtype(made.dtype).kind != "f":
        raise TypeError(f"[fc_layer] input is {made}; it has to be a matrix of floats.")
    if made.type.shape[1] is None:
        raise ValueError(
            f"[fc_layer] the number of features of {made} is not known, so the shape of its "
            'weights is not; declare it: tv.tensor("x", "float64", (None, 3)).'
        )
    return made


def _parameter(initial: Initialiser, shape: tuple[Any, ...], dtype: str, name: str) -> Variable:
    value = np.asarray(initial(shape))
    if value.shape != shape:
        raise ValueError(
            f"[fc_layer] the initialiser of {name} returned the shape {value.shape}; it was asked "
            f"for {shape}."
        )
    return tv.shared(value.astype(dtype), name, shape=shape)


def _apply_activation(x: Variable, activation: Any) -> Variable:
    """Return the activation of a sum, which has its shape."""
    if isinstance(activation, str) and activation not in exposed.__all__:
        raise ValueError(
            f"[fc_layer] there is no activation {activation!r}."
            f"{did_you_mean(activation, exposed.__all__)} It is the name of a function of the "
            'package, such as "sigmoid", "tanh" or "relu".'
        )
    function = getattr(tv, activation) if isinstance(activation, str) else activation
    try:
        made: Any = function(x)
    except TypeError as error:
        raise ValueError(f"[fc_layer] {activation!r} is no activation: {error}") from None
    if not isinstance(made, Variable) or made.ndim != x.ndim:
        raise ValueError(
            f"[fc_layer] the activation {activation!r} returned {made}; it has to return a "
            "Variable of the shape that it is given, as elementwise functions do."
        )
    return made


__all__ = ["fc_layer", "glorot", "parameters"]


def __dir__() -> list[str]:
    """Return the names that users need, for tab completion."""
    return [*__all__]

"""Special functions at the edges of their domains: limits where there are any, else NaN.

The values are SciPy's, or mpmath's, but for a few limits, at infinite orders among them, of which
SciPy says NaN.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import thunkvm as tv

INF, NAN = math.inf, math.nan

#: By function: arguments, and the value.
EDGES: dict[str, list[tuple[tuple[float, ...], float]]] = {
    "beta": [
        ((0.0, 2.0), INF),
        ((-2.5, 1.0), -0.4),
        ((-2.5, 0.25), 1.9665431657190897),
        ((-0.5, 2.0), -4.0),
        ((-2.0, 0.5), INF),
        ((-2.0, 1.0), NAN),
        ((2.0, INF), 0.0),
        ((-2.5, -2.5), 0.0),
        ((NAN, 1.0), NAN),
    ],
    "betainc": [
        ((1.0, 2.0, 1.5), NAN),
        ((1.0, 2.0, 1.0), 1.0),
        ((0.0, 2.0, 0.25), 1.0),
        ((0.0, 2.0, 0.0), 0.0),
        ((2.0, 0.0, 0.25), 0.0),
        ((2.0, 0.0, 1.0), 1.0),
        ((0.0, 0.0, 0.5), NAN),
        ((2.0, INF, 0.25), 1.0),
        ((2.0, INF, 0.0), 0.0),
        ((INF, 2.0, 0.25), 0.0),
        ((INF, 2.0, 1.0), 1.0),
        ((INF, INF, 0.5), NAN),
        ((-1.0, 2.0, 0.5), NAN),
        ((2.0, 2.0, -0.1), NAN),
        ((NAN, 2.0, 0.5), NAN),
    ],
    "betaincinv": [
        ((2.0, 3.0, 0.0), 0.0),
        ((2.0, 3.0, 1.0), 1.0),
        ((2.0, INF, 0.25), 0.0),
        ((INF, 2.0, 0.25), 1.0),
        ((2.0, INF, 1.0), 1.0),
        ((INF, INF, 0.5), NAN),
        ((0.0, 2.0, 0.5), NAN),
        ((2.0, 3.0, 1.5), NAN),
        ((2.0, 3.0, NAN), NAN),
    ],
    "betaln": [
        ((0.0, 2.0), INF),
        ((0.0, 0.0), INF),
        ((-2.0, 0.5), INF),
        ((-2.0, -3.0), INF),
        ((-2.0, 1.0), NAN),
        ((-2.5, 1e300), 1726.8825760290365),
        ((2.0, INF), -INF),
        ((INF, INF), -INF),
        ((-2.5, INF), INF),
        ((0.0, INF), INF),
        ((NAN, 1.0), NAN),
        ((-2.5, -2.5), -INF),
    ],
    "boxcox": [
        ((INF, 0.0), INF),
        ((INF, 2.0), INF),
        ((INF, -2.0), 0.5),
        ((0.0, INF), -0.0),
        ((NAN, 0.0), NAN),
        ((-1.0, 0.0), NAN),
        ((0.0, -0.5), -INF),
    ],
    "boxcox1p": [
        ((INF, 0.0), INF),
        ((INF, -2.0), 0.5),
        ((-1.0, -1.0), -INF),
        ((-2.0, 1.0), NAN),
    ],
    "digamma": [
        ((-1e-300,), 1e300),
        ((1e-300,), -1e300),
        ((-1.0,), NAN),
        ((INF,), INF),
    ],
    "entr": [
        ((0.0,), 0.0),
        ((INF,), -INF),
        ((-INF,), -INF),
        ((NAN,), NAN),
    ],
    "erfcinv": [
        ((0.0,), INF),
        ((2.0,), -INF),
    ],
    "erfcx": [
        ((INF,), 0.0),
        ((-INF,), INF),
    ],
    "erfinv": [
        ((1.0,), INF),
        ((-1.5,), NAN),
    ],
    "exp1": [
        ((-1.0,), NAN),
        ((0.0,), INF),
    ],
    "expi": [
        ((0.0,), -INF),
        ((-INF,), 0.0),
    ],
    "expit": [
        ((-INF,), 0.0),
        ((INF,), 1.0),
    ],
    "gamma": [
        ((-1.0,), NAN),
    ],
    "gammainc": [
        ((0.0, 1.0), 1.0),
        ((1.0, -1.0), NAN),
        ((1.0, INF), 1.0),
        ((0.0, 0.0), NAN),
        ((INF, 1.0), 0.0),
        ((INF, INF), NAN),
        ((1e300, 1e300), 0.5),
        ((-1.0, 1.0), NAN),
    ],
    "gammaincc": [
        ((1.0, 0.0), 1.0),
        ((0.0, 1.0), 0.0),
        ((INF, 1.0), 1.0),
        ((1.0, INF), 0.0),
    ],
    "gammainccinv": [
        ((1.0, 1.0), 0.0),
        ((1.0, 0.0), INF),
        ((0.0, 0.5), NAN),
        ((INF, 0.5), NAN),
        ((1.0, 1.5), NAN),
    ],
    "gammaincinv": [
        ((1.0, 1.0), INF),
        ((1.0, 0.0), 0.0),
        ((0.0, 0.5), NAN),
        ((INF, 0.5), NAN),
        ((1.0, -0.1), NAN),
        ((1.0, NAN), NAN),
    ],
    "gammaln": [
        ((0.0,), INF),
        ((-2.0,), INF),
        ((INF,), INF),
        ((-INF,), INF),
    ],
    "i0": [
        ((NAN,), NAN),
    ],
    "iv": [
        ((-0.5, 0.0), INF),
        ((2000.0, 1.0), 0.0),
        ((-2000.0, 1.0), 0.0),
        ((1e300, 2.0), 0.0),
        ((1e300, 1e300), INF),
        ((INF, 2.0), 0.0),
        ((0.5, -1.0), NAN),
        ((1.0, -INF), -INF),
        ((2.0, -INF), INF),
        ((-1.0, 2.0), 1.590636854637329),
    ],
    "jv": [
        ((0.5, -1.0), NAN),
        ((1.0, 0.0), 0.0),
        ((1e300, 2.0), 0.0),
        ((INF, 2.0), 0.0),
        ((INF, INF), NAN),
        ((-0.5, 0.0), INF),
        ((0.0, INF), 0.0),
    ],
    "kl_div": [
        ((0.0, 0.0), 0.0),
        ((0.0, INF), INF),
        ((INF, 0.0), INF),
        ((INF, -1.0), INF),
        ((2.0, -INF), INF),
        ((-1.0, 2.0), INF),
        ((NAN, -1.0), NAN),
        ((0.0, NAN), NAN),
    ],
    "kv": [
        ((1.0, 0.0), INF),
        ((1.0, -1.0), NAN),
        ((0.0, 0.0), INF),
        ((0.0, INF), 0.0),
        ((-3.0, 1e-300), INF),
        ((200.0, 1e-300), INF),
        ((2000.0, 1.0), INF),
        ((1e300, 2.0), INF),
        ((1e300, 1e300), 0.0),
        ((INF, 2.0), INF),
        ((INF, INF), NAN),
        ((NAN, 1.0), NAN),
    ],
    "log1mexp": [
        ((0.0,), -INF),
        ((-INF,), 0.0),
        ((1.0,), NAN),
    ],
    "log_ndtr": [
        ((-INF,), -INF),
    ],
    "logit": [
        ((0.0,), -INF),
        ((1.0,), INF),
        ((-0.0,), -INF),
        ((1.5,), NAN),
    ],
    "ndtri": [
        ((0.0,), -INF),
    ],
    "polygamma": [
        ((1.0, -1e-100), 1e200),
        ((1.0, 0.0), INF),
        ((1.0, INF), 0.0),
    ],
    "rel_entr": [
        ((0.0, 0.0), 0.0),
        ((0.0, INF), 0.0),
        ((INF, 0.0), INF),
        ((2.0, -INF), INF),
        ((-1.0, 2.0), INF),
        ((2.0, INF), -INF),
        ((NAN, -1.0), NAN),
    ],
    "xlog1py": [
        ((0.0, -1.0), 0.0),
        ((0.0, INF), 0.0),
        ((2.0, -1.0), -INF),
        ((0.0, NAN), NAN),
        ((2.0, -2.0), NAN),
    ],
    "xlogy": [
        ((0.0, 0.0), 0.0),
        ((0.0, INF), 0.0),
        ((0.0, NAN), NAN),
        ((0.0, -1.0), 0.0),
        ((2.0, 0.0), -INF),
        ((-2.0, 0.0), INF),
        ((INF, INF), INF),
        ((NAN, 1.0), NAN),
    ],
    "zeta": [
        ((2.0, 1e300), 1e-300),
        ((1.5, 1e300), 2e-150),
        ((1.0, 2.0), INF),
        ((0.5, 2.0), NAN),
        ((2.0, 0.0), INF),
        ((2.0, -1e-100), 1e200),
        ((2.0, INF), 0.0),
        ((NAN, 1.0), NAN),
    ],
}


@pytest.mark.parametrize("mode", ["py", "cvm"])
@pytest.mark.parametrize("name", EDGES)
def test_an_edge_has_the_limit_or_nan(name: str, mode: str) -> None:
    rows = EDGES[name]
    inputs = [tv.vector(f"x{i}") for i in range(len(rows[0][0]))]
    f = tv.function(inputs, getattr(tv, name)(*inputs), mode=mode)
    columns = [np.array(column) for column in zip(*(row[0] for row in rows), strict=True)]
    for (arguments, value), found in zip(rows, f(*columns), strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-10, err_msg=f"{name}{arguments}")


#: By function: orders, arguments, and mpmath's values.
LARGE_ORDERS: dict[str, list[tuple[float, float, float]]] = {
    "iv": [
        (200.0, 10.0, 8.935365817380948e-236),
        (250.5, 300.0, 2.431906953052831e85),
        (999.0, 900.0, 5.8673001520632394e166),
        (1000.5, 1000.0, 1.752425070166334e229),
        (-1000.25, 900.0, 1.7720677709203472e166),
    ],
    "kv": [
        (200.0, 10.0, 2.794380018486771e232),
        (200.0, 300.0, 3.402618962494625e-104),
        (250.5, 300.0, 5.260558618942618e-89),
        (1000.0, 700.0, 6.5156197914473585e-31),
        (1000.5, 1000.0, 2.017004907932986e-233),
    ],
}


@pytest.mark.parametrize("name", LARGE_ORDERS)
def test_a_modified_bessel_function_of_a_large_order_has_its_digits(name: str) -> None:
    v, x = tv.vector("v"), tv.vector("x")
    f = tv.function([v, x], getattr(tv, name)(v, x), mode="cvm")
    orders, arguments, values = map(np.array, zip(*LARGE_ORDERS[name], strict=True))
    np.testing.assert_allclose(f(orders, arguments), values, rtol=1e-12)


@pytest.mark.parametrize("mode", ["py", "cvm"])
@pytest.mark.parametrize("name", EDGES)
def test_a_special_function_of_nothing_is_empty(name: str, mode: str) -> None:
    inputs = [tv.vector(f"x{i}") for i in range(len(EDGES[name][0][0]))]
    f = tv.function(inputs, getattr(tv, name)(*inputs), mode=mode)
    assert f(*(np.zeros(0) for _ in inputs)).shape == (0,)


@pytest.mark.parametrize("mode", ["py", "cvm"])
@pytest.mark.parametrize(
    ("name", "shapes"),
    [("betaincinv", [2.0, 3.0]), ("gammaincinv", [2.0]), ("gammainccinv", [2.0])],
)
def test_an_inverse_at_the_ends_of_its_domain_does_not_change_with_its_shapes(
    name: str, shapes: list[float], mode: str
) -> None:
    inputs = [tv.vector(f"x{i}") for i in range(len(shapes))]
    value = getattr(tv, name)(*inputs, [0.0, 1.0])
    f = tv.function(inputs, tv.grad(tv.sum(value), inputs), mode=mode)
    slopes = f(*([shape, shape] for shape in shapes))
    np.testing.assert_array_equal(slopes, np.zeros((len(shapes), 2)))

"""Each elementwise Op's emitted C against its kernel, bit for bit, and against its perform.

In the mode ``c|py`` each node is a C function of its own: an expression where it is 0-d, a loop
where it is an array.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thunkvm as tv
from thunkvm import _core

FLOATS = ["float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES = ["bool", *INTEGERS, *FLOATS]

ELEMENTWISE = {
    "arithmetic", "casting", "comparison", "complex", "exponential", "logic", "rounding",
    "selection", "special", "trigonometric",
}  # fmt: skip
#: Ops of these families that no emitted loop has as a member; Ops of others that one may have.
OTHERS, ALSO = {"counted", "stop_gradient"}, {"is_missing"}


def edge_values(dtype: str) -> np.ndarray:
    """Zeros of both signs, infinities, NaN, denormals, the ends of the range, and plain numbers."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([False, True])
    if kind in "iu":
        info = np.iinfo(dtype)
        listed = [0, 1, 2, 7, info.max, info.max // 2, info.min]
        return np.array([*listed, -1, -7] if kind == "i" else listed, dtype)
    info = np.finfo(dtype)
    listed = [0.0, -0.0, np.inf, -np.inf, np.nan, info.smallest_subnormal, info.tiny, info.max]
    return np.array([*listed, -info.max, 1.0, -1.0, 0.5, 2.5, -2.5, 3.0, 88.8, -745.2], dtype)


def bits(value: Any) -> bytes:
    """The dtype, shape and bits of a result; all NaNs alike."""
    array = np.asarray(value)
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
    return f"{array.dtype} {array.shape}".encode() + array.tobytes()


class Cases:
    """An Op applied to arguments of every dtype that it takes, as 0-d numbers and as arrays."""

    def __init__(self, op: Callable[..., Any], n_inputs: int) -> None:
        self.dtypes: list[str] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        for dtype in DTYPES:
            numbers = [tv.scalar(dtype=dtype) for _ in range(n_inputs)]
            arrays = [tv.tensor(None, dtype, (None,) * n_inputs) for _ in range(n_inputs)]
            try:
                results = [op(*numbers), op(*arrays)]
            except TypeError:  # the Op is not for this dtype
                continue
            self.dtypes.append(dtype)
            self.inputs += [*numbers, *arrays]
            self.outputs += results
        self.n_inputs = n_inputs

    def arguments(self, take: Callable[[str], list[np.ndarray]]) -> list[list[Any]]:
        """A list of arguments for each choice of numbers; the arrays have all of them."""
        columns: list[list[Any]] = []
        for dtype in self.dtypes:
            values = take(dtype)
            columns += [side.ravel() for side in np.meshgrid(*values, indexing="ij")]
            columns += [[side] for side in np.meshgrid(*values, indexing="ij", sparse=True)]
        calls = max(len(column) for column in columns)
        return [[column[k % len(column)] for column in columns] for k in range(calls)]

    def results(self, mode: tv.Mode | str, arguments: list[list[Any]]) -> list[np.ndarray]:
        """By output: the result of the first call for arrays, those of all calls for numbers."""
        function = tv.function(self.inputs, self.outputs, mode=mode, on_unused_input="ignore")
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            calls = [function(*listed) for listed in arguments]
        numbers = [np.stack([call[i] for call in calls]) for i in range(0, len(self.outputs), 2)]
        return [r for pair in zip(numbers, calls[0][1::2], strict=True) for r in pair]

    def check(
        self, take: Callable[[str], list[np.ndarray]], ulps: float, least: float = 0.0
    ) -> None:
        """Hold emitted code against kernels, and both against NumPy."""
        arguments = self.arguments(take)
        emitted = self.results("c|py", arguments)
        kernels = self.results(tv.Mode("cvm", compile="never"), arguments)
        performs = self.results("py", arguments)
        for i, (got, kernel, perform) in enumerate(zip(emitted, kernels, performs, strict=True)):
            what = f"{self.dtypes[i // 2]}, {'an array' if i % 2 else '0-d'}: {got}\nhas to be "
            assert bits(got) == bits(kernel), f"{what}{kernel}"
            assert same(got, perform, ulps, least), f"{what}{perform}"


def same(got: np.ndarray, expected: np.ndarray, ulps: float, least: float = 0.0) -> bool:
    """Whether NumPy's values are near enough; integers have to be equal."""
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    limit = float(np.finfo(expected.dtype).eps) * ulps if expected.dtype.kind == "f" else 0.0
    limit = max(limit, least)
    return bool(np.allclose(got, expected, rtol=limit, atol=limit, equal_nan=True))


#: Their performs have 9 digits; tests/python/test_special_functions.py has their values.
BY_SERIES = {
    "betainc", "betaincinv", "erfcinv", "erfcx", "erfinv", "exp1", "expi", "gamma", "gammainc",
    "gammaincc", "gammainccinv", "gammaincinv", "i0", "i1", "iv", "j0", "j1", "jv", "kv",
    "log_ndtr", "ndtr", "ndtri",
}  # fmt: skip


def elementwise() -> list[tuple[str, int]]:
    """The names of all Ops that a loop may have as members, but for casts, and their inputs."""
    return [
        (proto["name"], len(proto["inputs"]))
        for proto in _core.op_protos()
        if (proto["family"] in ELEMENTWISE and proto["name"] not in {*OTHERS, "cast"})
        or proto["name"] in ALSO
    ]


#: How far from NumPy: near its zeros in (-3, -2), the logarithm of gamma loses digits.
ULPS = {"gammaln": 50.0}


def values_for(name: str, n_inputs: int, dtype: str) -> list[np.ndarray]:
    values = [edge_values(dtype)] * n_inputs
    if n_inputs == 3:
        values = [values[0][:5], values[1][:5], values[2][-5:]]
    if name in BY_SERIES:
        values = [np.array([0, 1, 2] if values[0].dtype.kind in "biu" else [0.25, 0.5, 1], dtype)]
        return values * n_inputs
    if name == "polygamma":  # orders, and where none is infinite
        values = [np.array([0, 1], dtype), np.array([1, 2], dtype)]
    if name == "pow" and values[0].dtype.kind == "i":
        values[1] = values[1][values[1] >= 0]  # others are an error
    return values


@pytest.mark.parametrize(("name", "n_inputs"), elementwise())
def test_emitted_code_gives_the_kernels_bits_and_numpys_values(name: str, n_inputs: int) -> None:
    cases = Cases(getattr(tv.ops, name), n_inputs)
    cases.check(
        lambda dtype: values_for(name, n_inputs, dtype),
        ULPS.get(name, 8.0),
        least=1e-9 * (name in BY_SERIES),
    )


def unary_of_floats() -> list[str]:
    return [name for name, n_inputs in elementwise() if n_inputs == 1]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("inner", unary_of_floats())
def test_a_function_of_a_function_has_the_kernels_bits(inner: str, dtype: str) -> None:
    # A compiler that knows both makes something else of some: of cos(arctan(x)) a square root. It
    # does so where nothing else reads what is between, so each has an input of its own.
    inputs, outputs = [], []
    for outer in unary_of_floats():
        x = tv.scalar(dtype=dtype)
        try:
            outputs.append(getattr(tv.ops, outer)(getattr(tv.ops, inner)(x)))
        except TypeError:  # not for floats
            continue
        inputs.append(x)
    emitted = tv.function(inputs, outputs, mode="c")
    kernels = tv.function(inputs, outputs, mode=tv.Mode("cvm", compile="never"))
    for value in [*edge_values(dtype), *np.array([1e10, -0.3, 1e-10, 0.7], dtype)]:
        got, expected = (f(*[value] * len(inputs)) for f in (emitted, kernels))
        for output, a, b in zip(outputs, got, expected, strict=True):
            assert bits(a) == bits(b), f"{output.owner.op.name}({inner}({value})): {a}, not {b}"


@pytest.mark.parametrize("target", DTYPES)
def test_emitted_casts_give_the_kernels_bits_and_numpys_values(target: str) -> None:
    def take(dtype: str) -> list[np.ndarray]:
        values = edge_values(dtype)
        if values.dtype.kind == "f" and np.dtype(target).kind in "iu":
            values = values[(values >= 0.0) & (values < 100.0)]  # C leaves open what others become
        return [values]

    Cases(lambda x: tv.cast(x, dtype=target), 1).check(take, 0.0)


def test_no_elementwise_op_is_left_out() -> None:
    listed = {name for name, _ in elementwise()} | {"cast"}
    missing = set()
    for proto in _core.op_protos():
        inputs = [tv.tensor(None, "float64", (None,)) for _ in proto["inputs"]]
        if any(attr["required"] for attr in proto["attrs"]):
            continue
        try:
            function = tv.function(inputs, _core.op(proto["name"])(*inputs), mode="c|py")
        except (TypeError, ValueError):
            continue
        if {row.form for row in function.explain().nodes} == {"fused"}:
            missing |= {proto["name"]} - listed
    assert missing == set()


@pytest.mark.parametrize(
    "compare", [np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal]
)
def test_integers_of_both_signs_are_compared_as_what_they_are(compare: Any) -> None:
    signed = np.array([-1, 0, 5, 2**63 - 1, -(2**63)], "int64").repeat(4)
    unsigned = np.tile(np.array([2**64 - 1, 0, 5, 2**63], "uint64"), 5)
    for a, b in ((signed, unsigned), (unsigned, signed)):
        x, y = tv.vector(dtype=a.dtype.name), tv.vector(dtype=b.dtype.name)
        f = tv.function([x, y], compare(x, y), mode="c|py")
        np.testing.assert_array_equal(f(a, b), compare(a, b))
        x, y = tv.scalar(dtype=a.dtype.name), tv.scalar(dtype=b.dtype.name)
        f = tv.function([x, y], compare(x, y), mode="c")
        assert [f(*pair) for pair in zip(a, b, strict=True)] == compare(a, b).tolist()

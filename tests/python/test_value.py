"""Values on their way into registers and out of them."""

import array
import collections
from typing import Any

import numpy as np
import pytest
from watched_values import same

import thunkvm as tv
from thunkvm import _core

DTYPES = [
    "bool",
    *("int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64"),
    *("complex64", "complex128"),
]

ARRAYS = {
    "C order": np.arange(6.0).reshape(2, 3),
    "Fortran order": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "negative strides": np.arange(6.0).reshape(2, 3)[::-1, ::-1],
    "gaps": np.arange(24.0).reshape(4, 6)[::2, ::2],
    "zero strides": np.broadcast_to(np.arange(3.0), (2, 3)),
    "empty": np.empty((0, 3)),
    "one element": np.ones((1, 1)),
}


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_scalar_of_each_dtype_comes_back_as_a_numpy_scalar(dtype):
    value = np.array(1, dtype)[()]
    result = tv.function([x := tv.tensor(dtype=dtype, shape=(), name="x")], x)(value)
    assert type(result) is type(value)
    assert result == value


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_array_of_each_dtype_keeps_its_elements(dtype):
    value = np.array([[0, 1, 1], [1, 0, 1]], dtype)
    result = tv.function([x := tv.tensor(dtype=dtype, shape=(None, None), name="x")], x)(value)
    assert result.dtype == value.dtype
    assert result is not value
    np.testing.assert_array_equal(result, value)


@pytest.mark.parametrize("kind", ARRAYS)
def test_an_array_of_the_right_dtype_is_not_copied(kind):
    value = ARRAYS[kind]
    assert same(tv.matrix("x"))(value) is value


@pytest.mark.parametrize("kind", ARRAYS)
@pytest.mark.parametrize("mode", ["py", "vm", "cvm"])
def test_thunks_compute_with_any_layout(kind, mode):
    x = tv.matrix("x")
    result = tv.function([x], x + 1.0, mode=mode)(ARRAYS[kind])
    np.testing.assert_array_equal(result, ARRAYS[kind] + 1.0)


def test_a_read_only_array_stays_read_only_and_is_not_written_to():
    value = np.arange(3.0)
    value.flags.writeable = False
    x = tv.vector("x")
    assert same(x)(value) is value
    np.testing.assert_array_equal(tv.function([x], tv.exp(x))(value), np.exp(value))
    np.testing.assert_array_equal(value, [0.0, 1.0, 2.0])


def test_big_endian_and_unaligned_arrays_are_converted():
    x = tv.vector("x")
    f = tv.function([x], x)
    big = np.arange(3.0).astype(">f8")
    np.testing.assert_array_equal(f(big), [0.0, 1.0, 2.0])
    assert f(big).dtype.isnative
    unaligned = np.zeros(25, np.uint8)[1:].view(np.float64)
    unaligned[:] = [1.0, 2.0, 3.0]
    assert not unaligned.flags.aligned
    np.testing.assert_array_equal(f(unaligned), [1.0, 2.0, 3.0])


def test_a_big_endian_0d_array_is_a_number():
    x = tv.scalar("x")
    assert tv.function([x], x)(np.array(2.5, ">f8")) == 2.5


def test_an_array_of_more_dimensions_than_are_kept_inline():
    value = np.arange(64.0).reshape((2,) * 6)
    x = tv.tensor(dtype="float64", shape=(None,) * 6, name="x")
    assert same(x)(value) is value
    np.testing.assert_array_equal(tv.function([x], x * 2.0)(value), value * 2.0)


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        ("float64", 3, 3.0),
        ("float64", True, 1.0),
        ("float64", 10**30, 1e30),
        ("float32", 0.1, np.float32(0.1)),
        ("float64", np.float32(0.5), 0.5),
        ("float64", np.int32(7), 7.0),
        ("int64", 2.0, 2),
        ("int8", -128, -128),
        ("uint64", 2**64 - 1, 2**64 - 1),
        ("bool", 1, True),
        ("complex128", 1.5, 1.5),
        ("complex128", 1 + 2j, 1 + 2j),
        ("float64", np.array(4.5), 4.5),
    ],
)
def test_a_number_that_fits_is_taken(dtype, value, expected):
    x = tv.tensor(dtype=dtype, shape=(), name="x")
    result = tv.function([x], x)(value)
    assert result == expected
    assert result.dtype == dtype


@pytest.mark.parametrize(
    ("dtype", "value", "error", "words"),
    [
        ("int64", 2.5, TypeError, "'x' of step: float64 scalar 2.5 does not fit int64"),
        ("int8", 200, TypeError, "int64 scalar 200 does not fit int8"),
        ("uint8", -1, TypeError, "int64 scalar -1 does not fit uint8"),
        ("float32", 1e300, TypeError, "does not fit float32"),
        ("float64", 1j, TypeError, "does not fit float64"),
        ("int64", 2**64, TypeError, "18446744073709551616 does not fit int64"),
        ("int64", np.float64(2.0), TypeError, "'x' of step is a float64 scalar, but int64"),
        ("float32", np.float64(2.0), TypeError, "allow_downcast=True"),
        ("float64", "two", TypeError, "'x' of step has to be a scalar float64.*str"),
        ("float64", None, TypeError, "NoneType"),
        ("float64", np.datetime64(3, "s"), TypeError, "datetime64"),
        ("float64", [1.0], TypeError, "has 1 dimension .*scalar float64.* has 0"),
    ],
)
def test_a_number_that_does_not_fit_is_refused_by_name(dtype, value, error, words):
    x = tv.tensor(dtype=dtype, shape=(), name="x")
    f = tv.function([x], x, name="step")
    with pytest.raises(error, match=words):
        f(value)
    assert f(1) == 1


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.arange(3.0), r"int64 is wanted.*\.astype\('int64'\).*allow_downcast=True"),
        (np.arange(3, dtype=np.uint64), "uint64 array of shape"),
        (np.ones((2, 2), np.int64), r"has 2 dimensions \(an int64 array of shape \(2, 2\)\)"),
        (3, "has 0 dimensions"),
        (["a", "b"], "list"),
        (np.array([None, 1]), "dtype object"),
        ([1.5, 2.0], "does not fit int64"),
    ],
)
def test_an_array_that_does_not_fit_is_refused_by_name(value, words):
    x = tv.tensor(dtype="int64", shape=(None,), name="x")
    with pytest.raises(TypeError, match=words):
        tv.function([x], x, name="step")(value)


def test_a_known_length_is_checked():
    x = tv.tensor(dtype="float64", shape=(None, 3), name="x")
    f = tv.function([x], x, name="step")
    with pytest.raises(ValueError, match=r"'x' of step has shape \(2, 4\).*\(\?, 3\).*axis 1"):
        f(np.ones((2, 4)))
    assert f(np.ones((2, 3))).shape == (2, 3)


def test_a_symbolic_variable_is_no_argument():
    x = tv.scalar("x")
    with pytest.raises(TypeError, match="symbolic Variable; pass a value"):
        tv.function([x], x)(x)


def test_downcasting_is_done_where_it_was_allowed():
    x = tv.tensor(dtype="int32", shape=(None,), name="x")
    f = tv.function([tv.In(x, allow_downcast=True)], x)
    np.testing.assert_array_equal(f([1.5, 2.5]), np.array([1, 2], np.int32))
    np.testing.assert_array_equal(f(np.array([3.9])), np.array([3], np.int32))


def test_strict_converts_nothing():
    x = tv.tensor(dtype="float64", shape=(None,), name="x")
    f = tv.function([tv.In(x, strict=True)], x)
    with pytest.raises(TypeError, match="no conversion is allowed"):
        f(np.arange(3))
    with pytest.raises(TypeError, match="list"):
        f([1.0, 2.0])
    np.testing.assert_array_equal(f(np.ones(2)), [1.0, 1.0])


@pytest.mark.parametrize("value", [[1.0, 2.0], (1, 2), [True, np.float32(2.0)], [np.ones(()), 2]])
def test_lists_of_numbers_are_arrays(value):
    x = tv.vector("x")
    np.testing.assert_array_equal(tv.function([x], x)(value), np.asarray(value, float))


def test_objects_with_an_array_protocol_are_arrays():
    class Protocol:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0])

    class DLPack:
        def __init__(self):
            self.array = np.array([3.0, 4.0])

        def __dlpack__(self, **kwargs):
            return self.array.__dlpack__(**kwargs)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    x = tv.vector("x")
    f = tv.function([x], x * 2.0)
    np.testing.assert_array_equal(f(Protocol()), [2.0, 4.0])
    np.testing.assert_array_equal(f(DLPack()), [6.0, 8.0])
    np.testing.assert_array_equal(f(memoryview(np.array([1.0, 5.0]))), [2.0, 10.0])


def test_a_subclass_of_ndarray_is_taken_by_its_elements():
    x = tv.matrix("x")
    result = tv.function([x], x)(np.ones((2, 2)).view(np.ma.MaskedArray))
    assert type(result) is np.ndarray


BYTES = np.array([[0, 1, 2], [255, 0, 128]], np.uint8)


@pytest.mark.parametrize("mode", ["py", "vm", "cvm", "c"])
@pytest.mark.parametrize(
    "bytes_", [BYTES, BYTES.T, BYTES[:, ::-1], np.repeat(BYTES, 2, axis=1)[:, ::2], BYTES[:0]]
)
def test_any_byte_but_0_of_an_array_of_bools_is_true_as_in_numpy(mode, bytes_):
    x, y = tv.matrix("x", dtype="bool"), tv.matrix("y", dtype="bool")
    f = tv.function([x, y], [x.sum(), x * 1.0, x & y, tv.eq(x, y), x.all()], mode=mode)
    odd, plain = bytes_.view(bool), bytes_ != 0
    for got, expected in zip(f(odd, plain), f(plain, plain), strict=True):
        np.testing.assert_array_equal(got, expected)
    assert f(odd, plain)[0] == np.count_nonzero(bytes_)
    np.testing.assert_array_equal(bytes_.view(np.uint8), odd.view(np.uint8))  # not the caller's


def test_a_bool_that_is_another_byte_is_true_wherever_it_comes_from():
    odd = np.array(2, np.uint8).view(bool)
    x = tv.scalar("x", dtype="bool")
    assert tv.function([x], x * 1.0)(odd) == 1.0
    shared = tv.shared(np.array([3, 0], np.uint8).view(bool), "s")
    assert tv.function([], shared.sum())() == 1

    class Odd(tv.Op):
        def make_node(self, x):
            return tv.Apply(self, [x], [tv.vector(dtype="bool").type()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = np.array([7, 0], np.uint8).view(bool)

    assert tv.function([x], Odd()(x).sum())(True) == 1


def test_opaque_values_travel_as_they_are():
    x = tv.generic("x")
    f = tv.function([x], tv.Out(x, borrow=True))
    for value in (None, "text", object(), {"a": 1}, lambda: 1):
        assert f(value) is value


def test_an_opaque_argument_is_copied_for_the_caller():
    x = tv.generic("x")
    value = {"a": [1]}
    result = tv.function([x], x)(value)
    assert result == value
    assert result["a"] is not value["a"]


def test_memory_has_a_peak():
    _core.reset_peak_memory()
    base = _core.memory()["peak"]
    x = tv.vector("x")
    tv.function([x], x + 1.0)(np.ones(1 << 20))
    assert _core.memory()["peak"] >= base + (8 << 20)
    _core._testing.trim_memory()
    assert _core.memory()["cached"] == 0


class Exported:
    """An array that says no more of itself than DLPack does."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


@pytest.mark.parametrize(
    ("value", "dtype", "elements"),
    [
        (Exported(np.array([1.0, 2.0])), "float64", [1.0, 2.0]),
        (memoryview(np.array([1, 2], "int16")), "int16", [1, 2]),
        (memoryview(b"ab"), "uint8", [97, 98]),
        (bytearray(b"ab"), "uint8", [97, 98]),
        (array.array("f", [1.0, 2.0]), "float32", [1.0, 2.0]),
        (range(2, 6, 2), "int64", [2, 4]),
        (collections.deque([1.5, 2.5]), "float64", [1.5, 2.5]),
        (collections.UserList([True, False]), "bool", [True, False]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_numpy_reads_as_an_array_is_one(value: Any, dtype: str, elements: list[Any]) -> None:
    for made in (tv.constant(value), tv.shared(value), tv.as_variable(value)):
        assert made.type.dtype == dtype
        assert tv.function([], made)().tolist() == elements


@pytest.mark.parametrize("value", ["ab", b"ab", {"a": 1}, None], ids=repr)
def test_what_numpy_has_no_numbers_for_is_kept_as_an_object(value: Any) -> None:
    assert tv.constant(value).type == tv.GenericType()
    assert tv.shared(value).type == tv.GenericType()

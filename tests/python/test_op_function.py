"""The functions that are generated from the registry: signatures, documentation and checks."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest

import thunkvm as tv
from thunkvm import _core


def test_every_op_has_a_documented_function() -> None:
    for name in _core.op_names():
        function = _core.op(name)
        assert function.__name__ == name
        assert function.__doc__.splitlines()[0].endswith("."), name
        assert "Returns\n-------" in function.__doc__, name
        assert str(inspect.signature(function)) == function.__text_signature__, name


def test_a_signature_has_inputs_and_keyword_attributes() -> None:
    signature = inspect.signature(_core.op("sum"))
    assert str(signature).startswith("(x, *, axis=None, keepdims=False")
    assert [p.kind for p in signature.parameters.values()][:2] == [
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.KEYWORD_ONLY,
    ]
    assert str(inspect.signature(_core.op("concatenate"))).startswith("(*")


def test_the_first_sentence_of_a_docstring_closes_its_parentheses() -> None:
    for name in dir(tv.ops):
        first = (getattr(tv.ops, name).__doc__ or "").splitlines()[:1]
        for line in first:
            assert line.count("(") == line.count(")"), name
    assert (tv.ops.solve.__doc__ or "").splitlines()[0].endswith("getrf, getrs).")


def test_a_docstring_lists_parameters_in_numpys_style() -> None:
    doc = inspect.getdoc(_core.op("sum"))
    assert "Parameters\n----------\nx : Variable\n    " in doc
    assert "\naxis : int or list of ints, optional\n    " in doc
    assert "\nkeepdims : bool, default False\n    " in doc


def test_a_function_is_one_object_and_pickles_by_name() -> None:
    assert _core.op("cos") is _core.op("cos")
    assert pickle.loads(pickle.dumps(_core.op("cos"))) is _core.op("cos")


def test_an_op_without_attributes_is_shared() -> None:
    x = tv.scalar("x")
    assert tv.cos(x).owner.op == tv.cos(x).owner.op


def test_an_unknown_op_is_a_key_error_with_the_nearest_name() -> None:
    with pytest.raises(KeyError, match="there is no Op called 'coss'; did you mean 'cos'"):
        _core.op("coss")


def test_the_number_of_inputs_is_checked() -> None:
    x = tv.vector("x")
    with pytest.raises(TypeError, match=r"\[cos\] takes 1 input \(x\), but got 2"):
        _core.op("cos")(x, x)
    with pytest.raises(TypeError, match=r"\[add\] takes 2 inputs \(x, y\), but got 0"):
        _core.op("add")()
    with pytest.raises(TypeError, match=r"attributes go by keyword: sum\(x, \*, axis=None"):
        _core.op("sum")(x, 0)


def test_inputs_go_by_keyword_as_by_position() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    add, total = _core.op("add"), _core.op("sum")
    for made in add(x=x, y=y), add(y=y, x=x), add(x, y=y):
        assert made.owner.inputs == [x, y]
    assert total(x=x, axis=[0], keepdims=True).owner.inputs == [x]
    assert str(inspect.signature(add)) == "(x, y)"


def test_an_input_that_is_given_twice_or_not_at_all_is_an_error() -> None:
    x = tv.vector("x")
    with pytest.raises(TypeError, match=r"\[cos\] got the input 'x' twice, by position and by key"):
        _core.op("cos")(x, x=x)
    with pytest.raises(TypeError, match=r"\[add\] needs the input 'x': add\(x, y\)"):
        _core.op("add")(y=x)
    with pytest.raises(TypeError, match=r"\[add\] takes 2 inputs \(x, y\), but got 1"):
        _core.op("add")(x=x)


def test_inputs_in_front_of_any_number_of_others_go_by_position() -> None:
    x = tv.vector("x")
    with pytest.raises(TypeError, match=r"\[subtensor\] takes its input 'x' by position"):
        _core.op("subtensor")(x=x, index=["0"])


def test_a_bad_input_is_named() -> None:
    with pytest.raises(TypeError, match=r"\[add\] input 'y': .*cannot become a Variable"):
        _core.op("add")(tv.scalar("x"), None)


def test_a_misspelt_attribute_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(TypeError, match=r"\[sum\] has no attribute 'axsi'; did you mean 'axis'"):
        _core.op("sum")(tv.vector("x"), axsi=0)


def test_an_attribute_by_another_librarys_name_is_an_error_with_ours() -> None:
    with pytest.raises(TypeError, match=r"\[sum\] has no attribute 'axes'; it is called 'axis'"):
        _core.op("sum")(tv.vector("x"), axes=0)


@pytest.mark.parametrize("axis", ["0", 0.5, [0.5], {"a": 1}])
def test_an_attribute_of_the_wrong_type_is_an_error_that_shows_it(axis: object) -> None:
    with pytest.raises(TypeError, match=r"\[sum\] attribute 'axis' = .*has to be a list of ints"):
        _core.op("sum")(tv.matrix("x"), axis=axis)


def test_an_attribute_cannot_be_a_variable() -> None:
    with pytest.raises(TypeError, match=r"attribute 'axis' = n is a Variable; .*known while"):
        _core.op("sum")(tv.matrix("x"), axis=tv.scalar("n", dtype="int64"))


@pytest.mark.parametrize("axis", [1, -1, (1,), [np.int64(1)], np.int8(1), np.array([1])])
def test_a_list_of_ints_may_be_given_in_many_ways(axis: object) -> None:
    x = tv.matrix("x")
    f = tv.function([x], _core.op("sum")(x, axis=axis))
    np.testing.assert_array_equal(f([[1.0, 2.0], [3.0, 4.0]]), [3.0, 7.0])


@pytest.mark.parametrize("dtype", ["float32", np.float32, np.dtype("float32")])
def test_a_dtype_may_be_given_in_many_ways(dtype: object) -> None:
    assert _core.op("cast")(tv.vector("x"), dtype=dtype).dtype == "float32"


def test_python_types_name_dtypes_as_in_numpy() -> None:
    cast, x = _core.op("cast"), tv.vector("x")
    assert [cast(x, dtype=t).dtype for t in (bool, int, complex)] == ["bool", "int64", "complex128"]
    with pytest.raises(TypeError, match=r"\[cast\] attribute 'dtype' = float65 is not a dtype"):
        cast(x, dtype="float65")


def test_a_required_attribute_is_asked_for() -> None:
    with pytest.raises(TypeError, match=r"\[cast\] needs the attribute 'dtype'"):
        _core.op("cast")(tv.vector("x"))


def test_a_variadic_op_takes_its_inputs_one_by_one_or_as_a_list() -> None:
    x, y = tv.vector("x"), tv.vector("y")
    concatenate = _core.op("concatenate")
    assert concatenate(x, y, axis=0).owner.inputs == [x, y]
    assert concatenate([x, y], axis=0).owner.inputs == [x, y]


def test_prototypes_are_plain_dicts() -> None:
    protos = {proto["name"]: proto for proto in _core.op_protos()}
    assert sorted(protos) == _core.op_names()
    axis, keepdims = protos["sum"]["attrs"][:2]
    assert (axis["name"], axis["type"], axis["required"]) == ("axis", "list of ints", False)
    assert (keepdims["name"], keepdims["default"]) == ("keepdims", False)
    assert protos["add"]["inputs"][0]["name"] == "x"

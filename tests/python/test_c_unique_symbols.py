"""C++ of a user's whose functions have what the linker makes unique in a process."""

from __future__ import annotations

from typing import Any

import pytest

import thunkvm as tv

SUPPORT = {
    "the static variable of an inline function": """
inline int& calls() { static int n = 0; return n; }
static double computed(double x) { return x + 0 * calls()++; }""",
    "the static variable of a template": """
template <class T> T& last() { static T value = T(); return value; }
static double computed(double x) { last<double>() = x; return last<double>(); }""",
    "a static member of a template": """
template <class T> struct Scale { static T value; };
template <class T> T Scale<T>::value = T(1);
static double computed(double x) { return x * Scale<double>::value; }""",
    "an inline variable": """
inline double factor = 1.0;
static double computed(double x) { return x * factor; }""",
    "a thread's own variable": """
inline thread_local double kept = 0.0;
static double computed(double x) { kept = x; return kept; }""",
    "std::regex": """
#include <regex>
#include <string>
static double computed(double x) {
  static const std::regex number("[0-9]+");
  return std::regex_match(std::string("42"), number) ? x : -1.0;
}""",
    "std::call_once": """
#include <mutex>
static double factor = 0.0;
static std::once_flag once;
static double computed(double x) {
  std::call_once(once, [] { factor = 1.0; });
  return x * factor;
}""",
}


class Computed(tv.Op):
    """Two times what C++ of the user's computes of a double."""

    __props__ = ("support",)

    def __init__(self, support: str) -> None:
        self.support = support

    def make_node(self, x: Any) -> Any:
        return tv.Apply(self, [x], [tv.vector()])

    def c_support_code(self, **kwargs: Any) -> str:
        return self.support

    def c_code(
        self, node: Any, name: str, inputs: list[str], outputs: list[str], sub: dict[str, str]
    ) -> str:
        (x,), (z,) = inputs, outputs
        return f"""
        Py_XDECREF({z});
        {z} = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS({x}), NPY_DOUBLE, 0);
        if (!{z}) {sub["fail"]}
        for (npy_intp i = 0; i < PyArray_DIM({x}, 0); ++i)
            *(double*)PyArray_GETPTR1({z}, i) = 2 * computed(*(double*)PyArray_GETPTR1({x}, i));
        """


class Kernel(tv.Op):
    """The same, as a kernel of the VM's."""

    __props__ = ("support",)
    c_kernel_is_cxx = True

    def __init__(self, support: str) -> None:
        self.support = support

    def make_node(self, x: Any) -> Any:
        return tv.Apply(self, [x], [tv.scalar()])

    def c_kernel(self, node: Any, name: str) -> str:
        return f"""{self.support}
        extern "C" int {name}(tv_call *call, const tv_array *in, tv_array *out) {{
          *(double *)out[0].data = 2 * computed(*(const double *)in[0].data);
          return 0;
        }}"""


@pytest.mark.parametrize("mode", ["cvm", "c|py", "FAST_RUN"])
@pytest.mark.parametrize("what", SUPPORT)
def test_c_code_of_cxx_has(what: str, mode: str) -> None:
    x = tv.vector("x")
    f = tv.function([x], Computed(SUPPORT[what])(x), mode=mode)
    assert f([2.0, 3.0]).tolist() == [4.0, 6.0]


@pytest.mark.parametrize("mode", ["cvm", "c|py", "FAST_RUN"])
@pytest.mark.parametrize("what", SUPPORT)
def test_c_kernel_of_cxx_has(what: str, mode: str) -> None:
    x = tv.scalar("x")
    f = tv.function([x], Kernel(SUPPORT[what])(x), mode=mode)
    assert f(2.0) == 4.0

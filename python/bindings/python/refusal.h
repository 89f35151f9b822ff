// refusal.h: what Python refuses with a ValueError, as an error of the machine.
#pragma once

#include "python/bindings/python/raised.h"
#include "thunks/error.h"

namespace thunkvm {

/// The result of `f()`; a ValueError of Python's that it raises becomes an Error(Value) of its
/// text, to which callers may add a place.
template <class F>
auto with_refusals(F&& f) {
  try {
    return f();
  } catch (const PythonError&) {
    if (PyErr_ExceptionMatches(PyExc_ValueError) == 0) throw;
    const PyRef refusal = take_exception();
    throw Error(ErrorKind::Value, str_of(refusal.get()));
  }
}

}  // namespace thunkvm

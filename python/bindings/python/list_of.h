// list_of.h: a range as a list of Python's.
#pragma once

#include "python/bindings/python/python.h"

#include <iterator>

namespace thunkvm {

inline PyObject* new_reference(PyRef made) { return made.release(); }
inline PyObject* new_reference(PyObject* made) { return PyRef::take(made).release(); }

/// A list of what `make` gives for each element: a PyRef, or a new reference. Throws what `make`
/// throws.
template <class List, class Make>
PyRef list_of(const List& elements, const Make& make) {
  PyRef list = PyRef::take(PyList_New(static_cast<Py_ssize_t>(std::size(elements))));
  Py_ssize_t at = 0;
  for (const auto& element : elements)
    PyList_SET_ITEM(list.get(), at++, new_reference(make(element)));
  return list;
}
/// The same as a tuple.
template <class List, class Make>
PyRef tuple_of(const List& elements, const Make& make) {
  return PyRef::take(PyList_AsTuple(list_of(elements, make).get()));
}

}  // namespace thunkvm

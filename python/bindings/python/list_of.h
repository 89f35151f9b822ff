// list_of.h: a range as a list of Python's.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

/// A list of what `make` gives for each element. Throws what `make` throws.
template <class List, class Make>
PyRef list_of(const List& elements, const Make& make) {
  PyRef list = PyRef::take(PyList_New(static_cast<Py_ssize_t>(elements.size())));
  Py_ssize_t at = 0;
  for (const auto& element : elements) PyList_SET_ITEM(list.get(), at++, make(element).release());
  return list;
}

}  // namespace thunkvm

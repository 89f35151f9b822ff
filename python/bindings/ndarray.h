// ndarray.h: arrays and numbers of the machine as NumPy objects over the same memory, and back.
#pragma once

#include "python/bindings/python.h"

#include "thunks/array.h"
#include "thunks/cell.h"

#include <cstdint>
#include <optional>

namespace thunkvm {

/// A NumPy scalar of this dtype (not complex128 or Object) with the number at `value`; a new
/// reference.
PyObject* numpy_scalar(DType dtype, const void* value);

/// The array as an ndarray: the object that it was borrowed from if it still looks like it, else a
/// new one over its buffer, which it keeps alive. Read-only where the buffer is.
PyRef to_ndarray(const ArrayBody& array);
/// A fresh, writable 0-d ndarray with this number.
PyRef to_ndarray_0d(const Cell& scalar);

/// The machine's dtype for an ndarray's elements in any byte order; nothing where it has none
/// (strings, objects, dates).
std::optional<DType> dtype_of_ndarray(PyArrayObject* array);
/// True if the machine can read the elements where they are: aligned, and in the machine's byte
/// order.
inline bool readable_in_place(PyArrayObject* array) { return PyArray_ISBEHAVED_RO(array); }
/// The ndarray's elements, borrowed: the object is held, nothing is copied. It has to be readable
/// in place.
Array borrow_ndarray(PyArrayObject* array, DType dtype);
/// The number in a 0-d ndarray or NumPy scalar's memory, as a cell of its own.
Cell number_at(const void* data, DType dtype);

/// The class of NumPy's scalars of this dtype; borrowed.
PyTypeObject* scalar_class(DType dtype);
/// Where a NumPy scalar of one of the machine's dtypes has its number.
const void* number_in(PyObject* scalar);
/// The number in a NumPy scalar; nothing where the machine has no such dtype.
std::optional<Cell> cell_of_scalar(PyObject* scalar);

void init_ndarray(PyObject* module);

}  // namespace thunkvm

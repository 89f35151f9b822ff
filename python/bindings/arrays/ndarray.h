// ndarray.h: arrays and numbers of the machine as NumPy objects over the same memory, and back.
#pragma once

#include "python/bindings/python/python.h"
#include "thunks/array.h"
#include "thunks/cell.h"

#include <array>
#include <cstdint>
#include <optional>

namespace thunkvm {

/// A NumPy scalar of this dtype (not complex128 or Object) with the number at `value`; a new
/// reference.
PyObject* numpy_scalar(DType dtype, const void* value);

/// The array as an ndarray: the object that it was borrowed from if it still looks like it, else a
/// new one over its memory, which it keeps alive. Read-only where the buffer is; else it may be
/// made read-only and writable again.
PyRef to_ndarray(Array array);
/// A fresh, writable 0-d ndarray with this number.
PyRef to_ndarray_0d(const Cell& scalar);

/// The machine's dtype for an ndarray's elements in any byte order; nothing where it has none
/// (strings, objects, dates).
std::optional<DType> dtype_of_ndarray(PyArrayObject* array);
/// True if the machine can read the elements where they are: aligned, and in the machine's byte
/// order.
inline bool readable_in_place(PyArrayObject* array) { return PyArray_ISBEHAVED_RO(array); }
/// NumPy's own object for a dtype in the machine's byte order, which nearly all arrays have;
/// borrowed.
extern std::array<PyArray_Descr*, kNumericDTypes> descriptors;
/// True for an ndarray of this dtype and number of dimensions that is readable in place. False says
/// nothing: an equal dtype may be another object.
inline bool is_plain_ndarray(PyObject* object, DType dtype, int ndim) {
  if (!PyArray_CheckExact(object)) return false;
  PyArrayObject* array = reinterpret_cast<PyArrayObject*>(object);
  return PyArray_DESCR(array) == descriptors[static_cast<std::size_t>(dtype)] &&
         PyArray_NDIM(array) == ndim && PyArray_CHKFLAGS(array, NPY_ARRAY_ALIGNED);
}
/// The ndarray's elements, borrowed: the object is held, nothing is copied, but for bools that are
/// neither 0 nor 1 in memory. It has to be readable in place.
Array borrow_ndarray(PyArrayObject* array, DType dtype);
/// A borrowed array that is to be kept: read-only, though `body()->is_owner_itself` still tells of
/// an ndarray that its owner may write to.
Array lent_array(Array array);
/// The number in a 0-d ndarray or NumPy scalar's memory, as a cell of its own.
Cell number_at(const void* data, DType dtype);

/// The class of NumPy's scalars of this dtype; borrowed.
PyTypeObject* scalar_class(DType dtype);
/// The address of the number in a NumPy scalar of one of the machine's dtypes.
const void* number_in(PyObject* scalar);
/// The number in a NumPy scalar; nothing where the machine has no such dtype.
std::optional<Cell> cell_of_scalar(PyObject* scalar);

}  // namespace thunkvm

// argument_memory.h: the memory of an argument that a call may write to (mutable_arguments.h).
#pragma once

#include "python/bindings/python/python.h"
#include "thunks/array.h"

namespace thunkvm {

/// The elements of an argument, borrowed: the buffer's references count for the argument, whoever
/// else holds the ndarray. The array is no object of Python's itself: an ndarray that is made of it
/// refers to the buffer, as all views of that do.
Array borrow_mutable(PyArrayObject* array, DType dtype);
/// True if the elements of an exclusive array are in the memory of such an argument.
bool is_in_argument(const ArrayBody& array);
/// The argument itself if this array is all of it, as it was given; else null. Borrowed.
PyObject* whole_argument(const ArrayBody& array);

}  // namespace thunkvm

// variable_numbers.h: Python's operators on Variables, as the slots of the type.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

// Either operand may be the Variable. What cannot be a Variable gives NotImplemented, so that
// Python asks the other.
PyObject* variable_add(PyObject* a, PyObject* b);
PyObject* variable_subtract(PyObject* a, PyObject* b);
PyObject* variable_multiply(PyObject* a, PyObject* b);
PyObject* variable_true_divide(PyObject* a, PyObject* b);
PyObject* variable_floor_divide(PyObject* a, PyObject* b);
PyObject* variable_remainder(PyObject* a, PyObject* b);
PyObject* variable_power(PyObject* a, PyObject* b, PyObject* modulus);
PyObject* variable_matrix_multiply(PyObject* a, PyObject* b);
PyObject* variable_and(PyObject* a, PyObject* b);
PyObject* variable_or(PyObject* a, PyObject* b);
PyObject* variable_xor(PyObject* a, PyObject* b);
PyObject* variable_left_shift(PyObject* a, PyObject* b);
PyObject* variable_right_shift(PyObject* a, PyObject* b);

PyObject* variable_negative(PyObject* a);
PyObject* variable_positive(PyObject* a);
PyObject* variable_absolute(PyObject* a);
PyObject* variable_invert(PyObject* a);

/// Elementwise. What cannot become a Variable (None, a str) is unequal to one, as Python's protocol
/// has it; Variables that are no tensors cannot be compared.
PyObject* compare_variables(PyObject* a, PyObject* b, int comparison);

/// A TypeError that shows the `ifelse` to write; and where Python compared Variables by itself, as
/// in `x in xs`, how to ask whether they are the same.
int variable_bool(PyObject* self);

}  // namespace thunkvm

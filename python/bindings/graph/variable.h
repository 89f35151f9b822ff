// variable.h: Variables of the graph as Python objects.
//
// While a Python object for a variable lives, the same one is handed out: the variable knows it
// through Variable::handle(), which holds nothing, so that there is no cycle.
#pragma once

#include "ops/graph/variable.h"
#include "python/bindings/python/python.h"

#include <cstdint>
#include <span>
#include <vector>

namespace thunkvm {

/// `thunkvm._core.Variable`.
struct VariableObject {
  PyObject_HEAD Variable variable;
  PyObject* weak_references;
};
extern PyTypeObject* variable_class;

/// A new reference to the Python object of a variable, which is not null. Throws PythonError.
PyObject* wrap(const Variable& variable);
/// A list of them.
PyRef wrap_list(std::span<const Variable> variables);
/// A tuple of them.
PyRef wrap_tuple(std::span<const Variable> variables);

inline bool is_variable(PyObject* object) { return Py_IS_TYPE(object, variable_class); }
/// The variable of an object for which `is_variable` holds.
inline const Variable& unwrap(PyObject* object) {
  return reinterpret_cast<VariableObject*>(object)->variable;
}
/// The variable of an object that has to be one: else Error(Type) naming `what`.
const Variable& require_variable(PyObject* object, const char* what);
/// The variables of an iterable, each of which has to be one.
std::vector<Variable> require_variables(PyObject* iterable, const char* what);

/// A Variable as it is; a Python number as a weak constant; lists, arrays and NumPy scalars as
/// constants. Throws Error(Type) for what cannot be one.
Variable as_variable(PyObject* object);
/// The same for an operand: Python floats and small integers are constants that others may use too,
/// so that a loop which multiplies by 2.0 makes one of them.
Variable as_operand(PyObject* object);
/// The same for an Op of two operands, where the other one says what a Python integer beyond int64
/// is, as in NumPy 2: a float beside floats and for an Op that computes in floats, a uint64 beside
/// uint64; for an Op that compares, beyond each value of an integer dtype. Errors are as_operand's.
Variable as_operand_beside(PyObject* object, PyObject* other, const Op& op);
/// A constant of this value, of the given dtype (null or None: its own; Python numbers are not weak
/// then).
Variable constant_of(PyObject* value, PyObject* dtype = nullptr);

}  // namespace thunkvm

// misfit.h: the errors for a Python object that is no value of a type.
//
// `what` names the object and begins the message: "argument 'x' of step".
#pragma once

#include "ops/graph/type.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/python/python.h"

#include <string>

namespace thunkvm {

/// It is neither a number nor an array of numbers.
[[noreturn]] void throw_not_numeric(PyObject* object, const TensorType& type, const char* what);
/// It has another number of dimensions.
[[noreturn]] void throw_ndim(const Cell& value, const TensorType& type, const char* what);
/// Its dtype may not be cast.
[[noreturn]] void throw_dtype(const Cell& value, const TensorType& type, CastRule rule,
                              const char* what);
/// A number, or a list of numbers, that the dtype does not hold; `value` describes it.
[[noreturn]] void throw_does_not_fit(const std::string& value, const TensorType& type,
                                     CastRule rule, const char* what);
/// Throws Error(Type) for an array with masked elements: the machine knows no masks, and what is
/// under one is nobody's value.
void refuse_masked(PyObject* array, const char* what);

/// "Python integer 1000", or the number of bits where nobody would read the digits.
std::string integer_text(PyObject* integer);

}  // namespace thunkvm

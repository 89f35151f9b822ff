// type.h: Types of the graph as Python objects, and Python Types as Types of the graph.
#pragma once

#include "ops/graph/type.h"
#include "python/bindings/python/python.h"

#include <string>

namespace thunkvm {

/// A user's Type: an instance of a Python class that derives `thunkvm.Type`. Its values are opaque
/// to the machine.
///
/// One for each Python object at a time; it holds the object, the object does not hold it.
class PythonType final : public Type {
 public:
  explicit PythonType(PyObject* object);
  ~PythonType() override;

  PyObject* object() const { return object_.get(); }
  /// `str(type)`.
  std::string text() const override;
  /// `==` of the Python objects.
  bool equals(const Type& other) const override;
  /// `type.copy(value)`. Needs the GIL.
  Cell copy(const Cell& value) const override;
  /// `type.filter(value, strict=, allow_downcast=)`; `allow_downcast` is None where it is null.
  PyRef filter(PyObject* value, bool strict, PyObject* allow_downcast) const;

 private:
  PyRef object_;
};

/// A new reference to the Python object of a type: TensorType, GenericType, or the user's object.
PyObject* wrap_type(const Type& type);
/// The type of a Python object. Throws Error(Type) for what is none.
TypeRef unwrap_type(PyObject* object);
bool is_type(PyObject* object);
/// The type that an object of `thunkvm.Type` holds; of a user's class the one that stands for the
/// object, null while there is none.
const Type*& type_of(PyObject* object);

/// The dtype that a Python object names: a str, a NumPy dtype, scalar type or Python's float, int,
/// bool, complex. Throws Error(Type) that names `what` and lists the dtypes.
DType dtype_of_object(PyObject* object, const std::string& what);
/// NumPy's dtype object; a new reference.
PyArray_Descr* numpy_dtype(DType dtype);
int numpy_type_number(DType dtype);

}  // namespace thunkvm

#include "python/bindings/graph/misfit.h"

#include "python/bindings/graph/limits.h"
#include "python/bindings/graph/variable.h"

namespace thunkvm {
namespace {

// "an int64", "a float64".
std::string with_article(DType dtype) {
  const std::string text(name(dtype));
  return (text.front() == 'i' ? "an " : "a ") + text;
}

std::string what_it_is(const Cell& value) {
  if (value.is_scalar()) return with_article(value.dtype()) + " scalar";
  return with_article(value.dtype()) + " array of shape " + format_shape(value.array().shape());
}

const char* offer(CastRule rule) {
  return rule == CastRule::Safe ? ", or declare the input with allow_downcast=True" : "";
}

}  // namespace

void throw_not_numeric(PyObject* object, const TensorType& type, const char* what) {
  std::string is = is_variable(object) ? "a symbolic Variable; pass a value (Variables belong into "
                                         "the graph, values into the call)"
                                       : "a " + class_name(object) +
                                             ", which is neither a number nor an array of numbers";
  if (PyArray_Check(object) || PyArray_IsScalar(object, Generic)) {
    PyRef dtype = PyRef::adopt(PyObject_GetAttrString(object, "dtype"));
    PyErr_Clear();
    if (dtype)
      is = "an array of dtype " + str_of(dtype.get()) + ", which the machine does not compute with";
  }
  throw Error(ErrorKind::Type,
              std::string(what) + " has to be a " + type.text() + ", but it is " + is + ".");
}

void throw_ndim(const Cell& value, const TensorType& type, const char* what) {
  const int ndim = value.is_scalar() ? 0 : value.array().ndim();
  throw Error(ErrorKind::Type, std::string(what) + " has " + std::to_string(ndim) + " dimension" +
                                   (ndim == 1 ? "" : "s") + " (" + what_it_is(value) + "), but a " +
                                   type.text() + " has " + std::to_string(type.ndim()) +
                                   "; reshape it first.");
}

void throw_dtype(const Cell& value, const TensorType& type, CastRule rule, const char* what) {
  const std::string wanted(name(type.dtype()));
  const std::string begin =
      std::string(what) + " is " + what_it_is(value) + ", but " + wanted + " is wanted";
  if (is_strict(rule))
    throw Error(ErrorKind::Type,
                begin + ", and no conversion is allowed here; use .astype('" + wanted + "').");
  throw Error(ErrorKind::Type, begin + ", and the cast may lose information; use .astype('" +
                                   wanted + "')" + offer(rule) + ".");
}

void throw_does_not_fit(const std::string& value, const TensorType& type, CastRule rule,
                        const char* what) {
  throw Error(ErrorKind::Type, std::string(what) + ": " + value + " does not fit " +
                                   std::string(name(type.dtype())) + " without loss; convert it" +
                                   offer(rule) + ".");
}

std::string integer_text(PyObject* integer) {
  const std::size_t bits = _PyLong_NumBits(integer);
  if (bits > kShownBits) return "Python integer of " + std::to_string(bits) + " bits";
  return "Python integer " + str_of(integer);
}

void refuse_masked(PyObject* array, const char* what) {
  PyRef mask = attribute_or_null(array, "mask");
  if (!mask || !attribute_or_null(array, "filled")) return;
  PyRef masked = PyRef::take(PyArray_FromAny(mask.get(), nullptr, 0, 0, 0, nullptr));
  const npy_intp n = PyArray_CountNonzero(reinterpret_cast<PyArrayObject*>(masked.get()));
  check(n < 0 ? -1 : 0);
  if (n == 0) return;
  throw Error(ErrorKind::Type,
              std::string(what) + " is a masked array with " + std::to_string(n) + " of " +
                  std::to_string(PyArray_SIZE(reinterpret_cast<PyArrayObject*>(array))) +
                  " elements masked, and masks are not known here; fill them in with "
                  ".filled(value), or pass .data for what is under the mask.");
}

}  // namespace thunkvm

#include "python/bindings/graph/value.h"

#include "linkers/value_check.h"
#include "python/bindings/arrays/argument_memory.h"
#include "python/bindings/arrays/ndarray.h"
#include "python/bindings/graph/collection.h"
#include "python/bindings/graph/limits.h"
#include "python/bindings/graph/misfit.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/raised.h"
#include "python/bindings/python/release.h"
#include "thunks/cast.h"
#include "thunks/read_only.h"

namespace thunkvm {
namespace {

// ---- opaque objects ----

void retain_object(void* object) noexcept {
  if (PyGILState_Check()) {
    Py_INCREF(static_cast<PyObject*>(object));
    return;
  }
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_INCREF(static_cast<PyObject*>(object));
  PyGILState_Release(state);
}

std::uint16_t python_kind() {
  static const std::uint16_t kind = register_object_kind({retain_object, release_object});
  return kind;
}

// ---- Python's own numbers ----

// A Python number as NumPy reads it, or an empty cell.
Cell python_number(PyObject* object) {
  if (PyFloat_Check(object)) return Cell::of(PyFloat_AS_DOUBLE(object));
  if (PyBool_Check(object)) return Cell::of(object == Py_True);
  if (PyLong_Check(object)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0) {
      if (value == -1 && PyErr_Occurred()) throw PythonError{};
      return Cell::of(static_cast<std::int64_t>(value));
    }
    if (overflow > 0) {
      const unsigned long long large = PyLong_AsUnsignedLongLong(object);
      if (!PyErr_Occurred()) return Cell::of(static_cast<std::uint64_t>(large));
      PyErr_Clear();
    }
    throw Error(ErrorKind::Value, "Python integer " + str_of(object) +
                                      " is out of bounds for 64 bits; a float64 takes "
                                      "it as float(value), approximately");
  }
  if (PyComplex_Check(object)) {
    const Py_complex value = PyComplex_AsCComplex(object);
    return Cell::of(Complex128(value.real, value.imag));
  }
  return {};
}

bool fits_64_bits(PyObject* integer) {
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(integer, &overflow);
  if (overflow <= 0) return overflow == 0;
  PyLong_AsUnsignedLongLong(integer);
  const bool fits = PyErr_Occurred() == nullptr;
  PyErr_Clear();
  return fits;
}

bool is_python_number(PyObject* object) {
  return PyFloat_CheckExact(object) || PyLong_Check(object) || PyComplex_CheckExact(object) ||
         (PyFloat_Check(object) && !PyArray_IsScalar(object, Generic)) ||
         (PyComplex_Check(object) && !PyArray_IsScalar(object, Generic));
}

// Values without a dtype of their own (Python numbers, lists of them) in the wanted one.
Cell cast_untyped(const Cell& value, const TensorType& type, CastRule rule, const char* what) {
  if (value.dtype() == type.dtype()) return value;
  Cell cast = cast_cell(value, type.dtype());
  if (is_safe(rule) && !can_cast_safely(value.dtype(), type.dtype()) &&
      !values_survive(value.to_array(), cast.to_array()))
    throw_does_not_fit(describe(value), type, rule, what);
  return cast;
}

// Values with a dtype of their own in the wanted one.
Cell cast_typed(const Cell& value, const TensorType& type, CastRule rule, const char* what) {
  if (value.dtype() == type.dtype()) return value;
  if (is_strict(rule) || (is_safe(rule) && !can_cast_safely(value.dtype(), type.dtype())))
    throw_dtype(value, type, rule, what);
  return cast_cell(value, type.dtype());
}

// Python's float, int, bool and complex are float64, int64, bool and complex128 where nothing may
// be converted.
Cell from_python_number(PyObject* object, const TensorType& type, CastRule rule, const char* what) {
  Cell value;
  if (PyLong_Check(object) && is_inexact(type.dtype()) && !is_strict(rule)) {
    const double number = PyLong_AsDouble(object);  // larger than 64 bits is fine here
    if (number == -1.0 && PyErr_Occurred()) {
      PyErr_Clear();
      throw_does_not_fit(integer_text(object), type, CastRule::SafeAlone, what);
    }
    value = Cell::of(number);
  } else {
    if (PyLong_Check(object) && !fits_64_bits(object))
      throw_does_not_fit(integer_text(object), type, CastRule::SafeAlone, what);
    value = python_number(object);
  }
  if (type.ndim() != 0) throw_ndim(value, type, what);
  if (value.dtype() == type.dtype()) return value;
  if (is_strict(rule)) throw_dtype(value, type, rule, what);
  return cast_untyped(value, type, rule, what);
}

// An ndarray as a cell of its own dtype: borrowed where it can be.
Cell cell_of_ndarray(PyArrayObject* array, DType dtype) {
  PyRef copy;
  if (!readable_in_place(array)) {
    PyArray_Descr* native = PyArray_DescrNewByteorder(PyArray_DESCR(array), NPY_NATIVE);
    copy = PyRef::take(PyArray_FromArray(array, native, NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED));
    array = reinterpret_cast<PyArrayObject*>(copy.get());
  }
  if (PyArray_NDIM(array) == 0) return number_at(PyArray_DATA(array), dtype);
  return Cell::of_array(borrow_ndarray(array, dtype));
}

PyRef kept_to_depth(PyObject* object, int depth) {
  const bool is_list = PyList_CheckExact(object) ||
                       (PyList_Check(object) && !PyObject_HasAttrString(object, "__array__"));
  if ((!is_list && !PyTuple_CheckExact(object)) || depth == kMostAxes) return PyRef::borrow(object);
  const PyRef items = is_list ? PyRef::take(PyList_AsTuple(object)) : PyRef::borrow(object);
  PyRef kept = PyRef::take(PyTuple_New(PyTuple_GET_SIZE(items.get())));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i)
    PyTuple_SET_ITEM(kept.get(), i,
                     kept_to_depth(PyTuple_GET_ITEM(items.get(), i), depth + 1).release());
  return kept;
}

}  // namespace

PyRef with_kept_items(PyObject* object) { return kept_to_depth(object, 0); }

namespace {

// Anything that NumPy can look at as an array, as one; throws PythonError.
PyRef as_ndarray(PyObject* object, const char* what) {
  if (PyArray_CheckExact(object)) return PyRef::borrow(object);
  if (PyArray_Check(object)) refuse_masked(object, what);
  if (PyArray_Check(object))  // of a subclass: its plain look
    return PyRef::take(PyArray_FromAny(object, nullptr, 0, 0, NPY_ARRAY_ENSUREARRAY, nullptr));
  if (!PyList_Check(object) && !PyTuple_Check(object) &&
      !PyObject_HasAttrString(object, "__array__") &&
      PyObject_HasAttrString(object, "__dlpack__")) {
    static PyObject* from_dlpack =
        attribute(PyRef::take(PyImport_ImportModule("numpy")).get(), "from_dlpack").release();
    return PyRef::take(PyObject_CallOneArg(from_dlpack, object));
  }
  return PyRef::take(PyArray_FromAny(with_kept_items(object).get(), nullptr, 0, 0, 0, nullptr));
}

Cell from_array_like(PyObject* object, const TensorType& type, CastRule rule, const char* what) {
  if (is_variable(object)) throw_not_numeric(object, type, what);
  if (is_strict(rule) && !PyArray_Check(object))
    throw Error(ErrorKind::Type, std::string(what) + " has to be a " + type.text() +
                                     ", and no conversion is allowed here, but it is a " +
                                     class_name(object) + "; use numpy.asarray.");
  PyRef holder = as_ndarray(object, what);
  PyArrayObject* array = reinterpret_cast<PyArrayObject*>(holder.get());
  const std::optional<DType> dtype = dtype_of_ndarray(array);
  if (!dtype) throw_not_numeric(object, type, what);
  if (rule == CastRule::Exact && !readable_in_place(array))
    throw Error(ErrorKind::Type,
                std::string(what) + " is an array of dtype " +
                    str_of(reinterpret_cast<PyObject*>(PyArray_DESCR(array))) +
                    (PyArray_ISALIGNED(array) ? " in another byte order" : " that is not aligned") +
                    ", which would have to be copied, and strict=True converts "
                    "nothing; pass .astype('" +
                    std::string(name(*dtype)) + "').");
  const Cell value = cell_of_ndarray(array, *dtype);
  if (PyArray_NDIM(array) != type.ndim()) throw_ndim(value, type, what);
  const bool untyped = PyList_Check(object) || PyTuple_Check(object);
  Cell result = untyped && !is_strict(rule) ? cast_untyped(value, type, rule, what)
                                            : cast_typed(value, type, rule, what);
  if (result.is_array()) check_lengths(result, type, what);
  return result;
}

Cell tensor_from_python(PyObject* object, const TensorType& type, CastRule rule, const char* what) {
  // The common cases first: a NumPy scalar of exactly this dtype, then an ndarray.
  if (type.ndim() == 0 && Py_IS_TYPE(object, scalar_class(type.dtype())))
    return type.dtype() == DType::Float64 ? Cell::of(PyArrayScalar_VAL(object, Double))
                                          : number_at(number_in(object), type.dtype());
  if (PyArray_CheckExact(object)) {
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(object);
    const int ndim = PyArray_NDIM(array);
    if (dtype_of_ndarray(array) == type.dtype() && ndim == type.ndim() && ndim != 0 &&
        readable_in_place(array)) {
      Cell value = Cell::of_array(borrow_ndarray(array, type.dtype()));
      check_lengths(value, type, what);
      return value;
    }
    return from_array_like(object, type, rule, what);
  }
  if (is_python_number(object)) return from_python_number(object, type, rule, what);
  if (PyArray_IsScalar(object, Generic)) {
    const std::optional<Cell> value = cell_of_scalar(object);
    if (!value) throw_not_numeric(object, type, what);
    if (type.ndim() != 0) throw_ndim(*value, type, what);
    return cast_typed(*value, type, rule, what);
  }
  if (type.ndim() == 0 && !is_strict(rule) && is_float_like(object)) {
    PyRef number = PyRef::take(PyNumber_Float(object));
    return from_python_number(number.get(), type, rule, what);
  }
  return from_array_like(object, type, rule, what);
}

// The calls below may raise in NumPy's words or a user's; the message has to say of what.
template <class F>
Cell named(const char* what, F&& convert) {
  try {
    return convert();
  } catch (const PythonError&) {
    prefix_message(std::string(what) + ": ");
    throw;
  }
}

bool is_immutable(PyObject* object) {
  return object == Py_None || PyBool_Check(object) || PyLong_CheckExact(object) ||
         PyFloat_CheckExact(object) || PyUnicode_CheckExact(object) || PyBytes_CheckExact(object) ||
         PyComplex_CheckExact(object);
}

}  // namespace

PyRef to_python(const Cell& value) {
  if (value.is_scalar()) return PyRef::adopt(numpy_scalar(value.dtype(), value.address()));
  if (value.is_object()) return PyRef::borrow(object_of(value));
  if (value.empty())
    throw Error(ErrorKind::Runtime, "a register that was to be handed to Python is empty");
  if (value.body()->ndim == 0) return PyRef::adopt(numpy_scalar(value.dtype(), value.address()));
  return to_ndarray(value.array());
}

PyRef to_python(const Cell& value, const Type&) { return to_python(value); }

Cell from_python(PyObject* object, const Type& type, CastRule rule, const char* what) {
  if (const TensorType* tensor = type.tensor())
    return named(what, [&] { return tensor_from_python(object, *tensor, rule, what); });
  if (const auto* python = dynamic_cast<const PythonType*>(&type))
    return named(what, [&] {
      return object_cell(
          python->filter(object, is_strict(rule), rule == CastRule::Downcast ? Py_True : nullptr)
              .get());
    });
  return object_cell(object);
}

bool is_float_like(PyObject* object) {
  const PyNumberMethods* numbers = Py_TYPE(object)->tp_as_number;
  return numbers != nullptr && numbers->nb_float != nullptr && !is_variable(object) &&
         !PyArray_Check(object) && !PyArray_IsScalar(object, Generic) &&
         !PyObject_HasAttrString(object, "__array__") &&
         !PyObject_HasAttrString(object, "__dlpack__");
}

Cell from_number(PyObject* object) {
  if (is_python_number(object)) return python_number(object);
  if (is_float_like(object)) {
    PyRef number = PyRef::take(PyNumber_Float(object));
    return Cell::of(PyFloat_AS_DOUBLE(number.get()));
  }
  if (PyArray_IsScalar(object, Generic)) {
    if (std::optional<Cell> value = cell_of_scalar(object)) return *std::move(value);
  } else if (!PyUnicode_Check(object) && !PyBytes_Check(object)) {
    PyRef holder = as_ndarray(object, "the constant");
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(holder.get());
    if (const std::optional<DType> dtype = dtype_of_ndarray(array)) {
      const Cell value = cell_of_ndarray(array, *dtype);
      return value.is_array() ? Cell::of_array(value.array().copy()) : value;
    }
  }
  throw Error(ErrorKind::Type,
              "a " + class_name(object) +
                  " cannot become a constant: it is neither a number nor an array of numbers. To "
                  "keep it as an object, write tv.constant(value, type=tv.GenericType()).");
}

Cell object_cell(PyObject* object) {
  graphs_may_hold_objects = true;
  return Cell::of_object(Py_NewRef(object), python_kind());
}

bool exclusive(const Cell& cell) {
  if (cell.is_array()) return Array::exclusive(*cell.body());
  return !cell.is_object() || Py_REFCNT(object_of(cell)) == 1 || is_immutable(object_of(cell));
}

Cell copy_value(const Cell& cell, const Type& type) {
  if (cell.is_array()) return Cell::of_array(cell.array().copy());
  if (!cell.is_object()) return cell;
  if (dynamic_cast<const PythonType*>(&type) != nullptr) return type.copy(cell);
  static PyObject* deepcopy =
      attribute(PyRef::take(PyImport_ImportModule("copy")).get(), "deepcopy").release();
  const std::string what = "a " + class_name(object_of(cell)) +
                           " has to be copied here, since nothing says borrow=True, and cannot be";
  return named(what.c_str(), [&] {
    return object_cell(PyRef::take(PyObject_CallOneArg(deepcopy, object_of(cell))).get());
  });
}

Cell make_exclusive(Cell cell, const Type& type) {
  return exclusive(cell) ? std::move(cell) : copy_value(cell, type);
}

Cell kept(Cell cell) {
  return cell.is_array() ? Cell::of_array(read_only(cell.take_array())) : cell;
}

Cell kept_lent(Cell cell) {
  return cell.is_array() ? Cell::of_array(lent_array(cell.take_array())) : cell;
}

PyRef to_python_lent(const Cell& value) {
  if (value.is_array() && value.body()->ndim != 0) {
    if (value.body()->is_owner_itself)
      return PyRef::borrow(static_cast<PyObject*>(value.body()->buffer->owner()));
    if (PyObject* argument = whole_argument(*value.body())) return PyRef::borrow(argument);
  }
  return to_python(value);
}

std::string describe(const Cell& cell) {
  if (cell.empty()) return "no value";
  if (cell.is_object()) return "a " + class_name(object_of(cell)) + " object";
  PyRef value;
  if (cell.is_scalar() || cell.body()->ndim == 0) {
    value = PyRef::take(PyObject_Str(to_python(cell).get()));
    return std::string(name(cell.dtype())) + " scalar " + std::string(text_of(value.get()));
  }
  const Array array = cell.array();
  return std::string(name(array.dtype())) + " array, shape " + format_shape(array.shape()) +
         ", strides " + format_shape(array.strides());
}

}  // namespace thunkvm

// constant.cpp: Python values as variables: numbers, arrays, and lists that may hold variables.
#include "ops/elementwise/elementwise.h"
#include "ops/graph/registry.h"
#include "python/bindings/graph/limits.h"
#include "python/bindings/graph/misfit.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/graph/variable.h"
#include "thunks/cast.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace thunkvm {
namespace {

Variable weak_integer_of(PyObject* number) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow != 0) {
    const bool unsigned_fits = PyLong_AsUnsignedLongLong(number) != ~0ull || !PyErr_Occurred();
    PyErr_Clear();
    throw Error(
        ErrorKind::Overflow,
        "the " + integer_text(number) + " does not fit int64; " +
            (unsigned_fits ? "give it a dtype with tv.constant(value, dtype=\"uint64\") or " : "") +
            "make it a float");
  }
  return Variable::constant(Cell::of(static_cast<std::int64_t>(value)), true);
}

bool is_sequence(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }

bool holds_variable(PyObject* sequence) {
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(sequence);
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(sequence, i);
    if (is_variable(item)) return true;
    if (!is_sequence(item)) continue;
    const RecursionLevel deeper(" while looking for Variables in a nested list");
    if (holds_variable(item)) return true;
  }
  return false;
}

// A list with variables in it: its items, joined along a new first axis.
Variable stacked(PyObject* sequence) {
  std::vector<Variable> items;
  for (PyObject* item : Items(sequence, "a sequence is expected"))
    items.push_back(as_variable(item));
  return call_op("stack", items, {{"axis", std::int64_t{0}}});
}

/// What NumPy takes for an array of numbers, though it is none: a memoryview, an array.array, a
/// range, a deque. Bytes are text to it, and are kept as an object.
bool is_read_by_numpy(PyObject* object) {
  if (PyUnicode_Check(object) || PyBytes_Check(object) || PyType_Check(object)) return false;
  static PyObject* sequence =
      attribute(PyRef::take(PyImport_ImportModule("collections.abc")).get(), "Sequence").release();
  return PyObject_CheckBuffer(object) || check(PyObject_IsInstance(object, sequence)) == 1;
}

bool is_number_like(PyObject* object) {
  return PyArray_Check(object) || PyArray_CheckScalar(object) || is_sequence(object) ||
         PyFloat_Check(object) || PyLong_Check(object) || PyComplex_Check(object) ||
         is_float_like(object) ||
         (!PyType_Check(object) && (PyObject_HasAttrString(object, "__array__") ||
                                    PyObject_HasAttrString(object, "__dlpack__"))) ||
         is_read_by_numpy(object);
}

[[noreturn]] void refuse(PyObject* object) {
  std::string value = str_of(object);
  if (value.size() > kShownLetters) value = value.substr(0, kShownLetters - 3) + "...";
  if (PyFunction_Check(object))
    throw Error(ErrorKind::Type,
                value +
                    " (function) cannot become a Variable: call it, and give what it returns. "
                    "Of the arms of a conditional only the chosen one is computed, whatever "
                    "was called to build them");
  throw Error(ErrorKind::Type, value + " (" + class_name(object) +
                                   ") cannot become a Variable: a number, an array, a list of "
                                   "them or a Variable is expected. Any other object travels as "
                                   "tv.constant(value), or through an input tv.generic()");
}

// The last number of each hash: enough for the literals of a loop, and bounded.
struct RecentNumbers {
  static constexpr int kHashShift = 64 - std::countr_zero(kRecentNumbers);
  struct Entry {
    std::uint64_t bits = 0;
    Variable constant;
  };
  std::array<Entry, kRecentNumbers> entries;

  template <class T>
  const Variable& of(T number) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    Entry& entry = entries[(bits * 0x9e3779b97f4a7c15ull) >> kHashShift];
    if (!entry.constant || entry.bits != bits) {
      entry.constant = Variable::constant(Cell::of(number), true);
      entry.bits = bits;
    }
    return entry.constant;
  }
};

}  // namespace

Variable as_variable(PyObject* object) {
  if (is_variable(object)) return unwrap(object);
  // np.float64 derives float, but is no weak number: exact types only.
  if (PyFloat_CheckExact(object))
    return Variable::constant(Cell::of(PyFloat_AS_DOUBLE(object)), true);
  if (PyLong_CheckExact(object)) return weak_integer_of(object);
  if (PyBool_Check(object)) return Variable::constant(Cell::of(object == Py_True), true);
  if (PyComplex_CheckExact(object)) {
    const Py_complex value = PyComplex_AsCComplex(object);
    return Variable::constant(Cell::of(Complex128(value.real, value.imag)), true);
  }
  if (is_sequence(object) && holds_variable(object)) return stacked(object);
  if (is_float_like(object) && !PyFloat_Check(object) && !PyLong_Check(object) &&
      !PyComplex_Check(object))  // a Fraction is as weak as the float that it stands for
    return Variable::constant(from_number(object), true);
  if (!is_number_like(object)) refuse(object);
  return Variable::constant(from_number(object));
}

Variable as_operand(PyObject* object) {
  // Never destroyed: constants that outlived the interpreter could not let go of what it owns.
  static auto* floats = new RecentNumbers;
  static auto* integers = new RecentNumbers;
  if (is_variable(object)) return unwrap(object);
  if (PyFloat_CheckExact(object)) return floats->of(PyFloat_AS_DOUBLE(object));
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0) return integers->of(static_cast<std::int64_t>(value));
  }
  return as_variable(object);
}

Variable as_operand_beside(PyObject* object, PyObject* other, const Op& op) {
  int overflow = 0;
  if (PyLong_CheckExact(object)) PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0 || !is_variable(other)) return as_operand(object);
  const Variable& beside = unwrap(other);
  const TensorType* type = beside.type().tensor();
  if (type == nullptr || beside.weak()) return as_operand(object);
  const auto* elementwise = dynamic_cast<const ElementwiseOp*>(&op);
  const DType computed =
      elementwise == nullptr ? type->dtype() : elementwise->computed(type->dtype());
  if (is_inexact(computed)) {
    const double value = PyLong_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred()) {
      PyErr_Clear();
      throw Error(ErrorKind::Overflow, "the " + integer_text(object) + " does not fit float64");
    }
    const Cell cell = Cell::of(value);
    return is_inexact(type->dtype()) ? Variable::constant(cell, true)
                                     : Variable::constant(cast_cell(cell, computed));
  }
  if (type->dtype() == DType::UInt64 && overflow > 0) {
    const std::uint64_t value = PyLong_AsUnsignedLongLong(object);
    if (!PyErr_Occurred()) return Variable::constant(Cell::of(value));
    PyErr_Clear();
  }
  // No integer of 64 bits or less is as large, nor as small: it is compared as an infinity is.
  const Kind kind_beside = kind(type->dtype());
  if (elementwise != nullptr && elementwise->widens() &&
      (kind_beside == Kind::Signed || kind_beside == Kind::Unsigned))
    return Variable::constant(Cell::of(std::copysign(HUGE_VAL, overflow)), true);
  return as_operand(object);
}

Variable constant_of(PyObject* value, PyObject* dtype) {
  if (is_variable(value)) {
    if (unwrap(value).is_constant()) return unwrap(value);
    throw Error(ErrorKind::Type, unwrap(value).text() +
                                     " is a Variable already, and not a constant; use it as it is");
  }
  if (!is_number_like(value)) {
    if (dtype != nullptr && dtype != Py_None)
      throw Error(ErrorKind::Type, "a " + class_name(value) +
                                       " is kept as an object, which has no dtype; leave it out");
    return Variable::constant(object_cell(value), GenericType::instance());
  }
  if (dtype == nullptr || dtype == Py_None) return Variable::constant(from_number(value));
  // NumPy converts, so that what does not fit is an error in NumPy's words.
  PyArray_Descr* wanted = numpy_dtype(dtype_of_object(dtype, "constant(dtype=)"));
  PyRef array = PyRef::take(
      PyArray_FromAny(with_kept_items(value).get(), wanted, 0, 0, NPY_ARRAY_FORCECAST, nullptr));
  return Variable::constant(from_number(array.get()));
}

}  // namespace thunkvm

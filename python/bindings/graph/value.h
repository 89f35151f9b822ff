// value.h: values of the machine as Python objects, and Python objects as values.
//
// Numbers are copied, arrays are not: an ndarray that becomes a cell is borrowed, and one that
// comes back out of a cell is the same object if it went in as it is. All of this needs the GIL.
#pragma once

#include "ops/graph/type.h"
#include "python/bindings/python/python.h"
#include "thunks/cell.h"
#include "thunks/words.h"

#include <array>
#include <cstdint>
#include <string>

namespace thunkvm {

/// The conversions that an argument may undergo.
enum class CastRule : std::uint8_t {
  Exact,      ///< none, nor a copy for byte order or alignment (`strict=True`)
  Strict,     ///< none: the dtype as it is (what a thunk returns)
  Safe,       ///< those that lose nothing; Python numbers, and lists of them, where the value fits
  SafeAlone,  ///< the same, where there is no allow_downcast that a message could offer
  Downcast,   ///< any that NumPy's astype does (`allow_downcast=True`)
};

template <>
struct Words<CastRule> {
  static constexpr const char* name = "CastRule";
  static constexpr std::array words{"exact", "strict", "safe", "safe_alone", "downcast"};
};

inline bool is_strict(CastRule rule) { return rule == CastRule::Strict || rule == CastRule::Exact; }
inline bool is_safe(CastRule rule) { return rule == CastRule::Safe || rule == CastRule::SafeAlone; }

/// A value as Python sees it: a number as a NumPy scalar, an array as an ndarray over the same
/// memory (the same object, where it came from one), an opaque value as itself. A new reference.
PyRef to_python(const Cell& value, const Type& type);
/// The same of a number or an array, whose type does not matter.
PyRef to_python(const Cell& value);

/// A Python object as a value of this type. Arrays are borrowed, not copied, where dtype, byte
/// order and alignment allow. What has a `__float__` and is no array is a number of that value.
/// Throws Error(Type) for a dtype that may not be cast, for a number that does not fit, for a wrong
/// number of dimensions and for an array with masked elements, Error(Value) for a length that is
/// known to be another. `what` names the object in the message: "argument 'x' of step"; what
/// Python or NumPy raise on the way begins with it too.
Cell from_python(PyObject* object, const Type& type, CastRule rule, const char* what);

/// A (nested) list or tuple as tuples, for NumPy, which reads the items of a list in place: asking
/// one for its value may run code that empties the list. Any other object is itself.
PyRef with_kept_items(PyObject* object);

/// Whether it is a number by its `__float__` alone: a Fraction, a Decimal, an object of the user's.
bool is_float_like(PyObject* object);
/// A number, NumPy scalar, array or (nested) list of numbers, in the dtype that NumPy gives it and
/// in memory of its own; what has a `__float__` alone as a float64. Throws Error(Type) for anything
/// else.
Cell from_number(PyObject* object);

/// An opaque value: holds the object. Never an empty cell.
Cell object_cell(PyObject* object);
/// The Python object in an Object cell; borrowed.
inline PyObject* object_of(const Cell& cell) { return static_cast<PyObject*>(cell.object()); }

/// True if nobody but the holder of this cell can see or change the value.
bool exclusive(const Cell& cell);
/// A value that shares no memory with this one; opaque values through their Type.
Cell copy_value(const Cell& cell, const Type& type);
/// The value itself where nobody else can see it, else a copy.
Cell make_exclusive(Cell cell, const Type& type);
/// A value that is kept (a default, a shared variable's) as performs and users see it: an array is
/// read-only.
Cell kept(Cell cell);
/// The same of a value in an ndarray that was lent to us: `to_python_lent` gives that back.
Cell kept_lent(Cell cell);
/// A value as Python sees it without a copy: an ndarray that was lent to be kept comes back as it
/// is.
PyRef to_python_lent(const Cell& value);

/// A description of a value, for messages: "float64 array, shape (3,), strides (8,)", "int64 scalar
/// 3", "a Solver object".
std::string describe(const Cell& cell);

}  // namespace thunkvm

// arguments.h: how the arguments of a call become the values of a function's inputs.
#pragma once

#include "ops/graph/type.h"
#include "python/bindings/arrays/ndarray.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/python/python.h"

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace thunkvm {

/// One input of a function: what it is called and which values it takes.
struct Parameter {
  TypeRef type;
  std::string name;  ///< empty: by position only
  PyRef keyword;     ///< the name as an interned str; null without a name
  CastRule rule = CastRule::Safe;
  bool has_default = false;
  Cell default_value;  ///< converted once, when the function is made
  std::string what;    ///< "argument 'x' of step", for messages
  // The two kinds of values that have a short way in:
  bool is_double = false;  ///< a float64 scalar
  bool is_array = false;   ///< of one dimension or more, of any lengths
  DType dtype = DType::Object;
  int ndim = 0;

  /// `type`, and the short way in that it allows.
  void set_type(TypeRef type);
  /// Puts the value of an argument into a register.
  void store(PyObject* object, Cell& cell) const {
    if (is_double) {
      if (PyFloat_CheckExact(object)) return cell.set(PyFloat_AS_DOUBLE(object));
      if (Py_IS_TYPE(object, &PyDoubleArrType_Type))
        return cell.set(PyArrayScalar_VAL(object, Double));
    } else if (is_array && is_plain_ndarray(object, dtype, ndim)) {
      return cell.set_array(borrow_ndarray(reinterpret_cast<PyArrayObject*>(object), dtype));
    }
    cell = from_python(object, *type, rule, what.c_str());
  }
};

/// The inputs of a function, in order, and how a call's arguments are told apart.
class Signature {
 public:
  /// `function` is what messages begin with: "step()".
  Signature(std::string function, std::vector<Parameter> parameters);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  std::size_t size() const { return parameters_.size(); }
  /// Puts each parameter's argument, borrowed, into `bound`; null where the default is taken.
  /// Throws Error(Type) in Python's own words for too many, missing, doubled and unknown arguments,
  /// and for a keyword that is the name of more than one.
  void bind(PyObject* const* arguments, std::size_t n_positional, PyObject* keywords,
            PyObject** bound) const;

 private:
  bool is_name_of(PyObject* keyword, std::size_t i) const;
  std::size_t find(PyObject* keyword) const;
  [[noreturn]] void throw_unexpected(const std::string& given) const;
  [[noreturn]] void throw_ambiguous(std::span<const std::size_t> same) const;
  [[noreturn]] void throw_too_many(std::size_t given) const;
  [[noreturn]] void throw_missing(PyObject* const* bound) const;

  std::string function_;
  std::vector<Parameter> parameters_;
  /// The parameters of each name, an interned str.
  std::unordered_map<PyObject*, std::vector<std::size_t>> named_;
  bool shares_names_ = false;  ///< a name is that of more than one
  std::size_t n_required_ = 0;
};

}  // namespace thunkvm

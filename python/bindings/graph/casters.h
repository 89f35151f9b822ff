// casters.h: Variables and nodes as arguments and results of what pybind11 binds.
#pragma once

#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/pybind.h"

namespace pybind11::detail {

/// A Variable; None for a null one, as a result.
template <>
class type_caster<thunkvm::Variable> {
 public:
  static constexpr auto name = const_name("thunkvm._core.Variable");
  bool load(handle source, bool) {
    if (!thunkvm::is_variable(source.ptr())) return false;
    value_ = &thunkvm::unwrap(source.ptr());
    return true;
  }
  static handle cast(const thunkvm::Variable& variable, return_value_policy, handle) {
    return variable ? handle(thunkvm::PyRef::take(thunkvm::wrap(variable)).release())
                    : none().release();
  }
  template <class T>
  using cast_op_type = const thunkvm::Variable&;
  operator const thunkvm::Variable&() { return *value_; }

 private:
  const thunkvm::Variable* value_ = nullptr;
};

/// An Apply node.
template <>
class type_caster<thunkvm::Apply> {
 public:
  static constexpr auto name = const_name("thunkvm._core.Apply");
  bool load(handle source, bool) {
    if (!thunkvm::is_node(source.ptr())) return false;
    value_ = thunkvm::unwrap_node(source.ptr());
    return true;
  }
  static handle cast(thunkvm::Apply* node, return_value_policy, handle) {
    return thunkvm::PyRef::take(thunkvm::wrap_node(node)).release();
  }
  template <class T>
  using cast_op_type = pybind11::detail::cast_op_type<T>;
  operator thunkvm::Apply*() { return value_; }
  operator thunkvm::Apply&() { return *value_; }

 private:
  thunkvm::Apply* value_ = nullptr;
};

}  // namespace pybind11::detail

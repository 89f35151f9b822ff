// casters.h: Variables and nodes as arguments and results of what pybind11 binds.
#pragma once

#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/pybind.h"

namespace pybind11::detail {

/// A Variable; None for a null one, as a result.
template <>
class type_caster<thunkvm::Variable>
    : public caster_by_hand<const thunkvm::Variable, &thunkvm::is_variable, &thunkvm::unwrap> {
 public:
  static constexpr auto name = const_name("thunkvm._core.Variable");
  static handle cast(const thunkvm::Variable& variable, return_value_policy, handle) {
    return variable ? handle(thunkvm::PyRef::take(thunkvm::wrap(variable)).release())
                    : none().release();
  }
};

/// An Apply node.
template <>
class type_caster<thunkvm::Apply>
    : public caster_by_hand<thunkvm::Apply, &thunkvm::is_node, &thunkvm::unwrap_node> {
 public:
  static constexpr auto name = const_name("thunkvm._core.Apply");
  static handle cast(thunkvm::Apply* node, return_value_policy, handle) {
    return thunkvm::PyRef::take(thunkvm::wrap_node(node)).release();
  }
};

}  // namespace pybind11::detail

// casters.h: Variables and nodes as arguments and results of what pybind11 binds.
#pragma once

#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/pybind.h"

#include <utility>
#include <vector>

namespace thunkvm {

/// A Variable, or a null one for None.
struct MaybeVariable {
  MaybeVariable(Variable given = {}) : variable(std::move(given)) {}  // NOLINT
  operator const Variable&() const { return variable; }               // NOLINT
  Variable variable;
};
inline std::vector<MaybeVariable> maybe(const std::vector<Variable>& variables) {
  return {variables.begin(), variables.end()};
}

}  // namespace thunkvm

namespace pybind11::detail {

/// A Variable.
template <>
class type_caster<thunkvm::Variable>
    : public caster_by_hand<const thunkvm::Variable, &thunkvm::is_variable, &thunkvm::unwrap> {
 public:
  static constexpr auto name = const_name("thunkvm._core.Variable");
  static handle cast(const thunkvm::Variable& variable, return_value_policy, handle) {
    return thunkvm::PyRef::take(thunkvm::wrap(variable)).release();
  }
};

template <>
class type_caster<thunkvm::MaybeVariable> {
 public:
  PYBIND11_TYPE_CASTER(thunkvm::MaybeVariable, const_name("thunkvm._core.Variable | None"));
  bool load(handle source, bool) {
    if (source.is_none()) return true;
    if (!thunkvm::is_variable(source.ptr())) return false;
    value.variable = thunkvm::unwrap(source.ptr());
    return true;
  }
  static handle cast(const thunkvm::MaybeVariable& variable, return_value_policy, handle) {
    return variable.variable ? thunkvm::PyRef::take(thunkvm::wrap(variable)).release()
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

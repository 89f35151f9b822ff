// identity_op.h: Ops whose output is their input, for what they say of it.
#pragma once

#include "ops/graph/op.h"

#include <string>
#include <utility>
#include <vector>

namespace thunkvm {

/// The input itself, of any type, without a copy. A derived class says what else there is to say of
/// it: its gradient, the name that it is counted under.
class IdentityOp : public Op {
 public:
  explicit IdentityOp(std::string name) : name_(std::move(name)) {}
  std::string name() const final { return name_; }
  std::vector<Variable> call(std::span<const Variable> inputs) const override;
  ThunkCode kernel(const Apply& node) const override;
  const AliasMap& view_map() const override;
  std::vector<Extents> infer_shape(Apply& node,
                                   std::span<const Extents> input_shapes) const override;
  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override;

 private:
  std::string name_;
};

}  // namespace thunkvm

// opaque_op.h: Ops with two outputs, and one of them of which placement knows nothing.
#pragma once

#include "ops/graph/op.h"
#include "thunks/demand.h"

#include <span>
#include <string>
#include <vector>

namespace thunkvm {

/// An Op with two outputs, of the type of its first input.
class TwoOutputs : public Op {
 public:
  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    const std::vector<TypeRef> types(2, inputs[0].type_ref());
    Apply* node = Apply::make(Ref<const Op>(this), inputs, types);
    return {node->output(0), node->output(1)};
  }
};

/// A lazy one that declares no demand.
class Opaque final : public TwoOutputs {
 public:
  std::string name() const override { return "opaque"; }
  ThunkCode kernel(const Apply&) const override {
    return straight_line([](Demand& demand) {
      demand.set_output(0, demand.force(0));
      demand.set_output(1, demand.force(1));
    });
  }
};

}  // namespace thunkvm

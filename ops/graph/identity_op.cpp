#include "ops/graph/identity_op.h"

#include "thunks/error.h"

namespace thunkvm {

std::vector<Variable> IdentityOp::call(std::span<const Variable> inputs) const {
  if (inputs.size() != 1)
    throw Error(ErrorKind::Type,
                "[" + name_ + "] takes 1 input, not " + std::to_string(inputs.size()));
  return {Apply::make1(*this, inputs, inputs[0].type_ref())};
}

ThunkCode IdentityOp::kernel(const Apply&) const {
  ThunkCode code;
  code.eager = [](Activation& activation, const Operands& operands) {
    activation.output(operands, 0) = activation.input(operands, 0);
    return Status::Done;
  };
  return code;
}

const AliasMap& IdentityOp::view_map() const {
  static const AliasMap whole_input = {{0, {0}}};
  return whole_input;
}

std::vector<Extents> IdentityOp::infer_shape(Apply&, std::span<const Extents> input_shapes) const {
  return {input_shapes[0]};
}

std::vector<Variable> IdentityOp::batch(Apply&, std::span<const Variable> inputs,
                                        const std::vector<bool>&) const {
  return call(inputs);
}

}  // namespace thunkvm

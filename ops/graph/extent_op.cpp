#include "ops/graph/extent_op.h"

#include "ops/graph/limits.h"
#include "thunks/error.h"

namespace thunkvm {
namespace {

void run_length(Activation& activation, const Operands& operands) {
  std::array<std::int64_t, kMostTerms> integers;
  for (int i = 0; i < operands.n_inputs; ++i)
    integers[static_cast<std::size_t>(i)] = read_integer(activation, operands, i);
  const ExtentOp& op = *kernel_state<Ref<const ExtentOp>>(operands);
  activation.output(operands, 0).set(op.length({integers.data(), operands.n_inputs}));
}

}  // namespace

void ExtentOp::expect_count(std::size_t count) const {
  if (count == 0 || count > kMostTerms)
    fail(ErrorKind::Type, "takes 1 to " + std::to_string(kMostTerms) + " integers, but got " +
                              std::to_string(count));
}

std::vector<Variable> ExtentOp::call(std::span<const Variable> inputs) const {
  expect_count(inputs.size());
  std::vector<Variable> checked;
  std::vector<std::int64_t> known;
  for (const Variable& input : inputs) {
    checked.push_back(integer_scalar(input, "an input"));
    if (checked.back().is_constant())
      known.push_back(checked.back().constant_value().get<std::int64_t>());
  }
  if (known.size() == checked.size()) {
    try {
      return {Variable::number(length(known))};
    } catch (const Error&) {
      // Whoever needs it hears of it, when the function runs.
    }
  }
  return {Apply::make1(*this, checked, TensorType::scalar(DType::Int64))};
}

ThunkCode ExtentOp::kernel(const Apply&) const {
  return kernel_code<run_length>(Ref<const ExtentOp>(this));
}

std::vector<Variable> ExtentOp::batch(Apply&, std::span<const Variable> inputs,
                                      const std::vector<bool>& batched) const {
  return batch_in_common(inputs, batched);
}

}  // namespace thunkvm

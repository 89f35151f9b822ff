// elementwise_kernel.cpp: how an elementwise loop is run over arrays and numbers that broadcast.
#include "ops/array_kernel.h"
#include "ops/elementwise_loop.h"
#include "thunks/strided.h"

#include <algorithm>
#include <vector>

namespace thunkvm {
namespace {

/// Elements from which the machine looks for Ctrl-C after the kernel.

using Pointers = std::array<char*, kMaxElementwiseInputs + 1>;
using Strides = std::array<std::int64_t, kMaxElementwiseInputs + 1>;

/// Memory of a dying input if it fits, else new memory.
Array output_memory(Activation& activation, const Operands& operands, const ElementCode& code,
                    Dims shape) {
  for (int i = 0; i < operands.n_inputs; ++i) {
    if (Array reused = take_dying(activation, operands, i, code.output, shape)) return reused;
  }
  return output_array(activation, operands, 0, code.output, shape);
}

/// What the inputs have in common, if they need no walk: arrays in C order of one shape, and
/// numbers.
struct PlainInputs {
  Pointers pointers{};
  Strides strides{};
  const ArrayBody* array = nullptr;  ///< one of the arrays; null if a walk is needed
};

PlainInputs plain_inputs(const Activation& activation, const Operands& operands) {
  PlainInputs plain;
  const ArrayBody* array = nullptr;
  for (int i = 0; i < operands.n_inputs; ++i) {
    const Cell& cell = activation.input(operands, i);
    plain.pointers[i] = static_cast<char*>(const_cast<void*>(cell.address()));
    if (cell.is_scalar() || cell.body()->ndim == 0) continue;
    const ArrayBody* body = cell.body();
    if (!body->contiguous) return plain;
    if (array == nullptr) {
      array = body;
    } else if (body->ndim != array->ndim ||
               !std::equal(body->dims, body->dims + body->ndim, array->dims)) {
      return plain;
    }
    plain.strides[i] = static_cast<std::int64_t>(item_size(body->dtype));
  }
  plain.array = array;
  return plain;
}

Array run_plain(Activation& activation, const Operands& operands, const ElementCode& code,
                PlainInputs& plain) {
  // The dims stay where they are even if this very array becomes the output.
  const Dims shape{plain.array->dims, plain.array->ndim};
  Array output = output_memory(activation, operands, code, shape);
  const std::int64_t n = output.size();
  if (n == 0) return output;
  plain.pointers[operands.n_inputs] = output.data();
  plain.strides[operands.n_inputs] = static_cast<std::int64_t>(item_size(code.output));
  const HostLeave leave(*activation.host, n * code.cost);
  code.loop(plain.pointers.data(), plain.strides.data(), n);
  return output;
}

Array run_walk(Activation& activation, const Operands& operands, const ElementCode& code) {
  std::vector<Dims> shapes;
  std::vector<StridedWalk::Operand> walked;
  for (int i = 0; i < operands.n_inputs; ++i) {
    const Cell& cell = activation.input(operands, i);
    char* address = static_cast<char*>(const_cast<void*>(cell.address()));
    if (cell.is_scalar()) {
      walked.push_back({address, {}, {}});
    } else {
      const ArrayBody* body = cell.body();
      walked.push_back({address, {body->dims, body->ndim}, {body->dims + body->ndim, body->ndim}});
    }
    shapes.push_back(walked.back().shape);
  }
  const std::vector<std::int64_t> shape = broadcast_shapes(shapes, code.op);
  Array output = output_memory(activation, operands, code, shape);
  walked.push_back(operand(output));
  StridedWalk walk(shape, walked);
  const HostLeave leave(*activation.host, output.size() * code.cost);
  walk.run(code.loop);
  return output;
}

void run(Activation& activation, const Operands& operands) {
  const auto& code = *static_cast<const ElementCode*>(operands.state);
  PlainInputs plain = plain_inputs(activation, operands);
  Array output = plain.array != nullptr ? run_plain(activation, operands, code, plain)
                                        : run_walk(activation, operands, code);
  if (output.size() * code.cost >= kWorthLeaving) activation.poll = true;
  store(activation, operands, 0, std::move(output));
}

}  // namespace

Status run_element_code(Activation& activation, const Operands& operands) {
  return guarded<&run>(activation, operands);
}

}  // namespace thunkvm

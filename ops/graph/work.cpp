#include "ops/graph/work.h"

#include "thunks/dtype.h"

namespace thunkvm {
namespace {

double bytes_of(const Type& type, Dims shape) {
  const TensorType* const tensor = type.tensor();
  if (tensor == nullptr || shape.empty()) return 0;
  return n_elements(shape) * static_cast<double>(item_size(tensor->dtype()));
}

}  // namespace

double n_elements(Dims shape) {
  double n = 1;
  for (const std::int64_t length : shape) n *= static_cast<double>(length);
  return n;
}

double StatesWork::bytes_moved(const Apply& node, OperandShapes inputs,
                               OperandShapes outputs) const {
  double bytes = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    bytes += bytes_of(node.input(static_cast<int>(i)).type(), inputs[i]);
  for (std::size_t j = 0; j < outputs.size(); ++j)
    bytes += bytes_of(node.output_type(static_cast<std::uint32_t>(j)), outputs[j]);
  return bytes;
}

}  // namespace thunkvm

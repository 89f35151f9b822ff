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

bool has_axes(const Type& type) { return type.tensor() != nullptr && type.tensor()->ndim() != 0; }

bool has_axes(const Apply& node) {
  for (const Variable& input : node.inputs())
    if (has_axes(input.type())) return true;
  for (std::uint32_t j = 0; j < node.n_outputs(); ++j)
    if (has_axes(node.output_type(j))) return true;
  return false;
}

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

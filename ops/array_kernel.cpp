#include "ops/array_kernel.h"

#include <algorithm>

namespace thunkvm {
namespace {

bool fits(const ArrayBody* body, DType dtype, Dims shape) {
  return body->dtype == dtype && body->contiguous && body->ndim == shape.size() &&
         std::equal(shape.begin(), shape.end(), body->dims);
}

}  // namespace

Array output_array(Activation& activation, const Operands& operands, int j, DType dtype,
                   Dims shape) {
  Cell& cell = activation.output(operands, j);
  if (activation.keep && cell.is_array() && fits(cell.body(), dtype, shape)) {
    Array kept = cell.take_array();
    if (kept.exclusive()) return kept;
  }
  return Array::allocate(dtype, shape);
}

Array take_dying(Activation& activation, const Operands& operands, int i, DType dtype, Dims shape) {
  if (!operands.dies(i)) return {};
  Cell& cell = activation.input(operands, i);
  if (!cell.is_array() || !fits(cell.body(), dtype, shape)) return {};
  for (int k = 0; k < operands.n_inputs; ++k) {
    if (k != i && operands.input(k) == operands.input(i)) return {};
  }
  Array taken = cell.take_array();
  if (taken.exclusive()) return taken;
  cell.set_array(std::move(taken));
  return {};
}

}  // namespace thunkvm

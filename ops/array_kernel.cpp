#include "ops/array_kernel.h"

namespace thunkvm {
namespace {

inline bool fits(const ArrayBody& body, DType dtype, Dims shape) {
  return body.dtype == dtype && body.contiguous && same_lengths({body.dims, body.ndim}, shape);
}

}  // namespace

Array take_kept(Activation& activation, const Operands& operands, int j, DType dtype, Dims shape) {
  Cell& cell = activation.output(operands, j);
  if (cell.is_array() && fits(*cell.body(), dtype, shape) && Array::exclusive(*cell.body()))
    return cell.take_array();
  return Array::allocate(dtype, shape);
}

Array take_fitting(Activation& activation, const Operands& operands, int i, DType dtype,
                   Dims shape) {
  Cell& cell = activation.input(operands, i);
  if (!cell.is_array() || !fits(*cell.body(), dtype, shape)) return {};
  return is_named_once(operands, i) && Array::exclusive(*cell.body()) ? cell.take_array() : Array();
}

}  // namespace thunkvm

#include "ops/kernels/array_kernel.h"

#include <cstring>

namespace thunkvm {
namespace {

inline bool fits(const ArrayBody& body, DType dtype, Dims shape) {
  return body.dtype == dtype && body.contiguous && same_lengths({body.dims, body.ndim}, shape);
}

}  // namespace

std::optional<std::vector<std::int64_t>> broadcast_strides(const Array& x, Dims shape) {
  const Dims lengths = x.shape();
  if (lengths.size() > shape.size()) return std::nullopt;
  const std::size_t lacked = shape.size() - lengths.size();
  std::vector<std::int64_t> strides(shape.size(), 0);
  for (std::size_t axis = 0; axis < lengths.size(); ++axis) {
    if (lengths[axis] == shape[lacked + axis])
      strides[lacked + axis] = x.strides()[axis];
    else if (lengths[axis] != 1)
      return std::nullopt;
  }
  return strides;
}

Array take_fitting(Cell& cell, DType dtype, Dims shape) {
  const bool taken =
      cell.is_array() && fits(*cell.body(), dtype, shape) && Array::exclusive(*cell.body());
  return taken ? cell.take_array() : Array();
}

Array take_retained(Cell& cell, DType dtype, Dims shape) {
  Array kept = take_fitting(cell, dtype, shape);
  return kept ? kept : Array::allocate(dtype, shape);
}

void store_number(Cell& cell, std::uint64_t bits, DType dtype) {
  visit_dtype(dtype, "a number", [&]<class T>(std::type_identity<T>) {
    if constexpr (fits_cell<T>) {
      T value;
      std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
      cell.set(value);
    }
  });
}

}  // namespace thunkvm

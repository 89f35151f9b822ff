#include "ops/kernels/array_kernel.h"

#include <cstring>

namespace thunkvm {
namespace {

inline bool fits(const ArrayBody& body, DType dtype, Dims shape) {
  return body.dtype == dtype && body.contiguous && same_lengths({body.dims, body.ndim}, shape);
}

}  // namespace

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

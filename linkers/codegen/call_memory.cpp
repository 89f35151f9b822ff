#include "linkers/codegen/call_memory.h"

#include <algorithm>
#include <cstring>

namespace thunkvm {
namespace {

constexpr std::size_t kMostRoom = std::size_t{1} << 18;

}  // namespace

std::size_t CallMemory::reserved(std::size_t n_temporaries) {
  return padded_bytes(n_temporaries * sizeof(Temporary));
}

std::size_t CallMemory::room(std::size_t n_temporaries) {
  return std::min(n_temporaries * kMostBytes, kMostRoom);
}

bool CallMemory::make_again(std::size_t i, std::int64_t bytes) const {
  const std::size_t needed = padded_bytes(static_cast<std::size_t>(bytes));
  const std::size_t begin = call_.memory_used;
  const bool fits = needed <= kMostBytes && begin + needed <= call_.memory_bytes;
  (*this)[i].data = fits ? call_.memory + begin : nullptr;
  if (fits) call_.memory_used = begin + needed;
  return fits;
}

bool CallMemory::make(std::size_t i, DType dtype, Dims shape, std::int64_t size) const {
  Temporary& temporary = (*this)[i];
  temporary.data = nullptr;
  if (call_.activation->keep || size > static_cast<std::int64_t>(kMostBytes) ||
      !make_again(i, size * static_cast<std::int64_t>(item_size(dtype))))
    return false;
  std::int64_t stride = static_cast<std::int64_t>(item_size(dtype));
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    temporary.lengths[axis] = shape[axis];
    temporary.strides[axis] = stride;
    stride *= shape[axis];
  }
  return true;
}

void CallMemory::move_to(Cell& cell, std::size_t i, DType dtype, int ndim) const {
  Temporary& temporary = (*this)[i];
  if (temporary.data == nullptr) return;
  Array array = Array::allocate(dtype, {temporary.lengths, static_cast<std::size_t>(ndim)});
  std::memcpy(array.data(), temporary.data, array.bytes());
  cell.set_array(std::move(array));
  temporary.data = nullptr;
}

}  // namespace thunkvm

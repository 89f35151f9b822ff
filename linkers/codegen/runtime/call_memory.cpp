#include "linkers/codegen/runtime/call_memory.h"

#include "thunks/strided.h"

#include <algorithm>
#include <cstring>

namespace thunkvm {
namespace {

/// In C order, with elements so many bytes from each other.
void set_lengths(Temporary& temporary, Dims shape, std::int64_t stride) {
  if (temporary.version != 0 && std::equal(shape.begin(), shape.end(), temporary.lengths)) return;
  ++temporary.version;
  std::ranges::copy(shape, temporary.lengths);
  fill_dense_strides(shape, stride, temporary.strides);
}

}  // namespace

std::size_t CallMemory::room(std::size_t n_temporaries) {
  const std::size_t share = kMostTemporaries / std::max<std::size_t>(n_temporaries, 1);
  return std::clamp(share / kArrayPadding * kArrayPadding, kLeastTemporary, kMostTemporary);
}

std::size_t CallMemory::slot_bytes(std::size_t n_temporaries) {
  return kElements + room(n_temporaries) + kArrayPadding;
}

bool CallMemory::make(std::uint32_t at, std::size_t room, DType dtype, Dims shape,
                      std::int64_t size) const {
  Temporary& temporary = (*this)[at];
  temporary.data = nullptr;
  const std::size_t bytes = item_size(dtype);
  if (static_cast<std::size_t>(size) > room / bytes) return false;
  set_lengths(temporary, shape, static_cast<std::int64_t>(bytes));
  make_again(at);
  return true;
}

void CallMemory::make_shape_only(std::uint32_t at, Dims shape) const {
  set_lengths((*this)[at], shape, 0);
  make_again(at);
}

void CallMemory::move_to(Cell& cell, std::uint32_t at, DType dtype, int ndim) const {
  Temporary& temporary = (*this)[at];
  if (temporary.data == nullptr) return;
  const auto n = static_cast<std::size_t>(ndim);
  const Dims lengths{temporary.lengths, n}, strides{temporary.strides, n};
  if (strides[n - 1] != 0) {
    Array array = Array::allocate(dtype, lengths);
    std::memcpy(array.data(), temporary.data, array.bytes());
    cell.set_array(std::move(array));
  } else {
    const Array zero = Array::zeros(dtype, {});
    cell.set_array(zero.view(lengths, strides, zero.data()));
  }
  temporary.data = nullptr;
}

}  // namespace thunkvm

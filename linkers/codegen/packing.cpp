#include "linkers/codegen/packing.h"

#include <algorithm>
#include <cstring>

namespace thunkvm {
namespace {

template <class T>
void gather(char* to, const char* from, std::int64_t stride, std::int64_t n) {
  T* out = reinterpret_cast<T*>(to);
  if (stride == 0) {
    std::fill_n(out, n, *reinterpret_cast<const T*>(from));
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) out[i] = *reinterpret_cast<const T*>(from + i * stride);
}

}  // namespace

Packer::Packer(const ArrayBody& array, Dims shape, std::int64_t start)
    : item_size_(static_cast<int>(item_size(array.dtype))), at_(array.data) {
  const int missing = static_cast<int>(shape.size()) - array.ndim;
  for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
    const std::int64_t length = shape[static_cast<std::size_t>(axis)];
    if (length == 1) continue;
    const bool repeats = axis < missing || array.dims[axis - missing] == 1;
    const std::int64_t stride = repeats ? 0 : array.dims[array.ndim + axis - missing];
    if (n_axes_ > 0 && strides_[n_axes_ - 1] == stride * length) {
      lengths_[n_axes_ - 1] *= length;
      strides_[n_axes_ - 1] = stride;
      continue;
    }
    lengths_[n_axes_] = length;
    strides_[n_axes_++] = stride;
  }
  if (n_axes_ == 0) {
    lengths_[0] = 1;
    strides_[0] = 0;
    n_axes_ = 1;
  }
  for (int axis = n_axes_; axis-- > 0;) {
    index_[axis] = start % lengths_[axis];
    start /= lengths_[axis];
    at_ += index_[axis] * strides_[axis];
  }
}

void Packer::copy_run(char* to, std::int64_t n) const {
  const std::int64_t stride = strides_[n_axes_ - 1];
  if (stride == item_size_) {
    std::memcpy(to, at_, static_cast<std::size_t>(n * item_size_));
    return;
  }
  switch (item_size_) {
    case 1: return gather<std::uint8_t>(to, at_, stride, n);
    case 2: return gather<std::uint16_t>(to, at_, stride, n);
    case 4: return gather<std::uint32_t>(to, at_, stride, n);
    default: return gather<std::uint64_t>(to, at_, stride, n);
  }
}

void Packer::next(char* to, std::int64_t n) {
  const int inner = n_axes_ - 1;
  while (n > 0) {
    const std::int64_t run = std::min(n, lengths_[inner] - index_[inner]);
    copy_run(to, run);
    to += run * item_size_;
    n -= run;
    at_ += run * strides_[inner];
    index_[inner] += run;
    for (int axis = inner; axis > 0 && index_[axis] == lengths_[axis]; --axis) {
      index_[axis] = 0;
      at_ += strides_[axis - 1] - strides_[axis] * lengths_[axis];
      ++index_[axis - 1];
    }
  }
}

}  // namespace thunkvm

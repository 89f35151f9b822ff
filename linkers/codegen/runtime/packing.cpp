#include "linkers/codegen/runtime/packing.h"

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

void repeat_element(char* to, std::int64_t n, std::int64_t item_size, const char* element) {
  visit_bytes(item_size, [&]<class T>(T value) {
    std::memcpy(&value, element, sizeof(value));
    std::fill_n(reinterpret_cast<T*>(to), n, value);
  });
}

void Packer::begin(const char* data, int item_size, Dims lengths, const std::int64_t* strides,
                   Dims shape, std::int64_t start) {
  item_size_ = item_size;
  at_ = data;
  n_axes_ = 0;
  const std::size_t missing = shape.size() - lengths.size();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t length = shape[axis];
    if (length == 1) continue;
    const bool repeats = axis < missing || lengths[axis - missing] == 1;
    const std::int64_t stride = repeats ? 0 : strides[axis - missing];
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
    index_[axis] = 0;
    if (start == 0) continue;
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
  visit_bytes(item_size_, [&]<class T>(T) { gather<T>(to, at_, stride, n); });
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

std::int64_t Placer::begin(Packer* values, const View& place, std::int64_t offset,
                           std::int64_t item_size, std::uint64_t fill, std::int64_t start) {
  values_ = values;
  place_ = &place;
  item_size_ = item_size;
  fill_ = fill;
  begin_ = start;
  at_ = offset;
  left_ = 1;
  for (int axis = 0; axis < place.ndim; ++axis) left_ *= place.lengths[axis];
  const std::int64_t before = left_ == 0 ? 0 : count_before(start - offset);
  left_ -= before;
  for (std::int64_t axis = place.ndim, rest = before; axis-- > 0;) {
    index_[axis] = rest == 0 ? 0 : rest % place.lengths[axis];
    rest = rest == 0 ? 0 : rest / place.lengths[axis];
    at_ += index_[axis] * place.strides[axis];
  }
  return before;
}

/// How many elements of the part lie in front of what is `distance` elements behind its first one.
std::int64_t Placer::count_before(std::int64_t distance) const {
  if (distance <= 0) return 0;
  std::int64_t before = 0, inner = left_;
  for (int axis = 0; axis < place_->ndim; ++axis) {
    const std::int64_t length = place_->lengths[axis];
    inner /= length;
    if (length == 1) continue;
    const std::int64_t whole = std::min(distance / place_->strides[axis], length);
    before += whole * inner;
    if (whole == length) return before;
    distance -= whole * place_->strides[axis];
  }
  return before + (distance > 0 ? 1 : 0);
}

/// Goes n elements on along the innermost axis of the part, which has so many left.
void Placer::advance(std::int64_t n) {
  left_ -= n;
  const int inner = place_->ndim - 1;
  if (inner < 0) return;
  at_ += n * place_->strides[inner];
  index_[inner] += n;
  for (int axis = inner; axis > 0 && index_[axis] == place_->lengths[axis]; --axis) {
    index_[axis] = 0;
    at_ += place_->strides[axis - 1] - place_->strides[axis] * place_->lengths[axis];
    ++index_[axis - 1];
  }
}

void Placer::next(char* to, std::int64_t n) {
  if (fill_ == 0)
    std::memset(to, 0, static_cast<std::size_t>(n * item_size_));
  else
    repeat_element(to, n, item_size_, reinterpret_cast<const char*>(&fill_));
  const std::int64_t end = begin_ + n;
  const int inner = place_->ndim - 1;
  while (left_ > 0 && at_ < end) {
    char* const here = to + (at_ - begin_) * item_size_;
    const std::int64_t row = inner < 0 ? 1 : place_->lengths[inner] - index_[inner];
    const std::int64_t stride = row == 1 ? 1 : place_->strides[inner];
    if (stride == 1) {
      const std::int64_t run = std::min(row, end - at_);
      values_->next(here, run);
      advance(run);
    } else {
      const std::int64_t run = std::min(row, (end - at_ + stride - 1) / stride);
      for (std::int64_t i = 0; i < run; ++i) values_->next(here + i * stride * item_size_, 1);
      advance(run);
    }
  }
  begin_ = end;
}

}  // namespace thunkvm

#include "linkers/codegen/runtime/index_cursors.h"

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
#pragma GCC unroll 4  // where the loop happens to lie makes a third of its time otherwise
  for (std::int64_t i = 0; i < n; ++i) out[i] = *reinterpret_cast<const T*>(from + i * stride);
}

/// Goes on to the next axis where one has come to its end; `at` goes along.
template <class At>
void carry(Axes axes, std::int64_t* index, At& at) {
  for (std::size_t axis = axes.size() - 1; axis > 0 && index[axis] == axes[axis].length; --axis) {
    index[axis] = 0;
    at += axes[axis - 1].stride - axes[axis].stride * axes[axis].length;
    ++index[axis - 1];
  }
}

/// The index of element `start`, and how far it is from the first one.
std::int64_t find_index(Axes axes, std::int64_t start, std::int64_t* index) {
  std::int64_t distance = 0;
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    index[axis] = 0;
    if (start == 0) continue;
    index[axis] = start % axes[axis].length;
    start /= axes[axis].length;
    distance += index[axis] * axes[axis].stride;
  }
  return distance;
}

}  // namespace

void repeat_element(char* to, std::int64_t n, std::int64_t item_size, const char* element) {
  visit_bytes(item_size, [&]<class T>(T value) {
    std::memcpy(&value, element, sizeof(value));
    std::fill_n(reinterpret_cast<T*>(to), n, value);
  });
}

int broadcast_axes(Dims lengths, const std::int64_t* strides, Dims shape, Axis* axes) {
  int n = 0;
  const std::size_t missing = shape.size() - lengths.size();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t length = shape[axis];
    if (length == 1) continue;
    const bool repeats = axis < missing || lengths[axis - missing] == 1;
    const std::int64_t stride = repeats ? 0 : strides[axis - missing];
    if (n > 0 && axes[n - 1].stride == stride * length)
      axes[n - 1] = {axes[n - 1].length * length, stride};
    else
      axes[n++] = {length, stride};
  }
  return n;
}

void ElementCursor::begin(const char* data, std::int64_t item_size, Axes axes, std::int64_t start) {
  static constexpr Axis kOne[] = {{1, 0}};
  item_size_ = item_size;
  axes_ = axes.empty() ? Axes(kOne) : axes;
  at_ = data + find_index(axes_, start, index_);
}

void ElementCursor::copy_run(char* to, std::int64_t n, std::int64_t stride) const {
  if (stride == item_size_) {
    std::memcpy(to, at_, static_cast<std::size_t>(n * item_size_));
    return;
  }
  visit_bytes(item_size_, [&]<class T>(T) { gather<T>(to, at_, stride, n); });
}

void ElementCursor::next(char* to, std::int64_t n) {
  const Axis inner = axes_.back();
  std::int64_t& index = index_[axes_.size() - 1];
  while (n > 0) {
    const std::int64_t run = std::min(n, inner.length - index);
    copy_run(to, run, inner.stride);
    to += run * item_size_;
    n -= run;
    at_ += run * inner.stride;
    index += run;
    carry(axes_, index_, at_);
  }
}

std::int64_t PadCursor::begin(ElementCursor* values, Axes part, std::int64_t offset,
                              std::int64_t item_size, std::uint64_t fill, std::int64_t start) {
  values_ = values;
  part_ = part;
  item_size_ = item_size;
  fill_ = fill;
  begin_ = start;
  left_ = 1;
  for (const Axis& axis : part) left_ *= axis.length;
  const std::int64_t before = left_ == 0 ? 0 : count_before(start - offset);
  left_ -= before;
  at_ = offset + find_index(part, before, index_);
  return before;
}

/// How many elements of the part lie in front of what is `distance` elements behind its first one.
std::int64_t PadCursor::count_before(std::int64_t distance) const {
  if (distance <= 0) return 0;
  std::int64_t before = 0, inner = left_;
  for (const Axis& axis : part_) {
    inner /= axis.length;
    const std::int64_t whole = std::min(distance / axis.stride, axis.length);
    before += whole * inner;
    if (whole == axis.length) return before;
    distance -= whole * axis.stride;
  }
  return before + (distance > 0 ? 1 : 0);
}

/// Goes n elements on along the innermost axis of the part, which has so many left.
void PadCursor::advance(std::int64_t n) {
  left_ -= n;
  if (part_.empty()) return;
  at_ += n * part_.back().stride;
  index_[part_.size() - 1] += n;
  carry(part_, index_, at_);
}

void PadCursor::next(char* to, std::int64_t n) {
  if (fill_ == 0)
    std::memset(to, 0, static_cast<std::size_t>(n * item_size_));
  else
    repeat_element(to, n, item_size_, reinterpret_cast<const char*>(&fill_));
  const std::int64_t end = begin_ + n;
  while (left_ > 0 && at_ < end) {
    char* const here = to + (at_ - begin_) * item_size_;
    const std::int64_t row = part_.empty() ? 1 : part_.back().length - index_[part_.size() - 1];
    const std::int64_t stride = row == 1 ? 1 : part_.back().stride;
    const std::int64_t run = std::min(row, (end - at_ + stride - 1) / stride);
    if (stride == 1)
      values_->next(here, run);
    else
      for (std::int64_t i = 0; i < run; ++i) values_->next(here + i * stride * item_size_, 1);
    advance(run);
  }
  begin_ = end;
}

}  // namespace thunkvm

#include "ops/kernels/gathered_blocks.h"

#include <algorithm>
#include <cstring>

namespace thunkvm {
namespace {

template <class T>
void copy(char* to, const char* from, std::int64_t stride, std::int64_t n) {
  T* out = reinterpret_cast<T*>(to);
  if (stride == 0) {
    std::fill_n(out, n, *reinterpret_cast<const T*>(from));
    return;
  }
#pragma GCC unroll 4  // where the loop happens to lie makes a third of its time otherwise
  for (std::int64_t i = 0; i < n; ++i) out[i] = *reinterpret_cast<const T*>(from + i * stride);
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

void Position::begin(NestAxes axes, std::int64_t element) {
  axes_ = axes.empty() ? NestAxes(kOne) : axes;
  distance_ = 0;
  size_ = 1;
  bool repeats = axes_.size() > 1;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    size_ *= axes_[axis].length;
    repeats = repeats && (axis + 1 == axes_.size() || axes_[axis].stride == 0);
  }
  period_ = repeats ? axes_.back().length : 0;
  left_ = size_ - element;
  for (std::size_t axis = axes_.size(); axis-- > 0;) {
    index_[axis] = 0;
    if (element == 0) continue;
    index_[axis] = element % axes_[axis].length;
    element /= axes_[axis].length;
    distance_ += index_[axis] * axes_[axis].stride;
  }
}

std::int64_t elements_before(NestAxes axes, std::int64_t distance) {
  std::int64_t size = 1, before = 0;
  for (const Axis& axis : axes) size *= axis.length;
  if (distance <= 0 || size == 0) return 0;
  for (const Axis& axis : axes) {
    size /= axis.length;
    const std::int64_t whole = std::min(distance / axis.stride, axis.length);
    before += whole * size;
    if (whole == axis.length) return before;
    distance -= whole * axis.stride;
  }
  return before + (distance > 0 ? 1 : 0);
}

void gather(char* to, const char* data, std::int64_t item_size, Position& at, std::int64_t n) {
  if (const std::int64_t period = at.period(); period != 0 && n > period) {
    gather(to, data, item_size, at, period);
    // Whatever the row began with: what is there comes again, twice as much each time.
    for (std::int64_t done = period; done < n;) {
      const std::int64_t more = std::min(done, n - done);
      std::memcpy(to + done * item_size, to, static_cast<std::size_t>(more * item_size));
      done += more;
    }
    return at.skip(n - period);
  }
  while (n > 0) {
    const std::int64_t run = std::min(n, at.row()), stride = at.stride();
    const char* const from = data + at.distance();
    if (stride == item_size)
      std::memcpy(to, from, static_cast<std::size_t>(run * item_size));
    else
      visit_bytes(item_size, [&]<class T>(T) { copy<T>(to, from, stride, run); });
    to += run * item_size;
    n -= run;
    at.advance(run);
  }
}

void gather_padded(char* to, const char* data, std::int64_t item_size, Position& value,
                   std::uint64_t fill, Position& part, std::int64_t first, std::int64_t n) {
  if (fill == 0)
    std::memset(to, 0, static_cast<std::size_t>(n * item_size));
  else
    repeat_element(to, n, item_size, reinterpret_cast<const char*>(&fill));
  while (part.left() > 0 && part.distance() < first + n) {
    const std::int64_t index = part.distance() - first;
    const std::int64_t stride = part.row() == 1 ? 1 : part.stride();
    const std::int64_t run = std::min(part.row(), (n - index + stride - 1) / stride);
    char* const here = to + index * item_size;
    if (stride == 1)
      gather(here, data, item_size, value, run);
    else
      for (std::int64_t i = 0; i < run; ++i)
        gather(here + i * stride * item_size, data, item_size, value, 1);
    part.advance(run);
  }
}

}  // namespace thunkvm

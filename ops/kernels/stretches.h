// stretches.h: long work of a kernel in stretches, between which the host may end it.
#pragma once

#include "thunks/array.h"
#include "thunks/error.h"
#include "thunks/host.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace thunkvm {

/// Elements of a stretch: some milliseconds, even where each is far from the one before.
inline constexpr std::int64_t kStretch = 1 << 20;

/// Calls `f(begin, end)` for consecutive stretches of [0, n), where each index stands for `weight`
/// elements. The host is left during each that is worth it, and asked between two whether to stop:
/// then this throws Error(Interrupted).
template <class F>
void in_stretches(Host& host, std::int64_t n, std::int64_t weight, F&& f) {
  const std::int64_t length =
      std::max<std::int64_t>(1, kStretch / std::max<std::int64_t>(1, weight));
  for (std::int64_t begin = 0; begin < n; begin += length) {
    if (begin != 0 && host.interrupted())
      throw Error(ErrorKind::Interrupted, "the call was interrupted");
    const std::int64_t end = std::min(n, begin + length);
    const HostLeave leave(host, (end - begin) * weight);
    f(begin, end);
  }
}

/// Copies the elements of an array of one axis or more to one of the same shape and dtype. Throws
/// Error(Interrupted).
inline void copy_in_stretches(Host& host, const Array& from, const Array& to) {
  const std::int64_t length = from.length(0);
  if (length == 0) return;
  const std::vector<std::int64_t> whole(from.shape().begin(), from.shape().end());
  in_stretches(host, length, from.size() / length, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> shape = whole;
    shape[0] = end - begin;
    copy_elements(from.view(shape, from.strides(), from.data() + begin * from.strides()[0]),
                  to.view(shape, to.strides(), to.data() + begin * to.strides()[0]));
  });
}

/// Long work in parts whose lengths are not the caller's to choose, as the runs of a StridedWalk
/// are. The host is left meanwhile, if all of the work is worth it, and asked after each stretch
/// whether to stop.
class StretchedLoop {
 public:
  /// `n` elements in all, each of which stands for `weight`, in units of an addition.
  StretchedLoop(Host& host, std::int64_t n, std::int64_t weight)
      : host_(host), work_(n * weight), stretch_(std::max<std::int64_t>(1, kStretch / weight)) {
    left_.emplace(host_, work_);
  }

  /// Calls `loop(pointers, strides, n)` for a part, or for the pieces of it that pauses make.
  /// Throws Error(Interrupted) in a pause.
  template <class Loop>
  void run(Loop&& loop, std::span<char* const> pointers, const std::int64_t* strides,
           std::int64_t n) {
    if (n <= stretch_ - done_) {
      loop(pointers.data(), strides, n);
      done_ += n;
      return;
    }
    std::vector<char*> at(pointers.begin(), pointers.end());
    while (n != 0) {
      if (done_ == stretch_) pause();
      const std::int64_t length = std::min(n, stretch_ - done_);
      loop(at.data(), strides, length);
      for (std::size_t i = 0; i < at.size(); ++i) at[i] += strides[i] * length;
      done_ += length;
      n -= length;
    }
  }

 private:
  void pause() {
    left_.reset();
    if (host_.interrupted()) throw Error(ErrorKind::Interrupted, "the call was interrupted");
    left_.emplace(host_, work_);
    done_ = 0;
  }

  Host& host_;
  std::int64_t work_, stretch_, done_ = 0;  ///< done: since the last pause
  std::optional<HostLeave> left_;
};

}  // namespace thunkvm

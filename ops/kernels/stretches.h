// stretches.h: long work of a kernel in stretches, between which the host may end it.
#pragma once

#include "ops/kernels/limits.h"
#include "thunks/array.h"
#include "thunks/error.h"
#include "thunks/host.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace thunkvm {

/// Throws Error(Interrupted) if the host ends the call. The caller is back with the host.
inline void go_on_unless_interrupted(Host& host) {
  if (host.interrupted()) throw Error(ErrorKind::Interrupted, "the call was interrupted");
}

/// Long work in parts of any length. The host is left meanwhile, if all of the work is worth it,
/// and asked between two parts whether to stop, once a stretch of it is done.
class LongWork {
 public:
  /// `work` is that of all parts, in units of an addition.
  LongWork(Host& host, std::int64_t work) : host_(host), work_(work) { left_.emplace(host, work); }

  /// Calls `f(begin, end)` for consecutive parts of [0, n), where each index stands for `weight`.
  /// Throws Error(Interrupted) in a pause.
  template <class F>
  void in_parts(std::int64_t n, std::int64_t weight, F&& f) {
    weight = std::max<std::int64_t>(1, weight);
    for (std::int64_t begin = 0; begin < n;) {
      if (done_ >= kStretch) pause();
      const std::int64_t length = std::max<std::int64_t>(1, (kStretch - done_) / weight);
      const std::int64_t end = begin + std::min(n - begin, length);
      f(begin, end);
      done_ += (end - begin) * weight;
      begin = end;
    }
  }

 private:
  void pause() {
    left_.reset();
    go_on_unless_interrupted(host_);
    left_.emplace(host_, work_);
    done_ = 0;
  }

  Host& host_;
  std::int64_t work_, done_ = 0;  ///< done: since the last pause
  std::optional<HostLeave> left_;
};

/// LongWork of one loop.
template <class F>
void in_stretches(Host& host, std::int64_t n, std::int64_t weight, F&& f) {
  LongWork(host, n * weight).in_parts(n, weight, std::forward<F>(f));
}

/// Copies the elements of an array to one of the same shape and dtype. Throws Error(Interrupted).
inline void copy_in_stretches(Host& host, const Array& from, const Array& to) {
  if (from.size() <= kStretch) {
    const HostLeave leave(host, from.size());
    copy_elements(from, to);
    return;
  }
  const std::int64_t length = from.length(0);
  const std::vector<std::int64_t> whole(from.shape().begin(), from.shape().end());
  in_stretches(host, length, from.size() / length, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> shape = whole;
    shape[0] = end - begin;
    copy_elements(from.view(shape, from.strides(), from.data() + begin * from.strides()[0]),
                  to.view(shape, to.strides(), to.data() + begin * to.strides()[0]));
  });
}

}  // namespace thunkvm

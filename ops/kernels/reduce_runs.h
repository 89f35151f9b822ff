// reduce_runs.h: the reduction of one sequence that comes in runs of any length.
#pragma once

#include "ops/kernels/reduce.h"

#include <algorithm>
#include <cstdint>

namespace thunkvm {

/// Cuts a sequence that comes in pieces into blocks.
template <class F>
class BlockCutter {
 public:
  using In = typename F::In;

  explicit BlockCutter(SequenceAccumulator<F>& accumulator) : accumulator_(accumulator) {}

  void add(const In* x, std::int64_t n) {
    if (n_held_ > 0) {
      const std::int64_t more = std::min<std::int64_t>(kReductionBlock - n_held_, n);
      std::copy_n(x, more, held_ + n_held_);
      n_held_ += static_cast<int>(more);
      if (n_held_ < kReductionBlock) return;
      accumulator_.add_block(held_, kReductionBlock);
      n_held_ = 0;
      x += more;
      n -= more;
    }
    for (; n >= kReductionBlock; x += kReductionBlock, n -= kReductionBlock)
      accumulator_.add_block(x, kReductionBlock);
    std::copy_n(x, n, held_);
    n_held_ = static_cast<int>(n);
  }
  void end() {
    if (n_held_ > 0) accumulator_.add_block(held_, n_held_);
  }

 private:
  SequenceAccumulator<F>& accumulator_;
  int n_held_ = 0;
  In held_[kReductionBlock];
};

}  // namespace thunkvm

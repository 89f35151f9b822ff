// loop_results.h: what a fused loop computes in one run: memory for its outputs, and its folds.
#pragma once

#include "linkers/codegen/loop_scratch.h"

namespace thunkvm {

class LoopResults {
 public:
  LoopResults(const FusedLoop& loop, NativeCall& call, Dims shape, std::int64_t size)
      : loop_(loop), call_(call), shape_(shape), size_(size) {}

  struct Memory {
    char* data;
    bool padded;  ///< there is room for all lanes behind the elements
  };
  /// Stores an output whose elements are still to be computed: in memory of the call; in that of a
  /// dying input that is not read after the output is written, where `may_take`; in that of the
  /// last call in the `_nogc` modes; else in new memory.
  Memory make_output(std::size_t j, bool may_take);

  /// Results that are numbers go to `results`.
  void start_folds(LoopScratch& scratch, NumberBits* results);
  /// How many elements in a row are folded to one.
  std::int64_t row() const { return row_; }
  /// Folds elements [start, start + n), which lie at `values`; they follow the last ones.
  void fold(std::size_t f, const char* values, std::int64_t start, std::int64_t n);

 private:
  void* state(std::size_t f) { return states_ + state_offsets_[f]; }

  const FusedLoop& loop_;
  NativeCall& call_;
  Dims shape_;
  std::int64_t size_;
  std::int64_t row_ = 1;
  char* states_ = nullptr;
  // By fold.
  char* fold_results_[kLoopOperands];
  std::size_t state_offsets_[kLoopOperands];
};

}  // namespace thunkvm

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
  void make_folds(NumberBits* results);
  /// How many elements are folded to one, and how many lie between two of them.
  std::int64_t count() const { return count_; }
  std::int64_t columns() const { return columns_; }

  // Where there is one column: sequences one after the other.
  void start_folds(LoopScratch& scratch);
  /// Folds elements [start, start + n), which lie at `values`; they follow the last ones.
  void fold(std::size_t f, const char* values, std::int64_t start, std::int64_t n);

  // Where there are several: `width` columns side by side, from their first row to their last.
  void start_panel(LoopScratch& scratch, int width);
  /// Folds n more rows, which lie at `values` one after the other.
  void fold_rows(std::size_t f, const char* values, std::int64_t n);
  /// Writes the results of the columns, of which the first one is result `at`.
  void finish_panel(std::int64_t at);

  /// Folds all elements: those of operand k lie at blocks[k].
  void fold_block(LoopScratch& scratch, char* const* blocks);

 private:
  void* state(std::size_t f) { return states_ + state_offsets_[f]; }
  /// Memory for the states, of so many bytes by fold.
  template <class Bytes>
  void make_states(LoopScratch& scratch, Bytes bytes_of);

  const FusedLoop& loop_;
  NativeCall& call_;
  Dims shape_;
  std::int64_t size_;
  std::int64_t count_ = 1, columns_ = 1;
  char* states_ = nullptr;
  // By fold.
  char* fold_results_[kLoopOperands];
  std::size_t state_offsets_[kLoopOperands];
};

}  // namespace thunkvm

// loop_results.h: memory for what a fused loop computes in one run.
#pragma once

#include "linkers/codegen/runtime/fold_panels.h"
#include "linkers/codegen/runtime/fused_loop.h"
#include "linkers/codegen/runtime/loop_scratch.h"

#include <optional>

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

  /// Notes the lengths of what others need only those of.
  void measure() const;

  /// Results that are numbers go to `results`.
  void make_folds(NumberBits* results);
  /// Where the elements are that are folded together.
  const FoldPanels& panels() const { return *panels_; }
  /// The memory of a result of fold f, by its number in C order.
  char* fold_result(std::size_t f, std::int64_t at) const {
    return fold_results_[f] + at * static_cast<std::int64_t>(item_size(loop_.folds[f].fold->out));
  }

 private:
  const FusedLoop& loop_;
  NativeCall& call_;
  Dims shape_;
  std::int64_t size_;
  std::optional<FoldPanels> panels_;
  char* fold_results_[kLoopOperands];  ///< by fold
};

}  // namespace thunkvm

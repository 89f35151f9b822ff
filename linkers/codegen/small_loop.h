// small_loop.h: a fused loop of one block, whose inputs lie as they did when it ran last.
//
// Most loops meet the same lengths and strides in every call. What follows from them - the loop's
// shape, and where in its sources each operand begins - is kept in memory of the frame, beside the
// lengths and strides themselves. Where these are the same again, so is the answer, and a loop of
// a few elements costs little more than its body.
#pragma once

#include "linkers/codegen/loop_results.h"
#include "linkers/codegen/loop_scratch.h"
#include "linkers/codegen/loop_shape.h"

#include <cstddef>

namespace thunkvm {

class SmallLoop {
 public:
  /// The memory of a frame that a loop keeps what it knows in, in bytes.
  static std::size_t bytes(const FusedLoop& loop);

  SmallLoop(const FusedLoop& loop, NativeCall& call);

  /// True if the loop may run by what is kept.
  bool holds();
  /// Keeps what was found, if it is for this class: one block of inputs that lie side by side, or
  /// are placed so.
  void keep(const LoopShape& shape);
  /// Runs the loop. Only if what is kept holds.
  void run(const NumberBits* numbers, NumberBits* results);

 private:
  /// Where an input begins, in bytes from its source's first element.
  struct Where {
    std::int64_t offset;
    std::int64_t begin, n;  ///< of one that is placed: its elements in the loop's order
  };
  struct Kept {
    std::int64_t size;  ///< of the loop, in elements; 0: nothing is kept
    bool made;          ///< the loop's temporaries have its lengths already
  };

  Dims shape() const { return {shape_, static_cast<std::size_t>(loop_.ndim)}; }
  bool lengths_hold() const;
  bool find(const LoopShape& found, std::size_t i);
  char* placed(std::size_t i, const NumberBits* numbers);
  void make_outputs(LoopResults& results, bool may_take, char** blocks);
  void fold(const LoopResults& made, char* const* blocks);
  void fold_to_numbers(char* const* blocks, NumberBits* results);
  char* scratch(std::size_t operand) {
    if (blocks_ == nullptr) blocks_ = LoopScratch::of_thread().blocks(loop_.item_sizes.size());
    return blocks_ + static_cast<std::int64_t>(operand) * LoopScratch::kOperandBytes;
  }

  const FusedLoop& loop_;
  NativeCall& call_;
  // What is kept, in this order: by axis, by input, and of each axis of each source.
  Kept* kept_;
  std::int64_t* shape_;
  Where* where_;
  std::int64_t* layouts_;  ///< length and stride
  char* blocks_ = nullptr;
  std::uint64_t padded_ = 0;  ///< bit s: there are more elements behind those of source s
  char* sources_[kLoopOperands];
};

}  // namespace thunkvm

// small_loop.h: a fused loop of one block, whose inputs lie as they did when it ran last.
//
// Most loops meet the same lengths and strides in every call. What follows from them - the loop's
// shape, and where in its sources each operand begins - is kept in memory of the frame, beside the
// lengths and strides themselves. Where these are the same again, so is the answer, and a loop of
// a few elements costs little more than its body.
#pragma once

#include "linkers/codegen/runtime/loop_results.h"
#include "linkers/codegen/runtime/loop_scratch.h"
#include "linkers/codegen/runtime/loop_shape.h"

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
  enum class How : std::uint8_t {
    Direct,  ///< read where it lies, and nothing is known of what lies behind it
    Padded,  ///< the same, with room for all lanes behind it
    Around,  ///< placed in numbers, which are written around it where it lies
    Copied,  ///< placed in numbers in a copy
  };
  /// Where an input lies.
  struct Where {
    std::int64_t offset;    ///< in bytes, from its source's first element
    std::int64_t begin, n;  ///< of one that is placed: its elements in the loop's order
    How how;
  };
  struct Kept {
    std::int64_t size;   ///< of the loop, in elements; 0: nothing is kept
    std::uint64_t made;  ///< bit j: output j is a temporary that has the loop's lengths already
    bool measured;       ///< what others measure has them too
    bool goes_on;        ///< there is room for all lanes behind all inputs
  };

  Dims shape() const { return {shape_, static_cast<std::size_t>(loop_.ndim)}; }
  bool lengths_hold() const;
  bool find(const LoopShape& found, std::size_t i);
  bool find_place(const LoopShape& found, std::size_t i);
  bool has_room_around(const FusedLoop::Input& input, std::int64_t item_size,
                       const Where& where) const;
  void surround(std::size_t i, const NumberBits* numbers, char* to, std::int64_t size) const;
  void copy(std::size_t i, const NumberBits* numbers, char* to) const;
  void find_inputs(bool copies, const NumberBits* numbers, char* scratch, char** blocks) const;
  void measure(const LoopResults& results);
  void make_outputs(LoopResults& results, bool may_take, char** blocks);
  void fold(LoopScratch& scratch, const LoopResults& made, char* const* blocks) const;
  void fold_to_numbers(LoopScratch& scratch, char* const* blocks, NumberBits* results) const;
  /// The elements that are computed.
  std::int64_t lanes() const { return whole_lanes(kept_->size); }

  const FusedLoop& loop_;
  NativeCall& call_;
  // What is kept, in this order: by axis, by input, and of each source.
  Kept* kept_;
  std::int64_t* shape_;
  Where* where_;
  std::int64_t* layouts_;  ///< a temporary's version or 0, and of each axis length and stride
  char* sources_[kLoopOperands];
};

}  // namespace thunkvm

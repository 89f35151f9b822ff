// loop_blocks.h: the blocks of a fused loop, as one thread computes them.
#pragma once

#include "linkers/codegen/runtime/loop_scratch.h"
#include "linkers/codegen/runtime/loop_shape.h"

namespace thunkvm {

/// What the blocks of one run have in common.
struct LoopOperands {
  LoopOperands(const FusedLoop& of, const LoopShape& found, const NumberBits* given)
      : loop(of), shape(found), numbers(given) {}

  const FusedLoop& loop;
  const LoopShape& shape;
  const NumberBits* numbers;
  // By operand: inputs, outputs, folds.
  std::size_t n = 0;
  char* direct[kLoopOperands];  ///< the memory of a whole one; null: it goes through scratch
  std::uint64_t ends = 0;       ///< bit k: there is no room for all lanes behind whole operand k
};

class LoopBlocks {
 public:
  LoopBlocks(const LoopOperands& operands, LoopScratch& scratch);

  /// Computes elements [start, start + n), kLoopBlock at most.
  void compute(std::int64_t start, std::int64_t n);

  /// Where element `start` of an operand is, if the last block began there.
  char* at(std::size_t operand, std::int64_t start) const {
    char* const direct = operands_.direct[operand];
    return direct != nullptr ? direct + start * item_size(operand) : scratch(operand);
  }

 private:
  std::int64_t item_size(std::size_t operand) const { return operands_.loop.item_sizes[operand]; }
  char* scratch(std::size_t operand) const {
    return scratch_ + static_cast<std::int64_t>(operand) * LoopScratch::kOperandBytes;
  }
  char* tail(std::size_t operand) const { return scratch(operand) + LoopScratch::kBlockBytes; }
  void move_to(std::int64_t start);
  bool is_filled(std::size_t i) const { return ((filled_ >> i) & 1u) != 0; }
  void pack(std::int64_t start, std::int64_t n, std::int64_t rest);
  void compute_lanes(std::int64_t n) const {
    operands_.loop.body(blocks_, operands_.numbers, operands_.loop.element_loops.data(), n);
  }
  void compute_tail(std::int64_t start, std::int64_t whole, std::int64_t rest, bool at_end);

  const LoopOperands& operands_;
  char* blocks_[kLoopOperands];
  char* scratch_;
  std::int64_t packed_ = -1;   ///< the element after those that were packed last
  std::uint64_t filled_ = 0;   ///< bit i: input i is one element, and its scratch is full of it
  Packer* packers_ = nullptr;  ///< by input
  Placer* placers_ = nullptr;  ///< the same
};

}  // namespace thunkvm

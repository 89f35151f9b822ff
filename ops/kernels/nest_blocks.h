// nest_blocks.h: the blocks of a nest, as one thread computes them.
#pragma once

#include "ops/kernels/nest_execution.h"
#include "ops/kernels/nest_scratch.h"

#include <algorithm>
#include <bit>

namespace thunkvm {

class NestBlocks {
 public:
  NestBlocks(const PlacedOperands& operands, NestScratch& scratch);

  /// True if a nest of one block needs no scratch: its body computes it where the operands lie.
  static bool is_body_alone(const PlacedOperands& operands) {
    return operands.instance.scratch == 0 && operands.ends == 0 && operands.nest.body != nullptr &&
           operands.nest.own_bytes == 0;
  }

  /// Computes elements [start, start + n), `most_at_once` at most.
  void compute(std::int64_t start, std::int64_t n);
  /// The most elements at once: more if none has to fit into scratch.
  std::int64_t most_at_once() const {
    return operands_.nest.body == nullptr && gathered_ == 0 ? kNestPiece : kNestBlock;
  }
  /// All of a nest that is one block.
  void compute_all() { compute_at(base_, 0, operands_.instance.size); }

  /// The position of the gathering of an input; null if no input is gathered.
  Gathering* gathering(std::size_t input) const {
    return gatherings_ == nullptr ? nullptr : gatherings_ + input;
  }
  /// Room for a block of an operand.
  char* scratch(std::size_t operand) const {
    return scratch_ + static_cast<std::int64_t>(operand) * NestScratch::kOperandBytes;
  }
  /// The address of element `start` of an operand, if the last block began there.
  char* at(std::size_t operand, std::int64_t start) const {
    return base_[operand] + (is_scratch(operand) ? 0 : start * item_size(operand));
  }

 private:
  std::int64_t item_size(std::size_t operand) const { return operands_.nest.item_sizes[operand]; }
  bool is_scratch(std::size_t operand) const {
    return ((operands_.instance.scratch >> operand) & 1u) != 0;
  }
  char* tail(std::size_t operand) const { return scratch(operand) + NestScratch::kBlockBytes; }
  void begin_gathering(NestScratch& scratch);
  void go_to(std::int64_t start);
  void gather_inputs(std::int64_t start, std::int64_t n);
  [[gnu::always_inline]] void compute_at(char* const* blocks, std::int64_t start, std::int64_t n);
  void compute_lanes(char* const* blocks, std::int64_t n) const {
    operands_.nest.body(blocks, operands_.numbers, operands_.nest.element_functions.data(), own_,
                        n);
  }
  void compute_tail(char* const* whole, std::int64_t n, bool at_end) const;
  void compute_without_body(char* const* blocks, std::int64_t n);

  const PlacedOperands& operands_;
  char* const scratch_;
  char* const own_;
  char* base_[kNestOperands];        ///< the first element, or scratch
  std::uint64_t gathered_ = 0;       ///< bit i: input i is gathered anew for each block
  std::uint64_t in_rows_ = 0;        ///< bit i: an element function takes it row by row, as it lies
  std::int64_t next_ = -1;           ///< the element that both have come to
  Gathering* gatherings_ = nullptr;  ///< by input
};

inline NestBlocks::NestBlocks(const PlacedOperands& operands, NestScratch& scratch)
    : operands_(operands),
      scratch_(scratch.blocks(operands.nest.n_operands())),
      own_(scratch.own(operands.nest.own_bytes)) {
  std::copy_n(operands.data, operands.nest.n_inputs + operands.nest.n_outputs, base_);
  for (std::uint64_t bits = operands.instance.scratch; bits != 0; bits &= bits - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(bits));
    base_[k] = this->scratch(k);
  }
  if (operands.instance.gathered != 0) begin_gathering(scratch);
}

inline void NestBlocks::compute(std::int64_t start, std::int64_t n) {
  char* blocks[kNestOperands];
  const std::int64_t* const item_sizes = operands_.nest.item_sizes.data();
  std::uint64_t scratch = operands_.instance.scratch;
  for (std::size_t k = 0, end = operands_.nest.n_operands(); k < end; ++k, scratch >>= 1)
    blocks[k] = base_[k] + ((scratch & 1u) != 0 ? 0 : start * item_sizes[k]);
  compute_at(blocks, start, n);
}

inline void NestBlocks::compute_at(char* const* blocks, std::int64_t start, std::int64_t n) {
  if ((gathered_ | in_rows_) != 0) {
    if (start != next_) go_to(start);
    gather_inputs(start, n);
    next_ = start + n;
  }
  if (operands_.nest.body == nullptr) return compute_without_body(blocks, n);
  const std::int64_t rest = n % kNestLanes;
  if (rest == 0) return compute_lanes(blocks, n);
  // Behind the end there may be room for elements that nobody reads: for whole lanes, counted from
  // the nest's first element.
  const std::int64_t size = operands_.instance.size;
  const bool at_end = start + n == size && start + whole_lanes(n) <= whole_lanes(size);
  if (at_end && operands_.ends == 0) return compute_lanes(blocks, whole_lanes(n));
  if (n > rest) compute_lanes(blocks, n - rest);
  compute_tail(blocks, n, at_end);
}

}  // namespace thunkvm

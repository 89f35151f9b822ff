// loop_shape.h: the shape of a fused loop in one call, and where its inputs are.
#pragma once

#include "linkers/codegen/runtime/call_memory.h"
#include "linkers/codegen/runtime/fused_loop.h"

namespace thunkvm {

/// Where the elements of an array, of a part of one, or of a temporary are.
struct LoopOperand : Layout {
  bool contiguous;
  bool padded;  ///< behind its elements there are more of their kind, for all lanes of a body
};

/// Where a source is, but for its parts.
inline LoopOperand whole_of(const FusedLoop::Source& source, NativeCall& call) {
  if (source.temporary != kNone) {
    const Temporary& temporary = CallMemory(call)[source.temporary];
    if (temporary.data != nullptr)
      return {{temporary.data, source.ndim, temporary.lengths, temporary.strides}, true, true};
  }
  const ArrayBody& body = *call.cells[source.reg].body();
  // The memory may go on behind an array, but what it holds may be slow to compute with.
  return {Layout::of(body), body.contiguous, false};
}

class LoopShape {
 public:
  /// `parts` is room for what is found: FusedLoop::n_parts of them.
  LoopShape(const FusedLoop& loop, NativeCall& call, const NumberBits* numbers, View* parts)
      : loop_(loop), call_(call), numbers_(numbers), next_part_(parts) {}

  /// False if the members cannot run as one pass. May throw what one of them raises.
  bool find();

  Dims shape() const { return {shape_, static_cast<std::size_t>(loop_.ndim)}; }
  std::int64_t size() const { return size_; }
  /// An input; what is placed of one that has a placement.
  const LoopOperand& input(std::size_t i) const { return *inputs_[i]; }
  /// True if the elements of an input lie side by side in the order of the loop.
  bool is_whole(std::size_t i) const { return inputs_[i]->contiguous && ((alike_ >> i) & 1u) != 0; }
  /// Where in a C-order array of the loop's shape an input is placed: lengths, strides in elements,
  /// and the elements before its first one as an address above `kOrigin`.
  const View& place(std::size_t i) const { return *places_[i]; }
  static char* const kOrigin;

 private:
  void locate(const FusedLoop::Source& source, LoopOperand& operand);
  bool take_shape();
  bool has_elements();
  bool take_common_shape();
  bool take_given_shape();
  bool take_broadcast_shape();
  bool find_place(std::size_t i);
  bool gives_shape(std::uint64_t inputs) const;
  bool has_loop_shape(const LoopOperand& operand) const {
    return operand.ndim == loop_.ndim && same_lengths(operand.shape(), shape());
  }

  const FusedLoop& loop_;
  NativeCall& call_;
  const NumberBits* numbers_;
  View* next_part_;
  std::int64_t size_ = 0;
  std::uint64_t alike_ = 0;  ///< bit i: input i, as a whole, has the loop's shape
  // Sources, then numbers that are placed; by input; by axis: as many as the loop has.
  LoopOperand located_[kLoopOperands];
  const LoopOperand* inputs_[kLoopOperands];
  const View* places_[kLoopOperands];
  std::int64_t shape_[kMaxDims];
};

}  // namespace thunkvm

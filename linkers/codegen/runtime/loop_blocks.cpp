#include "linkers/codegen/runtime/loop_blocks.h"

#include <cstring>

namespace thunkvm {

LoopBlocks::LoopBlocks(const LoopOperands& operands, LoopScratch& scratch)
    : operands_(operands), scratch_(scratch.blocks(operands.n)) {
  const FusedLoop& loop = operands_.loop;
  bool packs = false;
  for (std::size_t i = 0; i < loop.inputs.size(); ++i) packs |= operands_.direct[i] == nullptr;
  if (!packs) return;
  packers_ = scratch.packers(loop.inputs.size());
  if (loop.places) placers_ = scratch.placers(loop.inputs.size());
}

void LoopBlocks::move_to(std::int64_t start) {
  const LoopShape& shape = operands_.shape;
  for (std::size_t i = 0; i < operands_.loop.inputs.size(); ++i) {
    if (operands_.direct[i] != nullptr || is_filled(i)) continue;
    const LoopOperand& input = shape.input(i);
    const int bytes = static_cast<int>(item_size(i));
    const auto& placement = operands_.loop.inputs[i].placement;
    if (!placement) {
      packers_[i].begin(input.data, bytes, input.shape(), input.strides, shape.shape(), start);
      if (packers_[i].repeats_one()) {  // as a number: its blocks are all the same
        repeat_element(scratch(i), kLoopBlock + kLoopLanes, bytes, input.data);
        filled_ |= std::uint64_t{1} << i;
      }
      continue;
    }
    const View& place = shape.place(i);
    const std::int64_t before =
        placers_[i].begin(&packers_[i], place, place.data - LoopShape::kOrigin, bytes,
                          operands_.numbers[placement->fill], start);
    packers_[i].begin(input.data, bytes, input.shape(), input.strides, place.shape(), before);
  }
}

void LoopBlocks::compute(std::int64_t start, std::int64_t n) {
  const std::int64_t size = operands_.shape.size();
  const std::int64_t rest = n % kLoopLanes;
  // Behind the end there may be room to compute what nobody looks at: for whole lanes, counted from
  // the loop's first element.
  const bool at_end = start + n == size && start + n - rest + kLoopLanes <= whole_lanes(size);
  const bool goes_on = rest != 0 && operands_.ends == 0 && at_end;
  const std::int64_t whole = n - rest + (goes_on ? kLoopLanes : 0);
  pack(start, n, rest);
  if (whole != 0) {
    for (std::size_t k = 0; k < operands_.n; ++k) blocks_[k] = at(k, start);
    compute_lanes(whole);
  }
  if (rest != 0 && !goes_on) compute_tail(start + whole, whole, rest, at_end);
}

void LoopBlocks::pack(std::int64_t start, std::int64_t n, std::int64_t rest) {
  if (packers_ == nullptr) return;
  if (start != packed_) move_to(start);
  packed_ = start + n;
  for (std::size_t i = 0; i < operands_.loop.inputs.size(); ++i) {
    if (operands_.direct[i] != nullptr || is_filled(i)) continue;
    if (operands_.loop.inputs[i].placement)
      placers_[i].next(scratch(i), n);
    else
      packers_[i].next(scratch(i), n);
    if (rest != 0) fill_lanes(scratch(i) + n * item_size(i), rest, item_size(i));
  }
}

/// The elements from `start` on, which are `rest`; in scratch they follow `whole` others.
void LoopBlocks::compute_tail(std::int64_t start, std::int64_t whole, std::int64_t rest,
                              bool at_end) {
  const std::size_t n_inputs = operands_.loop.inputs.size();
  std::uint64_t copied = 0;
  for (std::size_t k = 0; k < operands_.n; ++k) {
    const std::int64_t bytes = item_size(k);
    char* const direct = operands_.direct[k];
    if (direct == nullptr) {
      blocks_[k] = scratch(k) + whole * bytes;
    } else if (at_end && ((operands_.ends >> k) & 1u) == 0) {
      blocks_[k] = direct + start * bytes;
    } else {
      copied |= std::uint64_t{1} << k;
      blocks_[k] = tail(k);
      if (k < n_inputs) copy_lanes(tail(k), direct + start * bytes, rest, bytes);
    }
  }
  compute_lanes(kLoopLanes);
  for (std::size_t k = n_inputs; k < n_inputs + operands_.loop.outputs.size(); ++k)
    if (((copied >> k) & 1u) != 0)
      std::memcpy(operands_.direct[k] + start * item_size(k), tail(k),
                  static_cast<std::size_t>(rest * item_size(k)));
}

}  // namespace thunkvm

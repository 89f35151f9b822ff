#include "ops/kernels/nest_blocks.h"

#include <cstring>
#include <utility>

namespace thunkvm {
namespace {

/// The lanes after the last `rest` elements, which end at `end`, compute too: the last one again,
/// since nothing in it is more special than it is.
void fill_lanes(char* end, std::int64_t rest, std::int64_t item_size) {
  repeat_element(end, kNestLanes - rest, item_size, end - item_size);
}

/// Copies n < kNestLanes elements, and fills the other lanes so.
void copy_lanes(char* to, const char* from, std::int64_t n, std::int64_t item_size) {
  visit_bytes(item_size, [&]<class T>(T last) {
    std::memcpy(&last, from + (n - 1) * item_size, sizeof(last));
    T* const lanes = reinterpret_cast<T*>(to);
    std::fill_n(lanes, kNestLanes, last);
    for (std::int64_t i = 0; i < n - 1; ++i)
      std::memcpy(lanes + i, from + i * item_size, sizeof(last));
  });
}

}  // namespace

void NestBlocks::begin_gathering(NestScratch& memory) {
  const ResolvedNest& instance = operands_.instance;
  const bool takes_strides =
      operands_.nest.body == nullptr && !operands_.nest.element_functions.empty();
  const std::int64_t n = whole_lanes(std::min<std::int64_t>(instance.size, kNestBlock));
  for (std::uint64_t bits = instance.gathered; bits != 0; bits &= bits - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(bits));
    const OperandMap& map = instance.inputs[i];
    if (takes_strides && !map.axes.empty() && map.axes.back().length >= kLongRow)
      in_rows_ |= std::uint64_t{1} << i;
    else if (map.kind == OperandMap::Kind::Broadcast)  // its blocks are all the same
      repeat_element(scratch(i), n, item_size(i), operands_.data[i]);
    else
      gathered_ |= std::uint64_t{1} << i;
  }
  gatherings_ = memory.gatherings(operands_.nest.n_inputs);
  for (std::size_t i = 0; i < operands_.nest.n_inputs; ++i) gatherings_[i].next = -1;
}

void NestBlocks::go_to(std::int64_t start) {
  for (std::uint64_t bits = gathered_ | in_rows_; bits != 0; bits &= bits - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(bits));
    const OperandMap& map = operands_.instance.inputs[i];
    const bool padded = map.kind == OperandMap::Kind::Pad;
    const std::int64_t element =
        padded ? elements_before(map.pad_axes, start - map.pad_before) : start;
    gatherings_[i].value.begin(map.axes, element);
    gatherings_[i].tile.begin(map.rows_at_once);
    if (padded) gatherings_[i].part.begin(map.pad_axes, element);
  }
}

void NestBlocks::gather_inputs(std::int64_t start, std::int64_t n) {
  const std::int64_t rest = n % kNestLanes;
  for (std::uint64_t bits = gathered_; bits != 0; bits &= bits - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(bits));
    const OperandMap& map = operands_.instance.inputs[i];
    auto& [value, part, tile, next] = gatherings_[i];
    if (map.kind == OperandMap::Kind::Pad)
      gather_padded(scratch(i), operands_.data[i], item_size(i), value,
                    operands_.numbers[operands_.nest.fills[i]], part, start - map.pad_before, n);
    else if (map.rows_at_once > 1)
      tile.gather(scratch(i), operands_.data[i], item_size(i), value, n);
    else
      gather(scratch(i), operands_.data[i], item_size(i), value, n);
    if (rest != 0) fill_lanes(scratch(i) + n * item_size(i), rest, item_size(i));
  }
}

/// By an element function, in runs of which all operands have one stride. What is reduced as it is
/// needs nothing.
void NestBlocks::compute_without_body(char* const* blocks, std::int64_t n) {
  const Nest& nest = operands_.nest;
  if (nest.element_functions.empty()) return;
  const ElementFunction element_function = nest.element_functions[0];
  if (in_rows_ == 0) return element_function(blocks, nest.item_sizes.data(), n);
  char* at[kNestOperands];
  std::int64_t strides[kNestOperands];
  const auto each_in_rows = [&](auto f) {
    for (std::uint64_t bits = in_rows_; bits != 0; bits &= bits - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(bits));
      f(i, gatherings_[i].value);
    }
  };
  for (std::int64_t done = 0, run; done < n; done += run) {
    run = n - done;
    for (std::size_t k = 0; k < nest.n_operands(); ++k) {
      strides[k] = item_size(k);
      at[k] = blocks[k] + done * strides[k];
    }
    each_in_rows([&](std::size_t i, const Position& position) {
      strides[i] = position.stride();
      at[i] = operands_.data[i] + position.distance();
      run = std::min(run, position.row());
    });
    element_function(at, strides, run);
    each_in_rows([&](std::size_t, Position& position) { position.advance(run); });
  }
}

/// The last elements of a block, which are fewer than a nest body computes.
void NestBlocks::compute_tail(char* const* whole, std::int64_t n, bool at_end) const {
  const bool again = n > kNestLanes && !operands_.in_place;  // with some that were computed already
  const std::int64_t rest = n % kNestLanes, first = again ? n - kNestLanes : n - rest;
  char* blocks[kNestOperands];
  for (std::size_t k = 0; k < operands_.nest.n_operands(); ++k)
    blocks[k] = whole[k] + first * item_size(k);
  if (again) return compute_lanes(blocks, kNestLanes);
  const std::size_t n_inputs = operands_.nest.n_inputs;
  const std::uint64_t inputs = (std::uint64_t{1} << n_inputs) - 1;
  const std::uint64_t all = ~std::uint64_t{0} >> (kNestOperands - operands_.nest.n_operands());
  const std::uint64_t copied = all & (at_end ? operands_.ends : ~operands_.instance.scratch);
  char* outputs[kNestOperands];
  for (std::uint64_t bits = copied & inputs; bits != 0; bits &= bits - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(bits));
    copy_lanes(tail(k), blocks[k], rest, item_size(k));
    blocks[k] = tail(k);
  }
  for (std::uint64_t bits = copied & ~inputs; bits != 0; bits &= bits - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(bits));
    outputs[k] = std::exchange(blocks[k], tail(k));
  }
  compute_lanes(blocks, kNestLanes);
  for (std::uint64_t bits = copied & ~inputs; bits != 0; bits &= bits - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(bits));
    std::memcpy(outputs[k], tail(k), static_cast<std::size_t>(rest * item_size(k)));
  }
}

}  // namespace thunkvm

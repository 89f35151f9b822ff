#include "linkers/codegen/small_loop.h"

#include "linkers/codegen/call_memory.h"
#include "linkers/codegen/loop_folds.h"
#include "ops/array_kernel.h"

#include <algorithm>
#include <cstring>

namespace thunkvm {
namespace {

std::int64_t size_of(Dims shape) {
  std::int64_t size = 1;
  for (const std::int64_t length : shape) size *= length;
  return size;
}

}  // namespace

std::size_t SmallLoop::bytes(const FusedLoop& loop) {
  std::size_t words = static_cast<std::size_t>(loop.ndim);
  for (const FusedLoop::Source& source : loop.sources)
    words += 2 * static_cast<std::size_t>(source.ndim);
  return sizeof(Kept) + words * sizeof(std::int64_t) + loop.inputs.size() * sizeof(Where);
}

SmallLoop::SmallLoop(const FusedLoop& loop, NativeCall& call)
    : loop_(loop),
      call_(call),
      kept_(reinterpret_cast<Kept*>(call.memory + loop.memory_at)),
      shape_(reinterpret_cast<std::int64_t*>(kept_ + 1)),
      where_(reinterpret_cast<Where*>(shape_ + loop.ndim)),
      layouts_(reinterpret_cast<std::int64_t*>(where_ + loop.inputs.size())) {}

bool SmallLoop::holds() {
  if (kept_->size == 0) return false;
  const std::int64_t* kept = layouts_;
  std::int64_t different = 0;
  char** address = sources_;
  std::uint64_t bit = 1;
  padded_ = 0;
  for (const FusedLoop::Source& source : loop_.sources) {
    const LoopOperand layout = whole_of(source, call_);
    *address++ = layout.data;
    if (layout.padded && source.parts.empty()) padded_ |= bit;
    bit <<= 1;
    for (int axis = 0; axis < source.ndim; ++axis, kept += 2)
      different |= (layout.lengths[axis] ^ kept[0]) | (layout.strides[axis] ^ kept[1]);
  }
  return different == 0 && lengths_hold();
}

/// True if the lengths that others computed are the loop's.
bool SmallLoop::lengths_hold() const {
  for (const std::uint32_t reg : loop_.lengths) {
    const ArrayBody& lengths = *call_.cells[reg].body();
    if (lengths.dims[0] != loop_.ndim) return false;
    for (int axis = 0; axis < loop_.ndim; ++axis)
      if (*reinterpret_cast<const std::int64_t*>(lengths.data + axis * lengths.dims[1]) !=
          shape_[axis])
        return false;
  }
  return true;
}

void SmallLoop::keep(const LoopShape& found) {
  *kept_ = {};
  if (found.size() > kLoopBlock || found.size() * loop_.cost >= kWorthLeaving ||
      call_.activation->keep)
    return;
  for (std::size_t i = 0; i < loop_.inputs.size(); ++i)
    if (!find(found, i)) return;
  std::copy_n(found.shape().data(), loop_.ndim, shape_);
  std::int64_t* kept = layouts_;
  for (const FusedLoop::Source& source : loop_.sources) {
    const Layout layout = whole_of(source, call_);
    for (int axis = 0; axis < source.ndim; ++axis) {
      *kept++ = layout.lengths[axis];
      *kept++ = layout.strides[axis];
    }
  }
  kept_->size = found.size();
}

/// Keeps where an input is. False if it is nothing for this class.
bool SmallLoop::find(const LoopShape& found, std::size_t i) {
  const FusedLoop::Input& input = loop_.inputs[i];
  const LoopOperand& operand = found.input(i);
  Where& where = where_[i];
  where = {};
  if (input.source != kNone)
    where.offset = operand.data - whole_of(loop_.sources[input.source], call_).data;
  if (!input.placement) return found.is_whole(i);
  const View& place = found.place(i);
  if (place.ndim > 1 || !operand.contiguous) return false;
  where.begin = place.data - LoopShape::kOrigin;
  where.n = place.ndim == 0 ? 1 : place.lengths[0];
  return (where.n == 1 || place.strides[0] == 1) && where.n == size_of(operand.shape());
}

/// An input that is placed, with room for all lanes.
char* SmallLoop::placed(std::size_t i, const NumberBits* numbers) {
  const FusedLoop::Input& input = loop_.inputs[i];
  const Where& where = where_[i];
  const std::int64_t bytes = loop_.item_sizes[i];
  char* const to = scratch(i);
  const auto* const fill = reinterpret_cast<const char*>(numbers + input.placement->fill);
  const std::int64_t lanes = (kept_->size + kLoopLanes - 1) / kLoopLanes * kLoopLanes;
  const std::int64_t end = where.begin + where.n;
  const char* const from = input.source == kNone
                               ? reinterpret_cast<const char*>(numbers + input.placement->value)
                               : sources_[input.source] + where.offset;
  repeat_element(to, where.begin, bytes, fill);
  std::memcpy(to + where.begin * bytes, from, static_cast<std::size_t>(where.n * bytes));
  repeat_element(to + end * bytes, lanes - end, bytes, fill);
  return to;
}

/// Makes the outputs, of which `blocks` gets the memory.
void SmallLoop::make_outputs(LoopResults& results, bool may_take, char** blocks) {
  const CallMemory memory(call_);
  bool again = true;
  for (std::size_t j = 0; j < loop_.outputs.size(); ++j) {
    const std::uint32_t temporary = loop_.outputs[j].temporary;
    if (kept_->made && temporary != kNone &&
        memory.make_again(temporary, kept_->size * loop_.item_sizes[loop_.inputs.size() + j])) {
      *blocks++ = memory[temporary].data;
      continue;
    }
    *blocks++ = results.make_output(j, may_take).data;
    again &= temporary == kNone || memory[temporary].data != nullptr;
  }
  kept_->made = again;
}

void SmallLoop::fold(const LoopResults& made, char* const* blocks) {
  const char* folded[kLoopOperands];
  for (std::size_t f = 0; f < loop_.folds.size(); ++f) folded[f] = blocks[loop_.folds[f].operand];
  LoopScratch& scratch = LoopScratch::of_thread();
  LoopFolds folds(loop_, made);
  if (made.columns() == 1) {
    folds.start(scratch, 0);
    folds.add(folded, kept_->size);
    return;
  }
  for (std::int64_t at = 0; at < kept_->size / made.count(); at += made.columns()) {
    folds.start_panel(scratch, static_cast<int>(made.columns()));
    folds.add_rows(folded, made.count());
    folds.finish_panel(at);
    for (std::size_t f = 0; f < loop_.folds.size(); ++f)
      folded[f] += made.count() * made.columns() * loop_.item_sizes[loop_.folds[f].operand];
  }
}

/// Each fold in one go.
void SmallLoop::fold_to_numbers(char* const* blocks, NumberBits* results) {
  LoopScratch& scratch = LoopScratch::of_thread();
  for (std::size_t f = 0; f < loop_.folds.size(); ++f) {
    const BlockFold& fold = *loop_.folds[f].fold;
    char* const state = scratch.states(fold.state_bytes);
    fold.start(state);
    fold.add(state, blocks[loop_.folds[f].operand], kept_->size);
    results[f] = 0;
    fold.finish(state, kept_->size, results + f);
  }
}

void SmallLoop::run(const NumberBits* numbers, NumberBits* results) {
  const std::int64_t n = kept_->size;
  const std::int64_t rest = n % kLoopLanes;
  // The last lanes are computed twice rather than behind the end, where there are enough.
  const bool again = rest != 0 && n > kLoopLanes;
  const bool copies = rest != 0 && !again;
  char* blocks[kLoopOperands];
  std::size_t k = 0;
  for (const FusedLoop::Input& input : loop_.inputs) {
    if (input.placement) {
      blocks[k] = placed(k, numbers);
    } else {
      blocks[k] = sources_[input.source] + where_[k].offset;
      if (copies && ((padded_ >> input.source) & 1u) == 0) {
        copy_lanes(scratch(k), blocks[k], n, loop_.item_sizes[k]);
        blocks[k] = scratch(k);
      }
    }
    ++k;
  }
  LoopResults made(loop_, call_, shape(), n);
  make_outputs(made, rest == 0, blocks + k);
  for (k += loop_.outputs.size(); k < loop_.item_sizes.size(); ++k) blocks[k] = scratch(k);
  loop_.body(blocks, numbers, loop_.element_loops.data(), copies ? kLoopLanes : n - rest);
  if (again) {
    char* last[kLoopOperands];
    for (k = 0; k < loop_.item_sizes.size(); ++k)
      last[k] = blocks[k] + (n - kLoopLanes) * loop_.item_sizes[k];
    loop_.body(last, numbers, loop_.element_loops.data(), kLoopLanes);
  }
  if (loop_.folds_are_numbers) {
    fold_to_numbers(blocks, results);
  } else if (!loop_.folds.empty()) {
    made.make_folds(results);
    fold(made, blocks);
  }
}

}  // namespace thunkvm

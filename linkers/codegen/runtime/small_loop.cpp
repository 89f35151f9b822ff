#include "linkers/codegen/runtime/small_loop.h"

#include "linkers/codegen/runtime/call_memory.h"
#include "linkers/codegen/runtime/loop_folds.h"
#include "ops/kernels/array_kernel.h"

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
    words += 1 + 2 * static_cast<std::size_t>(source.ndim);
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
  const CallMemory memory(call_);
  const std::int64_t* kept = layouts_;
  std::int64_t different = 0;
  char** address = sources_;
  for (const FusedLoop::Source& source : loop_.sources) {
    if (source.temporary != kNone && memory[source.temporary].data != nullptr) {
      const Temporary& temporary = memory[source.temporary];
      different |= static_cast<std::int64_t>(temporary.version) ^ *kept;
      *address++ = temporary.data;
      kept += 1 + 2 * source.ndim;
      continue;
    }
    const ArrayBody& array = *call_.cells[source.reg].body();
    const std::int64_t* const lengths = array.dims;
    const std::int64_t* const strides = array.dims + source.ndim;
    different |= *kept++;
    *address++ = array.data;
    for (int axis = 0; axis < source.ndim; ++axis, kept += 2)
      different |= (lengths[axis] ^ kept[0]) | (strides[axis] ^ kept[1]);
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
      call_.activation->keep || !loop_.computes())
    return;
  kept_->size = found.size();
  kept_->goes_on = true;
  for (std::size_t i = 0; i < loop_.inputs.size(); ++i)
    if (!find(found, i)) {
      kept_->size = 0;
      return;
    }
  std::copy_n(found.shape().data(), loop_.ndim, shape_);
  const CallMemory memory(call_);
  std::int64_t* kept = layouts_;
  for (const FusedLoop::Source& source : loop_.sources) {
    const LoopOperand layout = whole_of(source, call_);
    *kept++ = layout.padded ? static_cast<std::int64_t>(memory[source.temporary].version) : 0;
    for (int axis = 0; axis < source.ndim; ++axis) {
      *kept++ = layout.lengths[axis];
      *kept++ = layout.strides[axis];
    }
  }
}

/// Keeps where an input lies. False if it is nothing for this class.
bool SmallLoop::find(const LoopShape& found, std::size_t i) {
  const FusedLoop::Input& input = loop_.inputs[i];
  const LoopOperand& operand = found.input(i);
  Where& where = where_[i];
  where = {};
  if (input.source != kNone)
    where.offset = operand.data - whole_of(loop_.sources[input.source], call_).data;
  if (input.placement) return find_place(found, i);
  where.how = operand.padded ? How::Padded : How::Direct;
  kept_->goes_on &= operand.padded;
  return found.is_whole(i);
}

bool SmallLoop::find_place(const LoopShape& found, std::size_t i) {
  const View& place = found.place(i);
  const LoopOperand& operand = found.input(i);
  Where& where = where_[i];
  where.begin = place.data - LoopShape::kOrigin;
  where.n = place.ndim == 0 ? 1 : place.lengths[0];
  if (place.ndim > 1 || !operand.contiguous || where.n != size_of(operand.shape()) ||
      (where.n != 1 && place.strides[0] != 1))
    return false;
  where.how = operand.padded && has_room_around(loop_.inputs[i], loop_.item_sizes[i], where)
                  ? How::Around
                  : How::Copied;
  return true;
}

/// True if all lanes fit around a temporary that the loop places once.
bool SmallLoop::has_room_around(const FusedLoop::Input& input, std::int64_t item_size,
                                const Where& where) const {
  const auto same = [&](const FusedLoop::Input& other) {
    return other.placement && other.source == input.source;
  };
  const std::int64_t behind = lanes() - where.begin - where.n;
  return where.begin * item_size <= static_cast<std::int64_t>(CallMemory::kFront) &&
         behind * item_size <= static_cast<std::int64_t>(kArrayPadding) &&
         std::ranges::count_if(loop_.inputs, same) == 1;
}

/// Writes the numbers that input i is placed in, before and behind its elements, up to element
/// `size` of `to`.
void SmallLoop::surround(std::size_t i, const NumberBits* numbers, char* to,
                         std::int64_t size) const {
  const NumberBits* const number = numbers + loop_.inputs[i].placement->fill;
  const std::int64_t before = where_[i].begin, end = before + where_[i].n;
  visit_bytes(loop_.item_sizes[i], [=]<class T>(T fill) {
    std::memcpy(&fill, number, sizeof(fill));
    T* const elements = reinterpret_cast<T*>(to);
    for (std::int64_t k = 0; k < before; ++k) elements[k] = fill;
    for (std::int64_t k = end; k < size; ++k) elements[k] = fill;
  });
}

/// Copies an input that is placed, with room for all lanes.
void SmallLoop::copy(std::size_t i, const NumberBits* numbers, char* to) const {
  const FusedLoop::Input& input = loop_.inputs[i];
  const Where& where = where_[i];
  const std::int64_t bytes = loop_.item_sizes[i];
  const char* const from = input.source == kNone
                               ? reinterpret_cast<const char*>(numbers + input.placement->value)
                               : sources_[input.source] + where.offset;
  std::memcpy(to + where.begin * bytes, from, static_cast<std::size_t>(where.n * bytes));
  surround(i, numbers, to, lanes());
}

/// Finds the inputs' blocks; those that are copied are in scratch.
void SmallLoop::find_inputs(bool copies, const NumberBits* numbers, char* scratch,
                            char** blocks) const {
  const Where* where = where_;
  for (std::size_t i = 0; i < loop_.inputs.size();
       ++i, ++where, scratch += LoopScratch::kOperandBytes) {
    const FusedLoop::Input& input = loop_.inputs[i];
    if (where->how == How::Around) {
      blocks[i] = sources_[input.source] - where->begin * loop_.item_sizes[i];
      surround(i, numbers, blocks[i], kept_->size);
      continue;
    }
    blocks[i] = scratch;
    if (where->how == How::Copied)
      copy(i, numbers, scratch);
    else if (copies && where->how == How::Direct)
      copy_lanes(scratch, sources_[input.source] + where->offset, kept_->size, loop_.item_sizes[i]);
    else
      blocks[i] = sources_[input.source] + where->offset;
  }
}

/// Notes the lengths of what others need only those of.
void SmallLoop::measure(const LoopResults& results) {
  const CallMemory memory(call_);
  if (kept_->measured)
    for (const std::uint32_t slot : loop_.measured) memory.make_again(slot);
  else
    results.measure();
  kept_->measured = true;
}

/// Makes the outputs, of which `blocks` gets the memory.
void SmallLoop::make_outputs(LoopResults& results, bool may_take, char** blocks) {
  const CallMemory memory(call_);
  for (std::size_t j = 0; j < loop_.outputs.size(); ++j) {
    const std::uint32_t temporary = loop_.outputs[j].temporary;
    if (((kept_->made >> j) & 1u) != 0) {
      blocks[j] = memory.make_again(temporary);
      continue;
    }
    blocks[j] = results.make_output(j, may_take).data;
    if (temporary != kNone && memory[temporary].data != nullptr)
      kept_->made |= std::uint64_t{1} << j;
  }
}

void SmallLoop::fold(LoopScratch& scratch, const LoopResults& made, char* const* blocks) const {
  const char* folded[kLoopOperands];
  for (std::size_t f = 0; f < loop_.folds.size(); ++f) folded[f] = blocks[loop_.folds[f].operand];
  LoopFolds folds(loop_, made);
  const FoldPanels& panels = made.panels();
  if (panels.are_sequences()) {
    folds.start(scratch, 0);
    folds.add(folded, kept_->size);
    return;
  }
  for (std::int64_t group = 0; group < panels.groups(); ++group) {
    folds.start_panels(scratch, static_cast<int>(panels.panels()),
                       static_cast<int>(panels.columns()));
    for (std::int64_t visit = 0; visit < panels.visits(); ++visit)
      folds.add_rows(folded, panels.start(group, visit), panels.rows());
    folds.finish_panels(group * panels.panels() * panels.columns());
  }
}

/// Each fold in one go.
void SmallLoop::fold_to_numbers(LoopScratch& scratch, char* const* blocks,
                                NumberBits* results) const {
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
  // Where there is no room behind the end, the last lanes are computed twice, or in copies.
  const bool ends = rest != 0 && !kept_->goes_on;
  const bool again = ends && n > kLoopLanes;
  LoopScratch& memory = LoopScratch::of_thread();
  char* const scratch = memory.blocks(loop_.item_sizes.size());
  char* blocks[kLoopOperands];
  find_inputs(ends && !again, numbers, scratch, blocks);
  std::size_t k = loop_.inputs.size();
  LoopResults made(loop_, call_, shape(), n);
  measure(made);
  make_outputs(made, rest == 0, blocks + k);
  for (k += loop_.outputs.size(); k < loop_.item_sizes.size(); ++k)
    blocks[k] = scratch + static_cast<std::int64_t>(k) * LoopScratch::kOperandBytes;
  loop_.body(blocks, numbers, loop_.element_loops.data(), again ? n - rest : lanes());
  if (again) {
    char* last[kLoopOperands];
    for (k = 0; k < loop_.item_sizes.size(); ++k)
      last[k] = blocks[k] + (n - kLoopLanes) * loop_.item_sizes[k];
    loop_.body(last, numbers, loop_.element_loops.data(), kLoopLanes);
  }
  if (loop_.folds_are_numbers) {
    fold_to_numbers(memory, blocks, results);
  } else if (!loop_.folds.empty()) {
    made.make_folds(results);
    fold(memory, made, blocks);
  }
}

}  // namespace thunkvm

#include "linkers/codegen/loop_results.h"

#include "linkers/codegen/call_memory.h"
#include "ops/array_kernel.h"

#include <algorithm>

namespace thunkvm {

LoopResults::Memory LoopResults::make_output(std::size_t j, bool may_take) {
  const FusedLoop::Output& output = loop_.outputs[j];
  if (output.temporary != kNone) {
    const CallMemory memory(call_);
    if (memory.make(output.temporary, output.dtype, shape_, size_))
      return {memory[output.temporary].data, true};
  }
  Cell& cell = call_.cells[output.registers[0]];
  Array array;
  for (std::size_t i = 0; may_take && i < loop_.inputs.size() && !array; ++i)
    if (loop_.inputs[i].dies && ((output.may_take >> i) & 1u) != 0)
      array = take_fitting(call_.cells[loop_.sources[loop_.inputs[i].source].reg], output.dtype,
                           shape_);
  if (!array) array = output_array(*call_.activation, cell, output.dtype, shape_);
  cell.set_array(std::move(array));
  for (std::size_t k = 1; k < output.registers.size(); ++k) call_.cells[output.registers[k]] = cell;
  return {cell.body()->data, Array::padded(*cell.body())};
}

void LoopResults::make_folds(NumberBits* results) {
  const AxisRange reduced = loop_.reduced;
  const int after = reduced.first + reduced.n;
  std::int64_t shape[kMaxDims], with_ones[kMaxDims];
  int kept = 0;
  for (int axis = 0; axis < loop_.ndim; ++axis) {
    const std::int64_t length = shape_[static_cast<std::size_t>(axis)];
    const bool folded = axis >= reduced.first && axis < after;
    with_ones[axis] = folded ? 1 : length;
    if (folded)
      count_ *= length;
    else
      shape[kept++] = length;
    if (axis >= after) columns_ *= length;
  }
  for (std::size_t f = 0; f < loop_.folds.size(); ++f) {
    const FusedLoop::Fold& fold = loop_.folds[f];
    if (kept == 0 && !fold.keepdims) {
      results[f] = 0;
      fold_results_[f] = reinterpret_cast<char*>(results + f);
      continue;
    }
    Cell& cell = call_.cells[fold.reg];
    const Dims dims = fold.keepdims ? Dims{with_ones, static_cast<std::size_t>(loop_.ndim)}
                                    : Dims{shape, static_cast<std::size_t>(kept)};
    cell.set_array(output_array(*call_.activation, cell, fold.fold->out, dims));
    fold_results_[f] = cell.body()->data;
  }
}

template <class Bytes>
void LoopResults::make_states(LoopScratch& scratch, Bytes bytes_of) {
  std::size_t bytes = 0;
  for (std::size_t f = 0; f < loop_.folds.size(); ++f) {
    state_offsets_[f] = bytes;
    bytes += (bytes_of(*loop_.folds[f].fold) + 15) / 16 * 16;
  }
  states_ = scratch.states(bytes);
}

void LoopResults::start_folds(LoopScratch& scratch) {
  make_states(scratch, [](const BlockFold& fold) { return fold.state_bytes; });
  for (std::size_t f = 0; f < loop_.folds.size(); ++f) loop_.folds[f].fold->start(state(f));
}

void LoopResults::fold(std::size_t f, const char* values, std::int64_t start, std::int64_t n) {
  const BlockFold& fold = *loop_.folds[f].fold;
  const auto bytes = static_cast<std::int64_t>(item_size(fold.in));
  std::int64_t in_row = start == 0 || count_ == size_ ? start : start % count_;
  for (std::int64_t done = 0; done < n; in_row = 0) {
    const std::int64_t m = std::min(n - done, count_ - in_row);
    fold.add(state(f), values + done * bytes, m);
    done += m;
    if (in_row + m < count_) continue;
    fold.finish(state(f), count_, fold_results_[f]);
    fold_results_[f] += item_size(fold.out);
    if (start + done < size_) fold.start(state(f));
  }
}

void LoopResults::start_panel(LoopScratch& scratch, int width) {
  make_states(scratch, [&](const BlockFold& fold) { return fold.rows.state_bytes(width, count_); });
  for (std::size_t f = 0; f < loop_.folds.size(); ++f)
    loop_.folds[f].fold->rows.start(state(f), width);
}

void LoopResults::fold_rows(std::size_t f, const char* values, std::int64_t n) {
  loop_.folds[f].fold->rows.add(state(f), values, n);
}

void LoopResults::finish_panel(std::int64_t at) {
  for (std::size_t f = 0; f < loop_.folds.size(); ++f) {
    const BlockFold& fold = *loop_.folds[f].fold;
    fold.rows.finish(state(f), count_,
                     fold_results_[f] + at * static_cast<std::int64_t>(item_size(fold.out)));
  }
}

void LoopResults::fold_block(LoopScratch& scratch, char* const* blocks) {
  if (columns_ == 1) {
    start_folds(scratch);
    for (std::size_t f = 0; f < loop_.folds.size(); ++f)
      fold(f, blocks[loop_.folds[f].operand], 0, size_);
    return;
  }
  for (std::int64_t at = 0; at < size_; at += count_ * columns_) {
    start_panel(scratch, static_cast<int>(columns_));
    for (std::size_t f = 0; f < loop_.folds.size(); ++f) {
      const FusedLoop::Fold& fold = loop_.folds[f];
      fold_rows(f, blocks[fold.operand] + at * static_cast<std::int64_t>(item_size(fold.fold->in)),
                count_);
    }
    finish_panel(at / count_);
  }
}

}  // namespace thunkvm

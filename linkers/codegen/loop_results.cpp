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

void LoopResults::start_folds(LoopScratch& scratch, NumberBits* results) {
  const int kept = loop_.ndim - loop_.reduced;
  for (int axis = kept; axis < loop_.ndim; ++axis) row_ *= shape_[static_cast<std::size_t>(axis)];
  std::size_t bytes = 0;
  for (std::size_t f = 0; f < loop_.folds.size(); ++f) {
    const FusedLoop::Fold& fold = loop_.folds[f];
    if (kept == 0 && !fold.keepdims) {
      results[f] = 0;
      fold_results_[f] = reinterpret_cast<char*>(results + f);
    } else {
      std::int64_t shape[kMaxDims];
      std::copy_n(shape_.data(), kept, shape);
      std::fill_n(shape + kept, loop_.reduced, 1);
      Cell& cell = call_.cells[fold.reg];
      cell.set_array(
          output_array(*call_.activation, cell, fold.fold->out,
                       {shape, static_cast<std::size_t>(fold.keepdims ? loop_.ndim : kept)}));
      fold_results_[f] = cell.body()->data;
    }
    state_offsets_[f] = bytes;
    bytes += (fold.fold->state_bytes + 15) / 16 * 16;
  }
  states_ = scratch.states(bytes);
  for (std::size_t f = 0; f < loop_.folds.size(); ++f) loop_.folds[f].fold->start(state(f));
}

void LoopResults::fold(std::size_t f, const char* values, std::int64_t start, std::int64_t n) {
  const BlockFold& fold = *loop_.folds[f].fold;
  const auto bytes = static_cast<std::int64_t>(item_size(fold.in));
  std::int64_t in_row = start == 0 || row_ == size_ ? start : start % row_;
  for (std::int64_t done = 0; done < n; in_row = 0) {
    const std::int64_t m = std::min(n - done, row_ - in_row);
    fold.add(state(f), values + done * bytes, m);
    done += m;
    if (in_row + m < row_) continue;
    fold.finish(state(f), row_, fold_results_[f]);
    fold_results_[f] += item_size(fold.out);
    if (start + done < size_) fold.start(state(f));
  }
}

}  // namespace thunkvm

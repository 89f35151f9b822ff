#include "linkers/codegen/runtime/loop_results.h"

#include "linkers/codegen/runtime/call_memory.h"
#include "ops/kernels/array_kernel.h"

namespace thunkvm {

LoopResults::Memory LoopResults::make_output(std::size_t j, bool may_take) {
  const FusedLoop::Output& output = loop_.outputs[j];
  if (output.temporary != kNone) {
    const CallMemory memory(call_);
    if (memory.make(output.temporary, loop_.room, output.dtype, shape_, size_))
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

void LoopResults::measure() const {
  const CallMemory memory(call_);
  for (const std::uint32_t slot : loop_.measured) memory.measure(slot, shape_);
}

void LoopResults::make_folds(NumberBits* results) {
  panels_.emplace(shape_, loop_.reduced);
  std::int64_t shape[kMaxDims], with_ones[kMaxDims];
  int kept = 0;
  for (int axis = 0; axis < loop_.ndim; ++axis) {
    const std::int64_t length = shape_[static_cast<std::size_t>(axis)];
    const bool folded = ((loop_.reduced >> axis) & 1u) != 0;
    with_ones[axis] = folded ? 1 : length;
    if (!folded) shape[kept++] = length;
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

}  // namespace thunkvm

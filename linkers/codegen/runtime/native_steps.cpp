#include "linkers/codegen/runtime/native_steps.h"

#include "vm/frame.h"

#include <cstring>
#include <span>

namespace thunkvm {

void store_number(Cell& cell, NumberBits bits, DType dtype) {
  visit_dtype(dtype, "a number", [&]<class T>(std::type_identity<T>) {
    if constexpr (fits_cell<T>) {
      T value;
      std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
      cell.set(value);
    }
  });
}

Recorder* records_memory(const NativeCall& call) {
  Recorder* const recorder = call.frame->recorder();
  return recorder != nullptr && recorder->notes_memory() ? recorder : nullptr;
}

void note_after(NativeCall& call, const NativeSteps& steps) {
  for (const auto& [first, end] : steps.after)
    NativeSupport::note_not_reached(*call.frame, first, end);
}

bool run_native_step(NativeCall& call, const NativeSteps& steps, std::size_t i) {
  const Step& step = steps.steps[i];
  Activation& activation = *call.activation;
  Recorder* const recorder = call.frame->recorder();
  if (recorder != nullptr) [[unlikely]]
    recorder->begin_thunk(step.node, call.cells, step.operands);
  if (step.run(activation, step.operands) == Status::Done) [[likely]] {
    if (recorder != nullptr) [[unlikely]]
      recorder->end_thunk(step.node, call.cells, step.operands);
    if (!activation.poll || NativeSupport::poll(*call.frame)) return true;
  } else {
    NativeSupport::fail(*call.frame, step.node);
  }
  for (const std::uint32_t later : std::span(steps.indices).subspan(i + 1))
    if (later != kNone) NativeSupport::note_not_reached(*call.frame, later, later + 1);
  note_after(call, steps);
  return false;
}

}  // namespace thunkvm

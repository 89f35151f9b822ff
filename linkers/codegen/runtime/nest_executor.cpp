#include "linkers/codegen/runtime/nest_executor.h"

#include "linkers/codegen/runtime/call_memory.h"
#include "linkers/codegen/runtime/nest_instance.h"
#include "ops/kernels/array_kernel.h"
#include "ops/kernels/loop_executor.h"
#include "vm/frame.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>

namespace thunkvm {
namespace {

/// The operands of one run of an instance.
class NestOperands {
 public:
  /// `sources`: where they are, and room for one more; results that are 0-d go to `results`.
  NestOperands(const LoopNest& nest, const NestInstance& instance, NativeCall& call,
               const NumberBits* numbers, char** sources, NumberBits* results)
      : nest_(nest), instance_(instance), call_(call), found_(nest.loop, instance.loop, numbers) {
    char** data = found_.data;
    sources[nest.sources.size()] = reinterpret_cast<char*>(const_cast<NumberBits*>(numbers));
    for (const NestInstance::Location& location : std::span(instance.locations, nest.loop.n_inputs))
      *data++ = sources[location.source] + location.offset;
    for (const NestInstance::Surrounded& part :
         std::span(instance.surrounded, instance.n_surrounded))
      surround(part);
    std::uint64_t in_slots = instance.in_slots;
    for (const LoopNest::Output& output : nest.outputs) {
      *data = (in_slots & 1) != 0 ? CallMemory(call).make_again(output.slot)
                                  : make_output(output, data - found_.data);
      in_slots >>= 1;
      ++data;
    }
    char** location = found_.results;
    for (const LoopNest::Result& result : nest.results)
      *location++ = make_result(result, results++);
  }

  const LoopOperands& found() const { return found_; }

 private:
  void surround(const NestInstance::Surrounded& part) {
    visit_bytes(part.item_size, [&]<class T>(T fill) {
      std::memcpy(&fill, found_.numbers + part.fill, sizeof(fill));
      T* const elements = reinterpret_cast<T*>(found_.data[part.input]);
      for (std::int64_t k = 0; k < part.before; ++k) elements[k] = fill;
      for (std::int64_t k = part.end; k < part.size; ++k) elements[k] = fill;
    });
  }

  /// An output whose elements are still to be computed: in the memory of a dying input that is not
  /// read after the output is written; in that of the last call in the `_nogc` modes; else in new
  /// memory.
  char* make_output(const LoopNest::Output& output, std::ptrdiff_t operand) {
    const LoopInstance& loop = instance_.loop;
    Cell& cell = call_.cells[output.registers[0]];
    Array array;
    for (std::uint64_t bits = output.may_take; bits != 0 && !array; bits &= bits - 1)
      array =
          take_fitting(call_.cells[nest_.sources[nest_.inputs[std::countr_zero(bits)].source].reg],
                       output.dtype, loop.shape);
    found_.in_place |= static_cast<bool>(array);
    if (!array) array = output_array(*call_.activation, cell, output.dtype, loop.shape);
    if (loop.size % kLoopLanes != 0 && !Array::padded(*array.body()))
      found_.ends |= std::uint64_t{1} << operand;
    char* const data = array.data();
    cell.set_array(std::move(array));
    for (std::size_t r = 1; r < output.registers.size(); ++r)
      call_.cells[output.registers[r]] = cell;
    return data;
  }

  char* make_result(const LoopNest::Result& result, NumberBits* number) {
    const Dims shape = result.keepdims ? instance_.loop.kept_as_ones : instance_.loop.kept;
    if (shape.empty()) {
      *number = 0;
      return reinterpret_cast<char*>(number);
    }
    Cell& cell = call_.cells[result.reg];
    cell.set_array(output_array(*call_.activation, cell, result.dtype, shape));
    return cell.body()->data;
  }

  const LoopNest& nest_;
  const NestInstance& instance_;
  NativeCall& call_;
  LoopOperands found_;
};

/// Gives what goes to slots its lengths.
void lay_out_slots(const LoopNest& nest, const NativeCall& call, NestInstance& instance) {
  const CallMemory memory(call);
  for (std::size_t j = 0; j < nest.outputs.size(); ++j) {
    const LoopNest::Output& output = nest.outputs[j];
    if (output.slot != kNone &&
        memory.make(output.slot, nest.room, output.dtype, instance.loop.shape, instance.loop.size))
      instance.in_slots |= std::uint64_t{1} << j;
  }
  for (const std::uint32_t slot : nest.shape_only)
    memory.make_shape_only(slot, instance.loop.shape);
}

bool resolves(const LoopNest& nest, const NativeCall& call, NestInstance& instance) {
  try {
    return resolve(nest, NestLayouts(nest, call), instance);
  } catch (const Error&) {
    return false;  // a member has no slice of its input: it says so itself
  }
}

/// The recorder of a call whose nodes' shapes are recorded; else null.
Recorder* asked_for_shapes(const NativeCall& call) {
  if (call.recorder == nullptr) [[likely]]
    return nullptr;
  return call.recorder->notes_shapes() ? call.recorder : nullptr;
}

/// As one pass. False if the members cannot run so.
bool run_at_once(const LoopNest& nest, NativeCall& call, const NumberBits* numbers,
                 NumberBits* results) {
  NestInstance& instance = NestInstance::of(nest, call);
  Recorder* const recorder = asked_for_shapes(call);
  const std::uint32_t first = nest.members.steps.front().node;
  char* sources[kLoopOperands + 1];
  if (!instance.fits(nest, call, sources)) {
    if (!resolves(nest, call, instance)) return false;
    lay_out_slots(nest, call, instance);
    instance.fits(nest, call, sources);
    if (recorder != nullptr) [[unlikely]]
      recorder->note_loop(first, instance.loop.shape, instance.loop.bytes_moved(nest.loop));
  } else if (recorder != nullptr) [[unlikely]] {
    recorder->note_loop_again(first, instance.loop.shape);
  }
  for (const std::uint32_t slot : nest.shape_only) CallMemory(call).make_again(slot);
  if (!nest.computes()) return true;
  const NestOperands operands(nest, instance, call, numbers, sources, results);
  execute(operands.found(), *call.activation->host);
  if (instance.loop.size * nest.loop.cost >= kWorthLeaving) call.activation->poll = true;
  return true;
}

/// Makes arrays of what members read and write in registers.
void move_slots(const LoopNest& nest, NativeCall& call) {
  const CallMemory memory(call);
  for (const LoopNest::Source& value : nest.slot_values)
    memory.move_to(call.cells[value.reg], value.slot, value.dtype, value.ndim);
  for (const LoopNest::Output& output : nest.outputs)
    if (output.slot != kNone) memory[output.slot].data = nullptr;
  for (const std::uint32_t slot : nest.shape_only) memory[slot].data = nullptr;
}

bool run_members(const LoopNest& nest, NativeCall& call, const NumberBits* given,
                 NumberBits* results) {
  for (std::size_t k = 0; k < nest.numbers.size(); ++k) {
    const LoopNest::Number& number = nest.numbers[k];
    if (number.local) store_number(call.cells[number.reg], given[k], number.dtype);
  }
  for (std::size_t i = 0; i < nest.members.steps.size(); ++i)
    if (!run_native_step(call, nest.members, i)) return false;
  for (std::size_t f = 0; f < nest.results.size(); ++f) {
    Cell& cell = call.cells[nest.results[f].reg];
    if (!cell.is_scalar()) continue;
    results[f] = 0;
    std::memcpy(&results[f], cell.address(), item_size(nest.results[f].dtype));
    cell.clear();
  }
  for (const LoopNest::Number& number : nest.numbers)
    if (number.local) call.cells[number.reg].clear();
  for (const std::uint32_t reg : nest.internal) call.cells[reg].clear();
  return true;
}

/// As one pass, or member by member.
[[gnu::always_inline]] inline bool run_either_way(const LoopNest& nest, NativeCall& call,
                                                  const NumberBits* numbers, NumberBits* results) {
  try {
    if (run_at_once(nest, call, numbers, results)) {
      if (!call.activation->poll || NativeSupport::poll(*call.frame)) return true;
      note_after(call, nest.members);
      return false;
    }
    move_slots(nest, call);
  } catch (...) {  // no memory, or the host ends the call
    call.activation->fail_current();
    NativeSupport::fail(*call.frame, nest.members.steps.front().node);
    note_after(call, nest.members);
    return false;
  }
  return run_members(nest, call, numbers, results);
}

}  // namespace

bool run_nest(const LoopNest& nest, NativeCall& call, const NumberBits* numbers,
              NumberBits* results) {
  Recorder* const recorder = call.recorder;
  if (recorder == nullptr || !recorder->notes_memory()) [[likely]]
    return run_either_way(nest, call, numbers, results);
  const std::vector<Step>& members = nest.members.steps;
  for (const Step& step : members)
    recorder->begin_memory(call.cells, step.operands, &step != members.data());
  if (!run_either_way(nest, call, numbers, results)) return false;
  // The values in between are nowhere: what is there now is results.
  for (const Step& step : members) recorder->note_memory(step.node, call.cells, step.operands);
  return true;
}

}  // namespace thunkvm

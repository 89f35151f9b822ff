#include "linkers/codegen/runtime/nest_executor.h"

#include "linkers/codegen/runtime/call_memory.h"
#include "linkers/codegen/runtime/nest_instance.h"
#include "ops/kernels/array_kernel.h"
#include "ops/kernels/nest_execution.h"
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
  NestOperands(const FusedNest& fused, const NestInstance& instance, NativeCall& call,
               const NumberBits* numbers, char** sources, NumberBits* results)
      : fused_(fused),
        instance_(instance),
        call_(call),
        found_(fused.nest, instance.resolved, numbers) {
    char** data = found_.data;
    sources[fused.sources.size()] = reinterpret_cast<char*>(const_cast<NumberBits*>(numbers));
    for (const NestInstance::Location& location :
         std::span(instance.locations, fused.nest.n_inputs))
      *data++ = sources[location.source] + location.offset;
    find_room_at_ends();
    for (const NestInstance::Surrounded& part :
         std::span(instance.surrounded, instance.n_surrounded))
      surround(part);
    std::uint64_t in_slots = instance.in_slots;
    for (const FusedNest::Output& output : fused.outputs) {
      *data = (in_slots & 1) != 0 ? CallMemory(call).make_again(output.slot)
                                  : make_output(output, data - found_.data);
      in_slots >>= 1;
      ++data;
    }
    char** location = found_.results;
    for (const FusedNest::Result& result : fused.results)
      *location++ = make_result(result, results++);
  }

  const PlacedOperands& found() const { return found_; }

 private:
  /// Behind arrays of ours there is room for whole lanes: these are read as they lie.
  void find_room_at_ends() {
    for (std::uint64_t bits = found_.ends; bits != 0; bits &= bits - 1) {
      const NestInstance::Location& location = instance_.locations[std::countr_zero(bits)];
      if (location.source == fused_.sources.size() || location.offset != 0) continue;
      const Cell& cell = call_.cells[fused_.sources[location.source].reg];
      if (cell.is_array() && Array::padded(*cell.body())) found_.ends &= ~(bits & -bits);
    }
  }

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
  char* make_output(const FusedNest::Output& output, std::ptrdiff_t operand) {
    const ResolvedNest& nest = instance_.resolved;
    Cell& cell = call_.cells[output.registers[0]];
    Array array;
    for (std::uint64_t bits = output.may_take; bits != 0 && !array; bits &= bits - 1)
      array = take_fitting(
          call_.cells[fused_.sources[fused_.inputs[std::countr_zero(bits)].source].reg],
          output.dtype, nest.shape);
    found_.in_place |= static_cast<bool>(array);
    if (!array) array = output_array(*call_.activation, cell, output.dtype, nest.shape);
    if (nest.size % kNestLanes != 0 && !Array::padded(*array.body()))
      found_.ends |= std::uint64_t{1} << operand;
    char* const data = array.data();
    cell.set_array(std::move(array));
    for (std::size_t r = 1; r < output.registers.size(); ++r)
      call_.cells[output.registers[r]] = cell;
    return data;
  }

  char* make_result(const FusedNest::Result& result, NumberBits* number) {
    const Dims shape = result.keepdims ? instance_.resolved.kept_as_ones : instance_.resolved.kept;
    if (shape.empty()) {
      *number = 0;
      return reinterpret_cast<char*>(number);
    }
    Cell& cell = call_.cells[result.reg];
    cell.set_array(output_array(*call_.activation, cell, result.dtype, shape));
    return cell.body()->data;
  }

  const FusedNest& fused_;
  const NestInstance& instance_;
  NativeCall& call_;
  PlacedOperands found_;
};

/// Gives what goes to slots its lengths.
void lay_out_slots(const FusedNest& fused, const NativeCall& call, NestInstance& instance) {
  const CallMemory memory(call);
  for (std::size_t j = 0; j < fused.outputs.size(); ++j) {
    const FusedNest::Output& output = fused.outputs[j];
    if (output.slot != kNone && memory.make(output.slot, fused.room, output.dtype,
                                            instance.resolved.shape, instance.resolved.size))
      instance.in_slots |= std::uint64_t{1} << j;
  }
  for (const std::uint32_t slot : fused.shape_only)
    memory.make_shape_only(slot, instance.resolved.shape);
}

bool resolves(const FusedNest& fused, const NativeCall& call, NestInstance& instance) {
  try {
    return resolve(fused, NestLayouts(fused, call), instance);
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
bool run_at_once(const FusedNest& fused, NativeCall& call, const NumberBits* numbers,
                 NumberBits* results) {
  NestInstance& instance = NestInstance::of(fused, call);
  Recorder* const recorder = asked_for_shapes(call);
  const ProgramNode first = fused.members.steps.front().node;
  char* sources[kNestOperands + 1];
  if (!instance.fits(fused, call, sources)) {
    if (!resolves(fused, call, instance)) return false;
    lay_out_slots(fused, call, instance);
    instance.fits(fused, call, sources);
    if (recorder != nullptr) [[unlikely]]
      recorder->note_nest(first, instance.resolved.shape,
                          instance.resolved.bytes_moved(fused.nest));
  } else if (recorder != nullptr) [[unlikely]] {
    recorder->note_nest_again(first, instance.resolved.shape);
  }
  for (const std::uint32_t slot : fused.shape_only) CallMemory(call).make_again(slot);
  if (!fused.computes()) return true;
  const NestOperands operands(fused, instance, call, numbers, sources, results);
  execute(operands.found(), *call.activation->host);
  if (instance.resolved.size * fused.nest.cost >= kWorthLeaving) call.activation->poll = true;
  return true;
}

/// Makes arrays of what members read and write in registers.
void move_slots(const FusedNest& fused, NativeCall& call) {
  const CallMemory memory(call);
  for (const FusedNest::Source& value : fused.slot_values)
    memory.move_to(call.cells[value.reg], value.slot, value.dtype, value.ndim);
  for (const FusedNest::Output& output : fused.outputs)
    if (output.slot != kNone) memory[output.slot].data = nullptr;
  for (const std::uint32_t slot : fused.shape_only) memory[slot].data = nullptr;
}

bool run_members(const FusedNest& fused, NativeCall& call, const NumberBits* given,
                 NumberBits* results) {
  for (std::size_t k = 0; k < fused.numbers.size(); ++k) {
    const FusedNest::Number& number = fused.numbers[k];
    if (number.local) store_number(call.cells[number.reg], given[k], number.dtype);
  }
  for (std::size_t i = 0; i < fused.members.steps.size(); ++i)
    if (!run_native_step(call, fused.members, i)) return false;
  for (std::size_t f = 0; f < fused.results.size(); ++f) {
    Cell& cell = call.cells[fused.results[f].reg];
    if (!cell.is_scalar()) continue;
    results[f] = 0;
    std::memcpy(&results[f], cell.address(), item_size(fused.results[f].dtype));
    cell.clear();
  }
  for (const FusedNest::Number& number : fused.numbers)
    if (number.local) call.cells[number.reg].clear();
  for (const std::uint32_t reg : fused.internal) call.cells[reg].clear();
  return true;
}

/// As one pass, or member by member.
[[gnu::always_inline]] inline bool run_either_way(const FusedNest& fused, NativeCall& call,
                                                  const NumberBits* numbers, NumberBits* results) {
  try {
    if (run_at_once(fused, call, numbers, results)) {
      if (!call.activation->poll || NativeSupport::poll(*call.frame)) return true;
      note_after(call, fused.members);
      return false;
    }
    move_slots(fused, call);
  } catch (...) {  // no memory, or the host ends the call
    call.activation->fail_current();
    NativeSupport::fail(*call.frame, fused.members.steps.front().node);
    note_after(call, fused.members);
    return false;
  }
  return run_members(fused, call, numbers, results);
}

}  // namespace

bool run_nest(const FusedNest& fused, NativeCall& call, const NumberBits* numbers,
              NumberBits* results) {
  Recorder* const recorder = call.recorder;
  if (recorder == nullptr || !recorder->notes_memory()) [[likely]]
    return run_either_way(fused, call, numbers, results);
  const std::vector<Step>& members = fused.members.steps;
  for (const Step& step : members)
    recorder->begin_memory(call.cells, step.operands, &step != members.data());
  if (!run_either_way(fused, call, numbers, results)) return false;
  // The values in between are nowhere: what is there now is results.
  for (const Step& step : members) recorder->note_memory(step.node, call.cells, step.operands);
  return true;
}

}  // namespace thunkvm

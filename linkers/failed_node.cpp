#include "linkers/failed_node.h"

#include "ops/graph/op.h"
#include "ops/kernels/view.h"

namespace thunkvm {
namespace {

std::vector<std::uint32_t> input_registers(const Program& program, ProgramNode node) {
  const auto inputs = [](const Operands& o) {
    return std::vector<std::uint32_t>(o.registers, o.registers + o.n_inputs);
  };
  for (const Step& step : program.steps)
    if (step.node == node) return inputs(step.operands);
  for (const Lazy& lazy : program.lazies)
    if (lazy.node == node) return inputs(lazy.operands);
  for (const Branch& branch : program.branches)
    if (branch.node == node) return {branch.selector};
  return {};
}

}  // namespace

std::vector<FailedInput> failed_inputs(const Linked& linked, Frame& frame, ProgramNode node) {
  const Apply& apply = *linked.nodes()[node].node();
  const std::vector<std::uint32_t> registers = input_registers(*linked.program, node);
  std::vector<FailedInput> inputs;
  for (std::size_t i = 0; i < registers.size() && i < apply.n_inputs(); ++i)
    inputs.push_back({apply.input(static_cast<int>(i)), frame.cell(registers[i])});
  return inputs;
}

bool shapes_differ(std::span<const FailedInput> inputs) {
  const ArrayBody* first = nullptr;
  for (const FailedInput& input : inputs) {
    if (!input.value.get().is_array()) continue;
    const ArrayBody* const array = input.value.get().body();
    if (first != nullptr && !same_lengths(Layout::of(*first).shape(), Layout::of(*array).shape()))
      return true;
    first = array;
  }
  return false;
}

std::string steps_text(const Linked& linked, const Frame& frame, ProgramNode node) {
  const Schedule& schedule = *linked.schedule;
  const std::uint32_t block = schedule.block_of_nodes()[node];
  std::string text;
  for (std::uint32_t loop = block == kNone ? kNone : schedule.loop_of_block(block); loop != kNone;
       loop = schedule.loops[loop].loop) {
    const Variable& output = linked.nodes()[schedule.loops[loop].node];
    const std::string origin = output.node()->origin_text();
    text += "\n  in step " + std::to_string(frame.step(loop)) + " of " +
            schedule.node_name(schedule.loops[loop].node) +
            (origin.empty() ? "" : ", made at " + origin);
  }
  return text;
}

std::string failed_node_text(const std::string& function, const Variable& output) {
  std::string text = "In " + function + ": node " + output.text();
  if (output.node()->op() != nullptr) text += ", Op " + output.node()->op()->text();
  return text;
}

}  // namespace thunkvm

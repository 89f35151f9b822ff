#include "linkers/passes/c_blocks.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace thunkvm {
namespace {

bool has(std::span<const std::uint32_t> registers, std::uint32_t reg) {
  return std::ranges::find(registers, reg) != registers.end();
}

void append(std::vector<std::uint32_t>& to, std::span<const std::uint32_t> registers) {
  to.insert(to.end(), registers.begin(), registers.end());
}

ScheduledCBlock block_of(const Schedule& schedule, std::vector<StatementIndex> runs) {
  ScheduledCBlock block{.runs = std::move(runs), .inputs = {}, .outputs = {}};
  std::vector<std::uint32_t> known, dead;
  const bool is_alone = block.runs.size() == 1;
  if (!is_alone)
    for (const StatementIndex run : block.runs)
      append(dead, schedule.dying_in(schedule.statements[run]));
  for (std::uint32_t member = 0; member < block.runs.size(); ++member) {
    const Statement& run = schedule.statements[block.runs[member]];
    const std::span inputs = schedule.inputs_of(run), outputs = schedule.outputs_of(run);
    for (std::uint32_t i = 0; i < inputs.size(); ++i) {
      if (!is_alone && has(known, inputs[i])) continue;
      known.push_back(inputs[i]);
      block.inputs.push_back({member, i, inputs[i]});
    }
    append(known, outputs);
    for (std::uint32_t j = 0; j < outputs.size(); ++j)
      if (!has(dead, outputs[j])) block.outputs.push_back({member, j, outputs[j]});
  }
  return block;
}

}  // namespace

std::vector<ScheduledCBlock> c_blocks(const Schedule& schedule,
                                      const IndexedVector<ProgramNode, std::uint32_t>& sharing,
                                      std::size_t largest) {
  std::vector<ScheduledCBlock> blocks;
  std::vector<StatementIndex> runs;
  std::uint32_t number = kNone;  // of `runs`
  std::size_t n_inputs = 0;
  const auto close = [&] {
    if (!runs.empty()) blocks.push_back(block_of(schedule, std::exchange(runs, {})));
    n_inputs = 0;
  };
  for (const StatementIndex i : schedule.statements.indices()) {
    const Statement& statement = schedule.statements[i];
    const std::uint32_t own =
        statement.kind == Statement::Kind::Run ? sharing[statement.node] : kNone;
    // The first one reads what all do, and counts it in 16 bits.
    const bool is_full = runs.size() == largest || n_inputs + statement.n_inputs > UINT16_MAX;
    if (own != number || is_full) close();
    number = own;
    if (own == kNone) continue;
    runs.push_back(i);
    n_inputs += statement.n_inputs;
  }
  close();
  return blocks;
}

ScheduledCBlock block_of_one(const Schedule& schedule, const ScheduledCBlock& block,
                             std::size_t member) {
  return block_of(schedule, {block.runs[member]});
}

void read_at_first(Schedule& schedule, const ScheduledCBlock& block) {
  Statement& first = schedule.statements[block.runs.front()];
  std::vector<std::uint32_t> operands;
  append(operands, schedule.inputs_of(first));
  for (const ScheduledCBlock::Port& port : block.inputs)
    if (!has(schedule.inputs_of(first), port.reg)) operands.push_back(port.reg);
  const auto n_inputs = static_cast<std::uint16_t>(operands.size());
  append(operands, schedule.outputs_of(first));
  first.first_operand = static_cast<std::uint32_t>(schedule.operands.size());
  first.n_inputs = n_inputs;
  append(schedule.operands, operands);
}

}  // namespace thunkvm

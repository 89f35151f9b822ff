#include "linkers/lone_thunk.h"

#include <numeric>
#include <utility>

namespace thunkvm {
namespace {

std::vector<std::uint32_t> registers_of(const Apply& node) {
  std::vector<std::uint32_t> registers(node.n_inputs() + node.n_outputs());
  std::iota(registers.begin(), registers.end(), 0u);
  return registers;
}

}  // namespace

LoneThunk::LoneThunk(Apply& node, ThunkCode code)
    : node_(&node), code_(std::move(code)), registers_(registers_of(node)) {}

std::exception_ptr LoneThunk::run(std::span<Cell> cells, bool retain_intermediates, bool dying,
                                  Host& host) const {
  const std::unique_ptr<BoundThunk> bound = code_.make ? code_.make() : nullptr;
  BoundThunk* const thunk = bound.get();
  Operands operands;
  operands.registers = registers_.data();
  operands.n_inputs = static_cast<std::uint16_t>(node_->n_inputs());
  operands.n_outputs = static_cast<std::uint16_t>(node_->n_outputs());
  operands.state = code_.state.get();
  if (dying && operands.n_inputs <= Operands::kDyingInputs)
    operands.dying = static_cast<std::uint32_t>((std::uint64_t{1} << operands.n_inputs) - 1);
  Activation activation;
  activation.cells = cells.data();
  activation.host = &host;
  activation.bound = &thunk;
  activation.retain_intermediates = retain_intermediates;
  const Status status =
      code_.eager != nullptr ? code_.eager(activation, operands) : thunk->run(activation, operands);
  return status == Status::Done ? nullptr : activation.failure.error;
}

Schedule schedule_of_node(Apply& node) {
  Schedule schedule;
  schedule.nodes = {node.output(0)};
  schedule.operands = registers_of(node);
  Statement& run = schedule.statements.emplace_back();
  run.kind = Statement::Kind::Run;
  run.n_inputs = static_cast<std::uint16_t>(node.n_inputs());
  run.n_outputs = static_cast<std::uint16_t>(node.n_outputs());
  run.node = ProgramNode(0);
  return schedule;
}

}  // namespace thunkvm

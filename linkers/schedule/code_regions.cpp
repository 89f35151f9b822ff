#include "linkers/schedule/code_regions.h"

namespace thunkvm {
namespace {

bool may_enter_body(const Statement& statement) {
  return statement.pc != kNone && rule_of(statement.kind).enters &&
         statement.kind != Statement::Kind::Loop;
}

/// By pc, what `value` says of each statement that may have a memo or input body run.
template <class T, class Value>
IndexedVector<Pc, T> by_pc(const Schedule& schedule, T none, const Value& value) {
  IndexedVector<Pc, T> result;
  for (const StatementIndex s : schedule.statements.indices()) {
    const Statement& statement = schedule.statements[s];
    if (!may_enter_body(statement)) continue;
    if (result.size() <= statement.pc) result.resize(statement.pc + 1, none);
    result[statement.pc] = value(s);
  }
  return result;
}

}  // namespace

CodeRegions regions_of(const Schedule& schedule) {
  const IndexedVector blocks = schedule.block_of_statements();
  return {static_cast<std::uint32_t>(schedule.blocks.size()),
          by_pc(schedule, 0u, [&](StatementIndex s) { return blocks[s]; })};
}

std::vector<bool> idle_blocks(const Schedule& schedule) {
  std::vector<bool> idle(schedule.blocks.size(), true);
  const IndexedVector block_of = schedule.block_of_statements();
  for (const StatementIndex s : schedule.statements.indices()) {
    const Statement::Kind kind = schedule.statements[s].kind;
    if (kind == Statement::Kind::Run || rule_of(kind).enters) idle[block_of[s]] = false;
  }
  for (auto b = static_cast<std::uint32_t>(idle.size()); b-- > 0;)  // arms come after what has them
    if (!idle[b] && schedule.blocks[b].kind == Block::Kind::Arm)
      idle[schedule.blocks[b].parent] = false;
  return idle;
}

IndexedVector<Pc, ProgramNode> demanders_of(const Schedule& schedule) {
  // A memo body is run for the next statement that has a node, where one follows in the block.
  IndexedVector<StatementIndex, ProgramNode> next(schedule.statements.size());
  ProgramNode node;
  for (const StatementIndex s : schedule.statements.indices() | std::views::reverse) {
    const Statement& statement = schedule.statements[s];
    if (statement.kind == Statement::Kind::Demand) node = schedule.lazies[statement.index].node;
    next[s] = node;
    if (statement.kind == Statement::Kind::End)
      node = kNone;
    else if (statement.node != kNone && statement.kind != Statement::Kind::Need)
      node = statement.node;
  }
  return by_pc(schedule, ProgramNode(), [&](StatementIndex s) { return next[s]; });
}

}  // namespace thunkvm

#include "linkers/schedule/schedule.h"

#include "ops/graph/op.h"

namespace thunkvm {

IndexedVector<StatementIndex, std::uint32_t> Schedule::block_of_statements() const {
  IndexedVector<StatementIndex, std::uint32_t> begins(statements.size(), kNone),
      result(statements.size());
  for (std::uint32_t b = 0; b < blocks.size(); ++b) begins[blocks[b].begin] = b;
  std::uint32_t block = 0;
  for (const StatementIndex i : statements.indices()) {
    if (begins[i] != kNone) block = begins[i];
    result[i] = block;
    if (statements[i].kind == Statement::Kind::End && blocks[block].kind == Block::Kind::Arm)
      block = blocks[block].parent;
  }
  return result;
}

IndexedVector<ProgramNode, std::uint32_t> Schedule::block_of_nodes() const {
  const IndexedVector block_of = block_of_statements();
  IndexedVector<ProgramNode, std::uint32_t> result(nodes.size(), kNone);
  const auto runs = [&](ProgramNode node, std::uint32_t block) {
    if (node != kNone && result[node] == kNone) result[node] = block;
  };
  for (const StatementIndex i : statements.indices()) {
    const Statement& s = statements[i];
    if (rule_of(s.kind).runs_node) runs(s.node, block_of[i]);
    if (s.kind == Statement::Kind::Branch)
      for (const ProgramNode node : decided_by(branches[s.index])) runs(node, block_of[i]);
  }
  return result;
}

std::uint32_t Schedule::loop_of_block(std::uint32_t b) const {
  while (blocks[b].kind == Block::Kind::Arm) b = blocks[b].parent;
  const Block& block = blocks[b];
  switch (block.kind) {
    case Block::Kind::Loop: return block.owner;
    case Block::Kind::Memo: return memos[block.owner].loop;
    case Block::Kind::Input:
    case Block::Kind::Guarded: return lazies[block.owner].loop;
    case Block::Kind::Arm:
    case Block::Kind::Root: break;
  }
  return kNone;
}

std::string Schedule::node_name(ProgramNode node) const {
  return nodes[node].node()->op()->name() + "." + std::to_string(node);
}

std::string Schedule::register_name(std::uint32_t reg) const {
  const Variable& v = registers[reg];
  if (v && (v.is_leaf() || !v.name().empty())) return v.text();
  return "t" + std::to_string(reg);
}

std::string Schedule::text() const {
  const auto list = [&](std::span<const std::uint32_t> registers) {
    std::string text;
    for (const std::uint32_t reg : registers)
      text += (text.empty() ? "" : ", ") + register_name(reg);
    return text;
  };
  const auto dies = [&](const std::string& names) {
    return names.empty() ? "" : ", dies: " + names;
  };
  const auto heading = [&](const Block& block) -> std::string {
    switch (block.kind) {
      case Block::Kind::Root: return "root";
      case Block::Kind::Arm: return "arm " + std::to_string(block.number);
      case Block::Kind::Memo: return "memo " + node_name(memos[block.owner].node);
      case Block::Kind::Loop: return "step of " + node_name(loops[block.owner].node);
      case Block::Kind::Input:
      case Block::Kind::Guarded: break;
    }
    return (block.kind == Block::Kind::Input ? "input " : "guarded input ") +
           std::to_string(block.number) + " of " + node_name(lazies[block.owner].node);
  };
  const auto line = [&](const Statement& s) -> std::string {
    switch (s.kind) {
      case Statement::Kind::Run:
        return node_name(s.node) + ": " + list(outputs_of(s)) + " = " + list(inputs_of(s)) +
               dies(list(dying_in(s)));
      case Statement::Kind::Branch: {
        const std::string selector = register_name(branches[s.index].selector);
        return "branch on " + selector + dies(s.takes ? selector : "");
      }
      case Statement::Kind::Move:
        return "move " + register_name(s.to) + " = " + register_name(s.from) +
               dies(s.takes ? register_name(s.from) : "");
      case Statement::Kind::Need: return "need " + node_name(s.node);
      case Statement::Kind::Demand:
        return "demand output " + std::to_string(s.output) + " of " + node_name(s.node);
      case Statement::Kind::Retire: return "dies: " + list(dying_in(s));
      case Statement::Kind::Loop: return "loop " + node_name(s.node);
      case Statement::Kind::Again: return "again";
      case Statement::Kind::Release: return "release " + node_name(s.node);
      case Statement::Kind::End: break;
    }
    return {};
  };

  const IndexedVector block_of = block_of_statements();
  std::string text;
  std::size_t depth = 0;
  for (const StatementIndex i : statements.indices()) {
    const Block& block = blocks[block_of[i]];
    if (block.begin == i) text += std::string(2 * depth++, ' ') + heading(block) + "\n";
    if (statements[i].kind == Statement::Kind::End)
      --depth;
    else
      text += std::string(2 * depth, ' ') + line(statements[i]) + "\n";
  }
  return text;
}

}  // namespace thunkvm

#include "linkers/schedule/schedule_builder.h"

#include <algorithm>

namespace thunkvm {
namespace {

/// Whether emitted code could hold both in one variable.
bool have_one_form(const Type& a, const Type& b) {
  if (&a == &b) return true;
  const TensorType *s = a.tensor(), *t = b.tensor();
  return s != nullptr && t != nullptr && s->dtype() == t->dtype() && s->ndim() == t->ndim();
}

}  // namespace

ScheduleBuilder::ScheduleBuilder(const FlatGraph& graph, bool retain_intermediates)
    : graph_(graph),
      register_of_(graph.n_values(), kNone),
      program_node_(graph.nodes.size(), kNone) {
  s_.retain_intermediates = retain_intermediates;
  s_.statements.reserve(graph.nodes.size());
  s_.operands.reserve(2 * graph.nodes.size());
  s_.nodes.reserve(graph.nodes.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (graph.is_leaf(static_cast<std::uint32_t>(n))) continue;
    program_node_[n] = s_.nodes.end_index();
    s_.nodes.push_back(graph.nodes[n]->output(0));
  }
}

std::uint32_t ScheduleBuilder::reg(Value v) {
  std::uint32_t& r = register_of_[v];
  if (r == kNone) {
    r = n_registers_++;
    if (graph_.nodes[graph_.node_of[v]]->leaf() == Leaf::Constant) s_.constants.push_back(r);
  }
  return r;
}

std::uint32_t ScheduleBuilder::add_operands(std::uint32_t node) {
  const auto first = static_cast<std::uint32_t>(s_.operands.size());
  for (const Value input : graph_.inputs(node)) s_.operands.push_back(reg(input));
  for (Value v = graph_.first_value[node]; v < graph_.first_value[node + 1]; ++v)
    s_.operands.push_back(reg(v));
  return first;
}

std::uint32_t ScheduleBuilder::lazy_index(std::uint32_t node) {
  lazy_of_.resize(graph_.nodes.size(), kNone);
  std::uint32_t& index = lazy_of_[node];
  if (index != kNone) return index;
  index = n_lazies();
  lazy_nodes_.push_back(node);
  ScheduledLazy lazy;
  lazy.node = program_node_[node];
  lazy.loop = loop_around(node);
  lazy.operands = add_operands(node);
  lazy.n_inputs = static_cast<std::uint16_t>(graph_.nodes[node]->n_inputs());
  lazy.n_outputs = static_cast<std::uint16_t>(graph_.nodes[node]->n_outputs());
  s_.lazies.push_back(lazy);
  return index;
}

std::uint32_t ScheduleBuilder::loop_index(std::uint32_t node) {
  loop_of_.resize(graph_.nodes.size(), kNone);
  std::uint32_t& index = loop_of_[node];
  if (index != kNone) return index;
  index = static_cast<std::uint32_t>(s_.loops.size());
  ScheduledLoop loop;
  loop.node = program_node_[node];
  loop.loop = loop_around(node);
  const OpenLoopOp& op = *graph_.loop(node);
  for (std::uint32_t i = 0; i < op.n_states(); ++i)
    loop.states.push_back(reg(graph_.input(node, op.state(i))));
  for (std::uint32_t j = 0; j < op.n_left(); ++j)
    loop.left.push_back(reg(graph_.first_value[node] + j));
  s_.loops.push_back(std::move(loop));
  return loop_of_[node];
}

// A loop is met before what it has in its steps.
std::uint32_t ScheduleBuilder::loop_around(std::uint32_t node) {
  const std::uint32_t around = graph_.loop_around(node);
  return around == kNone ? kNone : loop_of_[around];
}

Statement& ScheduleBuilder::add(Statement::Kind kind, ProgramNode node) {
  Statement& statement = s_.statements.emplace_back();
  statement.kind = kind;
  statement.node = node;
  return statement;
}

void ScheduleBuilder::begin(std::uint32_t block) {
  s_.blocks[block].begin = s_.statements.end_index();
  open_.push_back(block);
}

void ScheduleBuilder::begin_root() {
  s_.blocks.emplace_back();
  begin(0);
}

void ScheduleBuilder::begin_memo(std::uint32_t memo, std::uint32_t parent) {
  s_.memos[memo].block = static_cast<std::uint32_t>(s_.blocks.size());
  s_.blocks.push_back({.kind = Block::Kind::Memo, .parent = parent, .owner = memo});
  begin(s_.memos[memo].block);
}

void ScheduleBuilder::begin_input(std::uint32_t node, std::uint32_t input, std::uint32_t parent) {
  const std::uint32_t index = lazy_index(node);
  ScheduledLazy& lazy = s_.lazies[index];
  if (input == 0) {
    const bool guards = graph_.nodes[node]->op()->guards_inputs();
    lazy.first_block = static_cast<std::uint32_t>(s_.blocks.size());
    for (std::uint32_t i = 0; i < lazy.n_inputs; ++i)
      s_.blocks.push_back({.kind = guards ? Block::Kind::Guarded : Block::Kind::Input,
                           .parent = parent,
                           .owner = index,
                           .number = i});
  }
  begin(lazy.first_block + input);
}

void ScheduleBuilder::begin_loop(std::uint32_t node, std::uint32_t parent) {
  const std::uint32_t loop = loop_index(node);
  s_.loops[loop].block = static_cast<std::uint32_t>(s_.blocks.size());
  s_.blocks.push_back({.kind = Block::Kind::Loop, .parent = parent, .owner = loop});
  begin(s_.loops[loop].block);
}

void ScheduleBuilder::begin_arm(std::uint32_t branch, std::uint32_t arm) {
  begin(s_.branches[branch].first_arm + arm);
}

void ScheduleBuilder::end() {
  add(Statement::Kind::End).index = open_.back();
  s_.blocks[open_.back()].end = s_.statements.end_index();
  open_.pop_back();
}

void ScheduleBuilder::run(std::uint32_t node) {
  Statement& statement = add(Statement::Kind::Run, program_node_[node]);
  statement.n_inputs = static_cast<std::uint16_t>(graph_.nodes[node]->n_inputs());
  statement.n_outputs = static_cast<std::uint16_t>(graph_.nodes[node]->n_outputs());
  statement.first_operand = add_operands(node);
}

void ScheduleBuilder::need(std::uint32_t memo) {
  add(Statement::Kind::Need, s_.memos[memo].node).index = memo;
}

void ScheduleBuilder::demand(std::uint32_t node, std::uint32_t output) {
  const std::uint32_t lazy = lazy_index(node);
  Statement& statement = add(Statement::Kind::Demand, program_node_[node]);
  statement.index = lazy;
  statement.output = static_cast<std::uint16_t>(output);
}

void ScheduleBuilder::move(Value to, Value from, std::uint32_t node) {
  Statement& statement =
      add(Statement::Kind::Move, node == kNone ? ProgramNode() : program_node_[node]);
  statement.from = reg(from);
  statement.to = reg(to);
}

Statement& ScheduleBuilder::move_register(std::uint32_t to, std::uint32_t from) {
  Statement& statement = add(Statement::Kind::Move);
  statement.from = from;
  statement.to = to;
  return statement;
}

void ScheduleBuilder::loop(std::uint32_t node) {
  const std::uint32_t index = loop_index(node);
  const OpenLoopOp& op = *graph_.loop(node);
  for (std::uint32_t i = 0; i < op.n_given(); ++i)
    move(graph_.input(node, op.state(i)), graph_.input(node, op.given(i)), kNone);
  add(Statement::Kind::Loop, program_node_[node]).index = index;
}

std::uint32_t ScheduleBuilder::loop_branch(std::uint32_t node) {
  const std::uint32_t loop = loop_index(node);
  const Value test = graph_.input(node, graph_.loop(node)->test());
  const std::uint32_t branch = open_branch(test, Decoding::Truth, 2, program_node_[node]);
  s_.branches[branch].loop = loop;
  s_.branches[branch].first_conditional = static_cast<std::uint32_t>(s_.conditionals.size());
  s_.branches[branch].n_conditionals = 1;
  s_.conditionals.push_back(program_node_[node]);
  s_.loops[loop].branch = branch;
  return branch;
}

void ScheduleBuilder::leave(std::uint32_t node) {
  const OpenLoopOp& op = *graph_.loop(node);
  for (std::uint32_t j = 0; j < op.n_left(); ++j)
    move(graph_.first_value[node] + j, graph_.input(node, op.left(j)), kNone);
}

void ScheduleBuilder::move_on(std::uint32_t node) {
  const OpenLoopOp& op = *graph_.loop(node);
  const std::uint32_t index = loop_index(node);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> moves;
  for (std::uint32_t i = 0; i < op.n_states(); ++i)
    moves.emplace_back(s_.loops[index].states[i], reg(graph_.input(node, op.next(i))));
  move_at_once(std::move(moves));
}

void ScheduleBuilder::again(std::uint32_t node) {
  add(Statement::Kind::Again).index = loop_index(node);
}

// A register is written once nobody is left to read it; in a cycle one value waits in a register of
// its own.
void ScheduleBuilder::move_at_once(std::vector<std::pair<std::uint32_t, std::uint32_t>> moves) {
  std::erase_if(moves, [](const auto& move) { return move.first == move.second; });
  while (!moves.empty()) {
    const auto is_read = [&](std::uint32_t to) {
      return std::ranges::any_of(moves, [&](const auto& move) { return move.second == to; });
    };
    const auto free =
        std::ranges::find_if(moves, [&](const auto& move) { return !is_read(move.first); });
    if (free != moves.end()) {
      const auto [to, from] = *free;
      moves.erase(free);
      const bool has_waited = std::ranges::find(waiting_, from, &Waiting::place) != waiting_.end();
      move_register(to, from).takes = has_waited && !is_read(from) && !s_.retain_intermediates;
      continue;
    }
    const std::uint32_t waits = moves.front().first, place = n_registers_++;
    waiting_.push_back({place, waits});
    move_register(place, waits);
    for (auto& [to, from] : moves)
      if (from == waits) from = place;
  }
}

void ScheduleBuilder::retire(std::span<const Value> values) {
  if (values.empty()) return;
  Statement& statement = add(Statement::Kind::Retire);
  statement.first_dying = static_cast<std::uint32_t>(s_.dying.size());
  statement.n_dying = static_cast<std::uint32_t>(values.size());
  for (Value v : values) s_.dying.push_back(reg(v));
}

std::uint32_t ScheduleBuilder::branch(Value selector, Decoding decoding, std::uint32_t n_arms,
                                      std::span<const Value> results) {
  const std::uint32_t index =
      open_branch(selector, decoding, n_arms, program_node_[graph_.node_of[results.front()]]);
  ScheduledBranch& branch = s_.branches[index];
  branch.first_conditional = static_cast<std::uint32_t>(s_.conditionals.size());
  branch.first_result = static_cast<std::uint32_t>(results_.size());
  branch.n_results = static_cast<std::uint32_t>(results.size());
  results_.insert(results_.end(), results.begin(), results.end());
  std::uint32_t previous = kNone;
  for (const Value v : results) {
    const std::uint32_t node = graph_.node_of[v];
    if (node != previous) s_.conditionals.push_back(program_node_[node]);
    previous = node;
  }
  branch.n_conditionals =
      static_cast<std::uint32_t>(s_.conditionals.size()) - branch.first_conditional;
  return index;
}

std::uint32_t ScheduleBuilder::open_branch(Value selector, Decoding decoding, std::uint32_t n_arms,
                                           ProgramNode node) {
  const auto index = static_cast<std::uint32_t>(s_.branches.size());
  add(Statement::Kind::Branch, node).index = index;
  s_.branches.push_back({.selector = reg(selector),
                         .decoding = decoding,
                         .first_arm = static_cast<std::uint32_t>(s_.blocks.size()),
                         .n_arms = n_arms});
  for (std::uint32_t arm = 0; arm < n_arms; ++arm)
    s_.blocks.push_back(
        {.kind = Block::Kind::Arm, .parent = open_block(), .owner = index, .number = arm});
  return index;
}

std::uint32_t ScheduleBuilder::new_memo(std::uint32_t node) {
  s_.memos.push_back({kNone, program_node_[node], loop_around(node)});
  return static_cast<std::uint32_t>(s_.memos.size() - 1);
}

Schedule ScheduleBuilder::finish(const FunctionGraph& function) {
  // Inputs that only an if-computed update uses have a register too, though nothing else reaches
  // them.
  const auto reg_of = [&](const Variable& v) {
    return graph_.nodes.contains(*v.node()) ? reg(graph_.value(v)) : n_registers_++;
  };
  for (const Variable& v : function.inputs) s_.inputs.push_back(reg_of(v));
  for (const Variable& v : function.outputs) s_.outputs.push_back(reg(graph_.value(v)));
  for (const Update& u : function.updates) s_.updates.push_back(reg_of(u.value));
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
    if (graph_.nodes[n]->leaf() == Leaf::Shared) s_.shared.push_back(reg(graph_.first_value[n]));
  for (const Value v : results_)
    s_.results.push_back({program_node_[graph_.node_of[v]], register_of_[v]});
  name_registers(function);
  return std::move(s_);
}

void ScheduleBuilder::name_registers(const FunctionGraph& function) {
  s_.registers.resize(n_registers_);
  s_.mixed.resize(n_registers_, false);
  for (Value v = 0; v < graph_.n_values(); ++v) {
    const std::uint32_t r = register_of_[v];
    if (r == kNone) continue;
    if (!s_.registers[r])
      s_.registers[r] = variable(v);
    else if (!have_one_form(s_.registers[r].type(), variable(v).type()))
      s_.mixed[r] = true;
  }
  for (const Waiting& waiting : waiting_) {
    s_.registers[waiting.place] = s_.registers[waiting.state];
    s_.mixed[waiting.place] = s_.mixed[waiting.state];
  }
  for (std::size_t i = 0; i < function.inputs.size(); ++i)
    if (!s_.registers[s_.inputs[i]]) s_.registers[s_.inputs[i]] = function.inputs[i];
}

}  // namespace thunkvm

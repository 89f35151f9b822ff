#include "linkers/assembler.h"

#include <algorithm>

namespace thunkvm {

std::uint32_t dying_inputs(const Operands& operands, std::span<const std::uint32_t> retired) {
  const std::span inputs(operands.registers, operands.n_inputs);
  std::uint32_t dying = 0;
  for (const std::uint32_t index : retired) {
    const auto first = std::find(inputs.begin(), inputs.end(), index) - inputs.begin();
    if (first < std::min<int>(operands.n_inputs, 32) &&
        std::count(inputs.begin(), inputs.end(), index) == 1)
      dying |= 1u << first;
  }
  return dying;
}

Assembler::Assembler(const FlatGraph& graph, bool keep, bool traced, std::uint32_t segment)
    : graph_(graph),
      traced_(traced),
      segment_(segment),
      register_of_(graph.n_values(), kNone),
      lazy_of_(graph.nodes.size(), kNone),
      program_nodes_(graph.nodes.size(), kNone) {
  program_.keep = keep;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (!graph.is_leaf(static_cast<std::uint32_t>(n))) program_nodes_[n] = program_.n_nodes++;
}

std::uint32_t Assembler::label() { return barrier_ = pc(); }

std::uint32_t Assembler::reg(Value v) {
  std::uint32_t& r = register_of_[v];
  if (r == kNone) {
    r = program_.n_registers++;
    const std::uint32_t node = graph_.node_of[v];
    const Variable variable = graph_.nodes[node]->output(v - graph_.first_value[node]);
    if (variable.is_constant()) program_.constants.emplace_back(r, variable.constant_value());
  }
  return r;
}

Operands Assembler::operands(std::uint32_t node) {
  const Apply& apply = *graph_.nodes[node];
  Operands o;
  o.n_inputs = static_cast<std::uint16_t>(apply.n_inputs());
  o.n_outputs = static_cast<std::uint16_t>(apply.n_outputs());
  for (const Variable& input : apply.inputs())
    program_.registers.push_back(reg(graph_.value(input)));
  for (std::uint32_t j = 0; j < apply.n_outputs(); ++j)
    program_.registers.push_back(reg(graph_.first_value[node] + j));
  return o;
}

std::uint32_t Assembler::bound(std::uint32_t node) {
  program_.bound.push_back(graph_.thunks[node]);
  return static_cast<std::uint32_t>(program_.bound.size() - 1);
}

void Assembler::run(std::uint32_t node, std::span<const Value> retired) {
  const ThunkCode& code = graph_.thunks[node];
  Step step;
  step.node = program_nodes_[node];
  operand_offsets_.push_back(program_.registers.size());
  step.operands = operands(node);
  if (code.eager != nullptr) {
    step.run = code.eager;
    if (code.state != nullptr) {
      step.operands.state = code.state.get();
      program_.states.push_back(code.state);
    }
  } else {
    step.run = &run_bound;
    step.operands.bound = bound(node);
  }
  step.retire_first = static_cast<std::uint32_t>(program_.retires.size());
  step.retire_count = static_cast<std::uint32_t>(retired.size());
  for (Value v : retired) program_.retires.push_back(reg(v));
  step.operands.registers = program_.registers.data() + operand_offsets_.back();
  if (!traced_)
    step.operands.dying =
        dying_inputs(step.operands, std::span(program_.retires).subspan(step.retire_first));
  program_.steps.push_back(step);

  const auto index = static_cast<std::uint32_t>(program_.steps.size() - 1);
  if (pc() > barrier_ && program_.code.back().op == Opcode::Run &&
      program_.code.back().b < segment_) {
    ++program_.code.back().b;
    count(node, program_.code.back().c);
    return;
  }
  emit(Opcode::Run, index, 1, program_.n_counters);
  count(node, program_.n_counters++);
}

std::uint32_t Assembler::lazy_index(std::uint32_t node) {
  std::uint32_t& index = lazy_of_[node];
  if (index != kNone) return index;
  index = static_cast<std::uint32_t>(program_.lazies.size());
  lazy_offsets_.push_back(program_.registers.size());
  lazy_nodes_.push_back(node);
  Lazy lazy;
  lazy.operands = operands(node);
  lazy.operands.bound = bound(node);
  lazy.operands.state = graph_.thunks[node].state.get();
  if (graph_.thunks[node].state != nullptr) program_.states.push_back(graph_.thunks[node].state);
  lazy.input_pcs.assign(graph_.nodes[node]->n_inputs(), kNone);
  lazy.node = program_nodes_[node];
  lazy.counter = program_.n_counters;
  program_.n_counters += 2;
  count(node, lazy.counter);
  program_.lazies.push_back(std::move(lazy));
  return index;
}

void Assembler::lazy(std::uint32_t node, std::uint32_t output) {
  emit(Opcode::Lazy, lazy_index(node), output);
}

void Assembler::move(Value to, Value from, bool take, std::uint32_t counted_node) {
  // Every move counts; those that are no node's run share one counter, so that the loop need not
  // ask.
  std::uint32_t counter = uncounted_;
  if (counted_node != kNone) {
    counter = program_.n_counters++;
    count(counted_node, counter);
  } else if (counter == kNone) {
    counter = uncounted_ = program_.n_counters++;
  }
  emit(Opcode::Move, reg(to), reg(from), counter, take ? kTake : 0);
}

void Assembler::retire(std::span<const Value> values) {
  if (values.empty()) return;
  const auto first = static_cast<std::uint32_t>(program_.retires.size());
  for (Value v : values) program_.retires.push_back(reg(v));
  emit(Opcode::Retire, first, static_cast<std::uint32_t>(values.size()));
}

std::uint32_t Assembler::branch(Value selector, bool take, Decoding decoding, std::uint32_t n_arms,
                                std::span<const std::uint32_t> nodes) {
  Branch b;
  b.selector = reg(selector);
  b.decoding = decoding;
  b.n_arms = n_arms;
  b.first_target = static_cast<std::uint32_t>(program_.targets.size());
  b.first_counter = program_.n_counters;
  b.node = program_nodes_[nodes.front()];
  program_.targets.resize(program_.targets.size() + n_arms, kNone);
  program_.n_counters += n_arms;
  std::uint32_t previous = kNone;
  for (std::uint32_t node : nodes) {
    if (node == previous) continue;  // outputs of one conditional stand side by side
    previous = node;
    for (std::uint32_t a = 0; a < n_arms; ++a) count(node, b.first_counter + a);
  }
  program_.branches.push_back(b);
  const auto index = static_cast<std::uint32_t>(program_.branches.size() - 1);
  emit(Opcode::Branch, index, 0, 0, take ? kTake : 0);
  return index;
}

std::uint32_t Assembler::jump() {
  emit(Opcode::Jump, kNone);
  return pc() - 1;
}

std::uint32_t Assembler::new_memo(std::uint32_t node) {
  program_.memos.push_back({kNone, program_nodes_[node]});
  return static_cast<std::uint32_t>(program_.memos.size() - 1);
}

Program Assembler::finish(const FunctionGraph& function, std::vector<Ref<SharedValue>>& shared) {
  // What the outputs and updates need not reach: inputs that only an if-computed update uses have a
  // register too.
  std::vector<bool> known(graph_.nodes.size(), false);
  const auto in_graph = [&](const Variable& v) {
    const std::uint64_t index = v.node()->mark & 0xffffffffu;
    return index < graph_.nodes.size() && graph_.nodes[index] == v.node();
  };
  for (const Variable& v : function.inputs)
    program_.inputs.push_back(in_graph(v) ? reg(graph_.value(v)) : program_.n_registers++);
  for (const Variable& v : function.outputs) program_.outputs.push_back(reg(graph_.value(v)));
  for (const Update& u : function.updates)
    program_.updates.push_back(in_graph(u.value) ? reg(graph_.value(u.value))
                                                 : program_.n_registers++);
  for (Apply* node : graph_.nodes) {
    if (node->leaf() != Leaf::Shared) continue;
    program_.shared.push_back(reg(graph_.value(node->output(0))));
    shared.emplace_back(&node->output(0).shared_value());
  }
  for (std::size_t i = 0; i < program_.steps.size(); ++i)
    program_.steps[i].operands.registers = program_.registers.data() + operand_offsets_[i];
  for (std::size_t i = 0; i < program_.lazies.size(); ++i)
    program_.lazies[i].operands.registers = program_.registers.data() + lazy_offsets_[i];
  std::sort(program_.node_counters.begin(), program_.node_counters.end(),
            [](const NodeCounter& a, const NodeCounter& b) {
              return a.node != b.node ? a.node < b.node : a.counter < b.counter;
            });
  return std::move(program_);
}

}  // namespace thunkvm

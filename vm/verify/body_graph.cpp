#include "vm/verify/body_graph.h"

#include "vm/verify/program_error.h"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace thunkvm {
namespace {

using Calls = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property,
                                                 boost::no_property, boost::no_property, Entry>;

// The first entry that leads to itself; the graph has a cycle.
Entry first_in_a_cycle(const Calls& calls) {
  std::vector<Entry> component(num_vertices(calls)), size(num_vertices(calls));
  strong_components(
      calls, boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, calls)));
  for (const Entry c : component) ++size[c];
  Entry e = 0;
  while (size[component[e]] == 1 && !edge(e, e, calls).second) ++e;
  return e;
}

}  // namespace

BodyGraph::BodyGraph(const Program& program)
    : program_(program),
      n_bodies_(1 + static_cast<Entry>(program.bodies.size())),
      is_state_(program.n_registers),
      is_left_(program.n_registers),
      instructions_(n_bodies_),
      callees_(n_entries()),
      rank_(n_entries()),
      dominators_(n_entries()) {
  for (const ProgramLoop& loop : program.loops) {
    for (const std::uint32_t state : loop.states) is_state_[state] = true;
    for (const std::uint32_t left : loop.left) is_left_[left] = true;
  }
  for (Entry body = 0; body < n_bodies_; ++body) {
    if (lazy_of(body) != kNone) callees_[lazy(lazy_of(body))].push_back(body);
    follow(body);
  }
  order_entries();
  find_dominators();
}

std::uint32_t BodyGraph::result_of(Entry body) const {
  if (lazy_of(body) == kNone) return kNone;
  const Operands& operands = program_.lazies[lazy_of(body)].operands;
  return operands.input(static_cast<int>(program_.bodies[body - 1].number));
}

std::uint32_t BodyGraph::loop_around(Entry e) const {
  if (e == 0) return kNone;
  return is_body(e) ? program_.bodies[e - 1].loop : program_.lazies[lazy_of(e)].loop;
}

std::uint32_t BodyGraph::loop_of(Entry e) const {
  return is_step(e) ? program_.bodies[e - 1].number : loop_around(e);
}

bool BodyGraph::is_around(std::uint32_t outer, std::uint32_t inner) const {
  while (inner != kNone && inner != outer) inner = program_.bodies[program_.loops[inner].body].loop;
  return inner == outer || outer == kNone;
}

std::string BodyGraph::name(Entry e) const {
  if (e == 0) return "the program";
  if (is_step(e)) return "a step of loop " + std::to_string(program_.bodies[e - 1].number);
  if (lazy_of(e) == kNone) return "memo body " + std::to_string(e - 1);
  const std::string lazy = "lazy thunk " + std::to_string(lazy_of(e));
  if (!is_body(e)) return lazy;
  return "the body of input " + std::to_string(program_.bodies[e - 1].number) + " of " + lazy;
}

std::vector<Pc> BodyGraph::successors(Pc pc) const {
  const Instruction& instruction = program_.code[pc];
  if (instruction.op == Opcode::Return || instruction.op == Opcode::Halt ||
      instruction.op == Opcode::Again)
    return {};
  if (instruction.op == Opcode::Jump) return {Pc(instruction.a)};
  if (instruction.op != Opcode::Branch) return {Pc(pc + 1)};
  const Branch& branch = program_.branches[instruction.a];
  const auto first = program_.targets.begin() + branch.first_target;
  std::vector<Pc> arms;
  std::for_each_n(first, branch.n_arms, [&](std::uint32_t target) { arms.emplace_back(target); });
  return arms;
}

Entry BodyGraph::entered(Pc pc) const {
  const Instruction& instruction = program_.code[pc];
  if (instruction.op == Opcode::Need) return body(instruction.a);
  if (instruction.op == Opcode::Loop) return body(program_.loops[instruction.a].body);
  return instruction.op == Opcode::Lazy ? lazy(instruction.a) : kNone;
}

std::vector<std::pair<BodyGraph::Touch, std::uint32_t>> BodyGraph::touches(Entry body,
                                                                           Pc pc) const {
  const Instruction& instruction = program_.code[pc];
  std::vector<std::pair<Touch, std::uint32_t>> touches;
  const auto add = [&](Touch touch, std::uint32_t index) {
    const bool by_last_step =
        touch == Touch::Write && is_left_[index] && is_step(body) && instruction.op == Opcode::Move;
    if (!is_state_[index] && !by_last_step) touches.emplace_back(touch, index);
  };
  const auto retire_list = [&](std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t k = first; k < first + count; ++k) add(Touch::Retire, program_.retires[k]);
  };
  const auto read_and_take = [&](std::uint32_t index) {
    add(Touch::Read, index);
    if ((instruction.flag & kTake) != 0) add(Touch::Retire, index);
  };
  switch (instruction.op) {
    case Opcode::Run:
      for (StepIndex s(instruction.a); s < instruction.a + instruction.b; ++s) {
        const auto& [run, operands, first, count, node] = program_.steps[s];
        for (int k = 0; k < operands.n_inputs; ++k) add(Touch::Read, operands.input(k));
        for (int k = 0; k < operands.n_outputs; ++k) add(Touch::Write, operands.output(k));
        retire_list(first, count);
      }
      break;
    case Opcode::Branch: read_and_take(program_.branches[instruction.a].selector); break;
    case Opcode::Move:
      read_and_take(instruction.b);
      add(Touch::Write, instruction.a);
      break;
    case Opcode::Lazy:
      touches.emplace_back(Touch::Demand, program_.lazies[instruction.a].operands.output(
                                              static_cast<int>(instruction.b)));
      break;
    case Opcode::Loop:
      for (const std::uint32_t index : program_.loops[instruction.a].left) add(Touch::Write, index);
      break;
    case Opcode::Retire: retire_list(instruction.a, instruction.b); break;
    case Opcode::Return:
      if (result_of(body) != kNone) add(Touch::Read, result_of(body));
      break;
    default: break;
  }
  return touches;
}

void BodyGraph::follow(Entry body) {
  const Opcode end = body == 0 ? Opcode::Halt : Opcode::Return;
  for (std::set<Pc> ahead = {Pc(body == 0 ? 0 : program_.bodies[body - 1].pc)}; !ahead.empty();) {
    const Pc pc = *ahead.begin();
    const auto refuse = [&](const std::string& rule) {
      throw_invalid(instruction_text(program_, pc), rule);
    };
    ahead.erase(ahead.begin());
    instructions_[body].push_back(pc);
    const Instruction& instruction = program_.code[pc];
    if (entered(pc) != kNone) callees_[body].push_back(entered(pc));
    const std::vector<Pc> targets = successors(pc);
    const bool goes_on = instruction.op == Opcode::Again && is_step(body) &&
                         program_.bodies[body - 1].number == instruction.a;
    if (targets.empty() && instruction.op != end && !goes_on)
      refuse("ends " + name(body) + ", which has to end in " + std::string(thunkvm::name(end)));
    for (const Pc target : targets) {
      if (target >= program_.code.size())
        refuse("the path runs past the end of the code: end it in Halt or Return");
      if (target <= pc) refuse("the path comes back to itself: every way leads forward");
      ahead.insert(target);
    }
  }
}

void BodyGraph::order_entries() {
  std::vector<std::pair<Entry, Entry>> pairs;
  for (Entry from = 0; from < n_entries(); ++from)
    for (const Entry to : callees_[from]) pairs.emplace_back(from, to);
  const Calls calls(boost::edges_are_sorted, pairs.begin(), pairs.end(), n_entries());
  try {
    topological_sort(calls, std::back_inserter(callers_first_));
  } catch (const boost::not_a_dag&) {
    throw_invalid(name(first_in_a_cycle(calls)), "needs itself: bodies may not recurse");
  }
  std::ranges::reverse(callers_first_);
  for (Entry i = 0; i < n_entries(); ++i) rank_[callers_first_[i]] = i;
}

// An entry's dominator is the common one of all that enter it, which come before it. Entries that
// nobody enters count for none.
void BodyGraph::find_dominators() {
  std::vector<bool> is_entered(n_entries());
  is_entered[0] = true;
  for (const Entry entry : callers_first_) {
    Dominator& own = dominators_[entry];
    if (entry != 0) {
      // Jump pointers as in a skew-binary list: O(1) to add, O(log depth) to climb.
      const Dominator &up = dominators_[own.parent], &over = dominators_[up.jump];
      const bool joins = up.depth - over.depth == over.depth - dominators_[over.jump].depth;
      own.jump = joins ? over.jump : own.parent;
      own.depth = up.depth + 1;
    }
    if (!is_entered[entry]) continue;
    for (const Entry to : callees_[entry]) {
      Entry around = entry;
      while (!is_around(loop_of(around), loop_around(to))) around = dominators_[around].parent;
      Entry& parent = dominators_[to].parent;
      parent = is_entered[to] ? common_dominator(parent, around) : around;
      is_entered[to] = true;
    }
  }
}

Entry BodyGraph::common_dominator(Entry a, Entry b) const {
  while (a != b) {
    if (dominators_[a].depth < dominators_[b].depth) std::swap(a, b);
    const auto &x = dominators_[a], &y = dominators_[b];
    if (x.depth > y.depth) {
      a = dominators_[x.jump].depth >= y.depth ? x.jump : x.parent;
    } else {  // entries of equal depth have jumps of equal depth
      const bool far = x.jump != y.jump;
      a = far ? x.jump : x.parent;
      b = far ? y.jump : y.parent;
    }
  }
  return a;
}

}  // namespace thunkvm

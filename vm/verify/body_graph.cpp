#include "vm/verify/body_graph.h"

#include "vm/verify/program_error.h"

#include <algorithm>
#include <utility>

namespace thunkvm {

BodyGraph::BodyGraph(const Program& program) : program_(program) {
  Entry next = 1 + static_cast<Entry>(program.memos.size());
  first_input_.push_back(next);
  for (const Lazy& lazy : program.lazies)
    first_input_.push_back(next += static_cast<Entry>(lazy.input_pcs.size()));
  const Entry n_bodies = next;
  first_output_.push_back(next += static_cast<Entry>(program.lazies.size()));
  for (const Lazy& lazy : program.lazies) first_output_.push_back(next += lazy.operands.n_outputs);

  first_instruction_.assign(n_bodies + 1, 0);
  first_callee_.push_back(0);
  rank_.assign(next, kNone);
  marks_.assign(program.code.size(), 0);
  for (Entry body = 0; body < n_bodies; ++body) arrange(body);
  order_entries();
  find_dominators();
}

std::uint32_t BodyGraph::lazy_of(Entry s) const {
  if (is_lazy(s)) return s - n_bodies();
  const std::vector<Entry>& first = is_body(s) ? first_input_ : first_output_;
  return static_cast<std::uint32_t>(std::upper_bound(first.begin(), first.end(), s) -
                                    first.begin() - 1);
}

std::uint32_t BodyGraph::first_pc(Entry body) const {
  if (body == 0) return 0;
  if (!is_input(body)) return program_.memos[body - 1].pc;
  const std::uint32_t lazy = lazy_of(body);
  return program_.lazies[lazy].input_pcs[body - first_input_[lazy]];
}

std::string BodyGraph::name(Entry entry) const {
  if (entry == 0) return "the program";
  if (is_body(entry) && !is_input(entry)) return "memo body " + std::to_string(entry - 1);
  const std::string lazy = "lazy thunk " + std::to_string(lazy_of(entry));
  if (!is_body(entry)) return lazy;
  return "the body of input " + std::to_string(entry - first_input_[lazy_of(entry)]) + " of " +
         lazy;
}

std::span<const std::uint32_t> BodyGraph::successors(std::uint32_t pc, std::uint32_t& next) const {
  const Instruction& instruction = program_.code[pc];
  switch (instruction.op) {
    case Opcode::Branch: {
      const Branch& branch = program_.branches[instruction.a];
      return {program_.targets.data() + branch.first_target, branch.n_arms};
    }
    case Opcode::Return:
    case Opcode::Halt: return {};
    case Opcode::Jump: next = instruction.a; break;
    default: next = pc + 1; break;
  }
  return {&next, 1};
}

Entry BodyGraph::callee(Entry entry, std::size_t index) const {
  if (is_body(entry)) {
    const std::size_t at = first_callee_[entry] + index;
    return at < first_callee_[entry + 1] ? callees_[at] : kNone;
  }
  const std::uint32_t lazy = lazy_of(entry);
  if (!is_lazy(entry)) return index == 0 ? this->lazy(lazy) : kNone;
  return index < first_input_[lazy + 1] - first_input_[lazy]
             ? static_cast<Entry>(first_input_[lazy] + index)
             : kNone;
}

void BodyGraph::arrange(Entry body) {
  // Marks of this body: on the path that is followed, and done with.
  const std::uint32_t open = 2 * body + 1, done = open + 1;
  const auto invalid = [&](std::uint32_t pc, const std::string& rule) {
    throw_invalid(instruction_text(program_, pc), rule);
  };
  struct Visit {
    std::uint32_t pc, arm;
  };
  std::vector<Visit> path = {{first_pc(body), 0}};
  marks_[path.back().pc] = open;
  const Opcode end = body == 0 ? Opcode::Halt : Opcode::Return;
  while (!path.empty()) {
    Visit& visit = path.back();
    const std::uint32_t pc = visit.pc;
    std::uint32_t next;
    const auto targets = successors(pc, next);
    if (visit.arm == targets.size()) {
      if (targets.empty() && program_.code[pc].op != end)
        invalid(pc,
                "ends " + name(body) + ", which has to end in " + std::string(thunkvm::name(end)));
      marks_[pc] = done;
      instructions_.push_back(pc);
      path.pop_back();
      continue;
    }
    const std::uint32_t target = targets[visit.arm++];
    if (target >= program_.code.size())
      invalid(pc, "the path runs past the end of the code: end it in Halt or Return");
    if (marks_[target] == open)
      invalid(pc, "the path comes back to itself: a body runs each instruction once");
    if (marks_[target] == done) continue;
    marks_[target] = open;
    path.push_back({target, 0});
  }
  std::reverse(instructions_.begin() + first_instruction_[body], instructions_.end());
  first_instruction_[body + 1] = static_cast<std::uint32_t>(instructions_.size());
  for (const std::uint32_t pc : instructions(body)) {
    const Instruction& instruction = program_.code[pc];
    if (instruction.op == Opcode::Need) callees_.push_back(memo(instruction.a));
    if (instruction.op == Opcode::Lazy) callees_.push_back(output(instruction.a, instruction.b));
  }
  first_callee_.push_back(static_cast<std::uint32_t>(callees_.size()));
}

void BodyGraph::order_entries() {
  constexpr std::uint32_t kOpen = 0;  // any rank but kNone, until the real one is known
  std::vector<bool> open(n_entries(), false);
  struct Visit {
    Entry entry;
    std::uint32_t callee;
  };
  std::vector<Visit> path;
  for (Entry root = 0; root < n_entries(); ++root) {
    if (rank_[root] != kNone) continue;
    path.push_back({root, 0});
    rank_[root] = kOpen;
    open[root] = true;
    while (!path.empty()) {
      Visit& visit = path.back();
      const Entry to = callee(visit.entry, visit.callee++);
      if (to == kNone) {
        open[visit.entry] = false;
        callers_first_.push_back(visit.entry);
        path.pop_back();
      } else if (open[to]) {
        throw_invalid(name(to), "needs itself: bodies may not be recursive");
      } else if (rank_[to] == kNone) {
        rank_[to] = kOpen;
        open[to] = true;
        path.push_back({to, 0});
      }
    }
  }
  std::reverse(callers_first_.begin(), callers_first_.end());
  for (std::uint32_t i = 0; i < callers_first_.size(); ++i) rank_[callers_first_[i]] = i;
}

// What dominates an entry is what dominates all that enter it. Bodies that nobody enters say
// nothing of others.
void BodyGraph::find_dominators() {
  dominators_.assign(n_entries(), {kNone, 0, 0});
  dominators_[0] = {0, 0, 0};
  for (const Entry entry : callers_first_) {
    Dominator& of_entry = dominators_[entry];
    if (of_entry.parent == kNone) continue;
    if (entry != 0) {
      const Dominator& up = dominators_[of_entry.parent];
      const Dominator& over = dominators_[up.jump];
      // Jump pointers as in a skew-binary list: O(1) to add, O(log depth) to climb.
      of_entry.jump = up.depth - over.depth == over.depth - dominators_[over.jump].depth
                          ? over.jump
                          : of_entry.parent;
      of_entry.depth = up.depth + 1;
    }
    Entry to;
    for (std::size_t i = 0; (to = callee(entry, i)) != kNone; ++i) {
      Entry& parent = dominators_[to].parent;
      parent = parent == kNone ? entry : common_dominator(parent, entry);
    }
  }
  for (Dominator& e : dominators_)
    if (e.parent == kNone) e = {0, 0, 1};
}

Entry BodyGraph::common_dominator(Entry a, Entry b) const {
  const std::vector<Dominator>& e = dominators_;
  if (e[a].depth < e[b].depth) std::swap(a, b);
  while (e[a].depth > e[b].depth) a = e[e[a].jump].depth >= e[b].depth ? e[a].jump : e[a].parent;
  while (a != b) {
    // Entries of equal depth have jumps of equal depth.
    const bool far = e[a].jump != e[b].jump;
    a = far ? e[a].jump : e[a].parent;
    b = far ? e[b].jump : e[b].parent;
  }
  return a;
}

bool BodyGraph::dominates(Entry outer, Entry entry) const {
  const std::vector<Dominator>& e = dominators_;
  const std::uint32_t depth = e[outer].depth;
  while (e[entry].depth > depth)
    entry = e[e[entry].jump].depth >= depth ? e[entry].jump : e[entry].parent;
  return entry == outer;
}

}  // namespace thunkvm

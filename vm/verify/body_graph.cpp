#include "vm/verify/body_graph.h"

#include "vm/verify/program_error.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace thunkvm {

BodyGraph::BodyGraph(const Program& program) : program_(program) {
  first_lazy_ = memo(static_cast<std::uint32_t>(program.memos.size()));
  for (const Lazy& lazy : program.lazies) {
    first_input_.push_back(first_lazy_);
    first_lazy_ += static_cast<Entry>(lazy.input_pcs.size());
  }
  instructions_.resize(n_bodies());
  callees_.resize(n_bodies() + program.lazies.size());
  follow(0, 0);
  for (std::uint32_t m = 0; m < program.memos.size(); ++m) follow(memo(m), program.memos[m].pc);
  for (std::uint32_t l = 0; l < program.lazies.size(); ++l) {
    const std::vector<std::uint32_t>& pcs = program.lazies[l].input_pcs;
    for (std::uint32_t i = 0; i < pcs.size(); ++i) follow(input(l, i), pcs[i]);
    callees_[lazy(l)].resize(pcs.size());
    std::iota(callees_[lazy(l)].begin(), callees_[lazy(l)].end(), first_input_[l]);
  }
  order_entries();
  find_dominators();
}

std::uint32_t BodyGraph::lazy_of(Entry e) const {
  if (!is_body(e)) return e - first_lazy_;
  const auto after = std::ranges::upper_bound(first_input_, e);
  return static_cast<std::uint32_t>(after - first_input_.begin() - 1);
}

std::string BodyGraph::name(Entry e) const {
  if (e == 0) return "the program";
  if (is_body(e) && !is_input(e)) return "memo body " + std::to_string(e - 1);
  const std::string lazy = "lazy thunk " + std::to_string(lazy_of(e));
  if (!is_body(e)) return lazy;
  return "the body of input " + std::to_string(e - first_input_[lazy_of(e)]) + " of " + lazy;
}

std::span<const std::uint32_t> BodyGraph::successors(std::uint32_t pc, std::uint32_t& next) const {
  const Instruction& instruction = program_.code[pc];
  if (instruction.op == Opcode::Return || instruction.op == Opcode::Halt) return {};
  if (instruction.op == Opcode::Branch) {
    const Branch& branch = program_.branches[instruction.a];
    return {program_.targets.data() + branch.first_target, branch.n_arms};
  }
  next = instruction.op == Opcode::Jump ? instruction.a : pc + 1;
  return {&next, 1};
}

void BodyGraph::follow(Entry body, std::uint32_t pc) {
  const Opcode end = body == 0 ? Opcode::Halt : Opcode::Return;
  for (std::set<std::uint32_t> ahead = {pc}; !ahead.empty();) {
    pc = *ahead.begin();
    ahead.erase(ahead.begin());
    instructions_[body].push_back(pc);
    const Instruction& instruction = program_.code[pc];
    if (instruction.op == Opcode::Need) callees_[body].push_back(memo(instruction.a));
    if (instruction.op == Opcode::Lazy) callees_[body].push_back(lazy(instruction.a));
    std::uint32_t next;
    const auto targets = successors(pc, next);
    if (targets.empty() && instruction.op != end)
      throw_invalid(
          program_, pc,
          "ends " + name(body) + ", which has to end in " + std::string(thunkvm::name(end)));
    for (const std::uint32_t target : targets) {
      if (target >= program_.code.size())
        throw_invalid(program_, pc,
                      "the path runs past the end of the code: end it in Halt or Return");
      if (target <= pc)
        throw_invalid(program_, pc, "the path comes back to itself: every way leads forward");
      ahead.insert(target);
    }
  }
}

void BodyGraph::order_entries() {
  enum : std::uint32_t { kOpen = 0, kDone = 1 };  // ranks but kNone, until the real ones are known
  rank_.assign(n_entries(), kNone);
  struct Visit {
    Entry entry;
    std::size_t next = 0;
  };
  std::vector<Visit> path;
  for (Entry root = 0; root < n_entries(); ++root) {
    if (rank_[root] == kNone) path.push_back({root});
    while (!path.empty()) {
      auto& [entry, next] = path.back();
      rank_[entry] = kOpen;
      if (next == callees_[entry].size()) {
        rank_[entry] = kDone;
        callers_first_.push_back(entry);
        path.pop_back();
        continue;
      }
      const Entry to = callees_[entry][next++];
      if (rank_[to] == kOpen) throw_invalid(name(to), "needs itself: bodies may not be recursive");
      if (rank_[to] == kNone) path.push_back({to});
    }
  }
  std::reverse(callers_first_.begin(), callers_first_.end());
  for (std::uint32_t i = 0; i < callers_first_.size(); ++i) rank_[callers_first_[i]] = i;
}

// An entry's dominator is the common one of all that enter it. Entries that nobody enters count
// for none.
void BodyGraph::find_dominators() {
  std::vector<Dominator>& d = dominators_;
  d.resize(n_entries());
  d[0].parent = 0;
  for (const Entry entry : callers_first_) {
    const Entry up = d[entry].parent;
    if (up == kNone) continue;
    if (entry != 0) {
      // Jump pointers as in a skew-binary list: O(1) to add, O(log depth) to climb.
      const Entry over = d[up].jump;
      const bool joins = d[up].depth - d[over].depth == d[over].depth - d[d[over].jump].depth;
      d[entry].jump = joins ? d[over].jump : up;
      d[entry].depth = d[up].depth + 1;
    }
    for (const Entry to : callees_[entry])
      d[to].parent = d[to].parent == kNone ? entry : common_dominator(d[to].parent, entry);
  }
  for (Dominator& each : d)
    if (each.parent == kNone) each = {0, 0, 1};
}

Entry BodyGraph::climb(Entry e, std::uint32_t depth) const {
  while (dominators_[e].depth > depth) {
    const auto& [parent, jump, own] = dominators_[e];
    e = dominators_[jump].depth >= depth ? jump : parent;
  }
  return e;
}

bool BodyGraph::dominates(Entry outer, Entry entry) const {
  return climb(entry, dominators_[outer].depth) == outer;
}

Entry BodyGraph::common_dominator(Entry a, Entry b) const {
  a = climb(a, dominators_[b].depth);
  b = climb(b, dominators_[a].depth);
  while (a != b) {
    // Entries of equal depth have jumps of equal depth.
    const auto &x = dominators_[a], &y = dominators_[b];
    const bool far = x.jump != y.jump;
    a = far ? x.jump : x.parent;
    b = far ? y.jump : y.parent;
  }
  return a;
}

}  // namespace thunkvm

#include "linkers/schedule/placement.h"

#include "ops/control/loop_opening.h"
#include "ops/graph/limits.h"
#include "thunks/error.h"
#include "thunks/interrupt.h"

#include <algorithm>
#include <map>
#include <utility>

namespace thunkvm {
namespace {

class Placer {
 public:
  explicit Placer(const FlatGraph& graph) : graph_(graph) {
    const std::size_t n_values = graph.n_values();
    p_.placed.assign(n_values, Placed::No);
    p_.home.assign(n_values, kRootRegion);
    p_.runs_in.assign(n_values, kRootRegion);
    p_.key.assign(n_values, kNone);
    p_.alias.assign(n_values, kNone);
    p_.first_use.assign(n_values, kNone);
    p_.next_statement.assign(n_values, kNone);
    p_.next_member.assign(n_values, kNone);
    p_.opaque_region.assign(graph.nodes.size(), kRootRegion);
    p_.input_region.assign(graph.nodes.size(), kNone);
    if (!graph.loops.empty()) {
      p_.loop_region.assign(graph.nodes.size(), kNone);
      p_.test_key.assign(graph.nodes.size(), kNone);
    }
    p_.uses.reserve(graph.operands.size() + graph.outputs.size());
  }

  Placement run() {
    for (Value v : graph_.outputs) use(v, kRootRegion, graph_.n_values());
    for (std::size_t n = graph_.nodes.size(); n-- > 0;) {
      const auto node = static_cast<std::uint32_t>(n);
      if (graph_.is_leaf(node)) continue;
      poll_interrupt();
      if (const Conditional* conditional = graph_.conditional(node))
        place_conditional(node, *conditional);
      else if (const OpenLoopOp* loop = graph_.loop(node))
        place_loop(node, *loop);
      else if (graph_.opaque(node))
        place_opaque(node);
      else
        place_eager(node);
    }
    p_.first_statement.resize(p_.regions.n_regions(), kNone);
    p_.first_member.resize(p_.regions.n_keys(), kNone);
    return std::move(p_);
  }

 private:
  void use(Value v, Region region, Value by) {
    p_.uses.push_back({region, by, p_.first_use[v]});
    p_.first_use[v] = static_cast<std::uint32_t>(p_.uses.size() - 1);
  }
  void collect(Value v) {
    for (std::uint32_t u = p_.first_use[v]; u != kNone; u = p_.uses[u].next)
      demands_.push_back(p_.uses[u].region);
  }
  // Statements are met last to first, so that each becomes the head of its list.
  static void prepend(std::vector<Value>& heads, std::vector<Value>& next, std::uint32_t list,
                      Value v) {
    if (list >= heads.size()) heads.resize(list + 1, kNone);
    next[v] = std::exchange(heads[list], v);
  }
  // Where all that demands `node`, collected before, is.
  RegionTree::Cover cover(std::uint32_t node) {
    const std::uint32_t around = graph_.loop_around(node);
    return p_.regions.cover(demands_, around == kNone ? kNone : p_.loop_region[around]);
  }
  // Makes `v` a statement: of its cover if that is certain, else of a memo body under it.
  Region assign(Value v, RegionTree::Cover cover) {
    p_.placed[v] = cover.unconditional ? Placed::Unconditional : Placed::Memoised;
    p_.home[v] = cover.region;
    p_.runs_in[v] = cover.unconditional ? cover.region : p_.regions.open_body(cover.region, v);
    prepend(p_.first_statement, p_.next_statement, p_.runs_in[v], v);
    return p_.runs_in[v];
  }

  void place_eager(std::uint32_t node) {
    const Value first = graph_.first_value[node];
    const Region region = place_whole(node);
    if (region == kNone) return;
    for (std::uint32_t i = 0; i < graph_.nodes[node]->n_inputs(); ++i)
      use(graph_.input(node, i), region, first);
  }

  // A node whose outputs are computed together; kNone: nobody demands it.
  Region place_whole(std::uint32_t node) {
    const Value first = graph_.first_value[node], last = graph_.first_value[node + 1];
    demands_.clear();
    for (Value v = first; v < last; ++v) collect(v);
    if (demands_.empty()) return kNone;
    const Region region = assign(first, cover(node));
    for (Value v = first + 1; v < last; ++v) {
      p_.placed[v] = p_.placed[first];
      p_.home[v] = p_.home[first];
      p_.runs_in[v] = region;
    }
    return region;
  }

  // Each step demands what is tested; then what the next one begins with, or what is left.
  void place_loop(std::uint32_t node, const OpenLoopOp& loop) {
    const Region region = place_whole(node);
    if (region == kNone) return;
    const Value first = graph_.first_value[node];
    const Region body = p_.regions.first_arm(
        p_.regions.open_arms(region, graph_.n_values() + first, Decoding::Truth, 1));
    p_.regions.mark_loop(body);
    p_.loop_region[node] = body;
    const Value test = graph_.input(node, loop.test());
    const std::uint32_t key = p_.test_key[node] =
        p_.regions.open_arms(body, test, Decoding::Truth, 2);
    use(test, body, first);
    const Region ends = p_.regions.first_arm(key), goes_on = ends + 1;
    for (std::uint32_t i = 0; i < loop.n_states(); ++i)
      use(graph_.input(node, loop.next(i)), goes_on, first);
    for (std::uint32_t j = 0; j < loop.n_left(); ++j)
      use(graph_.input(node, loop.left(j)), ends, first);
  }

  void place_conditional(std::uint32_t node, const Conditional& conditional) {
    for (std::uint32_t j = conditional.n_outputs; j-- > 0;) {
      const Value v = graph_.first_value[node] + j;
      demands_.clear();
      collect(v);
      if (demands_.empty()) continue;
      const Region region = assign(v, cover(node));
      const Value selector = graph_.input(node, 0);
      const std::uint32_t arm =
          p_.regions.decided(region, selector, conditional.decoding, conditional.n_arms);
      if (arm != kNone) {
        p_.alias[v] = graph_.input(node, conditional.arm_input(arm, j));
        use(p_.alias[v], region, v);
        continue;
      }
      const std::uint32_t key =
          p_.regions.open_arms(region, selector, conditional.decoding, conditional.n_arms);
      p_.key[v] = key;
      prepend(p_.first_member, p_.next_member, key, v);
      use(selector, region, v);
      for (std::uint32_t a = 0; a < conditional.n_arms; ++a)
        use(graph_.input(node, conditional.arm_input(a, j)), p_.regions.first_arm(key) + a, v);
    }
  }

  void place_opaque(std::uint32_t node) {
    const Value first = graph_.first_value[node], last = graph_.first_value[node + 1];
    Region common = kNone;
    for (Value v = last; v-- > first;) {
      demands_.clear();
      collect(v);
      if (demands_.empty()) continue;
      const RegionTree::Cover cover = this->cover(node);
      common = common == kNone ? cover.region : p_.regions.lca(common, cover.region);
      p_.home[v] = p_.runs_in[v] = cover.region;
      p_.placed[v] = cover.unconditional ? Placed::Unconditional : Placed::OnDemand;
      if (cover.unconditional) prepend(p_.first_statement, p_.next_statement, cover.region, v);
    }
    if (common == kNone) return;
    p_.opaque_region[node] = common;
    for (std::uint32_t i = 0; i < graph_.nodes[node]->n_inputs(); ++i) {
      const Region region = p_.regions.open_body(common, graph_.n_values() + node);
      if (i == 0) p_.input_region[node] = region;
      use(graph_.input(node, i), region, first);
    }
  }

  const FlatGraph& graph_;
  Placement p_;
  std::vector<Region> demands_;
};

void check_count(const Apply& node, std::size_t count, const char* what) {
  if (count <= kMostOperands) return;
  throw Error(ErrorKind::Value, "[" + node.op()->name() + "] has " + std::to_string(count) + " " +
                                    what + " (node made at " + node.origin_text() +
                                    "), and a node takes at most " + std::to_string(kMostOperands) +
                                    ": make several of it");
}

}  // namespace

FlatGraph::FlatGraph(NodeIndex all) : nodes(std::move(all)), thunks(nodes.size()) {
  first_value.reserve(nodes.size() + 1);
  first_operand.reserve(nodes.size() + 1);
  node_of.reserve(nodes.size());
  operands.reserve(2 * nodes.size());
  std::uint32_t values = 0;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const Apply& node = *nodes[i];
    check_count(node, node.n_inputs(), "inputs");
    check_count(node, node.n_outputs(), "outputs");
    first_value.push_back(values);
    values += node.n_outputs();
    node_of.resize(values, i);
    first_operand.push_back(static_cast<std::uint32_t>(operands.size()));
    for (const Variable& input : node.inputs()) operands.push_back(value(input));
  }
  first_value.push_back(values);
  first_operand.push_back(static_cast<std::uint32_t>(operands.size()));
  if (has_loops()) find_loops();
}

// The loops whose states a node depends on, innermost first, are those of its inputs; a loop's own
// states end with it. A loop's node comes before that of the loop around it.
void FlatGraph::find_loops() {
  using Loops = std::vector<std::uint32_t>;  // nodes, ascending
  for (std::uint32_t n = 0; n < nodes.size(); ++n)
    if (const OpenLoopOp* loop = open_loop(*nodes[n])) {
      loops.resize(nodes.size(), nullptr);
      loops[n] = loop;
    }
  if (loops.empty()) return;
  std::map<Loops, std::uint32_t> numbers = {{{}, 0}};
  std::vector<Loops> all = {{}};
  const auto number = [&](const Loops& set) {
    const auto [entry, fresh] = numbers.try_emplace(set, static_cast<std::uint32_t>(all.size()));
    if (fresh) all.push_back(set);
    return entry->second;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> unions;
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    const auto [entry, fresh] = unions.try_emplace({a, b}, 0);
    if (fresh) {
      Loops both;
      std::ranges::set_union(all[a], all[b], std::back_inserter(both));
      entry->second = number(both);
    }
    return entry->second;
  };
  std::vector<std::uint32_t> set_of(nodes.size(), 0);
  for (std::uint32_t n = 0; n < nodes.size(); ++n)
    if (const OpenLoopOp* loop = loops[n])
      for (std::uint32_t i = 0; i < loop->n_states(); ++i)
        set_of[node_of[input(n, loop->state(i))]] = number({n});
  loop_of.assign(nodes.size(), kNone);
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    for (const Value v : inputs(n)) set_of[n] = join(set_of[n], set_of[node_of[v]]);
    if (loops[n] != nullptr) {
      Loops around = all[set_of[n]];
      std::erase(around, n);
      set_of[n] = number(around);
    }
    if (set_of[n] != 0) loop_of[n] = all[set_of[n]].front();
  }
}

Placement place(const FlatGraph& graph) { return Placer(graph).run(); }

}  // namespace thunkvm

#include "linkers/schedule/lifetimes.h"

#include "linkers/schedule/limits.h"
#include "thunks/interrupt.h"

#include <algorithm>

namespace thunkvm {
namespace {

class Analysis {
 public:
  Analysis(const FlatGraph& graph, const Placement& placement)
      : graph_(graph),
        p_(placement),
        l_{{}, ValueLists(graph.n_values()), ValueLists(0), ValueLists(0), {}, {}} {
    const std::uint32_t n = graph.n_values();
    l_.leader.resize(n);
    for (Value v = 0; v < n; ++v) l_.leader[v] = v;
    l_.kept.assign(n, 0);
    for (Value v : graph.outputs) l_.kept[v] = 1;
    for (Value v : graph.watched)
      if (v != kNoIndex) l_.kept[v] = 1;
    l_.arm_slot.assign(n, kNoIndex);
    std::uint32_t slots = 0;
    for (Value v = 0; v < n; ++v)
      if (p_.key[v] != kNoIndex) {
        l_.arm_slot[v] = slots;
        slots += p_.regions.n_arms(p_.key[v]);
      }
    l_.at_entry = ValueLists(slots);
    l_.at_exit = ValueLists(slots);
    last_need_.assign(n, 0);
    last_lazy_.assign(graph.nodes.size(), 0);
  }

  Lifetimes run() {
    collect_members();
    for (std::uint32_t key = 0; key < p_.regions.n_keys(); ++key) join(key);
    // Last to first: the last entry of a memo or input body is known before what it touches asks.
    for (std::size_t n = graph_.nodes.size(); n-- > 0;) {
      const auto node = static_cast<std::uint32_t>(n);
      if (graph_.is_leaf(node)) continue;
      poll_interrupt();
      if (graph_.conditional(node) != nullptr) {
        for (Value v = graph_.first_value[node + 1]; v-- > graph_.first_value[node];)
          if (p_.placed[v] != Placed::No) end_group(v, v + 1);
      } else if (graph_.opaque(node)) {
        end_opaque(node);
      } else if (p_.placed[graph_.first_value[node]] != Placed::No) {
        end_group(graph_.first_value[node], graph_.first_value[node + 1]);
      }
    }
    return std::move(l_);
  }

 private:
  template <class F>
  void each_use(Value v, F&& f) const {
    for (std::uint32_t u = p_.first_use[v]; u != kNoIndex; u = p_.uses[u].next) f(p_.uses[u]);
  }

  void collect_members() {
    first_member_.reserve(p_.regions.n_keys() + 1);
    for (std::uint32_t key = 0; key < p_.regions.n_keys(); ++key) {
      first_member_.push_back(static_cast<std::uint32_t>(members_.size()));
      for (Value v = p_.first_member[key]; v != kNoIndex; v = p_.next_member[v])
        members_.push_back(v);
    }
    first_member_.push_back(static_cast<std::uint32_t>(members_.size()));
  }
  std::span<const Value> members(std::uint32_t key) const {
    return {members_.data() + first_member_[key], first_member_[key + 1] - first_member_[key]};
  }

  // The first statement that may touch `v` from outside the arms of `key`. A statement below some
  // region runs there no earlier than its own number, so that the user's number is a safe bound.
  Value first_touch(Value v, std::uint32_t key) const {
    Value first = kNoIndex;
    const Region region = p_.regions.key_region(key);
    each_use(v, [&](const Use& use) {
      if (use.by >= first) return;
      if (use.region != region && p_.regions.is_ancestor(region, use.region) &&
          p_.regions.key(p_.regions.child_towards(region, use.region)) == key)
        return;
      first = use.by;
    });
    return first;
  }

  void join(std::uint32_t key) {
    const std::span<const Value> all = members(key);
    joins_next_.assign(all.size(), false);
    Value touched = kNoIndex;
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      // A memoised conditional sits in a memo body of its own, so that all members of a key are
      // statements of one region.
      touched = std::min(touched, first_touch(all[i], key));
      joins_next_[i] = touched >= all[i + 1];
      if (!joins_next_[i]) touched = kNoIndex;
    }
    for (std::size_t i = all.size(); i-- > 0;)
      if (joins_next_[i]) l_.leader[all[i]] = l_.leader[all[i + 1]];
  }

  // Where in region `to` the touch by statement `by` of region `from` happens: the number of a
  // statement of `to`, or, for the last move of an arm, of the conditional that it belongs to.
  Value position(Region to, Region from, Value by) const {
    Value at = by < graph_.n_values() && p_.runs_in[by] == from ? l_.leader[by] : by;
    if (from == to) return at;
    if (p_.regions.depth(from) - p_.regions.depth(to) > kPreciseLevels) {
      const Region child = p_.regions.child_towards(to, from);
      return p_.regions.is_arm(child) ? members(p_.regions.key(child)).back() : last_entry(child);
    }
    while (from != to) {
      if (p_.regions.is_arm(from)) {
        const std::span<const Value> all = members(p_.regions.key(from));
        at = l_.leader[*std::lower_bound(all.begin(), all.end(), at)];
      } else {
        at = last_entry(from);
      }
      from = p_.regions.parent(from);
    }
    return at;
  }
  Value last_entry(Region body) const {
    return p_.is_input_region(body) ? last_lazy_[p_.opaque_node(body)]
                                    : last_need_[p_.regions.owner(body)];
  }

  Value last_touch(Value v, Region home) const {
    Value last = 0;
    each_use(v, [&](const Use& use) { last = std::max(last, position(home, use.region, use.by)); });
    return last;
  }

  // The lifetimes of an eager node's outputs, or of one output of a conditional.
  void end_group(Value first, Value end) {
    if (p_.placed[first] == Placed::Memoised) {
      // The memo body may run at any of its Needs, so that all its outputs live to the last one.
      Value last = 0;
      for (Value v = first; v < end; ++v) last = std::max(last, last_touch(v, p_.home[v]));
      last_need_[first] = last;
      for (Value v = first; v < end; ++v) finish(v, p_.home[v], last, end - first == 1);
      return;
    }
    for (Value v = first; v < end; ++v) {
      const Region home = input_life(v, p_.home[v]);
      finish(v, home, std::max(position(home, p_.home[v], first), last_touch(v, home)), true);
    }
  }

  void end_opaque(std::uint32_t node) {
    const Region home = p_.opaque_region[node];
    const Value first = graph_.first_value[node], end = graph_.first_value[node + 1];
    Value last = 0;
    bool any = false;
    for (Value v = first; v < end; ++v) {
      if (p_.placed[v] == Placed::No) continue;
      any = true;
      last = std::max(last, p_.placed[v] == Placed::Unconditional ? position(home, p_.home[v], v)
                                                                  : last_touch(v, home));
    }
    if (!any) return;
    last_lazy_[node] = last;
    if (end - first > 1) release(node, home, last);
    // Any entry may store any output, so that all of them live to the last one.
    for (Value v = first; v < end; ++v) {
      if (l_.kept[v] != 0) continue;
      const Region life = input_life(v, home);
      finish(v, life,
             std::max(life == home ? last : position(life, home, last), last_touch(v, life)),
             false);
    }
  }

  // Whoever has all outputs of a thunk has let it go; else that is done after its last demand.
  void release(std::uint32_t node, Region home, Value last) {
    Region life = home;
    for (Value v = graph_.first_value[node]; v < graph_.first_value[node + 1]; ++v)
      if (const Region r = input_life(v, home); p_.regions.depth(r) < p_.regions.depth(life))
        life = r;
    const Value at = position(life, home, last);
    if (at < graph_.n_values()) retire(graph_.n_values() + node, life, at, false, 0);
  }

  // The input of an opaque node, though an input body computes it, lives through the node's last
  // demand.
  Region input_life(Value v, Region home) const {
    for (bool moved = true; moved;) {
      moved = false;
      if (home == kRootRegion || !p_.is_input_region(home)) return home;
      const Value exit = graph_.first_value[p_.opaque_node(home)];
      each_use(v, [&](const Use& use) { moved = moved || (use.region == home && use.by == exit); });
      if (moved) home = p_.regions.parent(home);
    }
    return home;
  }

  // `sharp`: nothing but its uses can touch the value, so that its retire may move into arms.
  void finish(Value v, Region home, Value last, bool sharp) {
    if (l_.kept[v] != 0) return;
    touches_.clear();
    bool few = sharp;
    each_use(v, [&](const Use& use) {
      few = few && touches_.size() < kFewUses;
      if (few) touches_.push_back(use);
    });
    if (!few) touches_.clear();
    retire(v, home, last, few, 0);
  }

  // Retires `v` after statement `at` of `region`, or further in.
  void retire(Value v, Region region, Value at, bool few, int level) {
    if (p_.runs_in[at] != region) {  // the move that ends an arm
      l_.at_exit.add(l_.arm_slot[at] + p_.regions.arm(region), v);
      return;
    }
    const std::uint32_t key = p_.key[at];
    if (key == kNoIndex || !few || p_.regions.n_arms(key) > kFewRetiringArms ||
        level > kArmLevels || !only_through_arms(region, at, key)) {
      l_.after.add(at, v);
      return;
    }
    const std::vector<Use> here = inside(region, at);
    for (std::uint32_t a = 0; a < p_.regions.n_arms(key); ++a) {
      const Region arm = p_.regions.first_arm(key) + a;
      Value last = 0;
      bool touched = false;
      touches_.clear();
      for (const Use& use : here) {
        if (use.region == region || !p_.regions.is_ancestor(arm, use.region)) continue;
        touched = true;
        touches_.push_back(use);
        last = std::max(last, position(arm, use.region, use.by));
      }
      if (touched)
        retire(v, arm, last, true, level + 1);
      else
        l_.at_entry.add(l_.arm_slot[at] + a, v);
    }
  }
  std::vector<Use> inside(Region region, Value at) const {
    std::vector<Use> here;
    for (const Use& use : touches_)
      if (position(region, use.region, use.by) == at) here.push_back(use);
    return here;
  }
  bool only_through_arms(Region region, Value at, std::uint32_t key) const {
    for (const Use& use : touches_) {
      if (position(region, use.region, use.by) != at || use.region == region) continue;
      if (p_.regions.key(p_.regions.child_towards(region, use.region)) != key) return false;
    }
    return true;
  }

  const FlatGraph& graph_;
  const Placement& p_;
  Lifetimes l_;
  std::vector<Value> members_;
  std::vector<std::uint32_t> first_member_;
  std::vector<bool> joins_next_;  // by member of the key that is being joined
  std::vector<Value>
      last_need_;  // by value that names a memo: the last statement of its home that may Need it
  std::vector<Value>
      last_lazy_;             // by opaque node: the last statement of its region that may enter it
  std::vector<Use> touches_;  // the uses of the value that is being retired, while they are few
};

}  // namespace

Lifetimes lifetimes(const FlatGraph& graph, const Placement& placement) {
  return Analysis(graph, placement).run();
}

}  // namespace thunkvm

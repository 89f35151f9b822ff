#include "linkers/schedule/joined_branches.h"

#include <algorithm>
#include <numeric>

namespace thunkvm {
namespace {

class Joins {
 public:
  Joins(const FlatGraph& graph, const Placement& placement)
      : p_(placement), leader_(graph.n_values()) {
    std::iota(leader_.begin(), leader_.end(), 0);
  }

  std::vector<Value> run() && {
    for (std::uint32_t key = 0; key < p_.regions.n_keys(); ++key) join(key);
    return std::move(leader_);
  }

 private:
  void join(std::uint32_t key) {
    members_.clear();
    for (Value v = p_.first_member[key]; v != kNone; v = p_.next_member[v]) members_.push_back(v);
    joins_next_.assign(members_.size(), false);
    Value touched = kNone;
    for (std::size_t i = 0; i + 1 < members_.size(); ++i) {
      // A memoised conditional sits in a memo body of its own, so that all members of a key are
      // statements of one region.
      touched = std::min(touched, first_touch(members_[i], key));
      joins_next_[i] = touched >= members_[i + 1];
      if (!joins_next_[i]) touched = kNone;
    }
    for (std::size_t i = members_.size(); i-- > 0;)
      if (joins_next_[i]) leader_[members_[i]] = leader_[members_[i + 1]];
  }

  // The first statement that may touch `v` from outside the arms of `key`. A statement below some
  // region runs there no earlier than its own number, so that the user's number is a safe bound.
  Value first_touch(Value v, std::uint32_t key) const {
    Value first = kNone;
    const Region region = p_.regions.key_region(key);
    for (std::uint32_t u = p_.first_use[v]; u != kNone; u = p_.uses[u].next) {
      const Use& use = p_.uses[u];
      if (use.by >= first) continue;
      if (use.region != region && p_.regions.is_ancestor(region, use.region) &&
          p_.regions.key(p_.regions.child_towards(region, use.region)) == key)
        continue;
      first = use.by;
    }
    return first;
  }

  const Placement& p_;
  std::vector<Value> leader_;
  std::vector<Value> members_;    // of the key that is being joined
  std::vector<bool> joins_next_;  // by member of it
};

}  // namespace

std::vector<Value> join_branches(const FlatGraph& graph, const Placement& placement) {
  return Joins(graph, placement).run();
}

}  // namespace thunkvm

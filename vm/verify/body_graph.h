// body_graph.h: the bodies of a program, which have one way in each, and which of them runs only
// within which.
#pragma once

#include "vm/program.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace thunkvm {

/// A piece of a program that control enters. Entry 0 is the program's body, from pc 0 on. Then come
/// the memo bodies, and the input bodies, each of which computes an input of a lazy thunk: these
/// three kinds are the *bodies*. The last entries are the lazy thunks, which may enter any of their
/// input bodies.
using Entry = std::uint32_t;

/// The bodies of a program, whose indices have to be in range, and how they enter each other.
///
/// The constructor throws Error(Runtime) where a path runs past the end, leads back or ends as its
/// body may not, and where a body needs itself. Time and space: near-linear in instructions.
class BodyGraph {
 public:
  explicit BodyGraph(const Program& program);

  Entry n_bodies() const { return first_lazy_; }
  Entry n_entries() const { return static_cast<Entry>(callees_.size()); }
  static Entry memo(std::uint32_t memo) { return 1 + memo; }
  Entry input(std::uint32_t lazy, std::uint32_t input) const { return first_input_[lazy] + input; }
  Entry lazy(std::uint32_t lazy) const { return first_lazy_ + lazy; }

  bool is_body(Entry e) const { return e < first_lazy_; }
  bool is_input(Entry e) const { return is_body(e) && e > program_.memos.size(); }
  /// The lazy thunk that an entry is, or whose input body it is.
  std::uint32_t lazy_of(Entry e) const;
  std::string name(Entry e) const;

  /// The pcs of a body's instructions, in order, those of its arms included: all ways lead forward.
  const std::vector<std::uint32_t>& instructions(Entry body) const { return instructions_[body]; }
  /// The pcs that an instruction leads to; `next` is room for one.
  std::span<const std::uint32_t> successors(std::uint32_t pc, std::uint32_t& next) const;
  /// The entries that an entry may enter.
  const std::vector<Entry>& callees(Entry e) const { return callees_[e]; }

  /// All entries, each before those that it enters; `rank` is the position of an entry there.
  const std::vector<Entry>& callers_first() const { return callers_first_; }
  std::uint32_t rank(Entry e) const { return rank_[e]; }
  /// True if control is in `entry` only while it is in `outer`; of an entry itself too.
  bool dominates(Entry outer, Entry entry) const;
  /// The innermost other entry that dominates it; the program's for an entry that nobody enters.
  Entry dominator(Entry e) const { return dominators_[e].parent; }
  /// The innermost entry that dominates both.
  Entry common_dominator(Entry a, Entry b) const;

 private:
  struct Dominator {
    Entry parent = kNone, jump = 0;  ///< one, or more, levels up
    std::uint32_t depth = 0;
  };

  void follow(Entry body, std::uint32_t pc);
  void order_entries();
  void find_dominators();
  Entry climb(Entry e, std::uint32_t depth) const;

  const Program& program_;
  std::vector<Entry> first_input_;  ///< by lazy thunk
  Entry first_lazy_ = 0;
  std::vector<std::vector<std::uint32_t>> instructions_;  ///< by body
  std::vector<std::vector<Entry>> callees_;
  std::vector<Entry> callers_first_;
  std::vector<std::uint32_t> rank_;
  std::vector<Dominator> dominators_;
};

}  // namespace thunkvm

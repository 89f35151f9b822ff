// body_graph.h: the bodies of a program, which have one way in each, and which of them runs only
// within which.
#pragma once

#include "vm/indices.h"
#include "vm/program.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm {

/// A piece of a program that control enters. Entry 0 is the program's own body, from pc 0 on, and
/// behind it come Program::bodies. The last entries are the lazy thunks, which may enter any of
/// their input bodies.
using Entry = std::uint32_t;

/// The bodies of a program, whose indices have to be in range, and how they enter each other.
///
/// The constructor throws Error(Runtime) where a path runs past the end, leads back or ends as its
/// body may not, and where a body needs itself. Time and space: near-linear in instructions.
class BodyGraph {
 public:
  /// What an instruction does with a register. It demands an output of a lazy thunk.
  enum class Touch : std::uint8_t { Read, Write, Demand, Retire };

  explicit BodyGraph(const Program& program);

  Entry n_bodies() const { return n_bodies_; }
  Entry n_entries() const { return n_bodies_ + static_cast<Entry>(program_.lazies.size()); }
  static Entry body(std::uint32_t body) { return 1 + body; }
  Entry lazy(std::uint32_t lazy) const { return n_bodies_ + lazy; }

  bool is_body(Entry e) const { return e < n_bodies_; }
  /// The lazy thunk that an entry is, or whose input body it is.
  std::uint32_t lazy_of(Entry e) const {
    return e == 0 ? kNone : is_body(e) ? program_.bodies[e - 1].owner : e - n_bodies_;
  }
  /// Whether an entry is the step of a loop.
  bool is_step(Entry e) const {
    return e != 0 && is_body(e) && program_.bodies[e - 1].kind == Body::Kind::Loop;
  }
  /// The loop in each step of which an entry may run anew, or whose step it is; kNone: none.
  std::uint32_t loop_of(Entry e) const;
  /// Whether a loop is the other one, or around it. None is around all.
  bool is_around(std::uint32_t outer, std::uint32_t inner) const;
  std::string name(Entry e) const;

  /// The pcs of a body's instructions, in order, those of its arms included: all ways lead forward.
  const std::vector<Pc>& instructions(Entry body) const { return instructions_[body]; }
  /// The pcs that an instruction leads to, of a Branch by arm.
  std::vector<Pc> successors(Pc pc) const;
  /// The entry that an instruction enters; kNone: none.
  Entry entered(Pc pc) const;
  /// What an instruction of a body does itself with which registers, in order; what the bodies do
  /// that it enters is not told.
  /// Nor are the states of loops, which every step may read and writes; what a loop leaves counts
  /// as written by its instruction.
  std::vector<std::pair<Touch, std::uint32_t>> touches(Entry body, Pc pc) const;
  /// The entries that an entry may enter.
  const std::vector<Entry>& callees(Entry e) const { return callees_[e]; }

  /// All entries, each before those that it enters; `rank` is the position of an entry there.
  const std::vector<Entry>& callers_first() const { return callers_first_; }
  std::uint32_t rank(Entry e) const { return rank_[e]; }
  /// The innermost entry that dominates both: control is in either only while it is in that one.
  /// An entry that does not run anew in the steps of a loop is dominated by no step of it, since a
  /// later step relies on an earlier one to have entered it.
  Entry common_dominator(Entry a, Entry b) const;
  /// An entry dominates itself too. The program's body dominates what nobody enters.
  bool dominates(Entry outer, Entry entry) const { return common_dominator(outer, entry) == outer; }

 private:
  struct Dominator {
    Entry parent = 0, jump = 0;  ///< one, or more, levels up
    std::uint32_t depth = 0;
  };

  /// The loop in each step of which an entry may be entered anew.
  std::uint32_t loop_around(Entry e) const;
  /// The register that an input body has to leave; kNone for all others.
  std::uint32_t result_of(Entry body) const;
  void follow(Entry body);
  void order_entries();
  void find_dominators();

  const Program& program_;
  const Entry n_bodies_;
  std::vector<bool> is_state_, is_left_;       ///< by register: of a loop
  std::vector<std::vector<Pc>> instructions_;  ///< by body
  std::vector<std::vector<Entry>> callees_;
  std::vector<Entry> callers_first_;
  std::vector<std::uint32_t> rank_;
  std::vector<Dominator> dominators_;
};

}  // namespace thunkvm

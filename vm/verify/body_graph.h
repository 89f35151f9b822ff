// body_graph.h: the pieces of a program that have one way in, and which of them runs only within
// which.
#pragma once

#include "vm/program.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace thunkvm {

/// What control enters: the program is entry 0, then come the memo bodies, the bodies of lazy
/// thunks' inputs, the lazy thunks (which may enter any of their inputs' bodies), and the outputs
/// of lazy thunks (which enter their thunk).
using Entry = std::uint32_t;

/// The bodies of a program, whose indices have to be in range, and how they enter each other.
///
/// The constructor throws Error(Runtime) where a path runs past the end, comes back to itself or
/// ends as its body may not, and where a body needs itself. Time and space: linear in instructions,
/// but for a logarithm in the depth of bodies within bodies.
class BodyGraph {
 public:
  explicit BodyGraph(const Program& program);

  std::uint32_t n_bodies() const {
    return static_cast<std::uint32_t>(first_instruction_.size() - 1);
  }
  std::uint32_t n_entries() const { return static_cast<std::uint32_t>(rank_.size()); }
  static Entry memo(std::uint32_t memo) { return 1 + memo; }
  Entry input(std::uint32_t lazy, std::uint32_t input) const { return first_input_[lazy] + input; }
  Entry lazy(std::uint32_t lazy) const { return n_bodies() + lazy; }
  Entry output(std::uint32_t lazy, std::uint32_t output) const {
    return first_output_[lazy] + output;
  }

  bool is_body(Entry s) const { return s < n_bodies(); }
  bool is_lazy(Entry s) const { return !is_body(s) && s < first_output_.front(); }
  /// The lazy thunk that an entry belongs to: itself, the input's or the output's.
  std::uint32_t lazy_of(Entry s) const;
  bool is_input(Entry s) const { return is_body(s) && s >= first_input_.front(); }

  std::uint32_t first_pc(Entry body) const;
  std::string name(Entry entry) const;

  /// A body's instructions, each before those that it leads to.
  std::span<const std::uint32_t> instructions(Entry body) const {
    return {instructions_.data() + first_instruction_[body],
            first_instruction_[body + 1] - first_instruction_[body]};
  }
  /// The pcs that an instruction leads to; `next` is room for one.
  std::span<const std::uint32_t> successors(std::uint32_t pc, std::uint32_t& next) const;
  /// The entries that `entry` may enter, by index; kNone after the last.
  Entry callee(Entry entry, std::size_t index) const;

  /// All entries, each before those that it enters; and where an entry stands there.
  std::span<const Entry> callers_first() const { return callers_first_; }
  std::uint32_t rank(Entry s) const { return rank_[s]; }
  /// True if control is in `entry` only while it is in `outer`; of an entry itself too.
  bool dominates(Entry outer, Entry entry) const;
  /// The innermost other entry that dominates it; the program's for an entry that nobody enters.
  Entry dominator(Entry entry) const { return dominators_[entry].parent; }
  /// The innermost entry that dominates both.
  Entry common_dominator(Entry a, Entry b) const;

 private:
  struct Dominator {
    Entry parent, jump;
    std::uint32_t depth;
  };

  void arrange(Entry body);
  void order_entries();
  void find_dominators();

  const Program& program_;
  std::vector<Entry> first_input_, first_output_;  ///< by lazy thunk, and one more at the end
  std::vector<std::uint32_t> instructions_, first_instruction_;
  std::vector<Entry> callees_;
  std::vector<std::uint32_t> first_callee_;  ///< by body
  std::vector<std::uint32_t> marks_;         ///< by pc, while bodies are arranged
  std::vector<Entry> callers_first_;
  std::vector<std::uint32_t> rank_;
  std::vector<Dominator> dominators_;
};

}  // namespace thunkvm

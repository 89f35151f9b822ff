// body_graph.h: the pieces of a program that have one way in, and which of them runs only within
// which.
#pragma once

#include "vm/program.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace thunkvm {

/// What control enters: the program is site 0, then come the memo bodies, the bodies of lazy
/// thunks' inputs, the lazy thunks (which may enter any of their inputs' bodies), and the outputs
/// of lazy thunks (which enter their thunk).
using Site = std::uint32_t;

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
  std::uint32_t n_sites() const { return static_cast<std::uint32_t>(rank_.size()); }
  static Site memo(std::uint32_t memo) { return 1 + memo; }
  Site input(std::uint32_t lazy, std::uint32_t input) const { return first_input_[lazy] + input; }
  Site lazy(std::uint32_t lazy) const { return n_bodies() + lazy; }
  Site output(std::uint32_t lazy, std::uint32_t output) const {
    return first_output_[lazy] + output;
  }

  bool is_body(Site s) const { return s < n_bodies(); }
  bool is_lazy(Site s) const { return !is_body(s) && s < first_output_.front(); }
  /// The lazy thunk that a site belongs to: itself, the input's or the output's.
  std::uint32_t lazy_of(Site s) const;
  bool is_input(Site s) const { return is_body(s) && s >= first_input_.front(); }

  std::uint32_t entry(Site body) const;
  std::string name(Site site) const;

  /// A body's instructions, each before those that it leads to.
  std::span<const std::uint32_t> instructions(Site body) const {
    return {instructions_.data() + first_instruction_[body],
            first_instruction_[body + 1] - first_instruction_[body]};
  }
  /// The pcs that an instruction leads to; `next` is room for one.
  std::span<const std::uint32_t> successors(std::uint32_t pc, std::uint32_t& next) const;
  /// The sites that `site` may enter, by index; kNone after the last.
  Site callee(Site site, std::size_t index) const;

  /// All sites, each before those that it enters; and where a site stands there.
  std::span<const Site> callers_first() const { return callers_first_; }
  std::uint32_t rank(Site s) const { return rank_[s]; }
  /// True if control is in `site` only while it is in `outer`; of a site itself too.
  bool encloses(Site outer, Site site) const;
  /// The innermost other site that encloses it; the program's for a site that nobody enters.
  Site around(Site site) const { return enclosure_[site].parent; }
  /// The innermost site that encloses both.
  Site innermost_common(Site a, Site b) const;

 private:
  struct Enclosure {
    Site parent, jump;
    std::uint32_t depth;
  };

  void arrange(Site body);
  void order_sites();
  void enclose();

  const Program& program_;
  std::vector<Site> first_input_, first_output_;  ///< by lazy thunk, and one more at the end
  std::vector<std::uint32_t> instructions_, first_instruction_;
  std::vector<Site> callees_;
  std::vector<std::uint32_t> first_callee_;  ///< by body
  std::vector<std::uint32_t> marks_;         ///< by pc, while bodies are arranged
  std::vector<Site> callers_first_;
  std::vector<std::uint32_t> rank_;
  std::vector<Enclosure> enclosure_;
};

}  // namespace thunkvm

// body_notes.h: what belongs to the bodies of a program that is written by hand: by the definition,
// which looks at all ways into a body, and is too slow for any but small programs.
#pragma once

#include "vm/body_contents.h"
#include "vm/program.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace thunkvm::testing {

/// A memo body, a loop's step, or an input of a lazy thunk, while a program is written:
/// Program::bodies has them when all are known.
struct DemandedBody {
  std::uint32_t lazy = kNone;  ///< kNone: a memo body or a step
  std::uint32_t index = 0;     ///< of the body, or of the input

  friend auto operator<=>(const DemandedBody&, const DemandedBody&) = default;
};

/// What a program's bodies write and enter, noted while they are written. What follows `begin` is
/// in that body, what follows `end` in the program's own.
class BodyNotes {
 public:
  void begin(DemandedBody body) {
    current_ = body;
    bodies_.insert(body);
  }
  void end() { current_ = kProgram; }
  void write(std::uint32_t reg) { writers_[reg] = current_; }
  void compute(std::uint32_t reg, std::uint32_t lazy) { computed_by_[reg] = lazy; }
  void need(std::uint32_t memo) { needed_by_[memo].insert(current_); }
  void demand(std::uint32_t lazy) { demanded_by_[lazy].insert(current_); }
  /// A register that belongs to no body, whoever writes it.
  void stay(std::uint32_t reg) {
    writers_.erase(reg);
    computed_by_.erase(reg);
  }

  const std::set<DemandedBody>& bodies() const { return bodies_; }
  std::vector<std::uint32_t> registers(DemandedBody body) const {
    std::vector<std::uint32_t> found;
    for (const auto& [reg, writer] : writers_)
      if (is_within(writer, body)) found.push_back(reg);
    for (const auto& [reg, lazy] : computed_by_)
      if (const auto by = demanded_by_.find(lazy);
          by != demanded_by_.end() && are_within(by->second, body))
        found.push_back(reg);
    return found;
  }
  std::vector<std::uint32_t> lazies(DemandedBody body) const {
    std::vector<std::uint32_t> found;
    for (const auto& [lazy, callers] : demanded_by_)
      if (are_within(callers, body)) found.push_back(lazy);
    return found;
  }

 private:
  static constexpr DemandedBody kProgram = {kNone, kNone};

  bool is_within(DemandedBody inner, DemandedBody outer) const {
    if (inner == outer || inner == kProgram) return inner == outer;
    const auto& callers = inner.lazy == kNone ? needed_by_ : demanded_by_;
    const auto found = callers.find(inner.lazy == kNone ? inner.index : inner.lazy);
    return found != callers.end() && are_within(found->second, outer);
  }
  bool are_within(const std::set<DemandedBody>& callers, DemandedBody outer) const {
    return std::ranges::all_of(callers,
                               [&](DemandedBody caller) { return is_within(caller, outer); });
  }

  DemandedBody current_ = kProgram;
  std::set<DemandedBody> bodies_;
  std::map<std::uint32_t, DemandedBody> writers_;       // by register
  std::map<std::uint32_t, std::uint32_t> computed_by_;  // likewise: a lazy thunk
  std::map<std::uint32_t, std::set<DemandedBody>> needed_by_,
      demanded_by_;  // by memo, by lazy thunk
};

class NotedContents final : public BodyContents {
 public:
  NotedContents(BodyNotes notes, std::vector<Body> bodies)
      : notes_(std::move(notes)), bodies_(std::move(bodies)) {}

  std::span<const std::uint32_t> registers(std::uint32_t body) const override {
    return of(body).first;
  }
  std::span<const std::uint32_t> lazies(std::uint32_t body) const override {
    return of(body).second;
  }

 private:
  using Lists = std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>;

  const Lists& of(std::uint32_t body) const {
    std::call_once(found_, [this] {
      for (std::uint32_t b = 0; b < bodies_.size(); ++b) {
        const bool is_input = bodies_[b].kind == Body::Kind::Input;
        const DemandedBody noted = {bodies_[b].owner, is_input ? bodies_[b].number : b};
        lists_.push_back({notes_.registers(noted), notes_.lazies(noted)});
      }
    });
    return lists_[body];
  }

  const BodyNotes notes_;
  const std::vector<Body> bodies_;
  mutable std::once_flag found_;
  mutable std::vector<Lists> lists_;
};

}  // namespace thunkvm::testing

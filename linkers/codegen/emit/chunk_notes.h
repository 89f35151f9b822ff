// chunk_notes.h: what the C of a chunk says to its readers beside its nodes: what goes in and out
// of what it calls, and what the registers are.
#pragma once

#include "linkers/codegen/plan/plan.h"
#include "linkers/codegen/runtime/loop_nest.h"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace thunkvm {

/// Of one program.
class ChunkNotes {
 public:
  explicit ChunkNotes(const Plan& plan);

  /// "R[4] from R[2], R[3]".
  std::string call(std::uint32_t step) const;
  /// The same of a loop, with the function that computes its blocks where that has another number.
  std::string loop(const LoopNest& loop, const std::string& index, const std::string& body) const;
  std::string need(std::uint32_t memo) const;
  /// Whose memo body a function is that begins with this statement, if it is one's.
  std::string block_at(std::uint32_t statement) const;
  /// What the registers are that a text names, if they are more than values in between: "R[2] x,
  /// input 0; R[5] constant 0.5 float64".
  std::string registers(const std::string& text) const;

 private:
  class Registers;

  const Plan& plan_;
  const Program& program_;
  std::set<std::uint32_t> roles_;                           // registers that have one
  std::unordered_map<std::uint32_t, std::uint32_t> memos_;  // by the first statement
};

}  // namespace thunkvm

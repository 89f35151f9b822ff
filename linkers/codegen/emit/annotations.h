// annotations.h: what the C of an outlined function says to its readers beside its nodes: what goes
// in and out of what it calls, and what the registers are.
#pragma once

#include "linkers/codegen/emit/c_text.h"
#include "linkers/codegen/plan/plan.h"
#include "linkers/codegen/runtime/loop_nest.h"

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace thunkvm {

/// The annotations of one program.
class Annotations {
 public:
  explicit Annotations(const Plan& plan);

  /// "R[4] from R[2], R[3]". `named` gets the registers that are named.
  Annotation call(std::uint32_t step, std::set<std::uint32_t>& named) const;
  /// The same of a loop, with the function that computes its blocks where that has another number.
  Annotation loop(const LoopNest& loop, const std::string& index, const std::string& body,
                  std::set<std::uint32_t>& named) const;
  Annotation need(std::uint32_t memo) const;
  /// Whose memo body a function is that begins with this statement, if it is one's.
  Annotation block_at(std::uint32_t statement) const;
  /// What these registers are, if they are more than values in between: "R[2] x, input 0; R[5]
  /// constant 0.5 float64".
  Annotation registers(const std::set<std::uint32_t>& named) const;

 private:
  std::string from_to(const std::vector<std::uint32_t>& inputs,
                      const std::vector<std::uint32_t>& outputs,
                      std::set<std::uint32_t>& named) const;

  const Plan& plan_;
  const Schedule& schedule_;
  std::set<std::uint32_t> roles_;                           // registers that have one
  std::unordered_map<std::uint32_t, std::uint32_t> memos_;  // by the first statement
};

}  // namespace thunkvm

#include "vm/verify/decisions.h"

#include <map>
#include <tuple>

namespace thunkvm {

// The program stands before its bodies and a branch before those in its arms, so that the order of
// instructions is that of decisions within decisions.
Decisions::Decisions(const Program& program)
    : program_(program), first_variable_(program.branches.size(), 0) {
  std::map<std::tuple<std::uint32_t, Decoding, std::uint32_t>, std::uint32_t> known;
  std::uint32_t n_variables = 0;
  for (const Instruction& instruction : program.code) {
    if (instruction.op != Opcode::Branch) continue;
    const Branch& branch = program.branches[instruction.a];
    const auto [entry, is_new] =
        known.try_emplace({branch.selector, branch.decoding, branch.n_arms}, n_variables);
    if (is_new) n_variables += Conditions::n_variables(branch.n_arms);
    first_variable_[instruction.a] = entry->second;
  }
}

}  // namespace thunkvm

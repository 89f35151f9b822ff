// input_guard.h: a check that a user's code writes to no input but those that its Op declares.
#pragma once

#include "thunks/array.h"
#include "thunks/thunk.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace thunkvm {

/// Copies of the arrays that one run of a user's Op gets, but for those that its destroy_map names.
/// Costs a copy and a comparison of each.
class InputGuard {
 public:
  /// For an Op of this name, which overwrites the inputs `destroyed`, in order. Both outlive it.
  InputGuard(const std::string& op, std::span<const std::uint32_t> destroyed)
      : op_(op), destroyed_(destroyed) {}
  /// The same, with all inputs.
  InputGuard(const std::string& op, std::span<const std::uint32_t> destroyed,
             const Activation& activation, const Operands& operands);
  /// Restores the inputs as they were before the run, after a failure too: the arrays may be the
  /// caller's.
  ~InputGuard();
  InputGuard(const InputGuard&) = delete;
  InputGuard& operator=(const InputGuard&) = delete;

  /// One more input, before the run sees it.
  void keep(int input, const Cell& cell);
  /// After the run, once. Throws Error(Value) that names the Op, the input and the first element
  /// that was written to.
  void check();

 private:
  struct Kept {
    int input;
    Array array, copy;
  };

  const std::string& op_;
  std::span<const std::uint32_t> destroyed_;
  std::vector<Kept> kept_;
};

/// True if nodes that are made from now on are checked. Set for the process, for threads that take
/// turns.
void check_inputs_of_new_nodes(bool check);
bool checks_inputs_of_new_nodes();

}  // namespace thunkvm

// loop_executor.h: runs loops: of all sizes, on one thread or several.
#pragma once

#include "ops/kernels/loop_instance.h"
#include "thunks/host.h"

#include <cstdint>
#include <span>

namespace thunkvm {

/// Where the operands of a loop are in one run. All but what its constructor says is the caller's
/// to set.
struct LoopOperands {
  LoopOperands(const Loop& of, const LoopInstance& found, const NumberBits* given)
      : loop(of), instance(found), numbers(given), ends(found.ends) {}

  const Loop& loop;
  const LoopInstance& instance;
  const NumberBits* numbers;
  std::uint64_t ends;     ///< bit k: operand k is read or written as it lies, and there is no room
                          ///< for all lanes behind it
  bool in_place = false;  ///< an output is in the memory of an input
  char* data[kLoopOperands];     ///< by input and output: the first element
  char* results[kLoopOperands];  ///< by reduction: where its results go, in C order
};

/// Computes all of it, on as many threads as loop_threads.h says. The host is left, and asked in
/// pauses, if the work is worth it: throws what it says, and what an element loop throws.
void execute(const LoopOperands& operands, Host& host);

/// Resolves a loop for this once, and executes it. The inputs can be broadcast to the space, which
/// has elements; `outputs` and `results` are where these go.
void execute_once(const Loop& loop, const IterationSpace& space, std::span<const Layout> inputs,
                  std::span<char* const> outputs, std::span<char* const> results, Host& host);

}  // namespace thunkvm

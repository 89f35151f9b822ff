// nest_execution.h: runs nests: of all sizes, on one thread or several.
#pragma once

#include "ops/kernels/resolved_nest.h"
#include "thunks/host.h"

#include <cstdint>
#include <span>

namespace thunkvm {

/// The addresses of a nest's operands in one run. The caller sets all that the constructor does
/// not.
struct PlacedOperands {
  PlacedOperands(const Nest& of, const ResolvedNest& found, const NumberBits* given)
      : nest(of), instance(found), numbers(given), ends(found.ends) {}

  const Nest& nest;
  const ResolvedNest& instance;
  const NumberBits* numbers;
  std::uint64_t ends;     ///< bit k: operand k is read or written as it lies, and there is no room
                          ///< for all lanes behind it
  bool in_place = false;  ///< an output is in the memory of an input
  char* data[kNestOperands];     ///< by input and output: the first element
  char* results[kNestOperands];  ///< by reduction: the address of its results, in C order
};

/// Computes all of it, on as many threads as nest_threads.h says. The host is left, and asked in
/// pauses, if the work is worth it. Throws its error, and those of element functions.
void execute(const PlacedOperands& operands, Host& host);

/// Resolves a nest for this once, and executes it. The inputs can be broadcast to the space, which
/// has elements; `outputs` and `results` are the addresses of these.
void execute_once(const Nest& nest, const IterationSpace& space, std::span<const Layout> inputs,
                  std::span<char* const> outputs, std::span<char* const> results, Host& host);

}  // namespace thunkvm

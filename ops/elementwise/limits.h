// limits.h: how many inputs an elementwise Op has, how many elements it computes at once, and why.
#pragma once

#include <cstdint>

namespace thunkvm {

/// Inputs of an Op from the registry: those of `clip` and `where`.
inline constexpr int kMaxElementwiseInputs = 3;
/// Inputs of an Op that a user gives as C (c_element): as many as a set of 32 bits has, such as
/// that of the inputs which a template reads.
inline constexpr int kMaxElementInputs = 32;
/// Elements that a functor's `block` gets at most; with what it needs beside them they fit the
/// first-level cache. An element of `exp` takes 0.26 ns with 128 and 0.25 ns with 512 and 2,048; of
/// `exp` of every second one, which are copied into blocks, 0.30, 0.27 to 0.30 and 0.26 ns.
inline constexpr std::int64_t kElementBlock = 512;

/// Costs of an element in units of an addition: how long a function may be until it leaves the
/// host, asks it, or is shared by threads. `exp`, `log` and `tanh`, which compute in blocks, take
/// 0.69 to 0.90 ns an element where an addition takes 0.28 ns.
inline constexpr std::int64_t kBlockElementCost = 4;
/// The same if nothing is known. `arctan` takes 3 additions, `erf` 120 and `gammaln` 320: a stretch
/// of kStretch / 8 elements of the last takes 12 ms, after which the host is asked.
inline constexpr std::int64_t kUnknownElementCost = 8;

}  // namespace thunkvm

// limits.h: how much of graphs is kept at hand or shown, and why.
#pragma once

#include <cstddef>

namespace thunkvm {

/// Dead Variables of Python's whose memory is used again: a loop that builds a graph drops one a
/// node. `y = y * x` takes 124 to 127 ns with 1, 118 to 123 ns with 16, 64 and 1,024.
inline constexpr std::size_t kFreeVariables = 64;

/// Constants of Python's numbers that are used again, the last one of each hash; a power of two.
/// `y = y * k`, where k goes through 40 integers, takes 205 to 217 ns with 2, 206 to 208 ns with
/// 16, 198 ns with 64 and 195 ns with 1,024.
inline constexpr std::size_t kRecentNumbers = 64;

/// Inputs that an Op is applied to without memory being asked for: only Ops of any number of inputs
/// have more than 3.
inline constexpr std::size_t kFewInputs = 4;

/// Axes that NumPy looks for in nested lists: it has no arrays of more.
inline constexpr int kMostAxes = 64;

/// Letters of a refused value that a message shows: with the words around them they fill a line.
inline constexpr std::size_t kShownLetters = 60;
/// Bits of the largest integer whose digits a message shows: those of 256 fill a line.
inline constexpr std::size_t kShownBits = 256;

}  // namespace thunkvm

// selector.h: how a selector's value picks an arm.
#pragma once

#include "vm/program.h"

#include <cstdint>

namespace thunkvm {

/// The arm that a selector's value picks. Throws Error(Value) for NaN, for more or less than one
/// element, for a value that is no number or, where an index is asked for, no whole one;
/// Error(Index) out of range.
std::uint32_t decode_selector(const Cell& selector, Decoding decoding, std::uint32_t n_arms);

}  // namespace thunkvm

// failed_node.h: the node of a failed call, as messages tell of it.
#pragma once

#include "linkers/linker.h"
#include "thunks/cell.h"
#include "vm/frame.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace thunkvm {

/// An input of a node whose thunk failed, and the value that the thunk found; empty: not computed.
struct FailedInput {
  std::reference_wrapper<const Variable> variable;
  std::reference_wrapper<const Cell> value;
};

/// The inputs of a node in a call that has failed, while the registers hold what they held; of a
/// conditional its selector. Good as long as the frame is left alone.
std::vector<FailedInput> failed_inputs(const Linked& linked, Frame& frame, std::uint32_t node);
/// Whether two arrays among the values differ in shape.
bool shapes_differ(std::span<const FailedInput> inputs);

/// The steps of loops that a node failed in, from 0, the innermost loop first, a line each; each
/// line begins with a new line.
std::string steps_text(const Linked& linked, const Frame& frame, std::uint32_t node);

/// "In step: node mul.0, Op mul".
std::string failed_node_text(const std::string& function, const Variable& output);

}  // namespace thunkvm

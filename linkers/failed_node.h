// failed_node.h: the node of a failed call, for messages.
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

/// An input of the node that failed, and its value; empty: not computed.
struct FailedInput {
  std::reference_wrapper<const Variable> variable;
  std::reference_wrapper<const Cell> value;
};

/// The inputs of a node in a failed call, before its registers are emptied; the selector of a
/// conditional. Valid until the frame changes.
std::vector<FailedInput> failed_inputs(const Linked& linked, Frame& frame, ProgramNode node);
/// True if two arrays among the values differ in shape.
bool shapes_differ(std::span<const FailedInput> inputs);

/// The steps of the loops around a node that failed, from 0, the innermost loop first, a line each.
/// Each line begins with a newline.
std::string steps_text(const Linked& linked, const Frame& frame, ProgramNode node);

/// "In step: node mul.0, Op mul".
std::string failed_node_text(const std::string& function, const Variable& output);

}  // namespace thunkvm

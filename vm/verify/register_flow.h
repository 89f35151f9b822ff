// register_flow.h: the states of registers at each instruction of a program: the part of the
// verifier that follows paths.
#pragma once

#include "vm/program.h"

namespace thunkvm {

/// Follows every path through the bodies of a program (body_graph.h), whose indices have to be in
/// range, and throws Error(Runtime) for the first that breaks a rule of `verify` about registers.
///
/// A register is written once, so that what a branch decides by it is the same wherever it is
/// decided again. What has become of a register is therefore kept as a condition on the decisions
/// of the call: there are no joins, and no path is followed that decides one thing in two ways.
/// Each body is followed once; what it reads and leaves is held against every instruction that
/// enters it. Near-linear in instructions, but for the conditions (conditions.h) and for bodies
/// that many instructions enter, each of which may be the first.
void check_register_flow(const Program& program);

}  // namespace thunkvm

// verifier.h: static checks of a program.
#pragma once

#include "vm/program.h"

namespace thunkvm {

/// Checks that every index is in range, every path ends and no body (body_graph.h) needs itself,
/// memo and input bodies end in Return and the program in Halt, operand lists are whole, constants
/// are never written, taken or retired, nor are shared variables' values and inputs that are not
/// mutable retired or taken. Inputs that die are retired by their step, and nothing is retired or
/// taken in a program with `retain_intermediates`.
///
/// On every path a register has to be written before it is read, written at most once and in one
/// body only, retired in that body or in one around it, and not read after it was retired; outputs
/// have to be there at the end, and nothing else but constants, inputs, shared variables' values,
/// updates and the outputs of lazy thunks. A memo or input body is checked at each instruction that
/// enters it; any of a lazy thunk's input bodies may have run, or none. An output of a lazy thunk
/// is read in a body that demanded it, or entered one that did, or within such a body.
///
/// A step of a loop is checked as if it were the only one: what belongs to it has to be empty where
/// it ends, is begun anew in the next one, and is not there behind the loop. What is outside of the
/// loop no step retires, and a body outside reads nothing of a step, whoever enters it. The states
/// of loops are not followed.
///
/// The paths are those that decide each register in one way (per decoding and number of arms), in
/// all bodies: what one branch wrote in an arm, a later branch on the same register may read in
/// that arm. Branches on two registers are independent, even where both hold the same value.
/// Nothing is said of a condition that takes more than some thousand steps to compute: a fault may
/// be missed there, but none is invented.
///
/// Throws Error(Runtime) that names the instruction or the body, the register and the rule.
/// Near-linear (register_flow.h); run in debug builds and tests.
void verify(const Program& program);

}  // namespace thunkvm

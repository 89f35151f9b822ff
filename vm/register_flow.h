// register_flow.h: what each register may hold at each instruction of a program: the part of the verifier that follows
// paths.
#pragma once

#include "vm/program.h"

#include <string>

namespace thunkvm {

/// Follows every path through the program's code and bodies, whose indices have to be in range, and throws Error(Runtime)
/// for the first that breaks a rule of `verify` about registers.
///
/// A body is followed once; where it is needed, what it wants of its caller and what it leaves is taken from that. Linear
/// in instructions, but for arms (each has a copy of what is known) and nested bodies (each hands on what those in it
/// leave): after four million copied entries, about a second, it ends, and the rest of a large program is not followed.
void check_register_flow(const Program& program);

/// "instruction 7 (Branch)", for messages.
std::string instruction_text(const Program& program, std::uint32_t pc);
/// "register 3 (x)", or "register 3" where there are no names.
std::string register_text(const Program& program, std::uint32_t index);
[[noreturn]] void throw_invalid(const std::string& place, const std::string& rule);

}  // namespace thunkvm

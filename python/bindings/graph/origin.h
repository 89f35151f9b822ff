// origin.h: the line of the user's code that made a node.
#pragma once

#include "python/bindings/python/python.h"

#include <string>

namespace thunkvm {

class Apply;

/// The line of the user's code that runs now, as a node that is made now would have it:
/// "fit.py:12 in step"; empty where no Python runs.
std::string origin_here();

/// The line that made a node, its file with the folders that it is in: "/home/me/fit.py:12 in
/// step"; empty where that is unknown.
std::string origin_path(const Apply& node);

/// Whether the instruction of the user's code that runs now is the one that made the last node:
/// Python, or what was called, made it by itself and asks something of it.
bool made_by_this_instruction();

}  // namespace thunkvm

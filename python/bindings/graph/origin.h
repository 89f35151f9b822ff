// origin.h: the line of the user's code that made a node, or that the caller says it comes from.
#pragma once

#include "ops/graph/variable.h"
#include "python/bindings/python/python.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace thunkvm {

/// An origin in its parts.
struct Place {
  std::string file;      ///< with the folders that it is in: "/home/me/fit.py"; empty if unknown
  int line = 0;          ///< 0 if unknown
  std::string function;  ///< whose code the line is; empty for a module's, and where it was given
  std::string text;      ///< what a caller gave beside the line; on one line
};

/// The line of the user's code that runs now, as a node that is made now would have it:
/// "fit.py:12 in step"; empty where no Python runs.
std::string origin_here();

/// The place that made a node, or that was given for it.
Place origin_place(const Apply& node);

/// An origin that a caller gives for the node of a Variable.
struct GivenOrigin {
  Variable variable;
  PyRef place;            ///< a tuple of two str: the file, and the text
  std::int32_t line = 0;  ///< 0: there is none
};

/// The graphs of `roots` where nodes have the origins that were given: the node of a Variable, and
/// those that it is computed by, up to nodes with given ones of their own. A node between two has
/// the origin that comes first. Leaves have none. Other nodes keep theirs. Linear; the nodes of
/// `roots` themselves do not change.
std::vector<Variable> with_origins(std::span<const Variable> roots,
                                   std::span<const GivenOrigin> given);

/// Whether the instruction of the user's code that runs now is the one that made the last node:
/// Python, or what was called, made it by itself and asks something of it.
bool made_by_this_instruction();

}  // namespace thunkvm

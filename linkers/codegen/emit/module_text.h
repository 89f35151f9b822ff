// module_text.h: the C of one module, while it is written.
#pragma once

#include "linkers/codegen/emit/c_text.h"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

namespace thunkvm {

/// A module as far as it was written.
struct ModuleText {
  std::uint32_t thunks = 0;
  CText nests, outlined;
  std::map<std::string, std::string> functions;             ///< of Ops, by name
  std::unordered_map<std::string, std::string> loop_names;  ///< by body
};

}  // namespace thunkvm

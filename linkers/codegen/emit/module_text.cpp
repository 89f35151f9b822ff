#include "linkers/codegen/emit/module_text.h"

#include "linkers/codegen/emit/loop_body.h"

#include <string>
#include <utility>

namespace thunkvm {

std::string ModuleText::add_loop(CText body, const LoopNest& nest, std::string name) {
  const auto [known, added] = loop_names.emplace(body.code(), std::move(name));
  if (nest.computes() && added) {
    loops.verbatim("void " + known->second + kLoopParameters + " {\n");
    loops.append(std::move(body));
    loops.verbatim("}\n\n");
  }
  return known->second;
}

}  // namespace thunkvm

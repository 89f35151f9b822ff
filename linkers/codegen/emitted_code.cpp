#include "linkers/codegen/emitted_code.h"

#include "linkers/codegen/prelude.h"

#include <cstdlib>
#include <string_view>

namespace thunkvm {

std::string EmittedCode::node_of(std::size_t module, const std::string& diagnostics) const {
  constexpr std::string_view kFile = "<stdin>:";
  for (std::size_t at = 0; (at = diagnostics.find(kFile, at)) != std::string::npos;) {
    at += kFile.size();
    const std::size_t line = std::strtoul(diagnostics.c_str() + at, nullptr, 10);
    if (line == 0) continue;  // "<stdin>: In function ..."
    std::string node;
    for (const auto& [first, text] : comments_[module])
      if (first <= line) node = text;
    return node;
  }
  return {};
}

std::string EmittedCode::readable() const {
  std::string text;
  for (std::size_t m = 0; m < readable_.size(); ++m)
    text += (readable_.size() > 1 ? "/* module " + std::to_string(m) + " */\n" : "") + readable_[m];
  return text;
}

void EmittedCode::load(
    std::shared_ptr<const void> modules,
    const std::function<void*(std::size_t module, const std::string& name)>& symbol) {
  for (const Function& function : functions_)
    functions.push_back(reinterpret_cast<NativeFunction>(symbol(function.module, function.name)));
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (loops[i].computes())
      loops[i].body = reinterpret_cast<FusedLoop::Body>(symbol(bodies_[i].module, bodies_[i].name));
  services = &kNativeServices;
  modules_ = std::move(modules);
}

}  // namespace thunkvm

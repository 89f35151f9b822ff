#include "linkers/codegen/emit/emitted_code.h"

#include "linkers/codegen/runtime/nest_executor.h"
#include "vm/disassembler.h"
#include "vm/native_services.h"

#include <cstdlib>
#include <map>
#include <set>
#include <string_view>

namespace thunkvm {
namespace {

int run_nest_of_call(NativeCall* call, std::uint32_t nest, const NumberBits* numbers,
                     NumberBits* results) {
  const auto& code = static_cast<const EmittedCode&>(*call->code);
  return run_nest(code.nests[nest], *call, numbers, results) ? 0 : 1;
}

}  // namespace

std::string EmittedCode::node_of(std::size_t module, const std::string& diagnostics) const {
  constexpr std::string_view kFile = "<stdin>:";
  for (std::size_t at = 0; (at = diagnostics.find(kFile, at)) != std::string::npos;) {
    at += kFile.size();
    const std::size_t line = std::strtoul(diagnostics.c_str() + at, nullptr, 10);
    if (line == 0) continue;  // "<stdin>: In function ..."
    const ProgramNode node = texts_[module].node_of(line);
    return node == kNone ? std::string() : name_of(node);
  }
  return {};
}

std::string EmittedCode::name_of(ProgramNode node) const {
  const std::string origin = nodes_[node].node()->origin_text();
  return program_->text->node(node) + (origin.empty() ? "" : ", " + origin);
}

std::string EmittedCode::readable() const {
  const std::map<std::uint32_t, RegisterRole> roles = register_roles(*program_);
  const auto name = [&](ProgramNode node) { return name_of(node); };
  const auto role = [&](std::uint32_t reg) -> std::string {
    const auto found = roles.find(reg);
    if (found == roles.end()) return {};
    const std::string given =
        found->second.is_given ? program_->text->register_name(reg) + ", " : "";
    return given + found->second.text;
  };
  std::string text;
  for (std::size_t m = 0; m < texts_.size(); ++m)
    text += (texts_.size() > 1 ? "/* module " + std::to_string(m) + " */\n" : "") +
            texts_[m].readable({name, role});
  return text;
}

std::vector<std::string> EmittedCode::defines(std::size_t module) const {
  std::set<std::string> names;
  for (const Function& function : functions_)
    if (function.module == module) names.insert(function.name);
  for (std::size_t i = 0; i < nests.size(); ++i)
    if (nests[i].computes() && bodies_[i].module == module) names.insert(bodies_[i].name);
  return {names.begin(), names.end()};
}

void EmittedCode::load(
    std::shared_ptr<const void> modules,
    const std::function<void*(std::size_t module, const std::string& name)>& symbol) {
  for (const Function& function : functions_)
    functions.push_back(reinterpret_cast<NativeFunction>(symbol(function.module, function.name)));
  for (std::size_t i = 0; i < nests.size(); ++i)
    if (nests[i].computes())
      nests[i].nest.body = reinterpret_cast<Nest::Body>(symbol(bodies_[i].module, bodies_[i].name));
  static const NativeServices kServices = native_services(&run_nest_of_call);
  services = &kServices;
  modules_ = std::move(modules);
}

}  // namespace thunkvm

#include "linkers/user_code/user_kernel.h"

#include "linkers/user_code/input_guard.h"
#include "ops/graph/op.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace thunkvm {

CompilerSettings KernelSource::settings() const {
  CompilerSettings settings = default_settings(language);
  if (command) settings.command = *command;
  return settings;
}

std::vector<ModulePtr> load_kernels(std::vector<KernelSource> sources, Host& host) {
  std::vector<ModulePtr> modules;
  while (!sources.empty()) {
    const KernelSource first = sources.front();
    std::vector<ModuleSource> alike;
    std::erase_if(sources, [&](const KernelSource& source) {
      const bool is = source.language == first.language && source.command == first.command;
      if (is) alike.push_back(source.module);
      return is;
    });
    try {
      std::ranges::move(load_modules(alike, first.settings(), host), std::back_inserter(modules));
    } catch (const CompileError&) {  // its node says so
    }
  }
  return modules;
}

UserKernel::UserKernel(const Apply& node)
    : op(node.op()->name()),
      location(c_location(node)),
      checks_inputs(checks_inputs_of_new_nodes()) {
  for (const Variable& input : node.inputs()) inputs.push_back(input.dtype());
  for (std::uint32_t j = 0; j < node.n_outputs(); ++j) {
    const TensorType& type = *node.output_type(j).tensor();
    outputs.push_back({type.dtype(), type.shape(), {}});
  }
  for (const auto& [j, viewed] : node.op()->view_map())
    for (const std::uint32_t i : viewed) outputs[j].looks_at.push_back(i);
  for (const auto& [j, overwritten] : node.op()->destroy_map())
    for (const std::uint32_t i : overwritten) {
      outputs[j].looks_at.push_back(i);
      destroyed.push_back(i);
    }
  std::ranges::sort(destroyed);
}

void UserKernel::load(const KernelSource& source, Host& host) {
  module = load_modules(std::span(&source.module, 1), source.settings(), host).front();
  run = module->function<KernelFn>(source.function.c_str());
}

std::string c_location(const Apply& node) {
  const std::string origin = node.origin_text();
  return "the C code of " + node.op()->name() + " (node " +
         const_cast<Apply&>(node).output(0).text() + (origin.empty() ? "" : ", made at " + origin) +
         ")";
}

}  // namespace thunkvm

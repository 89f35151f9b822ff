// building.cpp: from a description to the graph, with all that a damaged one may say refused.
#include "ops/descriptions/graph_desc.h"
#include "ops/descriptions/graph_file_error.h"
#include "ops/graph/registry.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace thunkvm {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw GraphFileError(message); }

// True for what ends the program's work, and says nothing of the file.
bool is_of_program(const Error& error) {
  return error.kind() == ErrorKind::Host || error.kind() == ErrorKind::Interrupted ||
         error.kind() == ErrorKind::Memory;
}

std::string joined(const std::vector<VarProto>& inputs) {
  std::string names;
  for (const VarProto& input : inputs) names += (names.empty() ? "" : ", ") + input.name;
  return names;
}

// The values of an Op's inputs in the order in which it takes them.
std::vector<std::string> in_order(const std::vector<VarProto>& inputs,
                                  const std::vector<SlotDesc>& slots) {
  for (const SlotDesc& slot : slots)
    if (std::ranges::count(inputs, slot.name, &VarProto::name) == 0)
      refuse("it has no input '" + slot.name + "'; it has: " + joined(inputs));
  std::vector<std::string> values;
  std::string left_out;
  for (const VarProto& input : inputs) {
    const auto slot = std::ranges::find(slots, input.name, &SlotDesc::name);
    const std::size_t n = slot == slots.end() ? 0 : slot->values.size();
    if (n != 1 && !input.variadic && !(n == 0 && input.is_optional))
      refuse("the input '" + input.name + "' has to be one value, not " + std::to_string(n));
    if (n > 0 && !left_out.empty())
      refuse("'" + input.name + "' is there, and '" + left_out + "' is left out");
    if (n == 0) left_out = input.name;
    if (n > 0) values.insert(values.end(), slot->values.begin(), slot->values.end());
  }
  return values;
}

class Builder {
 public:
  Builder(const GraphDesc& graph, const HostOps& host) : graph_(graph), host_(host) {}

  BuiltGraph built() && {
    for (const auto& [name, leaf] : graph_.leaves) define(name, leaf);
    for (std::size_t i = 0; i < graph_.ops.size(); ++i) {
      const OpDesc& desc = graph_.ops[i];
      try {
        make(desc);
      } catch (const Error& error) {
        if (is_of_program(error)) throw;
        refuse("ops[" + std::to_string(i) + "] (" + desc.type + "): " + error.what());
      }
    }
    BuiltGraph built;
    built.inputs = inputs();
    for (const std::string& name : graph_.outputs)
      built.outputs.push_back(value(name, "outputs: "));
    built.values = std::move(values_);
    return built;
  }

 private:
  void define(const std::string& name, const Variable& value) {
    if (!values_.emplace(name, value).second) refuse("two values are called '" + name + "'");
  }

  const Variable& value(const std::string& name, const char* place = "") const {
    if (const auto found = values_.find(name); found != values_.end()) return found->second;
    for (std::size_t i = 0; i < graph_.ops.size(); ++i)
      if (std::ranges::count(graph_.ops[i].outputs, name) > 0)
        refuse(std::string(place) + "it reads '" + name + "', which ops[" + std::to_string(i) +
               "] computes, not before it: a graph has no cycle");
    refuse(std::string(place) + "it reads '" + name + "', which nothing computes");
  }

  std::vector<Variable> inputs() const {
    std::vector<Variable> inputs;
    std::unordered_set<std::string_view> known;
    for (const std::string& name : graph_.inputs) {
      inputs.push_back(value(name, "inputs: "));
      if (!known.insert(name).second) refuse("inputs: one of them is there twice");
      if (inputs.back().leaf() != Leaf::Input)
        refuse("inputs: " + inputs.back().text() + " is no free variable");
    }
    return inputs;
  }

  // Those of the host's Op of that name; null where it has none.
  const std::vector<VarProto>* inputs_of_host(const std::string& type) {
    auto found = of_host_.find(type);
    if (found == of_host_.end()) found = of_host_.emplace(type, host_.inputs(type)).first;
    return found->second ? &*found->second : nullptr;
  }

  void make(const OpDesc& desc) {
    const std::vector<VarProto>* const of_host = inputs_of_host(desc.type);
    const std::vector<VarProto>& takes = of_host ? *of_host : OpRegistry::proto(desc.type).inputs;
    std::vector<Variable> inputs;
    for (const std::string& name : in_order(takes, desc.inputs)) inputs.push_back(value(name));
    const std::vector<Variable> made = of_host
                                           ? host_.apply(desc.type, desc.host_attributes, inputs)
                                           : apply_op(desc.type, inputs, desc.attributes);
    const auto fits = [&](const auto& said) { return said.empty() || said.size() == made.size(); };
    if (made.size() != desc.outputs.size() || !fits(desc.types) || !fits(desc.names))
      refuse("it has " + std::to_string(made.size()) + " outputs; it is said to have others");
    for (std::size_t j = 0; j < made.size(); ++j) {
      const Type& type = made[j].type();
      if (!desc.types.empty() && !type.equals(*desc.types[j]))
        refuse("its output '" + desc.outputs[j] + "' is " + type.text() + ", not " +
               desc.types[j]->text());
      define(desc.outputs[j], made[j]);
      if (!desc.names.empty() && !desc.names[j].empty() && !made[j].is_leaf())
        made[j].set_name(desc.names[j]);
    }
  }

  const GraphDesc& graph_;
  const HostOps& host_;
  std::unordered_map<std::string, Variable> values_;
  std::unordered_map<std::string, std::optional<std::vector<VarProto>>> of_host_;
};

}  // namespace

BuiltGraph build(const GraphDesc& graph, const HostOps& host) {
  return Builder(graph, host).built();
}

}  // namespace thunkvm

#include "linkers/codegen/emit/annotations.h"

#include <algorithm>

namespace thunkvm {

Annotations::Annotations(const Plan& plan) : plan_(plan), schedule_(plan.schedule()) {
  for (const auto* list : {&schedule_.constants, &schedule_.inputs, &schedule_.shared,
                           &schedule_.outputs, &schedule_.updates})
    roles_.insert(list->begin(), list->end());
  for (std::uint32_t m = 0; m < schedule_.memos.size(); ++m) memos_[schedule_.body(m).begin] = m;
}

/// Each register once, in this order.
std::string Annotations::from_to(const std::vector<std::uint32_t>& inputs,
                                 const std::vector<std::uint32_t>& outputs,
                                 std::set<std::uint32_t>& named) const {
  std::string text;
  for (const auto* registers : {&outputs, &inputs})
    for (auto reg = registers->begin(); reg != registers->end(); ++reg) {
      if (std::find(registers->begin(), reg, *reg) != reg) continue;
      if (reg != registers->begin())
        text += ", ";
      else if (registers == &inputs)
        text += " from ";
      const bool local = plan_.reg(*reg).local;
      if (!local) named.insert(*reg);
      text += (local ? "r" : "R[") + std::to_string(*reg) + (local ? "" : "]");
    }
  return text;
}

Annotation Annotations::call(std::uint32_t step, std::set<std::uint32_t>& named) const {
  const Operands& o = plan_.program().steps[step].operands;
  const std::uint32_t* const outputs = o.registers + o.n_inputs;
  return {{from_to({o.registers, outputs}, {outputs, outputs + o.n_outputs}, named)}};
}

Annotation Annotations::loop(const LoopNest& loop, const std::string& index,
                             const std::string& body, std::set<std::uint32_t>& named) const {
  if (!loop.computes()) return {{"nothing but the lengths of it is read"}};
  std::vector<std::uint32_t> inputs, outputs;
  for (const LoopNest::Output& output : loop.outputs)
    outputs.insert(outputs.end(), output.registers.begin(), output.registers.end());
  for (const LoopNest::Result& result : loop.results) outputs.push_back(result.reg);
  for (const LoopNest::Source& source : loop.sources) inputs.push_back(source.reg);
  return {{from_to(inputs, outputs, named) + (body == "loop_" + index ? "" : ", by " + body)}};
}

Annotation Annotations::need(std::uint32_t memo) const {
  return {{"needs ", schedule_.memos[memo].node}};
}

Annotation Annotations::block_at(std::uint32_t statement) const {
  const auto found = memos_.find(statement);
  if (found == memos_.end()) return {};
  return {{"memo " + std::to_string(found->second) + ": ", schedule_.memos[found->second].node}};
}

Annotation Annotations::registers(const std::set<std::uint32_t>& named) const {
  Annotation list;
  for (const std::uint32_t reg : named)
    if (roles_.contains(reg))
      list.push_back({(list.empty() ? "R[" : "; R[") + std::to_string(reg) + "] ", kNone, reg});
  return list;
}

}  // namespace thunkvm

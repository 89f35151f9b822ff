#include "linkers/codegen/emit/annotations.h"

#include <algorithm>

namespace thunkvm {

/// A list of them, each once, in the order of their adding.
class Annotations::Registers {
 public:
  Registers(const Plan& plan, std::set<std::uint32_t>& named) : plan_(plan), named_(named) {}

  void add(std::uint32_t reg) {
    if (std::find(added_.begin(), added_.end(), reg) != added_.end()) return;
    added_.push_back(reg);
    const std::string index = std::to_string(reg);
    text_ += text_.empty() ? "" : ", ";
    const bool local = plan_.reg(reg).local;
    if (!local) named_.insert(reg);
    text_ += local ? "r" + index : "R[" + index + "]";
  }
  std::string from(const Registers& inputs) const {
    return text_ + (inputs.text_.empty() ? "" : " from " + inputs.text_);
  }

 private:
  const Plan& plan_;
  std::set<std::uint32_t>& named_;
  std::vector<std::uint32_t> added_;
  std::string text_;
};

Annotations::Annotations(const Plan& plan) : plan_(plan), program_(plan.program()) {
  const Schedule& schedule = plan.schedule();
  for (const auto* list : {&schedule.constants, &schedule.inputs, &schedule.shared,
                           &schedule.outputs, &schedule.updates})
    roles_.insert(list->begin(), list->end());
  for (std::uint32_t m = 0; m < schedule.memos.size(); ++m)
    memos_[schedule.blocks[schedule.memos[m].block].begin] = m;
}

Annotation Annotations::call(std::uint32_t step, std::set<std::uint32_t>& named) const {
  const Operands& o = program_.steps[step].operands;
  Registers outputs(plan_, named), inputs(plan_, named);
  for (int j = 0; j < o.n_outputs; ++j) outputs.add(o.output(j));
  for (int i = 0; i < o.n_inputs; ++i) inputs.add(o.input(i));
  return outputs.from(inputs);
}

Annotation Annotations::loop(const LoopNest& loop, const std::string& index,
                             const std::string& body, std::set<std::uint32_t>& named) const {
  if (!loop.computes()) return Annotation("nothing but the lengths of it is read");
  Registers outputs(plan_, named), inputs(plan_, named);
  for (const LoopNest::Output& output : loop.outputs)
    for (const std::uint32_t reg : output.registers) outputs.add(reg);
  for (const LoopNest::Reduction& reduction : loop.reductions) outputs.add(reduction.reg);
  for (const LoopNest::Source& source : loop.sources) inputs.add(source.reg);
  return outputs.from(inputs) + (body == "loop_" + index ? "" : ", by " + body);
}

Annotation Annotations::need(std::uint32_t memo) const {
  return Annotation("needs ").add({Named::Kind::Node, program_.memos[memo].node});
}

Annotation Annotations::block_at(std::uint32_t statement) const {
  const auto found = memos_.find(statement);
  if (found == memos_.end()) return {};
  return Annotation("memo " + std::to_string(found->second) + ": ")
      .add({Named::Kind::Node, program_.memos[found->second].node});
}

Annotation Annotations::registers(const std::set<std::uint32_t>& named) const {
  Annotation list;
  for (const std::uint32_t reg : named)
    if (roles_.contains(reg))
      list.add((list.empty() ? "R[" : "; R[") + std::to_string(reg) + "] ")
          .add({Named::Kind::Register, reg});
  return list;
}

}  // namespace thunkvm

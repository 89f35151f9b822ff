#include "linkers/codegen/emit/chunk_notes.h"

#include "linkers/codegen/plan/c_text.h"

#include <algorithm>
#include <cstdlib>

namespace thunkvm {

/// A list of them, each once, in the order of their adding.
class ChunkNotes::Registers {
 public:
  explicit Registers(const Plan& plan) : plan_(plan) {}

  void add(std::uint32_t reg) {
    if (std::find(added_.begin(), added_.end(), reg) != added_.end()) return;
    added_.push_back(reg);
    const std::string index = std::to_string(reg);
    text_ += text_.empty() ? "" : ", ";
    text_ += plan_.reg(reg).local ? "r" + index : "R[" + index + "]";
  }
  std::string from(const Registers& inputs) const {
    return text_ + (inputs.text_.empty() ? "" : " from " + inputs.text_);
  }

 private:
  const Plan& plan_;
  std::vector<std::uint32_t> added_;
  std::string text_;
};

ChunkNotes::ChunkNotes(const Plan& plan) : plan_(plan), program_(plan.program()) {
  const Schedule& schedule = plan.schedule();
  for (const auto* list : {&schedule.constants, &schedule.inputs, &schedule.shared,
                           &schedule.outputs, &schedule.updates})
    roles_.insert(list->begin(), list->end());
  for (std::uint32_t m = 0; m < schedule.memos.size(); ++m)
    memos_[schedule.blocks[schedule.memos[m].block].begin] = m;
}

std::string ChunkNotes::call(std::uint32_t step) const {
  const Operands& o = program_.steps[step].operands;
  Registers outputs(plan_), inputs(plan_);
  for (int j = 0; j < o.n_outputs; ++j) outputs.add(o.output(j));
  for (int i = 0; i < o.n_inputs; ++i) inputs.add(o.input(i));
  return note(outputs.from(inputs));
}

std::string ChunkNotes::loop(const LoopNest& loop, const std::string& index,
                             const std::string& body) const {
  if (!loop.computes()) return note("nothing but the lengths of it is read");
  Registers outputs(plan_), inputs(plan_);
  for (const LoopNest::Output& output : loop.outputs)
    for (const std::uint32_t reg : output.registers) outputs.add(reg);
  for (const LoopNest::Reduction& fold : loop.reductions) outputs.add(fold.reg);
  for (const LoopNest::Source& source : loop.sources) inputs.add(source.reg);
  return note(outputs.from(inputs) + (body == "loop_" + index ? "" : ", by " + body));
}

std::string ChunkNotes::need(std::uint32_t memo) const {
  return note("needs " + node_mark(program_.memos[memo].node));
}

std::string ChunkNotes::block_at(std::uint32_t statement) const {
  const auto found = memos_.find(statement);
  if (found == memos_.end()) return "";
  return note("memo " + std::to_string(found->second) + ": " +
              node_mark(program_.memos[found->second].node));
}

std::string ChunkNotes::registers(const std::string& text) const {
  std::set<std::uint32_t> named;
  for (std::size_t at = 0; (at = text.find("R[", at)) != std::string::npos; at += 2)
    named.insert(static_cast<std::uint32_t>(std::strtoul(text.c_str() + at + 2, nullptr, 10)));
  std::string list;
  for (const std::uint32_t reg : named) {
    if (!roles_.contains(reg)) continue;
    list += (list.empty() ? "R[" : "; R[") + std::to_string(reg) + "] " + register_mark(reg);
  }
  return note(list);
}

}  // namespace thunkvm

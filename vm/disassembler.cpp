// disassembler.cpp: one instruction a line, with everything it refers to beside it.
#include "vm/disassembler.h"

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace thunkvm {

namespace {

std::string number(double value) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// A constant, short: a number, or the dtype and shape of an array.
std::string value_text(const Cell& cell) {
  if (cell.is_object()) return "object";
  if (cell.is_array()) return std::string(name(cell.dtype())) + format_shape(cell.array().shape());
  const std::string dtype(name(cell.dtype()));
  return visit_dtype(cell.dtype(), "a constant", [&](auto type) -> std::string {
    using T = typename decltype(type)::type;
    const T value = cell.get<T>();
    if constexpr (std::is_same_v<T, bool>)
      return value ? "true" : "false";
    else if constexpr (std::is_integral_v<T>)
      return std::to_string(value) + " " + dtype;
    else if constexpr (std::is_same_v<T, Half>)
      return number(static_cast<float>(value)) + " " + dtype;
    else if constexpr (std::is_floating_point_v<T>)
      return number(value) + " " + dtype;
    else
      return number(value.real()) + (std::signbit(value.imag()) ? "" : "+") + number(value.imag()) +
             "j " + dtype;
  });
}

class Disassembler {
 public:
  explicit Disassembler(const Program& program) : program_(program) {}

  std::string text() {
    text_ = std::to_string(program_.code.size()) + " instructions, " +
            std::to_string(program_.n_registers) + " registers, " +
            std::to_string(program_.n_nodes) + " nodes" +
            (program_.retain_intermediates ? ", keeps its values" : "") + "\n";
    for (const auto& [index, role] : register_roles(program_))
      text_ += "  " + reg(index) + "  " + role.text + "\n";
    for (std::size_t l = 0; l < program_.lazies.size(); ++l) lazy(l);
    find_titles();
    for (const Pc pc : program_.code.indices()) {
      if (const auto found = titles_.find(pc); found != titles_.end())
        for (const std::string& title : found->second) text_ += title + ":\n";
      std::string index = std::to_string(pc);
      text_ += std::string(index.size() < 5 ? 5 - index.size() : 0, ' ') + index + "  ";
      instruction(program_.code[pc]);
    }
    return std::move(text_);
  }

 private:
  std::string reg(std::uint32_t index) const {
    std::string text = "%" + std::to_string(index);
    const std::string name = program_.text == nullptr ? "" : program_.text->register_name(index);
    return name.empty() ? text : text + ":" + name;
  }
  std::string node(ProgramNode node) const {
    if (node == kNone) return "no node";
    return program_.text == nullptr ? "node " + std::to_string(node) : program_.text->node(node);
  }
  template <class Register>
  std::string list(std::size_t count, Register&& index) const {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + reg(index(i));
    return text;
  }
  std::string retires(std::uint32_t first, std::uint32_t count) const {
    return list(count, [&](std::size_t i) { return program_.retires[first + i]; });
  }

  void lazy(std::size_t index) {
    const Lazy& lazy = program_.lazies[index];
    text_ += "  lazy " + std::to_string(index) + "  " + node(lazy.node) + ": " +
             outputs(lazy.operands) + " =";
    for (int i = 0; i < lazy.operands.n_inputs; ++i)
      text_ += (i == 0 ? " " : ", ") + reg(lazy.operands.input(i)) + " by " +
               std::to_string(program_.bodies[lazy.first_body + static_cast<std::uint32_t>(i)].pc);
    text_ += "  counter=" + std::to_string(lazy.counter) + "\n";
  }

  void find_titles() {
    for (std::size_t b = 0; b < program_.bodies.size(); ++b) {
      const Body& body = program_.bodies[b];
      titles_[body.pc].push_back(
          body.kind == Body::Kind::Loop
              ? "loop " + std::to_string(body.number) + ", " + node(body.node)
          : body.kind == Body::Kind::Memo
              ? "memo " + std::to_string(b) + ", " + node(body.node)
              : "lazy " + std::to_string(body.owner) + ", input " + std::to_string(body.number));
    }
  }

  std::string outputs(const Operands& operands) const {
    return list(operands.n_outputs,
                [&](std::size_t j) { return operands.output(static_cast<int>(j)); });
  }

  void instruction(const Instruction& instruction) {
    text_ += name(instruction.op);
    const std::uint32_t values[] = {instruction.a, instruction.b, instruction.c};
    const std::uint32_t* value = values;
    std::string referents;
    for (const auto& [operand, kind] : operands(instruction.op)) {
      const bool is_register = kind == OperandKind::To || kind == OperandKind::From;
      text_ +=
          " " + std::string(operand) + "=" + (is_register ? reg(*value) : std::to_string(*value));
      referents += referent(kind, value++);
    }
    text_ += referents + ((instruction.flag & kTake) != 0 ? "  take\n" : "\n");
  }

  /// What an operand refers to. `value` is among all of its instruction.
  std::string referent(OperandKind kind, const std::uint32_t* value) const {
    switch (kind) {
      case OperandKind::Branch: return "  " + branch(program_.branches[*value]);
      case OperandKind::Steps: return steps(StepIndex(value[0]), value[1]);
      case OperandKind::Retires: return "  " + retires(value[0], value[1]);
      case OperandKind::Memo: return "  " + node(program_.bodies[*value].node);
      case OperandKind::Loop: return "  " + node(program_.loops[*value].node);
      case OperandKind::Lazy: return "  " + node(program_.lazies[*value].node);
      case OperandKind::Output:
        return ": " + reg(program_.lazies[value[-1]].operands.output(static_cast<int>(*value)));
      case OperandKind::Number:
      case OperandKind::Pc:
      case OperandKind::To:
      case OperandKind::From: break;
    }
    return {};
  }

  std::string branch(const Branch& branch) const {
    std::string text = node(branch.node) + ": " + std::string(name(branch.decoding)) + " of " +
                       reg(branch.selector);
    for (std::uint32_t arm = 0; arm < branch.n_arms; ++arm) {
      const bool otherwise =
          branch.decoding == Decoding::IndexOrDefault && arm + 1 == branch.n_arms;
      text += ", " + (otherwise ? "else" : std::to_string(arm)) + " -> " +
              std::to_string(program_.targets[branch.first_target + arm]);
    }
    return text + "  counter=" + std::to_string(branch.first_counter);
  }

  /// Each on a line of its own.
  std::string steps(StepIndex first, std::uint32_t count) const {
    std::string text;
    for (StepIndex s = first; s < first + count; ++s) {
      const Step& step = program_.steps[s];
      text += "\n         " + node(step.node) + ": " + outputs(step.operands);
      if (step.operands.n_inputs != 0)
        text += " = " + list(step.operands.n_inputs, [&](std::size_t i) {
                  return step.operands.input(static_cast<int>(i));
                });
      std::string dying;
      for (int i = 0; i < step.operands.n_inputs; ++i)
        if (step.operands.dies(i))
          dying += (dying.empty() ? "" : ", ") + reg(step.operands.input(i));
      if (!dying.empty()) text += "  dying " + dying;
      if (step.retire_count != 0)
        text += "  retire " + retires(step.retire_first, step.retire_count);
    }
    return text;
  }

  const Program& program_;
  std::map<Pc, std::vector<std::string>> titles_;  ///< by the pc where a body begins
  std::string text_;
};

}  // namespace

std::map<std::uint32_t, RegisterRole> register_roles(const Program& program) {
  std::map<std::uint32_t, RegisterRole> roles;
  const auto add = [&](std::uint32_t index, const std::string& role) {
    std::string& text = roles[index].text;
    text += (text.empty() ? "" : ", ") + role;
  };
  const auto add_all = [&](const std::vector<std::uint32_t>& indices, const char* role) {
    for (std::size_t i = 0; i < indices.size(); ++i)
      add(indices[i], std::string(role) + " " + std::to_string(i));
  };
  for (const auto& [index, value] : program.constants) add(index, "constant " + value_text(value));
  add_all(program.inputs, "input");
  add_all(program.shared, "shared");
  add_all(program.outputs, "output");
  add_all(program.updates, "update");
  for (const std::vector<std::uint32_t>* given : {&program.inputs, &program.shared})
    for (const std::uint32_t index : *given) roles[index].is_given = true;
  return roles;
}

std::string disassemble(const Program& program) { return Disassembler(program).text(); }

}  // namespace thunkvm

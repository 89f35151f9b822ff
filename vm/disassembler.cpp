// disassembler.cpp: one instruction a line, with everything it refers to beside it.
#include "vm/disassembler.h"

#include <algorithm>
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
    for (std::uint32_t pc = 0; pc < program_.code.size(); ++pc) {
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
  std::string node(std::uint32_t node) const {
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
    // The operands under the names that the list of opcodes gives them.
    const std::uint32_t values[] = {instruction.a, instruction.b, instruction.c};
    std::string_view names = operands(instruction.op);
    for (int i = 0; !names.empty(); ++i) {
      const std::string_view operand = names.substr(0, names.find(' '));
      text_ += " " + std::string(operand) + "=";
      const bool is_register = operand == "to" || operand == "from";
      text_ += is_register ? reg(values[i]) : std::to_string(values[i]);
      names.remove_prefix(std::min(names.size(), operand.size() + 1));
    }
    switch (instruction.op) {
      case Opcode::Branch:
        branch(program_.branches[instruction.a]);
        text_ += (instruction.flag & kTake) != 0 ? "  take" : "";
        break;
      case Opcode::Move: text_ += (instruction.flag & kTake) != 0 ? "  take" : ""; break;
      case Opcode::Need: text_ += "  " + node(program_.bodies[instruction.a].node); break;
      case Opcode::Lazy: {
        const Lazy& lazy = program_.lazies[instruction.a];
        text_ += "  " + node(lazy.node) + ": " +
                 reg(lazy.operands.output(static_cast<int>(instruction.b)));
        break;
      }
      case Opcode::Loop:
      case Opcode::Again: text_ += "  " + node(program_.loops[instruction.a].node); break;
      case Opcode::Release: text_ += "  " + node(program_.lazies[instruction.a].node); break;
      case Opcode::Retire: text_ += "  " + retires(instruction.a, instruction.b); break;
      default: break;
    }
    text_ += "\n";
    if (instruction.op == Opcode::Run)
      for (std::uint32_t i = instruction.a; i < instruction.a + instruction.b; ++i)
        step(program_.steps[i]);
  }

  void branch(const Branch& branch) {
    text_ += "  " + node(branch.node) + ": " + std::string(name(branch.decoding)) + " of " +
             reg(branch.selector);
    for (std::uint32_t arm = 0; arm < branch.n_arms; ++arm) {
      const bool otherwise =
          branch.decoding == Decoding::IndexOrDefault && arm + 1 == branch.n_arms;
      text_ += ", " + (otherwise ? "else" : std::to_string(arm)) + " -> " +
               std::to_string(program_.targets[branch.first_target + arm]);
    }
    text_ += "  counter=" + std::to_string(branch.first_counter);
  }

  void step(const Step& step) {
    text_ += "         " + node(step.node) + ": " + outputs(step.operands);
    if (step.operands.n_inputs != 0)
      text_ += " = " + list(step.operands.n_inputs, [&](std::size_t i) {
                 return step.operands.input(static_cast<int>(i));
               });
    std::string dying;
    for (int i = 0; i < step.operands.n_inputs; ++i)
      if (step.operands.dies(i)) dying += (dying.empty() ? "" : ", ") + reg(step.operands.input(i));
    if (!dying.empty()) text_ += "  dying " + dying;
    if (step.retire_count != 0)
      text_ += "  retire " + retires(step.retire_first, step.retire_count);
    text_ += "\n";
  }

  const Program& program_;
  std::map<std::uint32_t, std::vector<std::string>> titles_;  ///< by the pc where a body begins
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

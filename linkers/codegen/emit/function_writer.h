// function_writer.h: writes the C of one function, and notes the names that it uses.
#pragma once

#include "linkers/codegen/emit/c_text.h"
#include "linkers/codegen/plan/plan.h"
#include "linkers/schedule/statement_index.h"
#include "vm/indices.h"

#include <cstdint>
#include <set>
#include <span>
#include <string>

namespace thunkvm {

class FunctionWriter {
 public:
  FunctionWriter(const Plan& plan, std::uint32_t outlined) : plan_(plan), outlined_(outlined) {}

  /// True if a register is a variable of this function.
  bool is_variable(std::uint32_t reg) const {
    const RegisterForm& form = plan_.reg(reg);
    return form.local && (form.state_of == kNone || form.state_of == outlined_);
  }

  CText text{1};

  // Parts of expressions.
  std::string cell(std::uint32_t reg);
  /// A cell of its own, with the number that is a variable.
  std::string cell_of_local(std::uint32_t reg);
  std::string service(const std::string& name);
  /// The number in a register, or in its variable.
  std::string read(std::uint32_t reg);
  /// The array in a register.
  std::string array(std::uint32_t reg);
  /// The name of a statement in C, within the function and for the interpreter.
  Pc pc(StatementIndex statement) const { return plan_.schedule().statements[statement].pc; }
  /// To a statement with an instruction: within this function, or by way of the interpreter.
  std::string go(StatementIndex statement);
  std::string leave(StatementIndex statement) const { return join("return ", pc(statement), ";"); }
  /// The call has failed: leaves the function, or the memo body within it. `noted`, if there is
  /// one, is called first and notes the failure.
  std::string fail(const std::string& noted = {});

  // Statements.
  void write(std::uint32_t reg, const std::string& value);
  /// Puts a number that is a variable into its register, for code that reads it there.
  void spill(std::uint32_t reg);
  /// Takes a number that is a variable out of its register.
  void load(std::uint32_t reg);
  void retire(std::span<const std::uint32_t> registers);
  void count(std::uint32_t counter);
  /// From here on the code is that of a memo body within the function; kNone: its own again.
  void begin_body(std::uint32_t memo) { body_ = memo; }
  std::uint32_t body() const { return body_; }
  /// True if code that may fail was written in this memo body.
  bool may_fail(std::uint32_t memo) const { return failing_.contains(memo); }
  /// Calls a service, or one that may fail.
  template <class... Arguments>
  void call(const std::string& name, const Arguments&... arguments) {
    text.line(service(name), "(call, ", arguments..., ");");
  }
  template <class... Arguments>
  void call_or_fail(const std::string& name, const Arguments&... arguments) {
    text.line("if (", service(name), "(call, ", arguments..., ")) ", fail());
  }
  /// The label of the statement, if code jumps to it: code jumps forward only.
  void label(StatementIndex statement);

  /// Annotates the next call with its operands, and more: "R[4] from R[2], r3".
  void annotate_call(std::span<const std::uint32_t> inputs, std::span<const std::uint32_t> outputs,
                     const std::string& more = {});

  /// The declarations of the names that the text uses, and annotations of its registers. They go in
  /// front of it.
  void declare(CText& head) const;

 private:
  std::string list(std::span<const std::uint32_t> registers);
  void store(std::uint32_t reg, const std::string& value);

  const Plan& plan_;
  const std::uint32_t outlined_;
  bool uses_cells_ = false, uses_counters_ = false, uses_services_ = false;
  std::set<std::uint32_t> named_, locals_;
  std::set<StatementIndex> labels_;
  std::uint32_t body_ = kNone;
  std::set<std::uint32_t> failing_;  // memo bodies
};

}  // namespace thunkvm

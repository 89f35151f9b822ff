#include "linkers/codegen/emit/function_writer.h"

#include "linkers/codegen/emit/prelude.h"
#include "ops/graph/c_template.h"

#include <algorithm>
#include <map>

namespace thunkvm {

std::string FunctionWriter::cell(std::uint32_t reg) {
  uses_cells_ = true;
  named_.insert(reg);
  return join("R[", reg, "]");
}

std::string FunctionWriter::cell_of_local(std::uint32_t reg) {
  const DType dtype = plan_.reg(reg).dtype;
  return join("(tv_cell){{.", c_type(dtype), " = ", read(reg), "}, ", cell_meta_name(dtype), "}");
}

std::string FunctionWriter::service(const std::string& name) {
  uses_services_ = true;
  return "S->" + name;
}

std::string FunctionWriter::read(std::uint32_t reg) {
  const RegisterForm& form = plan_.reg(reg);
  if (!is_variable(reg)) return cell(reg) + ".value." + c_type(form.dtype);
  locals_.insert(reg);
  return join("r", reg);
}

std::string FunctionWriter::array(std::uint32_t reg) { return cell(reg) + ".value.array"; }

std::string FunctionWriter::go(StatementIndex statement) {
  if (plan_.outlined_at(statement) != outlined_) return leave(statement);
  labels_.insert(statement);
  return join("goto L", pc(statement), ";");
}

std::string FunctionWriter::fail(const std::string& noted) {
  if (body_ == kNone) return "return " + (noted.empty() ? "" : noted + ", ") + "TV_FAILED;";
  failing_.insert(body_);
  const std::string leave = join("goto failed_", body_, ";");
  return noted.empty() ? leave : "{ " + noted + "; " + leave + " }";
}

void FunctionWriter::write(std::uint32_t reg, const std::string& value) {
  if (!is_variable(reg)) return store(reg, value);
  text.line(read(reg), " = ", value, ";");
}

void FunctionWriter::store(std::uint32_t reg, const std::string& value) {
  const DType dtype = plan_.reg(reg).dtype;
  const std::string c = cell(reg);
  if (item_size(dtype) < 8) text.line(c, ".value.u64 = 0;");
  text.line(c, ".value.", c_type(dtype), " = ", value, ";");
  text.line(c, ".meta = ", cell_meta_name(dtype), ";");
}

void FunctionWriter::spill(std::uint32_t reg) {
  if (is_variable(reg)) store(reg, read(reg));
}

void FunctionWriter::load(std::uint32_t reg) {
  if (!is_variable(reg)) return;
  text.line(read(reg), " = ", cell(reg), ".value.", c_type(plan_.reg(reg).dtype), ";");
  text.line(cell(reg), ".meta = 0;");
}

void FunctionWriter::retire(std::span<const std::uint32_t> registers) {
  for (const std::uint32_t reg : registers) {
    const RegisterForm& form = plan_.reg(reg);
    if (is_variable(reg)) continue;
    uses_services_ |= !form.number;
    text.line(form.number ? cell(reg) + ".meta = 0;" : "TV_RETIRE(" + cell(reg) + ");");
  }
}

void FunctionWriter::count(std::uint32_t counter) {
  uses_counters_ = true;
  text.line("++N[", counter, "];");
}

void FunctionWriter::label(StatementIndex statement) {
  if (labels_.contains(statement)) text.label("L", pc(statement));
}

void FunctionWriter::annotate_call(std::span<const std::uint32_t> inputs,
                                   std::span<const std::uint32_t> outputs,
                                   const std::string& more) {
  text.annotate({{list(outputs) + (inputs.empty() ? "" : " from ") + list(inputs) + more}});
}

/// Each once.
std::string FunctionWriter::list(std::span<const std::uint32_t> registers) {
  std::string text;
  for (auto reg = registers.begin(); reg != registers.end(); ++reg) {
    if (std::find(registers.begin(), reg, *reg) != reg) continue;
    const bool local = is_variable(*reg);
    if (!local) named_.insert(*reg);
    text += join(text.empty() ? "" : ", ", local ? "r" : "R[", *reg, local ? "" : "]");
  }
  return text;
}

void FunctionWriter::declare(CText& head) const {
  for (const std::uint32_t reg : named_) head.annotate({{join("R[", reg, "] "), kNone, reg}});
  if (uses_cells_) head.line("tv_cell *const R = call->cells;");
  if (uses_counters_) head.line("u64 *const N = call->counters;");
  if (uses_services_) head.line("const tv_services *const S = call->services;");
  std::map<std::string, std::string> declared;
  for (const std::uint32_t reg : locals_) {
    std::string& list = declared[c_type(plan_.reg(reg).dtype)];
    list += join(list.empty() ? " r" : ", r", reg, " = 0");
  }
  for (const auto& [type, list] : declared) head.line(type, list, ";");
}

}  // namespace thunkvm

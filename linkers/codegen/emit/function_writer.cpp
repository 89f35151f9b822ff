#include "linkers/codegen/emit/function_writer.h"

#include "linkers/codegen/emit/prelude.h"
#include "ops/graph/c_template.h"

#include <map>

namespace thunkvm {

std::string FunctionWriter::cell(std::uint32_t reg) {
  uses_cells_ = true;
  named.insert(reg);
  return "R[" + std::to_string(reg) + "]";
}

std::string FunctionWriter::service(const std::string& name) {
  uses_services_ = true;
  return "S->" + name;
}

std::string FunctionWriter::read(std::uint32_t reg) {
  const RegisterForm& form = plan_.reg(reg);
  if (!form.local) return cell(reg) + ".value." + member(form.dtype);
  locals_.insert(reg);
  return "r" + std::to_string(reg);
}

std::string FunctionWriter::array(std::uint32_t reg) { return cell(reg) + ".value.array"; }

std::string FunctionWriter::go(std::uint32_t pc) {
  labels_.insert(pc);
  return "goto L" + std::to_string(pc) + ";";
}

std::string FunctionWriter::fail(const std::string& noted) {
  if (body_ == kNone) return "return " + (noted.empty() ? "" : noted + ", ") + "TV_FAILED;";
  failing_.insert(body_);
  const std::string leave = "goto failed_" + std::to_string(body_) + ";";
  return noted.empty() ? leave : "{ " + noted + "; " + leave + " }";
}

std::string FunctionWriter::member(DType dtype) { return c_type(dtype); }

void FunctionWriter::write(std::uint32_t reg, const std::string& value) {
  const RegisterForm& form = plan_.reg(reg);
  if (form.local) {
    locals_.insert(reg);
    text.line("r" + std::to_string(reg) + " = " + value + ";");
    return;
  }
  store(reg, value);
}

void FunctionWriter::store(std::uint32_t reg, const std::string& value) {
  const DType dtype = plan_.reg(reg).dtype;
  const std::string c = cell(reg);
  if (item_size(dtype) < 8) text.line(c + ".value.u64 = 0;");
  text.line(c + ".value." + member(dtype) + " = " + value + ";");
  text.line(c + ".meta = " + cell_meta_name(dtype) + ";");
}

void FunctionWriter::spill(std::uint32_t reg) {
  if (plan_.reg(reg).local) store(reg, read(reg));
}

void FunctionWriter::retire(std::span<const std::uint32_t> registers) {
  for (const std::uint32_t reg : registers) {
    const RegisterForm& form = plan_.reg(reg);
    if (form.local) continue;
    uses_services_ |= !form.number;
    text.line(form.number ? cell(reg) + ".meta = 0;" : "tv_retire(S, &" + cell(reg) + ");");
  }
}

void FunctionWriter::count(std::uint32_t counter) {
  uses_counters_ = true;
  text.line("++N[" + std::to_string(counter) + "];");
}

void FunctionWriter::call_or_fail(const std::string& name, const std::string& arguments) {
  text.line("if (" + service(name) + "(call, " + arguments + ")) " + fail());
}

void FunctionWriter::label(std::uint32_t pc) {
  if (labels_.contains(pc)) text.label("L" + std::to_string(pc));
}

void FunctionWriter::declare(CText& head) const {
  if (uses_cells_) head.line("tv_cell *const R = call->cells;");
  if (uses_counters_) head.line("u64 *const N = call->counters;");
  if (uses_services_) head.line("const tv_services *const S = call->services;");
  std::map<std::string, std::string> declared;
  for (const std::uint32_t reg : locals_) {
    std::string& list = declared[member(plan_.reg(reg).dtype)];
    list += (list.empty() ? " r" : ", r") + std::to_string(reg) + " = 0";
  }
  for (const auto& [type, list] : declared) head.line(type + list + ";");
}

}  // namespace thunkvm

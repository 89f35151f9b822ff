#include "linkers/user_code/user_element.h"

#include "linkers/compiler/compiler.h"
#include "linkers/compiler/toolchain.h"
#include "ops/graph/c_template.h"
#include "ops/graph/op.h"
#include "ops/kernels/limits.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace thunkvm {
namespace {

/// An ElementCode with what it points to.
struct UserElement {
  ElementCode code;
  std::string op, number;
  ModulePtr module;
};

// Where all inputs are 0-d: the function over one element.
void compute_number(Activation& activation, const Operands& operands) {
  const auto& code = *static_cast<const ElementCode*>(operands.state);
  alignas(kLargestItem) char values[kMaxElementInputs + 1][kLargestItem];
  char* pointers[kMaxElementInputs + 1];
  std::int64_t strides[kMaxElementInputs + 1] = {};
  for (int i = 0; i < operands.n_inputs; ++i) {
    visit_dtype(code.inputs[static_cast<std::size_t>(i)], "an element",
                [&]<class T>(std::type_identity<T>) {
                  const T value = activation.input(operands, i).get<T>();
                  std::memcpy(values[i], &value, sizeof value);
                });
    pointers[i] = values[i];
  }
  pointers[operands.n_inputs] = values[operands.n_inputs];
  code.function(pointers, strides, 1);
  visit_dtype(code.output, "an element", [&]<class T>(std::type_identity<T>) {
    T value;
    std::memcpy(&value, values[operands.n_inputs], sizeof value);
    activation.output(operands, 0).set(value);
  });
}

std::string location_of(const Apply& node) {
  const std::string origin = node.origin_text();
  return "[" + node.op()->name() + "] c_element" +
         (origin.empty() ? "" : " (of the node made at " + origin + ")");
}

void check_node(const Apply& node) {
  int ndim = 0;
  bool fits = node.n_outputs() == 1 && node.n_inputs() >= 1 &&
              node.n_inputs() <= kMaxElementInputs && node.output_type(0).tensor() != nullptr;
  for (const Variable& input : node.inputs()) {
    const TensorType* const type = input.type().tensor();
    fits = fits && type != nullptr && c_type(type->dtype()) != nullptr;
    if (fits) ndim = std::max(ndim, type->ndim());
  }
  fits = fits && c_type(node.output_type(0).tensor()->dtype()) != nullptr &&
         node.output_type(0).tensor()->ndim() == ndim;
  if (!fits)
    throw Error(ErrorKind::Type,
                location_of(node) + " is for nodes with 1 to " + std::to_string(kMaxElementInputs) +
                    " inputs and one output, all of them "
                    "tensors of bools, integers, float32 or float64, whose output has as "
                    "many dimensions as the input that has most.");
}

bool fits(const CTemplate::Piece& piece, std::uint32_t n_inputs) {
  switch (piece.kind) {
    case CTemplate::Piece::Kind::Text: return piece.text.find_first_of("{}") == piece.text.npos;
    case CTemplate::Piece::Kind::Input: return piece.input < n_inputs;
    case CTemplate::Piece::Kind::Function: return false;
    default: return true;
  }
}

void check_template(const Apply& node, const std::string& text) {
  const CTemplate parsed(text);
  for (const CTemplate::Piece& piece : parsed.pieces())
    if (!fits(piece, node.n_inputs()))
      throw Error(ErrorKind::Value,
                  location_of(node) + " returned \"" + text +
                      "\", in which braces stand for something else than an input, {0} to {" +
                      std::to_string(node.n_inputs() - 1) + "}, or the output's type, {T}.");
  if (text.find_first_not_of(" \t\n") == std::string::npos || text.find(';') != std::string::npos)
    throw Error(ErrorKind::Value, location_of(node) + " returned \"" + text +
                                      "\"; it has to be one expression of C, without a semicolon.");
}

ModuleSource source_of(const ElementCode& code, const std::string& op, const std::string& text,
                       int n_inputs) {
  std::string loads, dense, dense_loads;
  std::vector<std::string> names;
  for (int i = 0; i < n_inputs; ++i) {
    const std::string k = std::to_string(i);
    const std::string type = c_type(code.inputs[static_cast<std::size_t>(i)]);
    names.push_back("x" + k);
    loads += "    const " + type + " x" + k + " = *(const " + type + " *)(p[" + k + "] + i * s[" +
             k + "]);\n";
    if (i != 0) dense += " && ";
    dense += "s[" + k + "] == sizeof(" + type + ")";
    dense_loads += "    const " + type + " x" + k + " = ((const " + type + " *)p[" + k + "])[i];\n";
  }
  const std::string out = c_type(code.output), o = std::to_string(n_inputs);
  const std::string value = "(" + CTemplate(text).fill(op, code.output, names) + ")";
  std::string module =
      "// the element function of a c_element\n" + std::string(kCTypes) + kLibmDeclarations;
  module += "void tv_elements(char *const *p, const i64 *s, i64 n) {\n  if (" + dense + " && s[" +
            o + "] == sizeof(" + out + ")) {\n    " + out + " *const z = (" + out + " *)p[" + o +
            "];\n#pragma GCC ivdep\n    for (i64 i = 0; i < n; ++i) {\n" + dense_loads +
            "    z[i] = " + value +
            ";\n    }\n    return;\n  }\n  for (i64 i = 0; i < n; ++i) {\n" + loads + "    *(" +
            out + " *)(p[" + o + "] + i * s[" + o + "]) = " + value + ";\n  }\n}\n";
  return {.text = module,
          .flags = {"-O3", "-fno-strict-aliasing", "-Werror=implicit-function-declaration"},
          .libraries = {"-lm"},
          .defines = {"tv_elements"}};
}

}  // namespace

ThunkCode UserElements::kernel(const Apply& node, const std::string& text, Host& host) {
  check_node(node);
  check_template(node, text);

  auto element = std::make_shared<UserElement>();
  ElementCode& code = element->code;
  code.output = node.output_type(0).tensor()->dtype();
  const auto n_inputs = static_cast<int>(node.n_inputs());
  for (int i = 0; i < n_inputs; ++i)
    code.inputs[static_cast<std::size_t>(i)] = node.input(i).dtype();
  element->op = node.op()->name();
  element->number = code.output == DType::Bool ? "(" + text + ") != 0" : "({T})(" + text + ")";
  try {
    const ModuleSource source = source_of(code, element->op, element->number, n_inputs);
    element->module = load_modules(std::span(&source, 1), default_settings(), host).front();
  } catch (const CompileError& error) {
    if (error.is_no_compiler()) return {};
    throw CompileError(error.fault(), location_of(node) + " does not compile: " + error.what(),
                       error.diagnostics(), error.source_path());
  }
  code.op = element->op.c_str();
  code.scalar = &guarded<&compute_number>;
  code.function = element->module->function<void(char* const*, const std::int64_t*, std::int64_t)>(
      "tv_elements");
  code.cost = kUnknownElementCost;
  code.c_number = element->number.c_str();

  std::shared_ptr<const ElementCode> owned(element, &code);
  ThunkCode thunk;
  thunk.eager = node.output_type(0).tensor()->ndim() == 0 ? code.scalar : &run_element_code;
  thunk.state = owned;
  const std::lock_guard guard(lock_);
  if (codes_.size() >= room_) {
    std::erase_if(codes_, [](const auto& entry) { return entry.second.expired(); });
    room_ = 2 * codes_.size();
  }
  codes_[&node] = owned;
  return thunk;
}

const ElementCode* UserElements::code(const Apply& node) const {
  const std::lock_guard guard(lock_);
  const auto found = codes_.find(&node);
  return found == codes_.end() ? nullptr : found->second.lock().get();
}

}  // namespace thunkvm

#include "ops/elementwise/elementwise.h"

#include "ops/elementwise/element_rules.h"
#include "ops/graph/extents.h"
#include "thunks/cast.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace thunkvm {
namespace {

/// The dtypes in the order in which NumPy lists a ufunc's functions.
constexpr std::array<DType, kNumericDTypes> kDTypeOrder = {
    DType::Bool,    DType::Int8,    DType::UInt8,     DType::Int16,     DType::UInt16,
    DType::Int32,   DType::UInt32,  DType::Int64,     DType::UInt64,    DType::Float16,
    DType::Float32, DType::Float64, DType::Complex64, DType::Complex128};

std::size_t index_of(DType dtype) { return static_cast<std::size_t>(dtype); }

/// The values of an integer dtype, as far as an int64 goes; all of them for other dtypes.
struct Range {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  bool holds(std::int64_t value) const { return low <= value && value <= high; }
};
Range range_of(DType dtype) {
  return visit_dtype(dtype, "a range", []<class T>(std::type_identity<T>) -> Range {
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      return {.low = 0};
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    } else {
      return {};
    }
  });
}

/// The value of an input that stands for a Python integer.
std::optional<std::int64_t> weak_integer_value(const Variable& v) {
  if (!v.weak() || v.dtype() != DType::Int64) return std::nullopt;
  return v.constant_value().get<std::int64_t>();
}

std::string joined(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

/// "float32 and float64".
std::string dtype_list(std::span<const DType> dtypes) {
  std::vector<std::string_view> names;
  for (DType dtype : dtypes) names.push_back(name(dtype));
  return joined(names);
}

/// "bools, integers and floats".
std::string kind_list(std::span<const DType> dtypes) {
  constexpr std::array<std::pair<bool (*)(DType), const char*>, 4> kKinds = {{
      {[](DType d) { return d == DType::Bool; }, "bools"},
      {[](DType d) { return is_integral(d) && d != DType::Bool; }, "integers"},
      {[](DType d) { return is_float(d); }, "floats"},
      {[](DType d) { return is_complex(d); }, "complex numbers"},
  }};
  std::vector<std::string_view> names;
  for (const auto& [is_of_kind, name] : kKinds)
    if (std::ranges::any_of(dtypes, is_of_kind)) names.push_back(name);
  return joined(names);
}

}  // namespace

Elementwise::Elementwise(const char* name, const char* family,
                         std::initializer_list<const char*> inputs)
    : name_(name) {
  proto_.name = name;
  proto_.family = family;
  proto_.exposure = Exposure::Package;
  for (const char* input : inputs) proto_.inputs.push_back({.name = input, .comment = {}});
  proto_.outputs = {{.name = "out", .comment = "the result, with the inputs' broadcast shape"}};
  for (int i = 0; i < kNumericDTypes; ++i) computes_[i] = static_cast<DType>(i);
}

Elementwise& Elementwise::example(std::string arguments, std::string result,
                                  std::vector<std::string> dtypes) {
  std::string names, made;
  for (std::size_t i = 0; i < n_inputs(); ++i) {
    const std::string& input = proto_.inputs[i].name;
    const std::string separator = i == 0 ? "" : ", ";
    const std::string& dtype = dtypes[std::min(i, dtypes.size() - 1)];
    names += separator + input;
    made += separator + "tv.vector(\"" + input + "\"" +
            (dtype == "float64" ? "" : ", dtype=\"" + dtype + "\"") + ")";
  }
  proto_.example = ">>> " + names + " = " + made + "\n>>> f = tv.function([" + names +
                   "], tv.ops." + name_ + "(" + names + "))\n>>> f(" + arguments + ")\n" + result;
  return *this;
}

Elementwise& Elementwise::computes(DType dtype, DType as) {
  computes_[index_of(dtype)] = as;
  return *this;
}

Elementwise& Elementwise::computes_integers(DType as) {
  for (DType dtype : kDTypeOrder)
    if (is_integral(dtype)) computes(dtype, as);
  return *this;
}

Elementwise& Elementwise::refuses(DType dtype, const char* why) {
  refuses_[index_of(dtype)] = why;
  return *this;
}

OpProto Elementwise::proto() const {
  OpProto proto = proto_;
  std::vector<DType> dtypes;
  for (DType dtype : kDTypeOrder)
    if (code_[index_of(dtype)].function != nullptr || is_identity(dtype)) dtypes.push_back(dtype);
  for (std::size_t i = 0; i < n_inputs(); ++i)
    proto.inputs[i].comment = static_cast<int>(i) < first_promoted_
                                  ? "a tensor, taken as truth values"
                                  : "a tensor; computed in " + kind_list(dtypes);
  return proto;
}

void Elementwise::throw_no_loop(DType dtype) const {
  if (const char* why = dtype == DType::Object ? nullptr : refuses_[index_of(dtype)])
    throw Error(ErrorKind::Type, std::string("[") + name_ + "] " + why);
  std::vector<DType> dtypes;
  for (DType known : kDTypeOrder)
    if (code_[index_of(known)].function != nullptr) dtypes.push_back(known);
  throw Error(ErrorKind::Type, std::string("[") + name_ + "] is not defined for " +
                                   std::string(thunkvm::name(dtype)) + "; it computes in " +
                                   dtype_list(dtypes) + ": cast the input to one of these");
}

const ElementCode& Elementwise::code_for(DType common, std::span<const Variable> inputs) const {
  if (common == DType::Object || refuses_[index_of(common)] != nullptr) throw_no_loop(common);
  const DType wanted = computes_[index_of(common)];
  if (const ElementCode& code = code_[index_of(wanted)]; code.function != nullptr) return code;
  // Each input by itself: int8 and uint8 both fit in a float16, although their common dtype, int16,
  // does not.
  for (DType candidate : kDTypeOrder) {
    const ElementCode& code = code_[index_of(candidate)];
    const bool fits = std::ranges::all_of(inputs, [&](const Variable& v) {
      return can_cast_safely(v.weak() ? wanted : v.dtype(), candidate);
    });
    if (code.function != nullptr && fits) return code;
  }
  throw_no_loop(common);
}

const ElementCode& Elementwise::resolve(std::span<const Variable> inputs) const {
  const std::span<const Variable> promoted = inputs.subspan(first_promoted_);
  // Python numbers yield (NEP 50): the others decide, and of the numbers only what kind they are
  // counts.
  std::optional<DType> strong, weak;
  bool has_signed = false;
  bool has_uint64 = false;
  const auto mix = [&](DType dtype) {
    strong = strong ? promote(*strong, dtype) : dtype;
    has_signed |= kind(dtype) == Kind::Signed;
    has_uint64 |= dtype == DType::UInt64;
  };
  for (const Variable& v : promoted) {
    if (v.weak()) {
      weak = weak ? promote(*weak, v.dtype()) : v.dtype();
    } else {
      mix(v.dtype());
    }
  }
  if (strong && out_of_range_ == OutOfRange::Widen) {
    const Range range = range_of(*strong);
    for (const Variable& v : promoted) {
      const auto value = weak_integer_value(v);
      if (value && !range.holds(*value)) mix(DType::Int64);
    }
  }
  if (!mixed_.empty() && has_signed && has_uint64) {
    const bool second_is_unsigned = promoted[1].dtype() == DType::UInt64;
    return mixed_[second_is_unsigned ? 0 : 1];
  }
  if (!strong) return code_for(*weak, promoted);
  return code_for(weak ? promote_weak(*strong, kind(*weak)) : *strong, promoted);
}

Variable Elementwise::convert(const Variable& input, DType dtype) const {
  if (input.dtype() == dtype) return input;
  if (input.weak() && dtype != DType::Bool) {
    const auto value = weak_integer_value(input);
    if (value && out_of_range_ == OutOfRange::Saturate) {
      const Range range = range_of(dtype);
      return Variable::constant(
          cast_weak(Cell::of(std::clamp(*value, range.low, range.high)), dtype));
    }
    try {
      return Variable::constant(cast_weak(input.constant_value(), dtype));
    } catch (const Error& error) {
      throw Error(error.kind(), std::string("[") + name_ + "] " + error.what() +
                                    ", the dtype of the other input; cast that one first");
    }
  }
  if (input.is_constant() && input.ndim() == 0)
    return Variable::constant(cast_cell(input.constant_value(), dtype));
  return cast(input, dtype);
}

std::vector<Variable> ElementwiseOp::call(std::span<const Variable> inputs) const {
  if (inputs.size() != declaration_->n_inputs())
    throw Error(ErrorKind::Type, "[" + name() + "] takes " +
                                     std::to_string(declaration_->n_inputs()) + " inputs, not " +
                                     std::to_string(inputs.size()));
  for (const Variable& input : inputs) {
    if (input.type().tensor() == nullptr)
      throw Error(ErrorKind::Type, "[" + name() + "] computes with tensors, and " + input.text() +
                                       " is of type " + input.type().text());
  }
  if (inputs.size() == 1 && declaration_->is_identity(inputs[0].dtype())) return {inputs[0]};

  const ElementCode& code = declaration_->resolve(inputs);
  std::array<Variable, kMaxElementwiseInputs> converted;
  // Inputs of one type, or of one type and 0-d, as most are: nothing to broadcast.
  const TensorType* largest = nullptr;
  bool broadcasts = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    converted[i] = declaration_->convert(inputs[i], code.inputs[i]);
    const TensorType& type = converted[i].tensor();
    if (largest == nullptr || largest->ndim() == 0) {
      largest = &type;
    } else if (type.ndim() != 0 && &type != largest) {
      broadcasts = true;
    }
  }
  TypeRef type;
  if (broadcasts) {
    StaticShape shape;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      shape = broadcast_static(name(), shape, converted[i].static_shape());
    type = TensorType::of(code.output, shape);
  } else if (largest->dtype() == code.output) {
    type = TypeRef(largest);
  } else {
    type = largest->with_dtype(code.output);
  }
  return {Apply::make1(*this, std::span(converted).first(inputs.size()), std::move(type))};
}

ThunkCode ElementwiseOp::kernel(const Apply& node) const {
  const ElementCode& code = declaration_->resolve(node.inputs());
  if (node.output_type(0).tensor()->ndim() != 0) return element_kernel(code);
  ThunkCode thunk;
  thunk.eager = code.scalar;
  return thunk;
}

std::vector<Extents> ElementwiseOp::infer_shape(Apply&,
                                                std::span<const Extents> input_shapes) const {
  return {broadcast_extents(input_shapes)};
}

double ElementwiseOp::flops(const Apply& node, OperandShapes, OperandShapes outputs) const {
  const bool on_floats = std::ranges::any_of(
      node.inputs(), [](const Variable& input) { return is_inexact(input.dtype()); });
  return on_floats ? n_elements(outputs[0]) : 0;
}

std::vector<Variable> ElementwiseOp::grad(Apply& node,
                                          std::span<const Variable> output_gradients) const {
  const GradientRule rule = declaration_->gradient_rule();
  if (!output_gradients[0] || rule == nullptr || !is_inexact(node.output(0).dtype()))
    return std::vector<Variable>(node.n_inputs());
  return gradients_by(rule, node, output_gradients[0]);
}

std::optional<std::vector<Variable>> ElementwiseOp::push_forward(
    Apply& node, std::span<const Variable> tangents) const {
  const GradientRule rule = declaration_->gradient_rule();
  if (rule == nullptr || !is_inexact(node.output(0).dtype())) return {{Variable()}};
  return tangents_by(rule, node, tangents);
}

std::vector<Variable> ElementwiseOp::batch(Apply& node, std::span<const Variable> inputs,
                                           const std::vector<bool>& batched) const {
  return call(align_batch(node, inputs, batched));
}

DeclaredElementwise::DeclaredElementwise(const Elementwise& declaration) {
  const auto kept = std::make_shared<const Elementwise>(declaration);
  OpRegistry::add(kept->proto(),
                  [kept](const Attributes&) { return Ref<Op>(new ElementwiseOp(kept)); });
}

}  // namespace thunkvm

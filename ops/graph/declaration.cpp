#include "ops/graph/declaration.h"

#include "thunks/error.h"

namespace thunkvm {
namespace {

DType given_dtype(Gives gives, DType of_inputs) {
  switch (gives) {
    case Gives::Same: return of_inputs;
    case Gives::Real: return real_dtype(of_inputs);
    case Gives::Complex: return promote(of_inputs, DType::Complex64);
    case Gives::Int64: return DType::Int64;
  }
  return of_inputs;
}

AttrType type_of(const AttrValue& value) {
  if (std::holds_alternative<bool>(value)) return AttrType::Bool;
  if (std::holds_alternative<std::int64_t>(value)) return AttrType::Int;
  if (std::holds_alternative<double>(value)) return AttrType::Float;
  return AttrType::String;
}

class DeclaredOp final : public ArrayOp, public StatesWork {
 public:
  DeclaredOp(std::shared_ptr<const OpRules> rules, const Attributes& attrs)
      : ArrayOp(rules->proto.name, attrs), rules_(std::move(rules)) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    const std::vector<Variable> cast = cast_inputs(inputs);
    DType dtype = DType::Float64;
    for (std::size_t i = cast.size(); i-- > 0;)
      if (rules_->takes[i] != Takes::Integers) dtype = cast[i].dtype();
    const std::vector<StaticShape> shapes = rules_->signature->static_shapes(rules_->proto, cast);
    std::vector<TypeRef> types;
    for (std::size_t j = 0; j < shapes.size(); ++j)
      types.push_back(TensorType::of(given_dtype(rules_->gives[j], dtype), shapes[j]));
    return Apply::make(Ref<const Op>(this), cast, types)->outputs();
  }

  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> shapes) const override {
    return rules_->signature->extents(shapes);
  }
  ThunkCode kernel(const Apply& node) const override { return rules_->code(node, *rules_); }

  bool states_work() const override { return rules_->flops != nullptr; }
  double flops(const Apply&, OperandShapes inputs, OperandShapes) const override {
    const CoreSignature::Shapes shapes = rules_->signature->shapes(rules_->proto, inputs);
    return n_elements(shapes.batch) * rules_->flops({*rules_->signature, shapes.lengths});
  }

  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    if (rules_->grad == nullptr) return Op::grad(node, g);
    for (const Variable& gradient : g)
      if (gradient) return fitted(node, rules_->grad(node, g));
    return std::vector<Variable>(node.n_inputs());
  }
  Linearity linearity() const override { return rules_->linearity; }
  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    return call(rules_->signature->batched_inputs(node, inputs, batched));
  }

 private:
  /// The inputs in the dtypes that the kernel wants.
  std::vector<Variable> cast_inputs(std::span<const Variable> inputs) const {
    expect_inputs(inputs, rules_->takes.size());
    std::vector<Variable> cast(inputs.begin(), inputs.end());
    std::vector<Variable> numbers;
    for (std::size_t i = 0; i < cast.size(); ++i) {
      if (rules_->takes[i] == Takes::Integers) {
        if (!is_integral(cast[i].dtype()) || cast[i].dtype() == DType::Bool)
          fail(ErrorKind::Type, "input '" + rules_->proto.inputs[i].name +
                                    "' has to be of integers, but " + cast[i].text() + " is a " +
                                    cast[i].type().text());
        cast[i] = cast_now(cast[i], DType::Int64);
        continue;
      }
      if (rules_->takes[i] == Takes::Inexact) cast[i] = inexact(cast[i]);
      numbers.push_back(cast[i]);
    }
    if (numbers.empty()) return cast;
    const DType dtype = common_dtype(numbers);
    for (std::size_t i = 0; i < cast.size(); ++i)
      if (rules_->takes[i] != Takes::Integers) cast[i] = cast_now(cast[i], dtype);
    return cast;
  }
  Variable inexact(const Variable& input) const {
    if (input.dtype() == DType::Float16)
      fail(ErrorKind::Type, "array type float16 is unsupported in linear algebra: cast " +
                                input.text() + " to float32");
    return is_inexact(input.dtype()) ? input : cast_now(input, DType::Float64);
  }
  /// The gradients of inputs whose stacks were broadcast, summed to their shapes.
  std::vector<Variable> fitted(Apply& node, std::vector<Variable> gradients) const {
    for (std::size_t i = 0; i < gradients.size() && gradients.size() > 1; ++i) {
      const Variable& input = node.input(static_cast<int>(i));
      if (gradients[i] && gradients[i].ndim() > static_cast<int>(core(i).size()))
        gradients[i] = unbroadcast(gradients[i], shape(input), input.ndim());
    }
    return gradients;
  }
  const CoreSignature::Core& core(std::size_t i) const { return rules_->signature->inputs()[i]; }

  std::shared_ptr<const OpRules> rules_;
};

}  // namespace

std::vector<Variable> no_gradients(Apply& node, Gradients) {
  return std::vector<Variable>(node.n_inputs());
}

Declaration& Declaration::expose(Exposure exposure, std::vector<std::string> aliases) {
  proto().exposure = exposure;
  proto().aliases = std::move(aliases);
  return *this;
}

Declaration& Declaration::input(const char* name, const char* comment, Takes takes) {
  proto().inputs.push_back({name, comment});
  rules_->takes.push_back(takes);
  return *this;
}

Declaration& Declaration::optional_input(const char* name, const char* comment) {
  input(name, comment);
  proto().inputs.back().is_optional = true;
  return *this;
}

Declaration& Declaration::inputs(const char* name, const char* comment) {
  input(name, comment);
  proto().inputs.back().variadic = true;
  return *this;
}

Declaration& Declaration::optional_inputs(const char* name, const char* comment) {
  inputs(name, comment);
  proto().inputs.back().is_optional = true;
  return *this;
}

Declaration& Declaration::output(const char* name, const char* comment, Gives gives) {
  proto().outputs.push_back({name, comment});
  rules_->gives.push_back(gives);
  return *this;
}

Declaration& Declaration::of_any_type() {
  (proto().outputs.empty() ? proto().inputs : proto().outputs).back().is_tensor = false;
  return *this;
}

Declaration& Declaration::attr(const char* name, AttrType type, const char* comment) {
  AttrProto& attr = proto().attrs.emplace_back();
  attr.name = name;
  attr.type = type;
  attr.comment = comment;
  return *this;
}

Declaration& Declaration::attr(const char* name, AttrValue by_default, const char* comment) {
  attr(name, type_of(by_default), comment);
  last().by_default(std::move(by_default));
  return *this;
}

Declaration& Declaration::attr(const char* name, std::vector<AttrValue> allowed,
                               const char* comment) {
  attr(name, allowed.front(), comment);
  last().in_enum(std::move(allowed));
  return *this;
}

Declaration& Declaration::cores(const char* signature, CoreCode code) {
  rules_->signature = std::make_unique<CoreSignature>(signature);
  rules_->code = code;
  return *this;
}

Declared::Declared(const Declaration& declaration) {
  const OpRules& rules = *declaration.rules_;
  OpRegistry::Creator creator = rules.creator;
  if (creator == nullptr)
    creator = [rules = declaration.rules_](const Attributes& attrs) {
      return Ref<Op>(new DeclaredOp(rules, attrs));
    };
  OpRegistry::add(rules.proto, std::move(creator));
}

}  // namespace thunkvm

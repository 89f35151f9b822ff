#include "ops/control/conditional.h"

#include "ops/graph/declaration.h"
#include "ops/graph/extents.h"
#include "ops/graph/functions.h"
#include "ops/graph/limits.h"
#include "ops/graph/registry.h"
#include "thunks/cast.h"
#include "thunks/error.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace thunkvm {
namespace {

// The names by which users know a conditional and its arms: "then", "case 2".
struct Names {
  Decoding decoding;
  std::size_t n_arms;
  const ArmNames* given;

  std::string op() const {
    if (given != nullptr) return given->op;
    return decoding == Decoding::Truth ? "ifelse" : "switch";
  }
  std::string arm(std::size_t arm) const {
    if (given != nullptr) return given->arms[arm];
    return arm_name(decoding, n_arms, arm);
  }
};

std::string described(const Variable& v) {
  const std::string where = v.is_leaf() ? std::string() : v.node()->origin_text();
  return v.text() + " is " + v.type().text() + (where.empty() ? "" : " (made at " + where + ")");
}

// One node with the selector and all arms: only the branch that the selector picks is computed. The
// arms' types are equal by the time it is made.
class ConditionalOp final : public Op {
 public:
  explicit ConditionalOp(const Attributes& attrs) {
    spec_.decoding = named<Decoding>(attrs.get<std::string>("decoding")).value_or(Decoding::Truth);
    spec_.n_arms = static_cast<std::uint32_t>(attrs.get<std::int64_t>("n_arms"));
    spec_.n_outputs = static_cast<std::uint32_t>(attrs.get<std::int64_t>("n_outputs"));
  }

  std::string name() const override {
    return spec_.decoding == Decoding::Truth ? "ifelse" : "switch";
  }
  std::string text() const override {
    return name() + "{arms=" + std::to_string(spec_.n_arms) +
           ", outputs=" + std::to_string(spec_.n_outputs) + "}";
  }
  const Conditional* conditional() const override { return &spec_; }
  std::span<const Hint> hints() const override {
    static constexpr Hint kHints[] = {
        {ErrorKind::Index, "tv.switch_case(..., default=) takes an index that is out of range"},
        {std::nullopt, kSelectorHint}};
    return kHints;
  }

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    if (inputs.size() != 1 + std::size_t{spec_.n_arms} * spec_.n_outputs)
      throw Error(ErrorKind::Type, "[" + name() + "] takes a selector and " +
                                       std::to_string(spec_.n_arms) + " arms of " +
                                       std::to_string(spec_.n_outputs) + " values; got " +
                                       std::to_string(inputs.size()) + " inputs");
    std::vector<std::vector<Variable>> arms(spec_.n_arms);
    for (std::uint32_t a = 0; a < spec_.n_arms; ++a)
      for (std::uint32_t j = 0; j < spec_.n_outputs; ++j)
        arms[a].push_back(inputs[spec_.arm_input(a, j)]);
    return thunkvm::conditional(inputs[0], spec_.decoding, arms);
  }

  /// The lengths of the arm that is picked. The selector is asked for those alone in which arms may
  /// differ, all in one conditional.
  std::vector<Extents> infer_shape(Apply& node,
                                   std::span<const Extents> input_shapes) const override {
    std::vector<Extents> shapes;
    std::vector<std::pair<std::size_t, std::size_t>> differing;  // output, axis
    std::vector<std::vector<Variable>> arms(spec_.n_arms);
    for (std::uint32_t j = 0; j < spec_.n_outputs; ++j) {
      shapes.push_back(input_shapes[spec_.arm_input(0, j)]);
      for (std::size_t axis = 0; axis < shapes[j].size(); ++axis) {
        const auto length = [&](std::uint32_t arm) -> const Variable& {
          return input_shapes[spec_.arm_input(arm, j)][axis];
        };
        bool same = true;
        for (std::uint32_t a = 1; a < spec_.n_arms; ++a)
          same = same && same_value(length(0), length(a));
        if (same) continue;
        differing.emplace_back(j, axis);
        for (std::uint32_t a = 0; a < spec_.n_arms; ++a) arms[a].push_back(length(a));
      }
    }
    if (differing.empty()) return shapes;
    const std::vector<Variable> lengths = thunkvm::conditional(node.input(0), spec_.decoding, arms);
    for (std::size_t k = 0; k < differing.size(); ++k)
      shapes[differing[k].first][differing[k].second] = lengths[k];
    return shapes;
  }

 private:
  Conditional spec_;
};

constexpr double kMost = std::numeric_limits<std::uint32_t>::max();

DECLARE_OP(conditional)
    .family("conditional")
    .comment(
        "One of several arms, picked at run time; only that arm is computed. The core of ifelse, "
        "switch_case and cond.")
    .example(R"(>>> x = tv.scalar("x")
>>> arms = [tv.sqrt(x), -x]
>>> y = tv.ops.conditional(x < 0.0, *arms, decoding="index", n_arms=2, n_outputs=1)
>>> f = tv.function([x], y)
>>> float(f(4.0)), float(f(-4.0))
(2.0, 4.0)
)")
    .input("selector", "any 0-d or one-element number")
    .inputs("arms", "the values of arm 0, of arm 1, ...")
    .of_any_type()
    .attr("decoding", AttrType::String, "how the selector picks an arm")
    .in_enum({Words<Decoding>::words.begin(), Words<Decoding>::words.end()})
    .attr("n_arms", AttrType::Int, "how many arms there are")
    .at_least(1)
    .at_most(kMost)
    .attr("n_outputs", AttrType::Int, "how many values each arm has")
    .at_least(1)
    .at_most(kMost)
    .output("out", "the picked arm's values")
    .of_any_type()
    .not_plain()
    .made_by<ConditionalOp>();

Ref<const Op> conditional_op(Decoding decoding, std::size_t n_arms, std::size_t n_outputs) {
  const auto made = [&] {
    return OpRegistry::create("conditional", {{"decoding", std::string(name(decoding))},
                                              {"n_arms", static_cast<std::int64_t>(n_arms)},
                                              {"n_outputs", static_cast<std::int64_t>(n_outputs)}});
  };
  if (decoding != Decoding::Truth || n_arms != 2 || n_outputs != 1) return made();
  static const Ref<const Op> kIfelse = made();  // nearly all of them
  return kIfelse;
}

void check_selector(const Variable& selector, Decoding decoding) {
  const std::string what =
      decoding == Decoding::Truth ? "[ifelse] the condition" : "[switch] the index";
  const TensorType& type = selector.tensor();
  for (std::int64_t length : type.shape())
    if (length != 1 && length != kUnknownLength)
      throw Error(ErrorKind::Type,
                  what + " has to be a single value: " + described(selector) +
                      "; reduce it with .all() or .any(), or use where() to choose elementwise");
  if (selector.is_constant() && selector.constant_value().is_scalar() &&
      is_float(selector.dtype())) {
    const Cell value = selector.constant_value();
    const bool nan = selector.dtype() == DType::Float64 && std::isnan(value.get<double>());
    if (nan) throw Error(ErrorKind::Value, what + " is NaN, which is neither true nor false");
  }
}

// The type that all arms' values of one output share.
TypeRef join(const Names& names, std::span<const std::vector<Variable>> arms, std::size_t output,
             bool strict) {
  const auto path = [&](std::size_t arm) {
    return names.arm(arm) +
           (arms[arm].size() > 1 ? "[" + std::to_string(output) + "]" : std::string());
  };
  const auto mismatch = [&](std::size_t arm, const std::string& rule) {
    return Error(ErrorKind::Type, "[" + names.op() + "] " + path(0) + " and " + path(arm) +
                                      " differ: " + described(arms[0][output]) + ", " +
                                      described(arms[arm][output]) + "; " + rule);
  };
  const Type& first = arms[0][output].type();
  if (first.tensor() == nullptr) {
    for (std::size_t a = 1; a < arms.size(); ++a)
      if (!arms[a][output].type().equals(first))
        throw mismatch(a, "values that are not tensors need equal types");
    return arms[0][output].type_ref();
  }
  // Weak constants yield to the others, as in arithmetic.
  StaticShape shape;
  DType dtype = DType::Object;
  for (std::size_t pass = 0; pass < 2; ++pass)
    for (std::size_t a = 0; a < arms.size(); ++a) {
      const Variable& value = arms[a][output];
      const TensorType* type = value.type().tensor();
      if (type == nullptr) throw mismatch(a, "a tensor and another type cannot be joined");
      const bool weak = value.is_constant() && value.weak();
      if (weak != (pass == 1)) continue;
      if (dtype == DType::Object) {
        dtype = type->dtype();
      } else if (type->dtype() != dtype) {
        if (strict && !weak)
          throw mismatch(a, "strict=True asks for equal dtypes; cast one of them");
        dtype = weak ? promote_weak(dtype, kind(type->dtype())) : promote(dtype, type->dtype());
      }
    }
  for (std::size_t a = 0; a < arms.size(); ++a) {
    const StaticShape& other = arms[a][output].static_shape();
    if (a == 0) {
      shape = other;
    } else if (other.size() != shape.size()) {
      throw mismatch(a, "the number of dimensions has to be the same in all arms");
    } else {
      for (std::size_t i = 0; i < shape.size(); ++i)
        if (shape[i] != other[i]) shape[i] = kUnknownLength;
    }
  }
  return TensorType::of(dtype, shape);
}

// Whether a value is missing. What `coalesce` asks. For numbers that is `isnan`; whether an opaque
// object is, is for its host to say.
class IsMissing final : public Op {
 public:
  explicit IsMissing(const Attributes&) {}
  std::string name() const override { return "is_missing"; }
  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    if (inputs.size() != 1)
      throw Error(ErrorKind::Type,
                  "[is_missing] takes one input; got " + std::to_string(inputs.size()));
    const TensorType* type = inputs[0].type().tensor();
    if (type == nullptr) return {Apply::make1(*this, inputs, TensorType::scalar(DType::Bool))};
    return {call_op("isnan", inputs)};
  }
  std::vector<Variable> grad(Apply&, std::span<const Variable>) const override {
    return {Variable()};
  }
};

DECLARE_OP(is_missing)
    .family("conditional")
    .comment("Whether a value is missing: NaN for each number, None for an object.")
    .input("x", "numbers, or an object")
    .of_any_type()
    .output("out", "bools, one for each number; for an object one")
    .example(
        ">>> x = tv.scalar(\"x\")\n>>> tv.function([x], "
        "tv.ops.is_missing(x))(float(\"nan\"))\nnp.True_")
    .made_by<IsMissing>();

// A condition as a bool scalar, decided as a branch decides it: NaN is an error, one element is
// enough.
Variable truth(const Variable& x) {
  if (x.ndim() == 0 && x.dtype() == DType::Bool) return x;
  return ifelse(x, Variable::number(true), Variable::number(false));
}

}  // namespace

std::vector<Variable> conditional(const Variable& selector, Decoding decoding,
                                  std::span<const std::vector<Variable>> arms, bool strict,
                                  const ArmNames* given_names) {
  check_selector(selector, decoding);
  const std::size_t n_outputs = arms.empty() ? 0 : arms[0].size();
  if (arms.empty() || n_outputs == 0)
    throw Error(ErrorKind::Value, "a conditional needs at least one arm with at least one value");
  const Names names{decoding, arms.size(), given_names};
  for (std::size_t a = 1; a < arms.size(); ++a)
    if (arms[a].size() != n_outputs)
      throw Error(ErrorKind::Value,
                  names.arm(0) + " has " + std::to_string(n_outputs) + " values, " + names.arm(a) +
                      " has " + std::to_string(arms[a].size()) + "; all arms need the same number");
  if (arms.size() * n_outputs >= kMostOperands)
    throw Error(ErrorKind::Value, "[" + names.op() + "] has " + std::to_string(arms.size()) +
                                      " arms of " + std::to_string(n_outputs) +
                                      " values, and one takes at most " +
                                      std::to_string(kMostOperands - 1) +
                                      " values together: make several of fewer values");
  if (decoding != Decoding::Truth && selector.dtype() != DType::Bool &&
      !is_integral(selector.dtype()))
    throw Error(ErrorKind::Type, "[switch] the index has to be an integer: " + described(selector));
  std::vector<TypeRef> types;
  for (std::size_t j = 0; j < n_outputs; ++j) types.push_back(join(names, arms, j, strict));
  // An array that is no constant is read once: somebody could write to it between two branches on
  // it.
  const char* const role = decoding == Decoding::Truth ? "a condition" : "a selector";
  std::vector<Variable> inputs = {
      selector.ndim() == 0 || selector.is_constant()
          ? selector
          : call_op("one_element", {selector}, {{"role", std::string(role)}})};
  for (const std::vector<Variable>& arm : arms)
    for (std::size_t j = 0; j < n_outputs; ++j) {
      const TensorType* type = types[j]->tensor();
      const Variable& value = arm[j];
      if (type == nullptr || value.dtype() == type->dtype())
        inputs.push_back(value);
      else if (value.is_constant() && value.weak())
        inputs.push_back(Variable::constant(cast_weak(value.constant_value(), type->dtype()),
                                            TensorType::of(type->dtype(), value.static_shape())));
      else
        inputs.push_back(cast(value, type->dtype()));
    }
  return Apply::make(conditional_op(decoding, arms.size(), n_outputs), inputs, types)->outputs();
}

Variable output_alone(const Conditional& of_all, const Variable& output) {
  const Apply& node = *output.node();
  const OriginOf scope(node);
  std::vector<std::vector<Variable>> arms;
  for (std::uint32_t arm = 0; arm < of_all.n_arms; ++arm)
    arms.push_back({node.input(static_cast<int>(of_all.arm_input(arm, output.index())))});
  Variable made = conditional(node.input(0), of_all.decoding, arms).front();
  if (!output.name().empty()) made.set_name(output.name());
  return made;
}

Variable ifelse(const Variable& condition, const Variable& then, const Variable& otherwise) {
  const std::vector<Variable> arms[2] = {{otherwise}, {then}};
  return conditional(condition, Decoding::Truth, arms).front();
}

Variable lazy_and(const Variable& a, const Variable& b) {
  const Variable first = truth(a);
  return ifelse(first, truth(b), first);
}

Variable lazy_or(const Variable& a, const Variable& b) {
  const Variable first = truth(a);
  return ifelse(first, first, truth(b));
}

}  // namespace thunkvm

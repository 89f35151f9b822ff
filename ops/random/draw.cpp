#include "ops/random/draw.h"

#include "ops/graph/extents.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace thunkvm {

namespace {

constexpr double kGreatestMean = 9223372006484770922.0;  // NumPy's, of Poisson counts

struct DrawState {
  std::shared_ptr<const DrawRules> rules;
};

void run_rules(Activation& activation, const Operands& operands) {
  const DrawRules& rules = *kernel_state<DrawState>(operands).rules;
  rules.run(activation, operands, rules);
}

class DrawOp final : public ArrayOp {
 public:
  DrawOp(std::shared_ptr<const DrawRules> rules, const Attributes& attrs)
      : ArrayOp(rules->name, attrs), rules_(std::move(rules)) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 2 + rules_->parameters.size());
    const Variable& state = inputs[0];
    const StaticShape& shape = state.static_shape();
    const bool fits = !shape.empty() && shape.size() <= 2 &&
                      (shape.back() == kStateWords || shape.back() == kUnknownLength);
    if (state.dtype() != DType::UInt64 || !fits)
      fail(ErrorKind::Type,
           "the state must be 6 words of uint64, or a row of them for each of many "
           "generators, but " +
               state.text() + " is a " + state.type().text());
    const Variable size = integer_vector(inputs[1], "size");
    StaticShape drawn = known_shape(size, ndim_of_shape(size));
    if (shape.size() == 2) drawn.insert(drawn.begin(), shape[0]);
    std::vector<Variable> checked{state, size};
    for (std::size_t i = 0; i < rules_->parameters.size(); ++i) {
      const Variable& given = inputs[i + 2];
      if (is_complex(given.dtype()))
        fail(ErrorKind::Type, std::string(rules_->parameters[i].name) + " must be real, but " +
                                  given.text() + " is a " + given.type().text());
      if (given.static_shape().size() > drawn.size())
        fail(ErrorKind::Value, std::string(rules_->parameters[i].name) + " has " +
                                   std::to_string(given.ndim()) + " axes, but what is drawn has " +
                                   std::to_string(drawn.size()));
      checked.push_back(cast_now(given, rules_->parameter_dtypes[i]));
    }
    StaticShape words = shape;
    words.back() = kStateWords;
    const TypeRef types[] = {TensorType::of(DType::UInt64, words),
                             TensorType::of(rules_->drawn, drawn)};
    return Apply::make(Ref<const Op>(this), checked, types)->outputs();
  }

  ThunkCode kernel(const Apply&) const override {
    return kernel_code<run_rules>(DrawState{rules_});
  }

  std::vector<Extents> infer_shape(Apply& node, std::span<const Extents> shapes) const override {
    const bool has_lanes = node.input(0).ndim() == 2;
    Extents drawn = elements_of(node.input(1), node.output(1).ndim() - (has_lanes ? 1 : 0));
    if (has_lanes) drawn.insert(drawn.begin(), shapes[0][0]);
    return {shapes[0], drawn};
  }

  /// Counts do not change where parameters change a little. How other numbers would change depends
  /// on which of the possible couplings is meant, and NumPy's has no derivative.
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    if (g[1] && is_inexact(rules_->drawn) && !rules_->parameters.empty())
      fail(ErrorKind::NotImplemented,
           "has no derivative with respect to its parameters: the numbers are accepted or "
           "rejected by them. Take tv.stop_gradient of the parameters, or the derivative of the "
           "logarithm of the density (the score)");
    return std::vector<Variable>(node.n_inputs());
  }

  /// Each example is what it would be alone, with the state that it has.
  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    if (node.input(0).ndim() == 2)
      fail(ErrorKind::NotImplemented, "cannot be batched over the states of many generators");
    const Variable length = batch_length(inputs, batched);
    const Variable size = unbatched_shape(inputs[1], batched[1]);
    const int ndim = node.output(1).ndim();
    std::vector<Variable> lined_up{batched[0] ? inputs[0] : repeat_batch(inputs[0], length), size};
    for (std::size_t i = 2; i < inputs.size(); ++i) {
      const int missing = ndim + 1 - inputs[i].ndim();
      lined_up.push_back(batched[i] && missing > 0
                             ? expand_dims(inputs[i], axis_range(1, 1 + missing))
                             : inputs[i]);
    }
    return call(lined_up);
  }

 private:
  std::shared_ptr<const DrawRules> rules_;
};

}  // namespace

void check_domain(Domain domain, const std::string& op, const char* name, double value) {
  const auto fail = [&](const std::string& words) {
    throw Error(ErrorKind::Value, "[" + op + "] " + words);
  };
  const std::string text = name;
  switch (domain) {
    case Domain::Any: break;
    case Domain::NotNegative:
      if (!std::isnan(value) && std::signbit(value)) fail(text + " < 0");
      break;
    case Domain::Positive:
      if (value <= 0) fail(text + " <= 0");
      break;
    case Domain::Unit:
      if (!(value >= 0 && value <= 1)) fail(text + " < 0, " + text + " > 1 or " + text + " is NaN");
      break;
    case Domain::OverZero:
      if (!(value > 0 && value <= 1))
        fail(text + " <= 0, " + text + " > 1 or " + text + " contains NaNs");
      break;
    case Domain::BelowOne:
      if (!(value >= 0 && value < 1)) fail(text + " < 0, " + text + " >= 1 or " + text + " is NaN");
      break;
    case Domain::OverOne:
      if (!(value > 1)) fail(text + " <= 1 or " + text + " is NaN");
      break;
    case Domain::Mean:
      if (!(value >= 0)) fail(text + " < 0 or " + text + " is NaN");
      if (value > kGreatestMean) fail(text + " value too large");
      break;
  }
}

DrawRun::DrawRun(Activation& activation, const Operands& operands, const DrawRules& rules)
    : activation_(activation), operands_(operands), rules_(rules) {
  std::vector<std::int64_t> shape = read_integers(activation, operands, 1);
  const auto fail = [&](const std::string& words) {
    throw Error(ErrorKind::Value, "[" + rules.name + "] " + words);
  };
  for (const std::int64_t length : shape)
    if (length < 0) fail("negative dimensions are not allowed: " + format_shape(shape));
  states_ = input_array(activation, operands, 0).as_contiguous();
  const Dims words = states_.shape();
  if (words[words.size() - 1] != kStateWords)
    fail("the state must be 6 words of uint64, but has the shape " + format_shape(words));
  if (words.size() == 2) {
    n_lanes_ = words[0];
    shape.insert(shape.begin(), n_lanes_);
  }
  out_ = output_array(activation, operands, 1, rules.drawn, shape);
  next_ = output_array(activation, operands, 0, DType::UInt64, words);
  in_lane_ = n_lanes_ == 0 ? 0 : out_.size() / n_lanes_;
}

Array DrawRun::spread(const Array& given, const char* name) const {
  const auto strides = broadcast_strides(given, out_.shape());
  if (!strides)
    throw Error(ErrorKind::Value,
                "[" + rules_.name + "] " + name + " of shape " + format_shape(given.shape()) +
                    " does not broadcast to what is drawn, of shape " + format_shape(out_.shape()));
  if (given.size() == 1) return given;
  return given.view(out_.shape(), *strides, given.data()).as_contiguous();
}

void DrawRun::finish() {
  poll_after(activation_, out_.size());
  kept_.clear();
  states_ = Array();
  store(activation_, operands_, 1, std::move(out_));
  store(activation_, operands_, 0, std::move(next_));
}

Declaration declare_draw(DrawRules rules, const char* comment, const char* example) {
  const auto kept = std::make_shared<const DrawRules>(std::move(rules));
  Declaration d(kept->name.c_str());
  d.family("random").comment(comment).example(example);
  d.input("state", "6 words of uint64, the state of a generator; or a row for each of many");
  d.input("size", "the shape of what is drawn, a vector of integers");
  for (const DrawParameter& parameter : kept->parameters)
    d.input(parameter.name, parameter.comment);
  return d.output("next_state", "the state behind the draw")
      .output("out", "the numbers")
      .attr("ndim", AttrType::Int, "how many lengths `size` has, where that is not known")
      .optional()
      .at_least(0)
      .at_most(kMaxDims)
      .made_by([kept](const Attributes& attrs) { return Ref<Op>(new DrawOp(kept, attrs)); });
}

}  // namespace thunkvm

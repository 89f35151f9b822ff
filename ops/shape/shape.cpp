// shape.cpp: `shape`, `size` and `matched_lengths`, the lengths of arrays as values.
#include "ops/graph/array_op.h"
#include "ops/graph/connection.h"
#include "ops/graph/declaration.h"
#include "ops/graph/extents.h"
#include "ops/graph/index_map.h"

#include <algorithm>

namespace thunkvm {

namespace {

void run_shape(Activation& activation, const Operands& operands) {
  const Cell& x = activation.input(operands, 0);
  const std::int64_t ndim = x.is_array() ? x.body()->ndim : 0;
  const Array out = output_array(activation, operands, 0, DType::Int64, Dims(&ndim, 1));
  if (ndim > 0) std::copy_n(x.body()->dims, ndim, out.data_as<std::int64_t>());
  store(activation, operands, 0, out);
}

class ShapeOp final : public ArrayOp, public PartlyConnected, public ShapeQuery {
 public:
  explicit ShapeOp(const Attributes& attrs) : ArrayOp("shape", attrs) {}

  /// A constant where all lengths are known: nobody has to compute `x` for it.
  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1);
    const StaticShape& lengths = inputs[0].static_shape();
    if (std::none_of(lengths.begin(), lengths.end(), [](std::int64_t n) { return n < 0; }))
      return {constant_vector(lengths)};
    const StaticShape type{static_cast<std::int64_t>(lengths.size())};
    return {Apply::make1(*this, inputs, TensorType::of(DType::Int64, type))};
  }

  ThunkCode kernel(const Apply&) const override { return kernel_code<run_shape>(0); }

  const ShapeQuery* shape_query() const override { return this; }
  Variable answer(Apply&, std::span<const Extents> input_shapes) const override {
    return shape_vector(input_shapes[0]);
  }
  std::optional<std::vector<IntegerSource>> integers(const Apply& node) const override {
    std::vector<IntegerSource> lengths;
    for (int axis = 0; axis < node.input(0).ndim(); ++axis)
      lengths.push_back({.kind = IntegerSource::Kind::Length, .input = 0, .at = axis});
    return lengths;
  }

  const IndexMap* index_map(const Apply&) const override {
    static const IndexMap lengths{.kind = IndexMap::Kind::ShapeOf};
    return &lengths;
  }

  std::vector<Variable> grad(Apply&, std::span<const Variable>) const override {
    return {Variable()};
  }
  bool connects(int) const override { return false; }

  std::vector<Variable> batch(Apply&, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    const Variable lengths = shape(inputs[0]);
    return {repeat_batch(subtensor(lengths, {"1:"}), length_of(inputs[0], 0))};
  }
};

void run_size(Activation& activation, const Operands& operands) {
  const Cell& x = activation.input(operands, 0);
  std::int64_t size = 1;
  for (int axis = 0; x.is_array() && axis < x.body()->ndim; ++axis) size *= x.body()->dims[axis];
  activation.output(operands, 0).set(size);
}

class SizeOp final : public ArrayOp, public PartlyConnected, public ShapeQuery {
 public:
  explicit SizeOp(const Attributes& attrs) : ArrayOp("size", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1);
    std::int64_t size = 1;
    for (std::int64_t length : inputs[0].static_shape())
      size = length < 0 || size < 0 ? kUnknownLength : size * length;
    if (size >= 0) return {Variable::number(size)};
    return {Apply::make1(*this, inputs, TensorType::scalar(DType::Int64))};
  }

  ThunkCode kernel(const Apply&) const override { return kernel_code<run_size>(0); }

  const ShapeQuery* shape_query() const override { return this; }
  Variable answer(Apply&, std::span<const Extents> input_shapes) const override {
    return size_of(input_shapes[0]);
  }
  std::optional<std::vector<IntegerSource>> integers(const Apply&) const override {
    return std::vector<IntegerSource>{{.kind = IntegerSource::Kind::Size}};
  }

  std::vector<Variable> grad(Apply&, std::span<const Variable>) const override {
    return {Variable()};
  }
  bool connects(int) const override { return false; }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    std::vector<int> axes;
    for (int axis = 1; axis <= node.input(0).ndim(); ++axis) axes.push_back(axis);
    return {repeat_batch(count_along(inputs[0], axes), length_of(inputs[0], 0))};
  }
};

struct MatchedState {
  std::vector<int> axes_a, axes_b;
};

[[noreturn]] void fail_match(int axis_a, std::int64_t length_a, int axis_b, std::int64_t length_b) {
  throw Error(ErrorKind::Value, "[tensordot] shape-mismatch for sum: axis " +
                                    std::to_string(axis_a) + " of a has length " +
                                    std::to_string(length_a) + ", but axis " +
                                    std::to_string(axis_b) + " of b, which meets it, has length " +
                                    std::to_string(length_b));
}

void run_matched_lengths(Activation& activation, const Operands& operands) {
  const MatchedState& state = kernel_state<MatchedState>(operands);
  const CellMemory a(activation.input(operands, 0)), b(activation.input(operands, 1));
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i < state.axes_a.size(); ++i) {
    const int at = state.axes_a[i], to = state.axes_b[i];
    if (a.shape[at] != b.shape[to]) fail_match(at, a.shape[at], to, b.shape[to]);
    lengths.push_back(a.shape[at]);
  }
  const auto n = static_cast<std::int64_t>(lengths.size());
  const Array out = output_array(activation, operands, 0, DType::Int64, Dims(&n, 1));
  std::copy(lengths.begin(), lengths.end(), out.data_as<std::int64_t>());
  store(activation, operands, 0, out);
}

class MatchedLengthsOp final : public ArrayOp, public PartlyConnected, public ShapeQuery {
 public:
  explicit MatchedLengthsOp(const Attributes& attrs) : ArrayOp("matched_lengths", attrs) {}

  /// A constant where the lengths of both are known.
  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 2);
    const MatchedState axes = state(inputs[0].ndim(), inputs[1].ndim());
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 0; i < axes.axes_a.size(); ++i) {
      const int at = axes.axes_a[i], to = axes.axes_b[i];
      const std::int64_t length_a = inputs[0].static_shape()[static_cast<std::size_t>(at)];
      const std::int64_t length_b = inputs[1].static_shape()[static_cast<std::size_t>(to)];
      if (length_a < 0 || length_b < 0) continue;
      if (length_a != length_b) fail_match(at, length_a, to, length_b);
      lengths.push_back(length_a);
    }
    if (lengths.size() == axes.axes_a.size()) return {constant_vector(lengths)};
    const StaticShape shape{static_cast<std::int64_t>(axes.axes_a.size())};
    return {Apply::make1(*this, inputs, TensorType::of(DType::Int64, shape))};
  }

  ThunkCode kernel(const Apply& node) const override {
    return kernel_code<run_matched_lengths>(state(node.input(0).ndim(), node.input(1).ndim()));
  }

  const ShapeQuery* shape_query() const override { return this; }
  Variable answer(Apply& node, std::span<const Extents> input_shapes) const override {
    const MatchedState axes = state(node.input(0).ndim(), node.input(1).ndim());
    Extents lengths;
    for (std::size_t i = 0; i < axes.axes_a.size(); ++i) {
      const int at = axes.axes_a[i], to = axes.axes_b[i];
      const Variable &a = input_shapes[0][static_cast<std::size_t>(at)],
                     &b = input_shapes[1][static_cast<std::size_t>(to)];
      const Attributes names{{"axis_a", std::int64_t{at}}, {"axis_b", std::int64_t{to}}};
      lengths.push_back(same_value(a, b) ? a : call_op("matched_length", {a, b}, names));
    }
    return shape_vector(lengths);
  }

  std::vector<Variable> grad(Apply&, std::span<const Variable>) const override {
    return {Variable(), Variable()};
  }
  bool connects(int) const override { return false; }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    const MatchedState axes = state(node.input(0).ndim(), node.input(1).ndim());
    const Attributes shifted{{"axes_a", shift_axes(axes.axes_a, batched[0] ? 1 : 0)},
                             {"axes_b", shift_axes(axes.axes_b, batched[1] ? 1 : 0)}};
    return {repeat_batch(call_op(name(), inputs, shifted), batch_length(inputs, batched))};
  }

 private:
  MatchedState state(int ndim_a, int ndim_b) const {
    const auto& axes_a = attributes().get<std::vector<std::int64_t>>("axes_a");
    const auto& axes_b = attributes().get<std::vector<std::int64_t>>("axes_b");
    if (axes_a.size() != axes_b.size())
      fail(ErrorKind::Value, std::to_string(axes_a.size()) + " axes of a cannot meet " +
                                 std::to_string(axes_b.size()) + " axes of b");
    return {normalize_axes(axes_a, ndim_a), normalize_axes(axes_b, ndim_b)};
  }
};

}  // namespace

DECLARE_OP(matched_lengths)
    .family("shape")
    .comment(
        "The lengths of axes of `a`, which have to be those of axes of `b`: else it is a "
        "ValueError. A constant, which demands nothing, where they are known.")
    .input("a", "any numeric tensor")
    .input("b", "any numeric tensor")
    .attr("axes_a", AttrType::Ints, "the axes of `a`")
    .attr("axes_b", AttrType::Ints, "the axes of `b` that they meet")
    .output("out", "an int64 vector with a length for each pair of axes")
    .example(
        ">>> x, y = tv.matrix(\"x\"), tv.matrix(\"y\")\n"
        ">>> f = tv.function([x, y], tv.ops.matched_lengths(x, y, axes_a=[1], axes_b=[0]))\n"
        ">>> f(np.zeros((2, 3)), np.zeros((3, 4)))\n"
        "array([3])")
    .made_by<MatchedLengthsOp>();

DECLARE_OP(shape)
    .family("shape")
    .comment("The lengths of the axes. A constant, which demands nothing, where they are known.")
    .written({Notation::Kind::Attribute, "shape"})
    .input("x", "any numeric tensor")
    .output("out", "an int64 vector with a length for each axis")
    .example(
        ">>> x = tv.matrix(\"x\")\n"
        ">>> tv.function([x], tv.ops.shape(x))(np.zeros((2, 3)))\n"
        "array([2, 3])")
    .made_by<ShapeOp>();

DECLARE_OP(size)
    .family("shape")
    .comment("The number of elements. A constant, which demands nothing, where it is known.")
    .written({Notation::Kind::Attribute, "size"})
    .input("x", "any numeric tensor")
    .output("out", "a 0-d int64")
    .example(
        ">>> x = tv.matrix(\"x\")\n"
        ">>> tv.function([x], tv.ops.size(x))(np.zeros((2, 3)))\n"
        "np.int64(6)")
    .made_by<SizeOp>();

}  // namespace thunkvm

// diagonals.cpp: `diagonal` and `set_diagonal`, `tril` and `triu`, and `diag` and `trace`, which
// are made of the others.
#include "ops/graph/array_op.h"
#include "ops/graph/declaration.h"
#include "ops/graph/extents.h"
#include "ops/kernels/stretches.h"

#include <algorithm>

namespace thunkvm {

namespace {

struct DiagonalState {
  std::int64_t offset;  ///< more than the least int64, which has no negative
  int axis1, axis2;
};

/// Where a diagonal is: its length, and the offset of its first element.
struct Diagonal {
  std::int64_t length, first, stride;
};
Diagonal locate(const Array& x, const DiagonalState& state) {
  const std::int64_t row = std::max<std::int64_t>(0, -state.offset);
  const std::int64_t column = std::max<std::int64_t>(0, state.offset);
  const std::int64_t length = std::max<std::int64_t>(
      0, std::min(x.length(state.axis1) - row, x.length(state.axis2) - column));
  const std::int64_t first =
      length == 0 ? 0 : row * x.stride(state.axis1) + column * x.stride(state.axis2);
  return {length, first, x.stride(state.axis1) + x.stride(state.axis2)};
}

/// The diagonal as a view, its axis last.
Array diagonal_view(const Array& x, const DiagonalState& state) {
  const Diagonal diagonal = locate(x, state);
  std::vector<std::int64_t> shape, strides;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    if (axis == state.axis1 || axis == state.axis2) continue;
    shape.push_back(x.length(axis));
    strides.push_back(x.stride(axis));
  }
  shape.push_back(diagonal.length);
  strides.push_back(diagonal.stride);
  return x.view(shape, strides, x.data() + diagonal.first);
}

void run_diagonal(Activation& activation, const Operands& operands) {
  const Array x = input_array(activation, operands, 0);
  store(activation, operands, 0, diagonal_view(x, kernel_state<DiagonalState>(operands)));
}

void run_set_diagonal(Activation& activation, const Operands& operands) {
  const DiagonalState& state = kernel_state<DiagonalState>(operands);
  const Array value = input_array(activation, operands, 1);
  const CellMemory seen(activation.input(operands, 0));
  const std::vector<std::int64_t> shape(seen.shape.begin(), seen.shape.end());
  {
    const Array wanted = diagonal_view(input_array(activation, operands, 0), state);
    if (!same_lengths(wanted.shape(), value.shape()))
      throw Error(ErrorKind::Value,
                  "[set_diagonal] the value has shape " + format_shape(value.shape()) +
                      ", but the diagonal of an array of shape " + format_shape(shape) +
                      " has shape " + format_shape(wanted.shape()));
  }
  Array out = take_dying(activation, operands, 0, value.dtype(), shape);
  if (!out) {
    out = output_array(activation, operands, 0, value.dtype(), shape);
    copy_in_stretches(*activation.host, input_array(activation, operands, 0), out);
  }
  if (value.size() > 0) copy_in_stretches(*activation.host, value, diagonal_view(out, state));
  poll_after(activation, out.size());
  store(activation, operands, 0, out);
}

/// Attributes offset, axis1 and axis2, checked.
class DiagonalOp : public ArrayOp {
 public:
  using ArrayOp::ArrayOp;

 protected:
  DiagonalState diagonal_state(int ndim) const {
    if (ndim < 2)
      fail(ErrorKind::Value, "diag requires an array of at least two dimensions, but got one of " +
                                 std::to_string(ndim));
    const DiagonalState state{std::max(attributes().get<std::int64_t>("offset"), -INT64_MAX),
                              normalize_axis(attributes().get<std::int64_t>("axis1"), ndim),
                              normalize_axis(attributes().get<std::int64_t>("axis2"), ndim)};
    if (state.axis1 == state.axis2)
      fail(ErrorKind::Value,
           "axis1 and axis2 cannot be the same: both are " + std::to_string(state.axis1));
    return state;
  }
  Attributes shifted(int ndim) const {
    const DiagonalState state = diagonal_state(ndim);
    return {{"offset", state.offset},
            {"axis1", std::int64_t{state.axis1 + 1}},
            {"axis2", std::int64_t{state.axis2 + 1}}};
  }
  StaticShape diagonal_shape(const Variable& x) const {
    const DiagonalState state = diagonal_state(x.ndim());
    const auto length = [&](int axis) { return x.static_shape()[static_cast<std::size_t>(axis)]; };
    StaticShape shape;
    for (int axis = 0; axis < x.ndim(); ++axis)
      if (axis != state.axis1 && axis != state.axis2) shape.push_back(length(axis));
    std::int64_t diagonal = kUnknownLength;
    if (length(state.axis1) >= 0 && length(state.axis2) >= 0)
      diagonal = std::max<std::int64_t>(
          0, std::min(length(state.axis1) - std::max<std::int64_t>(0, -state.offset),
                      length(state.axis2) - std::max<std::int64_t>(0, state.offset)));
    shape.push_back(diagonal);
    return shape;
  }
};

class TakeDiagonalOp final : public DiagonalOp {
 public:
  explicit TakeDiagonalOp(const Attributes& attrs) : DiagonalOp("diagonal", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1);
    return {
        Apply::make1(*this, inputs, TensorType::of(inputs[0].dtype(), diagonal_shape(inputs[0])))};
  }
  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    const Extents& x = input_shapes[0];
    const DiagonalState state = diagonal_state(static_cast<int>(x.size()));
    Extents shape;
    for (int axis = 0; axis < static_cast<int>(x.size()); ++axis)
      if (axis != state.axis1 && axis != state.axis2)
        shape.push_back(x[static_cast<std::size_t>(axis)]);
    const auto left = [&](int axis, std::int64_t skipped) {
      return difference_of(x[static_cast<std::size_t>(axis)],
                           extent(std::max<std::int64_t>(0, skipped)));
    };
    const Variable length =
        smaller_of(left(state.axis1, -state.offset), left(state.axis2, state.offset));
    shape.push_back(state.offset == 0 ? length : larger_of(length, extent(0)));
    return {shape};
  }
  ThunkCode kernel(const Apply& node) const override {
    return kernel_code<run_diagonal>(diagonal_state(node.input(0).ndim()));
  }
  const AliasMap& view_map() const override {
    static const AliasMap map{{0, {0}}};
    return map;
  }
  Linearity linearity() const override { return Linearity::Each; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    if (!g[0]) return {Variable()};
    return {call_op("set_diagonal", {zeros_like(node.input(0)), g[0]}, attributes())};
  }
  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    return {call_op("diagonal", inputs, shifted(node.input(0).ndim()))};
  }
};

class SetDiagonalOp final : public DiagonalOp {
 public:
  explicit SetDiagonalOp(const Attributes& attrs) : DiagonalOp("set_diagonal", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 2);
    const StaticShape shape = diagonal_shape(inputs[0]);
    if (inputs[1].ndim() != static_cast<int>(shape.size()) ||
        promote(inputs[0].dtype(), inputs[1].dtype()) != inputs[0].dtype())
      fail(ErrorKind::Type, "the value is a " + inputs[1].type().text() +
                                ", but the diagonal of a " + inputs[0].type().text() +
                                " has shape " + format_shape(shape));
    const Variable checked[] = {inputs[0], cast_now(inputs[1], inputs[0].dtype())};
    return {Apply::make1(*this, checked, inputs[0].type_ref())};
  }
  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    return {input_shapes[0]};
  }
  ThunkCode kernel(const Apply& node) const override {
    return kernel_code<run_set_diagonal>(diagonal_state(node.input(0).ndim()));
  }
  Linearity linearity() const override { return Linearity::Together; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    if (!g[0]) return {Variable(), Variable()};
    return {call_op("set_diagonal", {g[0], zeros_like(node.input(1))}, attributes()),
            call_op("diagonal", {g[0]}, attributes())};
  }
  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    return {call_op("set_diagonal", batch_all(inputs, batched), shifted(node.input(0).ndim()))};
  }
};

struct TriangleState {
  std::int64_t k;
};

template <class T, bool kLower>
void run_triangle(Activation& activation, const Operands& operands) {
  const Array seen = input_array(activation, operands, 0);
  const std::int64_t rows = seen.length(seen.ndim() - 2), columns = seen.length(seen.ndim() - 1);
  // Beyond the corners all diagonals are alike.
  const std::int64_t k = std::clamp(kernel_state<TriangleState>(operands).k, -rows, columns);
  const Array out = output_array(activation, operands, 0, dtype_of<T>, seen.shape());
  const Array x = seen.as_contiguous();
  const T* from = x.data_as<T>();
  T* to = out.data_as<T>();
  const std::int64_t all_rows = columns == 0 ? 0 : x.size() / columns;
  for (std::int64_t r = 0; r < all_rows; ++r, from += columns, to += columns) {
    // In row i, tril keeps the columns up to i + k, triu those from i + k on.
    const std::int64_t i = r % rows;
    const std::int64_t edge = std::clamp<std::int64_t>(i + k + (kLower ? 1 : 0), 0, columns);
    for (std::int64_t j = 0; j < columns; ++j) to[j] = (j < edge) == kLower ? from[j] : T{};
  }
  poll_after(activation, out.size());
  store(activation, operands, 0, out);
}

template <bool kLower>
class TriangleOp final : public ArrayOp {
 public:
  explicit TriangleOp(const Attributes& attrs) : ArrayOp(kLower ? "tril" : "triu", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1);
    if (inputs[0].ndim() < 2)
      fail(ErrorKind::Value, "x must have at least two axes, but is a " + inputs[0].type().text());
    return {Apply::make1(*this, inputs, inputs[0].type_ref())};
  }
  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    return {input_shapes[0]};
  }
  ThunkCode kernel(const Apply& node) const override {
    return visit_dtype(node.input(0).dtype(), name(), [&]<class T>(std::type_identity<T>) {
      return kernel_code<run_triangle<T, kLower>>(
          TriangleState{attributes().get<std::int64_t>("k")});
    });
  }
  Linearity linearity() const override { return Linearity::Each; }
  std::vector<Variable> grad(Apply&, std::span<const Variable> g) const override {
    return {g[0] ? call_op(name(), {g[0]}, attributes()) : Variable()};
  }
  std::vector<Variable> batch(Apply&, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    return call(inputs);
  }
};

/// A matrix with a vector as its diagonal, or the diagonal of a matrix.
class DiagOp final : public ArrayOp {
 public:
  explicit DiagOp(const Attributes& attrs) : ArrayOp("diag", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1);
    const std::int64_t k = attributes().get<std::int64_t>("k");
    const Attributes where{{"offset", k}};
    if (inputs[0].ndim() == 2) return {call_op("diagonal", {inputs[0]}, where)};
    if (inputs[0].ndim() != 1)
      fail(ErrorKind::Value, "input must be 1- or 2-d, but is a " + inputs[0].type().text());
    constexpr std::int64_t kFurthest = std::int64_t{1} << 32;  // its square is more than 63 bits
    if (k > kFurthest || k < -kFurthest)
      fail(ErrorKind::Value, "a matrix with a diagonal " + std::to_string(k) +
                                 " off the main one is larger than the address space");
    const std::int64_t more = k < 0 ? -k : k;
    Variable length = length_of(inputs[0], 0);
    if (length.is_constant())
      length = Variable::number(length.constant_value().get<std::int64_t>() + more);
    else if (k != 0)
      length = add(length, Variable::number(more));
    const Variable zeros =
        full(call_op("stack", {length, length}), Variable::number(0.0), 2, inputs[0].dtype());
    return {call_op("set_diagonal", {zeros, inputs[0]}, where)};
  }
};

class TraceOp final : public ArrayOp {
 public:
  explicit TraceOp(const Attributes& attrs) : ArrayOp("trace", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1);
    return {sum(call_op("diagonal", inputs, attributes()), {-1})};
  }
};

void takes_matrices(Declaration& d) {
  d.family("shape").input("x", "a tensor with at least two axes");
}
void says_which(Declaration& d) {
  d.attr("offset", AttrType::Int, "which diagonal: above the main one, or below it where negative")
      .by_default(std::int64_t{0})
      .attr("axis1", AttrType::Int, "the axis of the rows")
      .by_default(std::int64_t{0})
      .attr("axis2", AttrType::Int, "the axis of the columns")
      .by_default(std::int64_t{1});
}

}  // namespace

DECLARE_OP(diagonal)
    .comment("A diagonal of each matrix, as a view; its axis is the last one.")
    .with(takes_matrices)
    .with(says_which)
    .output("out", "a view of `x`")
    .example(
        ">>> x = tv.matrix(\"x\")\n"
        ">>> tv.function([x], tv.ops.diagonal(x))([[1.0, 2.0], [3.0, 4.0]])\n"
        "array([1., 4.])")
    .made_by<TakeDiagonalOp>();

DECLARE_OP(set_diagonal)
    .comment("A new array like `x`, with a diagonal of each matrix replaced.")
    .with(takes_matrices)
    .input("value", "the new diagonals, in the shape of `diagonal(x)`")
    .with(says_which)
    .output("out", "as `x`")
    .example(
        ">>> x, v = tv.matrix(\"x\"), tv.vector(\"v\")\n"
        ">>> tv.function([x, v], tv.ops.set_diagonal(x, v))([[1.0, 2.0], [3.0, 4.0]], [0.0, 9.0])\n"
        "array([[0., 2.],\n"
        "       [3., 9.]])")
    .made_by<SetDiagonalOp>();

DECLARE_OP(trace)
    .comment("Sum of a diagonal of each matrix.")
    .with(takes_matrices)
    .with(says_which)
    .output("out", "the sums")
    .example(
        ">>> x = tv.matrix(\"x\")\n"
        ">>> tv.function([x], tv.ops.trace(x))([[1.0, 2.0], [3.0, 4.0]])\n"
        "np.float64(5.0)")
    .made_by<TraceOp>();

DECLARE_OP(tril)
    .comment("The lower triangles of the last two axes; zeros above them.")
    .with(takes_matrices)
    .attr("k", AttrType::Int, "the last diagonal that is kept")
    .by_default(std::int64_t{0})
    .output("out", "as `x`")
    .example(
        ">>> x = tv.matrix(\"x\")\n>>> tv.function([x], tv.ops.tril(x))([[1.0, 2.0], [3.0, 4.0]])\n"
        "array([[1., 0.],\n       [3., 4.]])")
    .made_by<TriangleOp<true>>();

DECLARE_OP(triu)
    .comment("The upper triangles of the last two axes; zeros below them.")
    .with(takes_matrices)
    .attr("k", AttrType::Int, "the first diagonal that is kept")
    .by_default(std::int64_t{0})
    .output("out", "as `x`")
    .example(
        ">>> x = tv.matrix(\"x\")\n>>> tv.function([x], tv.ops.triu(x))([[1.0, 2.0], [3.0, 4.0]])\n"
        "array([[1., 2.],\n       [0., 4.]])")
    .made_by<TriangleOp<false>>();

DECLARE_OP(diag)
    .family("shape")
    .comment("A matrix with a vector as its diagonal, or the diagonal of a matrix.")
    .input("x", "a vector or a matrix")
    .attr("k", AttrType::Int, "which diagonal: above the main one, or below it where negative")
    .by_default(std::int64_t{0})
    .output("out", "the matrix, or a view of the diagonal")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.ops.diag(x))([1.0, 2.0])\n"
        "array([[1., 0.],\n"
        "       [0., 2.]])")
    .made_by<DiagOp>();

}  // namespace thunkvm

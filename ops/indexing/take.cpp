// take.cpp: `take`, elements along an axis by an array of positions, and `add_at`, which adds to
// such elements, once for every time that a position is named: the gradient of the other.
#include "ops/graph/cut_gradient.h"
#include "ops/graph/declaration.h"
#include "ops/indexing/indexing.h"
#include "ops/kernels/stretches.h"

#include <algorithm>
#include <atomic>

namespace thunkvm {

namespace {

/// `leading` axes are common to the array and the positions, entry by entry; `axis` counts them.
struct TakeState {
  int axis;
  int leading;
};

/// An array seen as (leading, before, length, after) and its positions as (leading, count). The
/// positions are read once: another thread may write to them, so what is checked is a copy, which
/// nobody else has.
struct TakeExtents {
  std::int64_t leading = 1, before = 1, length, after = 1, count = 1;
  std::vector<std::int64_t> shape;  ///< of what is taken
  Array checked;                    ///< the positions, counted from the front

  TakeExtents(Host& host, const char* op, const TakeState& state, const Array& x,
              const Array& positions)
      : length(x.length(state.axis)) {
    for (int axis = 0; axis < state.leading; ++axis) {
      leading *= x.length(axis);
      if (x.length(axis) != positions.length(axis))
        throw Error(ErrorKind::Value, "[" + std::string(op) +
                                          "] the leading axes must be equal: x has shape " +
                                          format_shape(x.shape()) + ", the positions " +
                                          format_shape(positions.shape()));
    }
    for (int axis = 0; axis < state.axis; ++axis) {
      if (axis >= state.leading) before *= x.length(axis);
      shape.push_back(x.length(axis));
    }
    for (int axis = state.leading; axis < positions.ndim(); ++axis) {
      count *= positions.length(axis);
      shape.push_back(positions.length(axis));
    }
    for (int axis = state.axis + 1; axis < x.ndim(); ++axis) {
      after *= x.length(axis);
      shape.push_back(x.length(axis));
    }
    // Where nothing is walked over, NumPy does not look at the positions.
    if (leading * before == 0) return;
    const Array given = positions.as_contiguous();
    checked = Array::allocate(DType::Int64, given.shape());
    const auto* const from = given.data_as<std::int64_t>();
    auto* const to = checked.data_as<std::int64_t>();
    in_stretches(host, leading * count, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t p =
            std::atomic_ref(const_cast<std::int64_t&>(from[i])).load(std::memory_order_relaxed);
        if (p < -length || p >= length)
          throw Error(ErrorKind::Index, "[" + std::string(op) + "] index " + std::to_string(p) +
                                            " is out of bounds for axis " +
                                            std::to_string(state.axis) + " with size " +
                                            std::to_string(length));
        to[i] = p < 0 ? p + length : p;
      }
    });
  }

  /// Calls `f(offset in the array, offset in what is taken)`, in elements, for every run of `after`
  /// elements.
  template <class F>
  void each(Host& host, F&& f) const {
    if (after == 0 || !checked) return;
    const std::int64_t* position = checked.data_as<std::int64_t>();  // of this entry of `leading`
    std::int64_t row = 0, b = 0, i = 0;
    in_stretches(host, leading * before * count, after, [&](std::int64_t begin, std::int64_t end) {
      while (begin < end) {
        const std::int64_t n = std::min(end - begin, count - i);
        for (std::int64_t k = 0; k < n; ++k)
          f((row * length + position[i + k]) * after, (begin + k) * after);
        begin += n;
        i += n;
        if (i != count) return;
        i = 0;
        ++row;
        if (++b != before) continue;
        b = 0;
        position += count;
      }
    });
  }
};

template <class T>
void run_take(Activation& activation, const Operands& operands) {
  const Array x = input_array(activation, operands, 0).as_contiguous();
  const Array positions = input_array(activation, operands, 1);
  const TakeExtents extents(*activation.host, "take", kernel_state<TakeState>(operands), x,
                            positions);
  const Array out = output_array(activation, operands, 0, x.dtype(), extents.shape);
  const T* from = x.data_as<T>();
  T* to = out.data_as<T>();
  extents.each(*activation.host, [&](std::int64_t source, std::int64_t target) {
    if (extents.after == 1)
      to[target] = from[source];
    else
      std::copy_n(from + source, extents.after, to + target);
  });
  poll_after(activation, out.size());
  store(activation, operands, 0, out);
}

template <class T>
void run_add_at(Activation& activation, const Operands& operands) {
  const Array positions = input_array(activation, operands, 1);
  const Array value = input_array(activation, operands, 2).as_contiguous();
  const CellMemory seen(activation.input(operands, 0));
  const std::vector<std::int64_t> shape(seen.shape.begin(), seen.shape.end());
  const TakeExtents extents(*activation.host, "add_at", kernel_state<TakeState>(operands),
                            input_array(activation, operands, 0), positions);
  if (!same_lengths(extents.shape, value.shape()))
    throw Error(ErrorKind::Value, "[add_at] the value has shape " + format_shape(value.shape()) +
                                      ", but these positions of an array of shape " +
                                      format_shape(shape) + " take one of shape " +
                                      format_shape(extents.shape));
  Array out = take_dying(activation, operands, 0, dtype_of<T>, shape);
  if (!out) {
    out = output_array(activation, operands, 0, dtype_of<T>, shape);
    copy_in_stretches(*activation.host, input_array(activation, operands, 0), out);
  }
  const T* from = value.data_as<T>();
  T* to = out.data_as<T>();
  extents.each(*activation.host, [&](std::int64_t target, std::int64_t source) {
    for (std::int64_t k = 0; k < extents.after; ++k) add_to(to[target + k], from[source + k]);
  });
  poll_after(activation, out.size() + value.size());
  store(activation, operands, 0, out);
}

class PositionsOp : public ArrayOp {
 public:
  using ArrayOp::ArrayOp;

 protected:
  int leading() const { return static_cast<int>(attributes().get<std::int64_t>("leading")); }
  TakeState take_state(int ndim) const {
    return {normalize_axis(attributes().get<std::int64_t>("axis"), ndim), leading()};
  }
  Variable checked_positions(const Variable& positions) const {
    // An empty list has no integers to show its dtype with.
    if (positions.is_constant() && positions.constant_value().to_array().size() == 0)
      return cast_now(positions, DType::Int64);
    if (!is_integral(positions.dtype()) || positions.dtype() == DType::Bool)
      fail(ErrorKind::Type, "the positions must be integers, but " + positions.text() + " is a " +
                                positions.type().text());
    return cast_now(positions, DType::Int64);
  }
  StaticShape taken_shape(const Variable& x, const Variable& positions) const {
    const TakeState state = take_state(x.ndim());
    if (state.axis < state.leading || positions.ndim() < state.leading)
      fail(ErrorKind::Value, "x and the positions must have the " + std::to_string(state.leading) +
                                 " leading axes that they share, before axis " +
                                 std::to_string(state.axis));
    const StaticShape& from = x.static_shape();
    const StaticShape& at = positions.static_shape();
    StaticShape shape(from.begin(), from.begin() + state.axis);
    shape.insert(shape.end(), at.begin() + state.leading, at.end());
    shape.insert(shape.end(), from.begin() + state.axis + 1, from.end());
    return shape;
  }
  static Attributes with(std::int64_t axis, std::int64_t leading) {
    return {{"axis", axis}, {"leading", leading}};
  }
};

class TakeOp final : public PositionsOp {
 public:
  explicit TakeOp(const Attributes& attrs) : PositionsOp("take", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 2);
    const Variable& x = inputs[0];
    const Variable positions = checked_positions(inputs[1]);
    if (!attributes().has("axis")) {
      const std::int64_t rest = -1;
      const Variable flat = reshape(x, constant_vector(std::span(&rest, 1)), 1);
      return {call_op("take", {flat, positions}, with(0, 0))};
    }
    const Variable checked[] = {x, positions};
    return {Apply::make1(*this, checked, TensorType::of(x.dtype(), taken_shape(x, positions)))};
  }

  std::vector<Extents> infer_shape(Apply& node,
                                   std::span<const Extents> input_shapes) const override {
    const TakeState state = take_state(node.input(0).ndim());
    const Extents &x = input_shapes[0], &positions = input_shapes[1];
    Extents shape(x.begin(), x.begin() + state.axis);
    shape.insert(shape.end(), positions.begin() + state.leading, positions.end());
    shape.insert(shape.end(), x.begin() + state.axis + 1, x.end());
    return {shape};
  }

  ThunkCode kernel(const Apply& node) const override {
    return visit_dtype(node.input(0).dtype(), "take", [&]<class T>(std::type_identity<T>) {
      return kernel_code<run_take<T>>(take_state(node.input(0).ndim()));
    });
  }

  Linearity linearity() const override { return Linearity::Each; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    const Variable& x = node.input(0);
    if (!g[0] || !is_inexact(x.dtype())) return {Variable(), Variable()};
    const TakeState state = take_state(x.ndim());
    const Attributes attrs = with(state.axis, state.leading);
    const Variable to_x = call_op("add_at", {zeros_like(x), node.input(1), g[0]}, attrs);
    if (!may_have_infinite_slope(x)) return {to_x, Variable()};
    const auto filled = [](const Variable& like, std::int64_t value) {
      return full(shape(like), Variable::number(value), like.ndim(), DType::Int64);
    };
    const Variable times = call_op("add_at", {filled(x, 0), node.input(1), filled(g[0], 1)}, attrs);
    return {cut_to(to_x, gt(times, weak_integer(0))), Variable()};
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    const TakeState state = take_state(node.input(0).ndim());
    if (state.leading == 0 && !batched[1])
      return {call_op("take", inputs, with(state.axis + 1, 0))};
    if (state.leading == 0 && !batched[0]) {
      // The batch axis of the positions comes out where they do: move it to the front.
      const Variable taken = call_op("take", inputs, with(state.axis, 0));
      Axes order = axis_range(0, taken.ndim());
      std::rotate(order.begin(), order.begin() + state.axis, order.begin() + state.axis + 1);
      return {transpose(taken, order)};
    }
    return {call_op("take", batch_all(inputs, batched), with(state.axis + 1, state.leading + 1))};
  }
};

class AddAtOp final : public PositionsOp {
 public:
  explicit AddAtOp(const Attributes& attrs) : PositionsOp("add_at", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 3);
    const Variable& x = inputs[0];
    const Variable positions = checked_positions(inputs[1]);
    const StaticShape taken = taken_shape(x, positions);
    const Variable value = cast_now(inputs[2], x.dtype());
    if (promote(x.dtype(), inputs[2].dtype()) != x.dtype() ||
        value.ndim() != static_cast<int>(taken.size()))
      fail(ErrorKind::Type, "the value is a " + inputs[2].type().text() +
                                ", but must be of shape " + format_shape(taken) +
                                " and fit into dtype " + std::string(thunkvm::name(x.dtype())));
    const Variable checked[] = {x, positions, value};
    return {Apply::make1(*this, checked, x.type_ref())};
  }

  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    return {input_shapes[0]};
  }

  ThunkCode kernel(const Apply& node) const override {
    return visit_dtype(node.input(0).dtype(), "add_at", [&]<class T>(std::type_identity<T>) {
      return kernel_code<run_add_at<T>>(take_state(node.input(0).ndim()));
    });
  }

  Linearity linearity() const override { return Linearity::Together; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    const Variable& x = node.input(0);
    if (!g[0] || !is_inexact(x.dtype())) return {Variable(), Variable(), Variable()};
    const TakeState state = take_state(x.ndim());
    return {g[0], Variable(),
            call_op("take", {g[0], node.input(1)}, with(state.axis, state.leading))};
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    const TakeState state = take_state(node.input(0).ndim());
    std::vector<Variable> all = batch_all(inputs, batched);
    if (state.leading > 0 || batched[1])
      return {call_op("add_at", all, with(state.axis + 1, state.leading + 1))};
    all[1] = inputs[1];
    return {call_op("add_at", all, with(state.axis + 1, 0))};
  }
};

}  // namespace

DECLARE_OP(take)
    .family("indexing")
    .comment("The elements at some positions along an axis, as `numpy.take`.")
    .input("x", "any numeric tensor")
    .input("positions", "a tensor of integers; negative ones count from the end")
    .attr("axis", AttrType::Int,
          "the axis along which they are taken; the flattened tensor if None")
    .optional()
    .attr("leading", AttrType::Int,
          "how many leading axes `x` and `positions` share, entry by entry")
    .by_default(std::int64_t{0})
    .at_least(0)
    .at_most(kMaxDims)
    .output("out", "`x` with that axis replaced by those of `positions`")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.take(x, [2, 0, 2], axis=0))([1.0, 2.0, 3.0])\n"
        "array([3., 1., 3.])")
    .made_by<TakeOp>();

DECLARE_OP(add_at)
    .family("indexing")
    .comment(
        "A new array like `x`, with something added to the elements at some positions along an "
        "axis, "
        "as often as each is named. The gradient of `take`.")
    .input("x", "any numeric tensor")
    .input("positions", "a tensor of integers; negative ones count from the end")
    .input("value", "what is added, in the shape of `take(x, positions)`")
    .attr("axis", AttrType::Int, "the axis of `x` that the positions are on")
    .by_default(std::int64_t{0})
    .attr("leading", AttrType::Int,
          "how many leading axes `x` and `positions` share, entry by entry")
    .by_default(std::int64_t{0})
    .at_least(0)
    .at_most(kMaxDims)
    .output("out", "as `x`")
    .example(
        ">>> x, v = tv.vector(\"x\"), tv.vector(\"v\")\n"
        ">>> tv.function([x, v], tv.ops.add_at(x, [0, 0], v))([1.0, 2.0], [10.0, 20.0])\n"
        "array([31.,  2.])")
    .made_by<AddAtOp>();

}  // namespace thunkvm

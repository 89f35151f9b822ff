// broadcasting.cpp: `broadcast_to`, a view that repeats elements, and `unbroadcast`, the sum that
// undoes it.
#include "ops/graph/declaration.h"
#include "ops/graph/extents.h"
#include "ops/graph/index_map.h"
#include "ops/reduction/reduction.h"
#include "thunks/lengths.h"

#include <algorithm>

namespace thunkvm {

namespace {

void run_broadcast_to(Activation& activation, const Operands& operands) {
  const Array x = input_array(activation, operands, 0);
  const std::vector<std::int64_t> shape = read_integers(activation, operands, 1);
  if (std::ranges::any_of(shape, [](std::int64_t length) { return length < 0; }))
    throw Error(ErrorKind::Value,
                "[broadcast_to] negative dimensions are not allowed: " + format_shape(shape));
  const auto strides = broadcast_strides(x, shape);
  if (!strides)
    throw Error(ErrorKind::Value,
                "[broadcast_to] operands could not be broadcast together: an array of shape " +
                    format_shape(x.shape()) + " does not fit the requested shape " +
                    format_shape(shape) +
                    ", axis by axis from the last: lengths must agree or be 1");
  store(activation, operands, 0, x.view(shape, *strides, x.data()));
}

class BroadcastToOp final : public ArrayOp {
 public:
  explicit BroadcastToOp(const Attributes& attrs) : ArrayOp("broadcast_to", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 2);
    const Variable& x = inputs[0];
    const Variable lengths = integer_vector(inputs[1], "shape");
    const int ndim = ndim_of_shape(lengths);
    if (x.ndim() > ndim)
      fail(ErrorKind::Value, "cannot broadcast a " + x.type().text() + " to " +
                                 std::to_string(ndim) + " axes: it has " +
                                 std::to_string(x.ndim()) + " already");
    StaticShape shape = known_shape(lengths, ndim);
    const StaticShape& from = x.static_shape();
    for (std::size_t i = 0; i < from.size(); ++i) {
      std::int64_t& to = shape[shape.size() - from.size() + i];
      // An axis longer than 1 stays as it is.
      if (from[i] < 0 || from[i] == 1 || from[i] == to) continue;
      if (to >= 0)
        fail(ErrorKind::Value, "cannot broadcast a " + x.type().text() + " to " +
                                   format_shape(shape) +
                                   ": lengths must agree, axis by axis from the last, or be 1");
      to = from[i];
    }
    const Variable checked[] = {x, lengths};
    return {Apply::make1(*this, checked, TensorType::of(x.dtype(), shape))};
  }

  ThunkCode kernel(const Apply&) const override { return kernel_code<run_broadcast_to>(0); }

  std::vector<Extents> infer_shape(Apply& node, std::span<const Extents>) const override {
    return {elements_of(node.input(1), node.output(0).ndim())};
  }

  const IndexMap* index_map(const Apply& node) const override {
    static const IndexMap broadcast{.kind = IndexMap::Kind::Broadcast, .value = 0, .lengths = 1};
    return node.output_type(0).tensor()->ndim() > 0 ? &broadcast : nullptr;
  }

  const AliasMap& view_map() const override {
    static const AliasMap map{{0, {0}}};
    return map;
  }

  Linearity linearity() const override { return Linearity::Each; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    if (!g[0]) return {Variable(), Variable()};
    return {unbroadcast(g[0], shape(node.input(0)), node.input(0).ndim()), Variable()};
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    const Variable length = batch_length(inputs, batched);
    const Variable lengths = prepend_length(length, unbatched_shape(inputs[1], batched[1]));
    const int ndim = node.output(0).ndim();
    Variable x = inputs[0];
    const int missing = ndim - node.input(0).ndim();
    if (batched[0] && missing > 0) x = expand_dims(x, axis_range(1, 1 + missing));
    return {broadcast_to(x, lengths, ndim + 1)};
  }
};

/// How many leading axes are no part of the broadcast.
struct UnbroadcastState {
  int leading;
};

template <class T>
void run_unbroadcast(Activation& activation, const Operands& operands) {
  const std::size_t leading =
      static_cast<std::size_t>(kernel_state<UnbroadcastState>(operands).leading);
  const Layout x = Layout::of(activation.input(operands, 0));
  const Dims from = x.shape();
  std::vector<std::int64_t> shape = read_integers(activation, operands, 1);
  shape.insert(shape.begin(), from.begin(), from.begin() + leading);
  if (same_lengths(shape, from)) {
    activation.output(operands, 0) = activation.input(operands, 0);
    return;
  }
  const auto fail = [&] {
    throw Error(ErrorKind::Value, "[unbroadcast] an array of shape " + format_shape(from) +
                                      " cannot be summed down to shape " + format_shape(shape) +
                                      ": no array of that shape broadcasts to it");
  };
  if (shape.size() > from.size()) fail();
  const std::size_t extra = from.size() - shape.size();
  AxisSet summed = 0;
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    bool sums = axis >= leading && axis < leading + extra;
    if (axis >= leading + extra && from[axis] != shape[axis - extra]) {
      if (shape[axis - extra] != 1) fail();
      sums = true;
    }
    summed |= AxisSet{sums} << axis;
  }
  const Array out = output_array(activation, operands, 0, dtype_of<T>, shape);
  ArrayReduction(BlockReductionOf<SumAs<T, T>>::kReduction, x.ndim, summed)
      .run(x, out.data(), *activation.host);
  poll_after(activation, *product_of_lengths(from));
  store(activation, operands, 0, out);
}

class UnbroadcastOp final : public ArrayOp {
 public:
  explicit UnbroadcastOp(const Attributes& attrs)
      : ArrayOp("unbroadcast", attrs),
        leading_(static_cast<int>(attrs.get<std::int64_t>("leading"))) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 2);
    const Variable& x = inputs[0];
    const Variable lengths = integer_vector(inputs[1], "shape");
    const int ndim = ndim_of_shape(lengths);
    if (leading_ + ndim > x.ndim())
      fail(ErrorKind::Value, "cannot sum a " + x.type().text() + " down to " +
                                 std::to_string(leading_ + ndim) + " axes: it has fewer");
    StaticShape shape = known_shape(lengths, ndim);
    const StaticShape& from = x.static_shape();
    const std::size_t extra = from.size() - static_cast<std::size_t>(leading_ + ndim);
    bool same = extra == 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::int64_t length = from[static_cast<std::size_t>(leading_) + extra + i];
      same = same && shape[i] >= 0 && shape[i] == length;
      if (shape[i] > 1 && length >= 0 && shape[i] != length)
        fail(ErrorKind::Value, "cannot sum a " + x.type().text() + " down to " +
                                   format_shape(shape) +
                                   ": no array of that shape broadcasts to it");
    }
    if (same) return {x};
    shape.insert(shape.begin(), from.begin(), from.begin() + leading_);
    const Variable checked[] = {x, lengths};
    return {Apply::make1(*this, checked, TensorType::of(x.dtype(), shape))};
  }

  std::vector<Extents> infer_shape(Apply& node,
                                   std::span<const Extents> input_shapes) const override {
    Extents shape(input_shapes[0].begin(), input_shapes[0].begin() + leading_);
    const Extents rest = elements_of(node.input(1), node.output(0).ndim() - leading_);
    shape.insert(shape.end(), rest.begin(), rest.end());
    return {shape};
  }

  ThunkCode kernel(const Apply& node) const override {
    return visit_dtype(node.input(0).dtype(), "unbroadcast", [&]<class T>(std::type_identity<T>) {
      return kernel_code<run_unbroadcast<T>>(UnbroadcastState{leading_});
    });
  }

  const IndexMap* index_map(const Apply& node) const override {
    static const IndexMap identity{.kind = IndexMap::Kind::Identity, .value = 0, .lengths = 1};
    return leading_ == 0 && node.output_type(0).tensor()->ndim() == node.input(0).ndim() ? &identity
                                                                                         : nullptr;
  }

  const AliasMap& view_map() const override {
    static const AliasMap map{{0, {0}}};
    return map;
  }

  Linearity linearity() const override { return Linearity::Each; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    if (!g[0]) return {Variable(), Variable()};
    const Variable& x = node.input(0);
    const int missing = x.ndim() - node.output(0).ndim();
    const Variable lined_up =
        missing == 0 ? g[0] : expand_dims(g[0], axis_range(leading_, leading_ + missing));
    return {broadcast_to(lined_up, shape(x), x.ndim()), Variable()};
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    const Variable lengths = unbatched_shape(inputs[1], batched[1]);
    const std::int64_t ndim = node.input(1).static_shape()[0] >= 0
                                  ? node.input(1).static_shape()[0]
                                  : attributes().get<std::int64_t>("ndim");
    const auto apply = [&](std::int64_t leading) {
      return call_op("unbroadcast", {inputs[0], lengths}, {{"ndim", ndim}, {"leading", leading}});
    };
    if (batched[0]) return {apply(leading_ + 1)};
    return {repeat_batch(apply(leading_), batch_length(inputs, batched))};
  }

 private:
  int leading_;
};

}  // namespace

DECLARE_OP(broadcast_to)
    .family("shape")
    .comment("`x` repeated along new axes and axes of length 1, as a view.")
    .input("x", "any numeric tensor")
    .input("shape", "a vector of integers")
    .attr("ndim", AttrType::Int, "how many lengths `shape` has, where that is not known")
    .optional()
    .at_least(0)
    .at_most(kMaxDims)
    .output("out", "a view of `x` in that shape")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.broadcast_to(x, [2, 3]))([1.0, 2.0, 3.0])\n"
        "array([[1., 2., 3.],\n"
        "       [1., 2., 3.]])")
    .made_by<BroadcastToOp>();

DECLARE_OP(unbroadcast)
    .family("shape")
    .comment(
        "`x` summed down to a shape that broadcasts to its own: the gradient of a broadcast. `x` "
        "itself where the shapes are equal.")
    .input("x", "any numeric tensor")
    .input("shape", "a vector of integers")
    .attr("ndim", AttrType::Int, "how many lengths `shape` has, where that is not known")
    .optional()
    .at_least(0)
    .at_most(kMaxDims)
    .attr("leading", AttrType::Int,
          "so many leading axes of `x` stay as they are; `shape` is that of the others")
    .by_default(std::int64_t{0})
    .at_least(0)
    .at_most(kMaxDims)
    .output("out", "the sums")
    .example(
        ">>> x = tv.matrix(\"x\")\n"
        ">>> tv.function([x], tv.ops.unbroadcast(x, [1, 2]))([[1.0, 2.0], [3.0, 4.0]])\n"
        "array([[4., 6.]])")
    .made_by<UnbroadcastOp>();

}  // namespace thunkvm

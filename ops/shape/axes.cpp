// axes.cpp: `transpose`, `expand_dims` and `squeeze`: other orders and numbers of axes, as views.
#include "ops/graph/array_op.h"
#include "ops/graph/declaration.h"
#include "ops/graph/extents.h"
#include "ops/graph/index_map.h"

#include <algorithm>
#include <numeric>

namespace thunkvm {

namespace {

/// The base of Ops whose output is a view of their one input.
class AxesOp : public ArrayOp {
 public:
  const AliasMap& view_map() const override {
    static const AliasMap map{{0, {0}}};
    return map;
  }
  const IndexMap* index_map(const Apply& node) const override {
    return node.output_type(0).tensor()->ndim() > 0 ? &map_ : nullptr;
  }

 protected:
  AxesOp(std::string name, const Attributes& attrs, FindView find)
      : ArrayOp(std::move(name), attrs), map_{.kind = IndexMap::Kind::Slice, .find = find} {}

 private:
  const IndexMap map_;
};

struct AxesState {
  std::vector<int> axes;
};

void find_transposed(const Activation&, const Operands& operands, const Layout& x, View& part) {
  part.data = x.data;
  for (const int axis : kernel_state<AxesState>(operands).axes)
    part.append(x.lengths[axis], x.strides[axis]);
}

class TransposeOp final : public AxesOp {
 public:
  explicit TransposeOp(const Attributes& attrs) : AxesOp("transpose", attrs, &find_transposed) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1);
    const Variable& x = inputs[0];
    const std::vector<int> axes = order(x.ndim());
    if (std::is_sorted(axes.begin(), axes.end())) return {x};
    StaticShape shape;
    for (int axis : axes) shape.push_back(x.static_shape()[static_cast<std::size_t>(axis)]);
    return {Apply::make1(*this, inputs, TensorType::of(x.dtype(), shape))};
  }

  std::vector<Extents> infer_shape(Apply& node,
                                   std::span<const Extents> input_shapes) const override {
    Extents shape;
    for (const int axis : order(node.input(0).ndim()))
      shape.push_back(input_shapes[0][static_cast<std::size_t>(axis)]);
    return {shape};
  }

  ThunkCode kernel(const Apply& node) const override {
    return kernel_code<run_view<find_transposed>>(AxesState{order(node.input(0).ndim())});
  }

  Linearity linearity() const override { return Linearity::Each; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    if (!g[0]) return {Variable()};
    const std::vector<int> axes = order(node.input(0).ndim());
    Axes back(axes.size());
    for (std::size_t i = 0; i < axes.size(); ++i)
      back[static_cast<std::size_t>(axes[i])] = static_cast<std::int64_t>(i);
    return {transpose(g[0], back)};
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    Axes axes = shift_axes(order(node.input(0).ndim()), 1);
    axes.insert(axes.begin(), 0);
    return {transpose(inputs[0], axes)};
  }

 private:
  std::vector<int> order(int ndim) const {
    if (const auto given = attributes().find<std::vector<std::int64_t>>("axes")) {
      if (static_cast<int>(given->size()) != ndim)
        fail(ErrorKind::Value, "axes don't match array: " + thunkvm::text(AttrValue(*given)) +
                                   " names " + std::to_string(given->size()) + " axes, but x has " +
                                   std::to_string(ndim));
      return normalize_axes(*given, ndim);
    }
    std::vector<int> reversed(static_cast<std::size_t>(ndim));
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    return reversed;
  }
};

/// Inserts axes of length 1; `axes` are increasing positions in the result.
void find_expanded(const Activation&, const Operands& operands, const Layout& x, View& part) {
  const std::vector<int>& axes = kernel_state<AxesState>(operands).axes;
  part.data = x.data;
  std::size_t next = 0;
  for (int from = 0; from < x.ndim || next < axes.size();) {
    if (next < axes.size() && axes[next] == part.ndim) {
      part.append(1, 0);
      ++next;
    } else {
      part.append(x.lengths[from], x.strides[from]);
      ++from;
    }
  }
}

class ExpandDimsOp final : public AxesOp {
 public:
  explicit ExpandDimsOp(const Attributes& attrs) : AxesOp("expand_dims", attrs, &find_expanded) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1);
    const Variable& x = inputs[0];
    const std::vector<int> axes = new_axes(x.ndim());
    if (axes.empty()) return {x};
    StaticShape shape = x.static_shape();
    for (int axis : axes) shape.insert(shape.begin() + axis, 1);
    return {Apply::make1(*this, inputs, TensorType::of(x.dtype(), shape))};
  }

  std::vector<Extents> infer_shape(Apply& node,
                                   std::span<const Extents> input_shapes) const override {
    Extents shape = input_shapes[0];
    for (const int axis : new_axes(node.input(0).ndim()))
      shape.insert(shape.begin() + axis, extent(1));
    return {shape};
  }
  std::optional<std::vector<IntegerSource>> integers(const Apply& node) const override {
    return node.output_type(0).tensor()->ndim() == 1 ? elements_of_input(node) : std::nullopt;
  }

  ThunkCode kernel(const Apply& node) const override {
    return kernel_code<run_view<find_expanded>>(AxesState{new_axes(node.input(0).ndim())});
  }

  Linearity linearity() const override { return Linearity::Each; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    if (!g[0]) return {Variable()};
    return {squeeze(g[0], shift_axes(new_axes(node.input(0).ndim()), 0))};
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    return {expand_dims(inputs[0], shift_axes(new_axes(node.input(0).ndim()), 1))};
  }

 private:
  std::vector<int> new_axes(int ndim) const {
    const auto& given = attributes().get<std::vector<std::int64_t>>("axis");
    std::vector<int> axes = normalize_axes(given, ndim + static_cast<int>(given.size()));
    std::sort(axes.begin(), axes.end());
    return axes;
  }
};

void find_squeezed(const Activation&, const Operands& operands, const Layout& x, View& part) {
  const std::vector<int>& axes = kernel_state<AxesState>(operands).axes;
  part.data = x.data;
  std::size_t next = 0;
  for (int axis = 0; axis < x.ndim; ++axis) {
    if (next < axes.size() && axes[next] == axis) {
      ++next;
      if (x.lengths[axis] != 1)
        throw Error(ErrorKind::Value,
                    "[squeeze] cannot select an axis to squeeze out which has size not equal to "
                    "one: axis " +
                        std::to_string(axis) + " of shape " + format_shape(x.shape()));
    } else {
      part.append(x.lengths[axis], x.strides[axis]);
    }
  }
}

class SqueezeOp final : public AxesOp {
 public:
  explicit SqueezeOp(const Attributes& attrs) : AxesOp("squeeze", attrs, &find_squeezed) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1);
    const Variable& x = inputs[0];
    if (!attributes().has("axis")) return {squeeze(x, known_ones(x))};
    const std::vector<int> axes = dropped_axes(x.ndim());
    if (axes.empty()) return {x};
    StaticShape shape;
    for (int axis = 0; axis < x.ndim(); ++axis) {
      const std::int64_t length = x.static_shape()[static_cast<std::size_t>(axis)];
      if (std::find(axes.begin(), axes.end(), axis) == axes.end())
        shape.push_back(length);
      else if (length >= 0 && length != 1)
        fail(ErrorKind::Value,
             "cannot select an axis to squeeze out which has size not equal to one: axis " +
                 std::to_string(axis) + " of a " + x.type().text());
    }
    return {Apply::make1(*this, inputs, TensorType::of(x.dtype(), shape))};
  }

  std::vector<Extents> infer_shape(Apply& node,
                                   std::span<const Extents> input_shapes) const override {
    const std::vector<int> dropped = dropped_axes(node.input(0).ndim());
    Extents shape;
    for (int axis = 0; axis < node.input(0).ndim(); ++axis)
      if (std::ranges::find(dropped, axis) == dropped.end())
        shape.push_back(input_shapes[0][static_cast<std::size_t>(axis)]);
    return {shape};
  }
  /// The one integer of a vector of length 1.
  std::optional<std::vector<IntegerSource>> integers(const Apply& node) const override {
    const StaticShape& from = node.input(0).static_shape();
    return from.size() == 1 && from[0] == 1 ? elements_of_input(node) : std::nullopt;
  }

  ThunkCode kernel(const Apply& node) const override {
    return kernel_code<run_view<find_squeezed>>(AxesState{dropped_axes(node.input(0).ndim())});
  }

  Linearity linearity() const override { return Linearity::Each; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    if (!g[0]) return {Variable()};
    return {expand_dims(g[0], shift_axes(dropped_axes(node.input(0).ndim()), 0))};
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    return {squeeze(inputs[0], shift_axes(dropped_axes(node.input(0).ndim()), 1))};
  }

 private:
  std::vector<int> dropped_axes(int ndim) const {
    std::vector<int> axes =
        normalize_axes(attributes().get<std::vector<std::int64_t>>("axis"), ndim);
    std::sort(axes.begin(), axes.end());
    return axes;
  }
  Axes known_ones(const Variable& x) const {
    Axes axes;
    for (int axis = 0; axis < x.ndim(); ++axis) {
      const std::int64_t length = x.static_shape()[static_cast<std::size_t>(axis)];
      if (length == 1) axes.push_back(axis);
      if (length < 0)
        fail(ErrorKind::Value, "which axes have length 1 is not known of a " + x.type().text() +
                                   ": name them with `axis`");
    }
    return axes;
  }
};

}  // namespace

DECLARE_OP(transpose)
    .family("shape")
    .comment("The axes in another order, as a view.")
    .algebra({.axes = Algebra::Axes::Ordered})
    .written({Notation::Kind::Attribute, "T"})
    .input("x", "any numeric tensor")
    .attr("axes", AttrType::Ints, "axis i of the result is axis axes[i] of `x`; reversed if None")
    .optional()
    .output("out", "a view of `x`")
    .example(
        ">>> x = tv.matrix(\"x\")\n"
        ">>> tv.function([x], tv.transpose(x))([[1.0, 2.0], [3.0, 4.0]])\n"
        "array([[1., 3.],\n"
        "       [2., 4.]])")
    .made_by<TransposeOp>();

DECLARE_OP(expand_dims)
    .family("shape")
    .comment("New axes of length 1, as a view.")
    .algebra({.axes = Algebra::Axes::Added})
    .input("x", "any numeric tensor")
    .attr("axis", AttrType::Ints, "where they are in the result")
    .output("out", "a view of `x`")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.expand_dims(x, axis=[0]))([1.0, 2.0])\n"
        "array([[1., 2.]])")
    .made_by<ExpandDimsOp>();

DECLARE_OP(squeeze)
    .family("shape")
    .comment("Without some axes of length 1, as a view.")
    .algebra({.axes = Algebra::Axes::Dropped})
    .input("x", "any numeric tensor")
    .attr("axis", AttrType::Ints,
          "which axes go; if None all of length 1, where the shape is known")
    .optional()
    .output("out", "a view of `x`")
    .example(
        ">>> x = tv.matrix(\"x\")\n"
        ">>> tv.function([x], tv.squeeze(x, axis=[0]))([[1.0, 2.0]])\n"
        "array([1., 2.])")
    .made_by<SqueezeOp>();

}  // namespace thunkvm

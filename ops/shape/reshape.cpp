// reshape.cpp: `reshape`, a view wherever the strides allow one.
#include "ops/graph/array_op.h"
#include "ops/graph/declaration.h"
#include "ops/graph/extent_op.h"
#include "ops/kernels/stretches.h"
#include "thunks/lengths.h"
#include "thunks/strided.h"

#include <algorithm>

namespace thunkvm {

namespace {

std::string wanted_text(std::span<const std::int64_t> shape) {
  std::string shown = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    shown += (i == 0 ? "" : ",") + (shape[i] < 0 ? "newaxis" : std::to_string(shape[i]));
  return shown + (shape.size() == 1 ? ",)" : ")");
}

/// Replaces the one -1, if there is one. Throws in NumPy's words where the sizes do not fit.
void resolve_lengths(std::vector<std::int64_t>& shape, std::int64_t size, Dims from) {
  std::int64_t* unknown = nullptr;
  for (std::int64_t& length : shape) {
    if (length >= 0) continue;
    if (unknown != nullptr || length != -1)
      throw Error(
          ErrorKind::Value,
          "[reshape] can only specify one unknown dimension, as -1; got " + format_shape(shape));
    unknown = &length;
  }
  if (unknown != nullptr) *unknown = 1;
  const std::int64_t known = product_of_lengths(shape).value_or(0);
  if (unknown != nullptr) *unknown = -1;
  const bool fits = unknown == nullptr ? known == size && product_of_lengths(shape).has_value()
                                       : known != 0 && size % known == 0;
  if (!fits)
    throw Error(ErrorKind::Value, "[reshape] cannot reshape array of size " + std::to_string(size) +
                                      " into shape " + wanted_text(shape) + ": its shape is " +
                                      format_shape(from) + ", and both must have as many elements");
  if (unknown != nullptr) *unknown = size / known;
}

/// The strides with which `x` is a C-order walk of `shape`; empty where only a copy is. Groups of
/// axes whose lengths multiply to the same number correspond; the old ones must be one run.
std::optional<std::vector<std::int64_t>> view_strides(const Array& x, Dims shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::vector<std::int64_t> lengths, steps;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    if (x.length(axis) == 1) continue;
    lengths.push_back(x.length(axis));
    steps.push_back(x.stride(axis));
  }
  std::size_t old_axis = 0, new_axis = 0;
  while (old_axis < lengths.size() && new_axis < shape.size()) {
    std::size_t old_end = old_axis + 1, new_end = new_axis + 1;
    std::int64_t old_count = lengths[old_axis], new_count = shape[new_axis];
    while (old_count != new_count) {
      if (new_count < old_count)
        new_count *= shape[new_end++];
      else
        old_count *= lengths[old_end++];
    }
    for (std::size_t axis = old_axis; axis + 1 < old_end; ++axis)
      if (steps[axis] != steps[axis + 1] * lengths[axis + 1]) return std::nullopt;
    std::int64_t step = steps[old_end - 1];
    for (std::size_t axis = new_end; axis-- > new_axis;) {
      strides[axis] = step;
      step *= shape[axis];
    }
    old_axis = old_end;
    new_axis = new_end;
  }
  const std::int64_t last =
      new_axis > 0 ? strides[new_axis - 1] : static_cast<std::int64_t>(item_size(x.dtype()));
  for (std::size_t axis = new_axis; axis < shape.size(); ++axis) strides[axis] = last;
  return strides;
}

void run_reshape(Activation& activation, const Operands& operands) {
  const Array x = input_array(activation, operands, 0);
  std::vector<std::int64_t> shape = read_integers(activation, operands, 1);
  const std::int64_t size = x.size();
  resolve_lengths(shape, size, x.shape());
  if (size <= 1 || x.contiguous()) {
    store(activation, operands, 0,
          x.view(shape, dense_strides(shape, item_size(x.dtype())), x.data()));
    return;
  }
  if (const auto strides = view_strides(x, shape)) {
    store(activation, operands, 0, x.view(shape, *strides, x.data()));
    return;
  }
  const Array out = output_array(activation, operands, 0, x.dtype(), shape);
  const Array as_x =
      out.view(x.shape(), dense_strides(x.shape(), item_size(x.dtype())), out.data());
  copy_in_stretches(*activation.host, x, as_x);
  poll_after(activation, size);
  store(activation, operands, 0, out);
}

class ReshapeOp final : public ArrayOp {
 public:
  explicit ReshapeOp(const Attributes& attrs) : ArrayOp("reshape", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 2);
    const Variable& x = inputs[0];
    const Variable lengths = integer_vector(inputs[1], "shape");
    const int ndim = ndim_of_shape(lengths);
    const Variable checked[] = {x, lengths};
    return {
        Apply::make1(*this, checked, TensorType::of(x.dtype(), result_shape(x, lengths, ndim)))};
  }

  ThunkCode kernel(const Apply&) const override { return kernel_code<run_reshape>(0); }

  /// The lengths that were asked for; where one may be -1, what is left for it.
  std::vector<Extents> infer_shape(Apply& node,
                                   std::span<const Extents> input_shapes) const override {
    Extents shape = elements_of(node.input(1), node.output(0).ndim());
    if (std::ranges::all_of(shape, is_length)) return {shape};
    std::vector<Variable> size_and_lengths = shape;
    const Variable size = size_of(input_shapes[0]);
    if (shape.size() == 1 && known_extent(shape[0]) == -1) return {{size}};
    size_and_lengths.insert(size_and_lengths.begin(), size);
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      if (!is_length(shape[axis]))
        shape[axis] = call_op("reshaped_length", std::span<const Variable>(size_and_lengths),
                              {{"axis", static_cast<std::int64_t>(axis)}});
    return {shape};
  }
  std::optional<std::vector<IntegerSource>> integers(const Apply& node) const override {
    return node.output_type(0).tensor()->ndim() <= 1 ? elements_of_input(node) : std::nullopt;
  }

  const AliasMap& view_map() const override {
    static const AliasMap map{{0, {0}}};
    return map;
  }

  Linearity linearity() const override { return Linearity::Each; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    if (!g[0]) return {Variable(), Variable()};
    return {reshape(g[0], shape(node.input(0)), node.input(0).ndim()), Variable()};
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    const Variable length = batch_length(inputs, batched);
    const Variable lengths = unbatched_shape(inputs[1], batched[1]);
    const int ndim = node.output(0).ndim();
    if (!batched[0]) return {repeat_batch(reshape(inputs[0], lengths, ndim), length)};
    return {reshape(inputs[0], prepend_length(length, lengths), ndim + 1)};
  }

 private:
  /// Whether it cannot be -1: a number, or a length of an array.
  static bool is_length(const Variable& extent) {
    if (const auto known = known_extent(extent)) return *known >= 0;
    const Apply& node = *extent.node();
    const auto sources = node.op() == nullptr ? std::nullopt : node.op()->integers(node);
    return sources && sources->front().kind != IntegerSource::Kind::Element;
  }
  StaticShape result_shape(const Variable& x, const Variable& lengths, int ndim) const {
    const auto known = known_integers(lengths);
    if (!known) return StaticShape(static_cast<std::size_t>(ndim), kUnknownLength);
    std::int64_t size = 1;
    for (std::int64_t length : x.static_shape())
      size = length < 0 || size < 0 ? kUnknownLength : size * length;
    const bool all = std::all_of(known->begin(), known->end(),
                                 [](const KnownInteger& k) { return k.has_value(); });
    if (all && size >= 0) {
      std::vector<std::int64_t> shape;
      for (const KnownInteger& k : *known) shape.push_back(*k);
      resolve_lengths(shape, size, x.static_shape());
      return shape;
    }
    return known_shape(lengths, ndim);
  }
};

class ReshapedLengthOp final : public ExtentOp {
 public:
  explicit ReshapedLengthOp(const Attributes& attrs)
      : ExtentOp("reshaped_length", attrs),
        axis_(static_cast<std::size_t>(attrs.get<std::int64_t>("axis"))) {}

  std::int64_t length(std::span<const std::int64_t> size_and_lengths) const override {
    const std::int64_t size = size_and_lengths[0];
    std::vector<std::int64_t> shape(size_and_lengths.begin() + 1, size_and_lengths.end());
    resolve_lengths(shape, size, Dims(&size, 1));
    return shape[axis_];
  }

 protected:
  void expect_count(std::size_t count) const override {
    ExtentOp::expect_count(count);
    if (axis_ + 1 >= count)
      fail(ErrorKind::Value, "axis " + std::to_string(axis_) + " is none of the " +
                                 std::to_string(count - 1) + " lengths");
  }

 private:
  std::size_t axis_;
};

}  // namespace

DECLARE_OP(reshape)
    .family("shape")
    .comment(
        "The same elements, in C order, in another shape. A view of `x` where its strides allow "
        "one, "
        "else a copy.")
    .input("x", "any numeric tensor")
    .input("shape", "a vector of integers; one of them may be -1: what is left")
    .attr("ndim", AttrType::Int, "how many lengths `shape` has, where that is not known")
    .optional()
    .at_least(0)
    .at_most(kMaxDims)
    .output("out", "`x` in that shape")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.reshape(x, [2, -1]))([1.0, 2.0, 3.0, 4.0])\n"
        "array([[1., 2.],\n"
        "       [3., 4.]])")
    .made_by<ReshapeOp>();

DECLARE_OP(reshaped_length)
    .family("shape")
    .comment("One of the lengths of a reshaped array, where what was asked for may be -1.")
    .input("size", "how many elements the array has")
    .inputs("lengths", "the lengths that were asked for, 0-d integers")
    .attr("axis", AttrType::Int, "which of them")
    .at_least(0)
    .at_most(kMaxDims)
    .output("out", "a 0-d int64")
    .example(
        ">>> n = tv.scalar(\"n\", dtype=\"int64\")\n"
        ">>> tv.function([n], tv.ops.reshaped_length(n, 2, -1, axis=1))(6)\n"
        "np.int64(3)")
    .made_by<ReshapedLengthOp>();

}  // namespace thunkvm

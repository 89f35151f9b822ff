// full.cpp: `full`, an array of one number.
#include "ops/graph/array_op.h"
#include "ops/graph/declaration.h"
#include "ops/graph/extents.h"
#include "ops/graph/index_map.h"

#include <algorithm>

namespace thunkvm {

namespace {

template <class T>
void run_full(Activation& activation, const Operands& operands) {
  const std::vector<std::int64_t> shape = read_integers(activation, operands, 0);
  const T value = *static_cast<const T*>(activation.input(operands, 1).address());
  for (std::int64_t length : shape)
    if (length < 0)
      throw Error(ErrorKind::Value,
                  "[full] negative dimensions are not allowed: " + format_shape(shape));
  if (shape.empty()) {
    activation.output(operands, 0).set(value);
    return;
  }
  const Array out = output_array(activation, operands, 0, dtype_of<T>, shape);
  {
    HostLeave leave(*activation.host, out.size());
    std::fill_n(out.data_as<T>(), out.size(), value);
  }
  poll_after(activation, out.size());
  store(activation, operands, 0, out);
}

class FullOp final : public ArrayOp {
 public:
  explicit FullOp(const Attributes& attrs) : ArrayOp("full", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 2);
    const Variable lengths = integer_vector(inputs[0], "shape");
    if (inputs[1].ndim() != 0)
      fail(ErrorKind::Type,
           "the value must be 0-d, but is a " + inputs[1].type().text() + ": use broadcast_to");
    const DType dtype = attributes().find<DType>("dtype").value_or(inputs[1].dtype());
    const Variable checked[] = {lengths, cast_now(inputs[1], dtype)};
    const StaticShape shape = known_shape(lengths, ndim_of_shape(lengths));
    return {Apply::make1(*this, checked, TensorType::of(dtype, shape))};
  }

  ThunkCode kernel(const Apply& node) const override {
    return visit_dtype(node.input(1).dtype(), "full",
                       [&]<class T>(std::type_identity<T>) { return kernel_code<run_full<T>>(0); });
  }

  std::vector<Extents> infer_shape(Apply& node, std::span<const Extents>) const override {
    return {elements_of(node.input(0), node.output(0).ndim())};
  }

  const IndexMap* index_map(const Apply& node) const override {
    static const IndexMap broadcast{.kind = IndexMap::Kind::Broadcast, .value = 1, .lengths = 0};
    return node.output_type(0).tensor()->ndim() > 0 ? &broadcast : nullptr;
  }

  Linearity linearity() const override { return Linearity::Each; }
  std::vector<Variable> grad(Apply&, std::span<const Variable> g) const override {
    if (!g[0] || !is_inexact(g[0].dtype())) return {Variable(), Variable()};
    return {Variable(), sum(g[0])};
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    const Variable length = batch_length(inputs, batched);
    const Variable lengths = unbatched_shape(inputs[0], batched[0]);
    const int ndim = node.output(0).ndim();
    if (!batched[1])
      return {repeat_batch(full(lengths, inputs[1], ndim, node.output(0).dtype()), length)};
    const Variable lined_up =
        ndim == 0 ? inputs[1] : expand_dims(inputs[1], axis_range(1, 1 + ndim));
    return {broadcast_to(lined_up, prepend_length(length, lengths), ndim + 1)};
  }
};

}  // namespace

DECLARE_OP(full)
    .family("creation")
    .comment("An array filled with one number.")
    .input("shape", "a vector of integers")
    .input("value", "a 0-d number")
    .attr("ndim", AttrType::Int, "how many lengths `shape` has, where that is not known")
    .optional()
    .at_least(0)
    .at_most(kMaxDims)
    .attr("dtype", AttrType::DType, "the dtype of the result; that of `value` if None")
    .optional()
    .output("out", "the array")
    .example(
        ">>> n = tv.scalar(\"n\", dtype=\"int64\")\n"
        ">>> tv.function([n], tv.ops.full(tv.ops.stack(n), 7.0))(3)\n"
        "array([7., 7., 7.])")
    .made_by<FullOp>();

}  // namespace thunkvm

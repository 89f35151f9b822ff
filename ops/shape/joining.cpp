// joining.cpp: `concatenate` along an axis there is, and `stack` along a new one.
#include "ops/graph/array_op.h"
#include "ops/graph/declaration.h"
#include "ops/graph/extents.h"
#include "ops/graph/limits.h"
#include "thunks/lengths.h"

#include <algorithm>
#include <cstring>

namespace thunkvm {

namespace {

struct JoinState {
  int axis;
  DType dtype;
};

std::int64_t joined_length(std::int64_t a, std::int64_t b) {
  const auto sum = sum_of_lengths(a, b);
  if (!sum)
    throw Error(ErrorKind::Value, "[concatenate] an axis of " + std::to_string(a) + " and " +
                                      std::to_string(b) +
                                      " elements is larger than the address space");
  return *sum;
}

void run_concatenate(Activation& activation, const Operands& operands) {
  const JoinState& state = kernel_state<JoinState>(operands);
  std::vector<Array> parts;
  parts.reserve(operands.n_inputs);
  for (int i = 0; i < operands.n_inputs; ++i) parts.push_back(input_array(activation, operands, i));
  std::vector<std::int64_t> shape(parts[0].shape().begin(), parts[0].shape().end());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    for (int axis = 0; axis < parts[i].ndim(); ++axis) {
      std::int64_t& length = shape[static_cast<std::size_t>(axis)];
      if (axis == state.axis)
        length = joined_length(length, parts[i].length(axis));
      else if (length != parts[i].length(axis))
        throw Error(
            ErrorKind::Value,
            "[concatenate] all the input array dimensions except for the concatenation axis "
            "must match exactly, but along dimension " +
                std::to_string(axis) + ", the array at index 0 has size " + std::to_string(length) +
                " and the array at index " + std::to_string(i) + " has size " +
                std::to_string(parts[i].length(axis)));
    }
  }
  const Array out = output_array(activation, operands, 0, state.dtype, shape);
  {
    HostLeave leave(*activation.host, out.size());
    char* to = out.data();
    for (const Array& part : parts) {
      if (part.size() == 0) continue;
      if (part.contiguous() && state.axis == 0)
        std::memcpy(to, part.data(), part.bytes());
      else
        copy_elements(part, out.view(part.shape(), out.strides(), to));
      to += part.length(state.axis) * out.stride(state.axis);
    }
  }
  poll_after(activation, out.size());
  store(activation, operands, 0, out);
}

void run_stack(Activation& activation, const Operands& operands) {
  const JoinState& state = kernel_state<JoinState>(operands);
  const CellMemory first(activation.input(operands, 0));
  std::vector<std::int64_t> shape(first.shape.begin(), first.shape.end());
  shape.insert(shape.begin() + state.axis, operands.n_inputs);
  const Array out = output_array(activation, operands, 0, state.dtype, shape);
  if (first.shape.empty()) {
    const std::size_t item = item_size(state.dtype);
    for (int i = 0; i < operands.n_inputs; ++i)
      std::memcpy(out.data() + static_cast<std::size_t>(i) * item,
                  activation.input(operands, i).address(), item);
    store(activation, operands, 0, out);
    return;
  }
  std::vector<std::int64_t> strides(out.strides().begin(), out.strides().end());
  const std::int64_t step = strides[static_cast<std::size_t>(state.axis)];
  strides.erase(strides.begin() + state.axis);
  {
    HostLeave leave(*activation.host, out.size());
    for (int i = 0; i < operands.n_inputs; ++i) {
      const Array part = input_array(activation, operands, i);
      if (!same_lengths(part.shape(), first.shape))
        throw Error(ErrorKind::Value,
                    "[stack] all input arrays must have the same shape, but array 0 has " +
                        format_shape(first.shape) + " and array " + std::to_string(i) + " has " +
                        format_shape(part.shape()));
      if (part.size() > 0)
        copy_elements(part, out.view(part.shape(), strides, out.data() + i * step));
    }
  }
  poll_after(activation, out.size());
  store(activation, operands, 0, out);
}

/// The common base of the two: any number of inputs of one dtype and ndim.
class JoinOp : public ArrayOp {
 public:
  using ArrayOp::ArrayOp;
  Linearity linearity() const override { return Linearity::Together; }

 protected:
  std::vector<Variable> matched(std::span<const Variable> inputs) const {
    expect_inputs(inputs, 1, SIZE_MAX);
    const DType dtype = common_dtype(inputs);
    std::vector<Variable> parts;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].ndim() != inputs[0].ndim())
        fail(ErrorKind::Value, "all inputs must have the same number of axes, but input 0 is a " +
                                   inputs[0].type().text() + " and input " + std::to_string(i) +
                                   " a " + inputs[i].type().text());
      parts.push_back(cast_now(inputs[i], dtype));
    }
    return parts;
  }
  /// Lets `into` know what `lengths` knows; `skip` is the axis where they may differ.
  void join_lengths(StaticShape& into, const Variable& part, std::size_t index, int skip) const {
    const StaticShape& lengths = part.static_shape();
    for (std::size_t axis = 0; axis < lengths.size(); ++axis) {
      if (static_cast<int>(axis) == skip || lengths[axis] < 0) continue;
      if (into[axis] >= 0 && into[axis] != lengths[axis])
        fail(ErrorKind::Value, "the inputs must have the same lengths" +
                                   std::string(skip < 0 ? "" : " but along the axis") +
                                   ": along axis " + std::to_string(axis) + " input " +
                                   std::to_string(index) + " has " + std::to_string(lengths[axis]) +
                                   ", those before it " + std::to_string(into[axis]));
      into[axis] = lengths[axis];
    }
  }
};

class ConcatenateOp final : public JoinOp {
 public:
  explicit ConcatenateOp(const Attributes& attrs) : JoinOp("concatenate", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    const std::vector<Variable> parts = matched(inputs);
    if (parts[0].ndim() == 0)
      fail(ErrorKind::Value, "zero-dimensional arrays cannot be concatenated: use stack");
    const int axis = join_axis(parts[0].ndim());
    if (parts.size() == 1) return {parts[0]};
    StaticShape shape = parts[0].static_shape();
    std::int64_t total = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      join_lengths(shape, parts[i], i, axis);
      const std::int64_t length = parts[i].static_shape()[static_cast<std::size_t>(axis)];
      total = length < 0 || total < 0 ? kUnknownLength : joined_length(total, length);
    }
    shape[static_cast<std::size_t>(axis)] = total;
    return {Apply::make1(*this, parts, TensorType::of(parts[0].dtype(), shape))};
  }

  /// The lengths but along the axis are those of the first part.
  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    Extents shape = input_shapes[0];
    const auto axis = static_cast<std::size_t>(join_axis(static_cast<int>(shape.size())));
    for (const Extents& part : input_shapes.subspan(1))
      shape[axis] = sum_of(shape[axis], part[axis]);
    return {shape};
  }
  std::optional<std::vector<IntegerSource>> integers(const Apply& node) const override {
    std::vector<IntegerSource> all;
    for (std::uint32_t i = 0; i < node.n_inputs(); ++i) {
      const Variable& part = node.input(static_cast<int>(i));
      const std::int64_t count = part.ndim() == 1 ? part.static_shape()[0] : kUnknownLength;
      if (count < 0 || count + static_cast<std::int64_t>(all.size()) > kMostIntegers)
        return std::nullopt;
      for (std::int64_t at = 0; at < count; ++at)
        all.push_back({.kind = IntegerSource::Kind::Element, .input = i, .at = at});
    }
    return is_integral(node.input(0).dtype()) ? std::optional(all) : std::nullopt;
  }

  ThunkCode kernel(const Apply& node) const override {
    return kernel_code<run_concatenate>(
        JoinState{join_axis(node.input(0).ndim()), node.input(0).dtype()});
  }

  /// Every part gets its stretch of the gradient.
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    std::vector<Variable> parts(node.n_inputs());
    if (!g[0]) return parts;
    const int axis = join_axis(node.input(0).ndim());
    std::vector<std::string> index(static_cast<std::size_t>(axis), ":");
    index.push_back("?:?:");
    Variable start = Variable::number(std::int64_t{0});
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Variable length = length_of(node.input(static_cast<int>(i)), axis);
      const Variable stop = plus(start, length);
      parts[i] = call_op("subtensor", {g[0], start, stop}, {{"index", index}});
      start = stop;
    }
    return parts;
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    return {call_op("concatenate", batch_all(inputs, batched),
                    {{"axis", std::int64_t{join_axis(node.input(0).ndim()) + 1}}})};
  }

 private:
  int join_axis(int ndim) const {
    return normalize_axis(attributes().get<std::int64_t>("axis"), ndim);
  }
  static Variable plus(const Variable& a, const Variable& b) {
    const KnownInteger x = known_integers(a)->front(), y = known_integers(b)->front();
    return x && y ? Variable::number(*x + *y) : add(a, b);
  }
};

class StackOp final : public JoinOp {
 public:
  explicit StackOp(const Attributes& attrs) : JoinOp("stack", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    const std::vector<Variable> parts = matched(inputs);
    const int axis = new_axis(parts[0].ndim());
    StaticShape shape = parts[0].static_shape();
    for (std::size_t i = 0; i < parts.size(); ++i) join_lengths(shape, parts[i], i, -1);
    shape.insert(shape.begin() + axis, static_cast<std::int64_t>(parts.size()));
    return {Apply::make1(*this, parts, TensorType::of(parts[0].dtype(), shape))};
  }

  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    Extents shape = input_shapes[0];
    shape.insert(shape.begin() + new_axis(static_cast<int>(shape.size())),
                 extent(static_cast<std::int64_t>(input_shapes.size())));
    return {shape};
  }
  std::optional<std::vector<IntegerSource>> integers(const Apply& node) const override {
    if (node.input(0).ndim() != 0 || !is_integral(node.input(0).dtype()) ||
        node.n_inputs() > kMostIntegers)
      return std::nullopt;
    std::vector<IntegerSource> all;
    for (std::uint32_t i = 0; i < node.n_inputs(); ++i)
      all.push_back({.kind = IntegerSource::Kind::Element, .input = i, .at = 0});
    return all;
  }

  ThunkCode kernel(const Apply& node) const override {
    return kernel_code<run_stack>(JoinState{new_axis(node.input(0).ndim()), node.input(0).dtype()});
  }

  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    std::vector<Variable> parts(node.n_inputs());
    if (!g[0]) return parts;
    std::vector<std::string> index(static_cast<std::size_t>(new_axis(node.input(0).ndim())), ":");
    index.emplace_back();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      index.back() = std::to_string(i);
      parts[i] = subtensor(g[0], index);
    }
    return parts;
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    return {call_op("stack", batch_all(inputs, batched),
                    {{"axis", std::int64_t{new_axis(node.input(0).ndim()) + 1}}})};
  }

 private:
  int new_axis(int ndim) const {
    return normalize_axis(attributes().get<std::int64_t>("axis"), ndim + 1);
  }
};

}  // namespace

DECLARE_OP(concatenate)
    .family("shape")
    .comment("The inputs one after the other along an axis, in the dtype that all of them fit in.")
    .inputs("parts", "tensors of one ndim, with equal lengths but along the axis")
    .attr("axis", AttrType::Int, "the axis along which they follow each other")
    .by_default(std::int64_t{0})
    .output("out", "all elements of all inputs")
    .example(
        ">>> x, y = tv.vector(\"x\"), tv.vector(\"y\")\n"
        ">>> tv.function([x, y], tv.ops.concatenate(x, y))([1.0, 2.0], [3.0])\n"
        "array([1., 2., 3.])")
    .made_by<ConcatenateOp>();

DECLARE_OP(stack)
    .family("shape")
    .comment("The inputs along a new axis, in the dtype that all of them fit in.")
    .inputs("parts", "tensors of one shape")
    .attr("axis", AttrType::Int, "where the new axis is in the result")
    .by_default(std::int64_t{0})
    .output("out", "a tensor with one more axis")
    .example(
        ">>> x, y = tv.scalar(\"x\"), tv.scalar(\"y\")\n"
        ">>> tv.function([x, y], tv.ops.stack(x, y))(1.0, 2.0)\n"
        "array([1., 2.])")
    .made_by<StackOp>();

}  // namespace thunkvm

// creation.cpp: `arange` and `eye`, arrays made of a few numbers.
#include "ops/graph/array_op.h"
#include "ops/graph/declaration.h"
#include "ops/graph/extents.h"
#include "ops/graph/index_map.h"
#include "ops/kernels/stretches.h"

#include <algorithm>
#include <cmath>

namespace thunkvm {

namespace {

template <class T>
[[noreturn]] void fail_arange(T start, T stop, T step) {
  throw Error(ErrorKind::Value, "[arange] Maximum allowed size exceeded: from " +
                                    std::to_string(start) + " to " + std::to_string(stop) + " by " +
                                    std::to_string(step));
}

/// How many numbers there are from `start` up to `stop`, which is not one of them, in NumPy's words
/// where that fails.
template <class T>
std::int64_t arange_length(T start, T stop, T step) {
  if (step == T(0)) throw Error(ErrorKind::ZeroDivision, "[arange] division by zero: step is 0");
  if constexpr (std::is_integral_v<T>) {
    const bool up = step > T(0);
    if (up ? start >= stop : start <= stop) return 0;
    const std::uint64_t a = static_cast<std::uint64_t>(start), b = static_cast<std::uint64_t>(stop);
    const std::uint64_t stride = static_cast<std::uint64_t>(step);
    const std::uint64_t distance = up ? b - a : a - b;
    const std::uint64_t steps = (distance - 1) / (up ? stride : std::uint64_t{0} - stride);
    if (steps >= INT64_MAX) fail_arange(start, stop, step);
    return static_cast<std::int64_t>(steps) + 1;
  } else {
    const double length = std::ceil((static_cast<double>(stop) - static_cast<double>(start)) /
                                    static_cast<double>(step));
    if (std::isnan(length))
      throw Error(ErrorKind::Value, "[arange] cannot compute length: start, stop or step is NaN");
    if (length >= 9.2e18) fail_arange(start, stop, step);
    return length <= 0 ? 0 : static_cast<std::int64_t>(length);
  }
}

/// T: what the numbers are computed in; Out: what they are stored as.
template <class T, class Out>
void run_arange(Activation& activation, const Operands& operands) {
  const auto number = [&](int i) {
    const Cell& cell = activation.input(operands, i);
    return cell.get<T>();
  };
  const T start = number(0), stop = number(1), step = number(2);
  const std::int64_t n = arange_length(start, stop, step);
  const Array out = output_array(activation, operands, 0, dtype_of<Out>, Dims(&n, 1));
  Out* to = out.data_as<Out>();
  if constexpr (std::is_integral_v<T>) {
    in_stretches(*activation.host, n, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        to[i] = static_cast<Out>(static_cast<std::uint64_t>(start) +
                                 static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(step));
    });
  } else {
    // As NumPy fills it: from the first two numbers, in the dtype of the result.
    const auto first = widen<T>(static_cast<Out>(start));
    const auto second = widen<T>(static_cast<Out>(start + step));
    const T delta = second - first;
    in_stretches(*activation.host, n, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        to[i] = static_cast<Out>(i == 1 ? second : first + static_cast<T>(i) * delta);
    });
  }
  poll_after(activation, n);
  store(activation, operands, 0, out);
}

/// Calls `f` with the type that a range is counted in.
template <class F>
decltype(auto) visit_counted(DType dtype, F&& f) {
  if (dtype == DType::Int64) return f(std::type_identity<std::int64_t>{});
  if (dtype == DType::UInt64) return f(std::type_identity<std::uint64_t>{});
  return f(std::type_identity<double>{});
}

/// An Op of lengths or bounds: in a batch, all examples must have the same ones.
class CountedOp : public ArrayOp {
 public:
  using ArrayOp::ArrayOp;

  std::vector<Variable> batch(Apply&, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    return batch_in_common(inputs, batched);
  }
};

class ArangeOp final : public CountedOp {
 public:
  explicit ArangeOp(const Attributes& attrs) : CountedOp("arange", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 3);
    const DType common = common_dtype(inputs);
    const DType dtype = attributes().find<DType>("dtype").value_or(promote(common, DType::Int64));
    if (is_complex(dtype) || is_complex(common) || dtype == DType::Bool || dtype == DType::Object)
      fail(ErrorKind::Type, "counts in integers or real floats, not in " +
                                std::string(thunkvm::name(is_complex(common) ? common : dtype)));
    // Ranges of integers are counted in 64 bits, others in float64.
    const DType counted = !is_integral(common) || !is_integral(dtype) ? DType::Float64
                          : dtype == DType::UInt64                    ? DType::UInt64
                                                                      : DType::Int64;
    std::vector<Variable> checked;
    for (const Variable& input : inputs) {
      if (input.ndim() != 0)
        fail(ErrorKind::Type, "start, stop and step must be 0-d, but " + input.text() + " is a " +
                                  input.type().text());
      checked.push_back(cast_now(input, counted));
    }
    std::int64_t length = kUnknownLength;
    if (checked[0].is_constant() && checked[1].is_constant() && checked[2].is_constant())
      length = visit_counted(counted, [&]<class T>(std::type_identity<T>) {
        return arange_length(checked[0].constant_value().get<T>(),
                             checked[1].constant_value().get<T>(),
                             checked[2].constant_value().get<T>());
      });
    return {Apply::make1(*this, checked, TensorType::of(dtype, {length}))};
  }

  std::vector<Extents> infer_shape(Apply& node, std::span<const Extents>) const override {
    return {{call_op("arange_length", node.inputs())}};
  }

  ThunkCode kernel(const Apply& node) const override {
    return visit_counted(node.input(0).dtype(), [&]<class T>(std::type_identity<T>) {
      return visit_dtype(node.output_type(0).tensor()->dtype(), "arange",
                         [&]<class Out>(std::type_identity<Out>) -> ThunkCode {
                           if constexpr (std::is_arithmetic_v<Out> || std::is_same_v<Out, Half>)
                             return kernel_code<run_arange<T, Out>>(0);
                           else
                             return {};
                         });
    });
  }

  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    std::vector<Variable> gradients(3);
    if (!g[0] || !is_inexact(node.output(0).dtype()) || !is_inexact(node.input(0).dtype()))
      return gradients;
    const Variable wide = cast(g[0], node.input(0).dtype());
    const Variable counts = call_op(
        "arange",
        {Variable::number(std::int64_t{0}), length_of(wide, 0), Variable::number(std::int64_t{1})});
    gradients[0] = sum(wide);
    gradients[2] = sum(mul(wide, cast(counts, wide.dtype())));
    return gradients;
  }
};

template <class T>
void run_arange_length(Activation& activation, const Operands& operands) {
  const auto number = [&](int i) { return activation.input(operands, i).get<T>(); };
  activation.output(operands, 0).set(arange_length(number(0), number(1), number(2)));
}

/// How many numbers `arange` makes; of what its node has for inputs, which are of one dtype.
class ArangeLengthOp final : public CountedOp {
 public:
  explicit ArangeLengthOp(const Attributes& attrs) : CountedOp("arange_length", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 3);
    const DType common = common_dtype(inputs);
    const DType counted = common == DType::UInt64 ? DType::UInt64
                          : !is_integral(common)  ? DType::Float64
                                                  : DType::Int64;
    std::vector<Variable> checked;
    for (const Variable& input : inputs) {
      if (input.ndim() != 0 || is_complex(input.dtype()))
        fail(ErrorKind::Type, "start, stop and step must be 0-d real numbers, but " + input.text() +
                                  " is a " + input.type().text());
      checked.push_back(cast_now(input, counted));
    }
    return {Apply::make1(*this, checked, TensorType::scalar(DType::Int64))};
  }

  ThunkCode kernel(const Apply& node) const override {
    return visit_counted(node.input(0).dtype(), [&]<class T>(std::type_identity<T>) {
      return kernel_code<run_arange_length<T>>(0);
    });
  }

  std::vector<Variable> grad(Apply&, std::span<const Variable>) const override {
    return std::vector<Variable>(3);
  }
};

struct EyeState {
  std::int64_t k;
};

template <class T>
void run_eye(Activation& activation, const Operands& operands) {
  const std::int64_t shape[] = {read_integer(activation, operands, 0),
                                read_integer(activation, operands, 1)};
  if (shape[0] < 0 || shape[1] < 0)
    throw Error(ErrorKind::Value,
                "[eye] negative dimensions are not allowed: " + format_shape(shape));
  // Beyond the corners there are no ones.
  const std::int64_t k = std::clamp(kernel_state<EyeState>(operands).k, -shape[0], shape[1]);
  const Array out = output_array(activation, operands, 0, dtype_of<T>, shape);
  T* to = out.data_as<T>();
  std::fill_n(to, out.size(), T{});
  for (std::int64_t row = std::max<std::int64_t>(0, -k); row < shape[0] && row + k < shape[1];
       ++row) {
    if constexpr (std::is_same_v<T, Half>)
      to[row * shape[1] + row + k] = Half(1.0f);
    else
      to[row * shape[1] + row + k] = T(1);
  }
  poll_after(activation, out.size());
  store(activation, operands, 0, out);
}

class EyeOp final : public CountedOp {
 public:
  explicit EyeOp(const Attributes& attrs) : CountedOp("eye", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1, 2);
    const Variable rows = integer_scalar(inputs[0], "n");
    const Variable columns = inputs.size() == 2 ? integer_scalar(inputs[1], "m") : rows;
    const Variable checked[] = {rows, columns};
    StaticShape shape;
    for (const Variable& length : checked)
      shape.push_back(known_integers(length)->front().value_or(kUnknownLength));
    return {Apply::make1(*this, checked, TensorType::of(attributes().get<DType>("dtype"), shape))};
  }

  ThunkCode kernel(const Apply&) const override {
    return visit_dtype(
        attributes().get<DType>("dtype"), "eye", [&]<class T>(std::type_identity<T>) {
          return kernel_code<run_eye<T>>(EyeState{attributes().get<std::int64_t>("k")});
        });
  }

  std::vector<Extents> infer_shape(Apply& node, std::span<const Extents>) const override {
    return {{element_of(node.input(0), 0), element_of(node.input(1), 0)}};
  }

  std::vector<Variable> grad(Apply&, std::span<const Variable>) const override {
    return {Variable(), Variable()};
  }
};

}  // namespace

DECLARE_OP(arange)
    .family("creation")
    .comment("Numbers from `start` in steps of `step`, up to `stop`, which is not one of them.")
    .input("start", "a 0-d number")
    .input("stop", "a 0-d number")
    .input("step", "a 0-d number")
    .attr("dtype", AttrType::DType,
          "the dtype of the result; if None, that of the inputs and int64 combined")
    .optional()
    .output("out", "a vector of ceil((stop - start) / step) numbers")
    .example(
        ">>> n = tv.scalar(\"n\", dtype=\"int64\")\n"
        ">>> tv.function([n], tv.ops.arange(0, n, 2))(5)\n"
        "array([0, 2, 4])")
    .made_by<ArangeOp>();

DECLARE_OP(arange_length)
    .family("creation")
    .comment("How many numbers `arange` makes.")
    .input("start", "a 0-d number")
    .input("stop", "a 0-d number")
    .input("step", "a 0-d number")
    .output("out", "a 0-d int64")
    .example(
        ">>> n = tv.scalar(\"n\", dtype=\"int64\")\n"
        ">>> tv.function([n], tv.ops.arange_length(0, n, 2))(5)\n"
        "np.int64(3)")
    .made_by<ArangeLengthOp>();

DECLARE_OP(eye)
    .family("creation")
    .comment("A matrix with ones on a diagonal and zeros elsewhere.")
    .input("n", "the number of rows, a 0-d integer")
    .optional_input("m", "the number of columns; `n` if left out")
    .attr("k", AttrType::Int, "which diagonal: above the main one, or below it where negative")
    .by_default(std::int64_t{0})
    .attr("dtype", AttrType::DType, "the dtype of the result")
    .by_default(DType::Float64)
    .output("out", "the matrix")
    .example(
        ">>> n = tv.scalar(\"n\", dtype=\"int64\")\n"
        ">>> tv.function([n], tv.ops.eye(n))(2)\n"
        "array([[1., 0.],\n"
        "       [0., 1.]])")
    .made_by<EyeOp>();

}  // namespace thunkvm

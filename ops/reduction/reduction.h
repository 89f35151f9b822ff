// reduction.h: the common parts of reductions: their axes and shapes, their way back in gradients,
// and their kernels' frame.
#pragma once

#include "ops/graph/array_op.h"
#include "ops/graph/declaration.h"
#include "ops/graph/work.h"
#include "ops/kernels/array_reduction.h"
#include "ops/kernels/block_reduction.h"
#include "ops/kernels/reduce_rows.h"

#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace thunkvm {

/// An Op that reduces the elements over some axes: attributes `axis` (Ints or None) and `keepdims`.
class ReductionOp : public ArrayOp, public StatesWork {
 public:
  ReductionOp(std::string name, const Attributes& attrs)
      : ArrayOp(std::move(name), attrs),
        axes_(attrs.find<std::vector<std::int64_t>>("axis")),
        keepdims_(attrs.get<bool>("keepdims")) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override;
  /// The shape of the input without the reduced axes, or with 1 for each.
  std::vector<Extents> infer_shape(Apply& node,
                                   std::span<const Extents> input_shapes) const override;
  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override;
  /// One for each element of the input.
  double flops(const Apply& node, OperandShapes inputs, OperandShapes) const override {
    return is_inexact(node.input(0).dtype()) ? n_elements(inputs[0]) : 0;
  }

 protected:
  virtual DType result_dtype(DType dtype) const = 0;
  /// The reduced axes of an input with `ndim` axes, in increasing order.
  std::vector<int> reduced_axes(int ndim) const;
  AxisSet axis_set(int ndim) const;
  bool keepdims() const { return keepdims_; }
  /// A result with the reduced axes back, of length 1.
  Variable with_axes(const Variable& result, int ndim) const;
  /// A result repeated along the reduced axes of `x`.
  Variable spread(const Variable& result, const Variable& x) const;
  /// How many elements of `x` each result is made of, as a 0-d number of `dtype`.
  Variable count(const Variable& x, DType dtype) const;

 private:
  std::optional<std::vector<std::int64_t>> axes_;
  bool keepdims_;
};

/// Adds the attributes that every ReductionOp has.
/// The common part of the declaration of a reduction.
inline void reduces(Declaration& d) {
  d.family("reduction")
      .input("x", "any numeric tensor")
      .attr("axis", AttrType::Ints,
            "the axes to reduce, negative ones from the end; all of them if None")
      .optional()
      .attr("keepdims", AttrType::Bool, "keep the reduced axes with length 1")
      .by_default(false);
}

struct ReductionState {
  ArrayReduction reduction;
  bool keepdims;
};

/// The kernel of a reduction of input 0 whose results are of type Out.
template <class Out>
void run_reduction(Activation& activation, const Operands& operands) {
  const auto& [reduction, keepdims] = kernel_state<ReductionState>(operands);
  const Layout x = Layout::of(activation.input(operands, 0));
  std::vector<std::int64_t> shape;
  shape.reserve(static_cast<std::size_t>(x.ndim));
  std::int64_t count = 1, n = 1;
  for (int axis = 0; axis < x.ndim; ++axis) {
    const bool reduced = reduction.reduces(static_cast<std::size_t>(axis));
    (reduced ? count : n) *= x.lengths[axis];
    if (!reduced)
      shape.push_back(x.lengths[axis]);
    else if (keepdims)
      shape.push_back(1);
  }
  if (reduction.kernel().nothing != nullptr && count == 0)
    throw Error(ErrorKind::Value, reduction.kernel().nothing);
  if (shape.empty()) {
    Out result;
    reduction.run(x, reinterpret_cast<char*>(&result), *activation.host);
    activation.output(operands, 0).template set<Out>(result);
  } else {
    const Array out = output_array(activation, operands, 0, dtype_of<Out>, shape);
    reduction.run(x, out.data(), *activation.host);
    store(activation, operands, 0, out);
  }
  poll_after(activation, n * std::max<std::int64_t>(count, 1));
}

/// A reduction R as the nest takes it. R says:
///   using Reducer;  what happens to the elements (reduce.h)
///   using Out;   static Out finish(Reducer::Acc, std::int64_t count);  the result
///   static constexpr const char* kNothing;  the text of the ValueError where nothing is reduced
///       to a result, be there results or not; null where that has a value
template <class R>
struct BlockReductionOf {
  using Reducer = typename R::Reducer;
  using Acc = typename Reducer::Acc;
  using In = typename Reducer::In;
  using Out = typename R::Out;

  static void reduce(const void* elements, std::int64_t n, void* result) {
    *static_cast<Out*>(result) =
        R::finish(reduce_sequence<Reducer>(static_cast<const In*>(elements), n), n);
  }

  static constexpr bool kSomeInAnyOrder = requires(Acc acc) { Reducer::same_in_any_order(acc); };
  static bool same_in_any_order(const void* results, std::int64_t n) {
    if constexpr (kSomeInAnyOrder) {
      const auto* const out = static_cast<const Out*>(results);
      return std::all_of(out, out + n, [](Out result) {
        return Reducer::same_in_any_order(static_cast<Acc>(result));
      });
    }
    return false;
  }

  template <class Width>
  struct RowsOf {
    using State = RowAccumulator<Reducer, Width>;
    static_assert(std::is_trivially_destructible_v<State> && alignof(State) <= 16);

    static void start(void* state, int width) { new (state) State(width); }
    static void add(void* state, const void* rows, std::int64_t pitch, std::int64_t n) {
      static_cast<State*>(state)->add(static_cast<const char*>(rows), pitch, n);
    }
    static void append(void* state, void* next) {
      static_cast<State*>(state)->append(*static_cast<State*>(next));
    }
    static void finish(void* state, std::int64_t count, void* results) {
      auto* const out = static_cast<Out*>(results);
      static_cast<State*>(state)->total(
          [&](int w, Acc total) { out[w] = R::finish(total, count); });
    }
    static constexpr RowReduction kRows{.state_bytes = &State::bytes,
                                        .start = &start,
                                        .add = &add,
                                        .append = Reducer::kLanes == 1 ? nullptr : &append,
                                        .finish = &finish};
  };

  static constexpr BlockReduction kReduction{
      .in = dtype_of<In>,
      .out = dtype_of<Out>,
      .reduce = &reduce,
      .same_in_any_order = kSomeInAnyOrder ? &same_in_any_order : nullptr,
      .nothing = R::kNothing,
      .one = RowsOf<WidthOne>::kRows,
      .several = RowsOf<int>::kRows};
  /// The same, which has the identity for the result of nothing.
  static constexpr BlockReduction kOrIdentity = [] {
    BlockReduction reduction = kReduction;
    reduction.nothing = nullptr;
    return reduction;
  }();
};

/// An Op that is one reduction: for each element type a reduction (see BlockReductionOf).
template <template <class> class Reduction>
class OnePassReductionOp : public ReductionOp {
 public:
  using ReductionOp::ReductionOp;

  ThunkCode kernel(const Apply& node) const final {
    const int ndim = node.input(0).ndim();
    return visit_dtype(node.input(0).dtype(), name(), [&]<class T>(std::type_identity<T>) {
      return kernel_code<run_reduction<typename Reduction<T>::Out>>(
          ReductionState{{reduction<Reduction<T>>(), ndim, axis_set(ndim)}, keepdims()});
    });
  }
  std::optional<BlockwiseReduction> block_reduction(const Apply& node) const final {
    const AxisSet axes = axis_set(node.input(0).ndim());
    return visit_dtype(node.input(0).dtype(), name(), [&]<class T>(std::type_identity<T>) {
      return BlockwiseReduction{&reduction<Reduction<T>>(), axes, keepdims()};
    });
  }

 private:
  template <class R>
  const BlockReduction& reduction() const {
    using Of = BlockReductionOf<R>;
    return attributes().find<bool>("or_identity").value_or(false) ? Of::kOrIdentity
                                                                  : Of::kReduction;
  }
};

/// The type in which floats and integers of type T are summed: integers in 64 bits that wrap,
/// float16 in float32.
template <class T>
using SumAcc = std::conditional_t<std::is_same_v<T, Half>, float,
                                  std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>>;
/// The dtype of a sum or a product: bool and signed integers give int64, unsigned ones uint64.
template <class T>
using SumOut = std::conditional_t<
    std::is_integral_v<T>,
    std::conditional_t<std::is_signed_v<T> || std::is_same_v<T, bool>, std::int64_t, std::uint64_t>,
    T>;
DType sum_dtype(DType dtype);
/// The dtype of a mean: integers give float64.
inline DType mean_dtype(DType dtype) { return is_inexact(dtype) ? dtype : DType::Float64; }

/// The reduction of a sum. Its identity is minus zero: it adds nothing, to minus zero neither.
template <class T, class AccType = SumAcc<T>>
struct SumReducer {
  using In = T;
  using Acc = AccType;
  static constexpr int kLanes = kReductionLanes;
  static constexpr bool kTree = !std::is_integral_v<Acc>;
  static constexpr ReductionStep kStep = ReductionStep::Add;
  static Acc identity() {
    if constexpr (std::is_integral_v<Acc>)
      return 0;
    else if constexpr (std::is_floating_point_v<Acc>)
      return Acc(-0.0);
    else
      return Acc(-0.0, -0.0);
  }
  static Acc step(Acc a, In x) { return a + widen<Acc>(x); }
  static Acc merge(Acc a, Acc b) { return a + b; }
  static bool same_in_any_order(Acc)
    requires std::is_integral_v<Acc>
  {
    return true;
  }
};

/// A sum whose results are of type OutType.
template <class T, class OutType>
struct SumAs {
  using Reducer = SumReducer<T>;
  using Out = OutType;
  static constexpr const char* kNothing = nullptr;
  static Out finish(SumAcc<T> total, std::int64_t) {
    // A sum of minus zeros is zero, as NumPy has it.
    if constexpr (std::is_integral_v<T>)
      return static_cast<Out>(total);
    else
      return static_cast<Out>(total + SumAcc<T>(0));
  }
};

}  // namespace thunkvm

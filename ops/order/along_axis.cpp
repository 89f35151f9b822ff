// along_axis.cpp: `take_along`, `add_along` and `put_along`: elements by their positions in rows.
#include "ops/graph/declaration.h"

#include <algorithm>

namespace thunkvm {

namespace {

/// The position of an index, which may count from the end. Throws Error(Index) for one that is
/// none.
std::int64_t position(const CoreCall& call, std::int64_t index, std::int64_t n) {
  if (index >= -n && index < n) return index < 0 ? index + n : index;
  throw Error(ErrorKind::Index, "[" + call.op + "] index " + std::to_string(index) +
                                    " is out of bounds for axis -1 with size " + std::to_string(n) +
                                    ": use " + std::to_string(-n) + " to " + std::to_string(n - 1));
}

template <class T>
struct TakeAlong {
  static constexpr Order kOrder = Order::C;

  explicit TakeAlong(const CoreCall& call)
      : call(call), n(call.lengths["n"]), k(call.lengths["k"]) {}

  void operator()(const Core& core) {
    const T* const x = core.in<T>(0);
    const std::int64_t* const indices = core.in<std::int64_t>(1);
    T* const out = core.out<T>(0);
    for (std::int64_t i = 0; i < k; ++i) out[i] = x[position(call, indices[i], n)];
  }

  CoreCall call;
  std::int64_t n, k;
};

template <class T>
T plus(T a, T b) {
  if constexpr (std::is_same_v<T, Half>)
    return Half(static_cast<float>(a) + static_cast<float>(b));
  else if constexpr (std::is_same_v<T, bool>)
    return a || b;
  else
    return static_cast<T>(a + b);
}

template <class T, bool kAdds>
struct IntoRow {
  static constexpr Order kOrder = Order::C;

  explicit IntoRow(const CoreCall& call) : call(call), n(call.lengths["n"]), k(call.lengths["k"]) {}

  void operator()(const Core& core) {
    const T *const x = core.in<T>(0), *const values = core.in<T>(2);
    const std::int64_t* const indices = core.in<std::int64_t>(1);
    T* const out = core.out<T>(0);
    if (x != out) std::copy_n(x, n, out);
    for (std::int64_t i = 0; i < k; ++i) {
      T& element = out[position(call, indices[i], n)];
      element = kAdds ? plus(element, values[i]) : values[i];
    }
  }

  CoreCall call;
  std::int64_t n, k;
};
template <class T>
using AddAlong = IntoRow<T, true>;
template <class T>
using PutAlong = IntoRow<T, false>;

constexpr const char* kFamily = "indexing";
constexpr const char* kIndices = "positions in its rows; negative ones count from the end";

}  // namespace

DECLARE_OP(take_along)
    .family(kFamily)
    .comment("The elements of each row at positions of its own.")
    .example(
        ">>> x, i = tv.matrix(\"x\"), tv.lmatrix(\"i\")\n"
        ">>> tv.function([x, i], tv.ops.take_along(x, i))([[5.0, 6.0], [7.0, 8.0]], [[1], [0]])\n"
        "array([[6.],\n"
        "       [7.]])")
    .input("x", "rows along the last axis")
    .input("indices", kIndices, Takes::Integers)
    .output("out", "the elements")
    .cores("(n),(k)->(k)", number_kernel<TakeAlong>)
    .linear(Linearity::Each)
    .grad([](Apply& node, Gradients g) -> std::vector<Variable> {
      const Variable &x = node.input(0), &indices = node.input(1);
      const Variable none = cast_now(zeros_like(x), g[0].dtype());
      return {call_op("add_along", {none, indices, g[0]}), Variable()};
    });

DECLARE_OP(add_along)
    .family(kFamily)
    .comment("The rows with values added at positions; a position that comes twice gets both.")
    .example(
        ">>> x, i = tv.vector(\"x\"), tv.lvector(\"i\")\n"
        ">>> tv.function([x, i], tv.ops.add_along(x, i, [3.0, 4.0]))([1.0, 2.0], [1, 1])\n"
        "array([1., 9.])")
    .input("x", "rows along the last axis")
    .input("indices", kIndices, Takes::Integers)
    .input("values", "what is added")
    .output("out", "the rows with the values added")
    .cores("(n),(k),(k)->(n)", number_kernel<AddAlong>)
    .in_place()
    .linear(Linearity::Together)
    .grad([](Apply& node, Gradients g) -> std::vector<Variable> {
      return {g[0], Variable(), call_op("take_along", {g[0], node.input(1)})};
    });

DECLARE_OP(put_along)
    .family(kFamily)
    .comment("The rows with values at positions; of a position that comes twice the last counts.")
    .example(
        ">>> x, i = tv.vector(\"x\"), tv.lvector(\"i\")\n"
        ">>> tv.function([x, i], tv.ops.put_along(x, i, [3.0]))([1.0, 2.0], [1])\n"
        "array([1., 3.])")
    .input("x", "rows along the last axis")
    .input("indices", kIndices, Takes::Integers)
    .input("values", "what is written")
    .output("out", "the rows with the values in them")
    .cores("(n),(k),(k)->(n)", number_kernel<PutAlong>)
    .in_place()
    .linear(Linearity::Together)
    .grad([](Apply& node, Gradients g) -> std::vector<Variable> {
      const Variable &indices = node.input(1), &values = node.input(2);
      const Variable none = cast_now(zeros_like(values), g[0].dtype());
      const Variable kept = call_op("put_along", {g[0], indices, none});
      // Of a position that comes twice the last value stands there: the one with the number that
      // stands there if the numbers of the values are put in their places.
      const Variable k = length_of(indices, indices.ndim() - 1);
      const Variable numbers = call_op("arange", {extent(0), k, extent(1)});
      const Variable nowhere = cast_now(zeros_like(node.input(0)), DType::Int64);
      const Variable last =
          call_op("take_along", {call_op("put_along", {nowhere, indices, numbers}), indices});
      const Variable taken = call_op("take_along", {g[0], indices});
      return {kept, Variable(), where(eq(last, numbers), taken, zeros_like(taken))};
    });

}  // namespace thunkvm

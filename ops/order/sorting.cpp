// sorting.cpp: `sort`, `argsort` and `searchsorted` along the last axis.
#include "ops/graph/declaration.h"
#include "ops/order/order.h"
#include "ops/order/radix.h"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

namespace thunkvm {

namespace {

/// A number to be sorted by digits, and where it was.
template <class T>
struct Placed {
  Key<T> key;
  std::int64_t place;
};
template <class T>
struct Alone {
  Key<T> key;
};

template <class T>
struct Sort {
  static constexpr Order kOrder = Order::C;

  explicit Sort(const CoreCall& call) : n(call.lengths["n"]) {
    if constexpr (kHasKey<T>)
      if (n >= kWorthDigits) elements.resize(static_cast<std::size_t>(n)), spare = elements;
  }

  void operator()(const Core& core) {
    const T* const in = core.in<T>(0);
    T* const out = core.out<T>(0);
    if constexpr (kHasKey<T>) {
      if (!elements.empty()) {
        for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = {key_of(in[i])};
        sort_by_digits(elements, spare);
        for (std::size_t i = 0; i < elements.size(); ++i) out[i] = number_of<T>(elements[i].key);
        return;
      }
    }
    if (in != out) std::copy_n(in, n, out);
    std::sort(out, out + n, Before<T>());
  }

  std::int64_t n;
  std::vector<Alone<std::conditional_t<kHasKey<T>, T, float>>> elements, spare;
};

template <class T>
struct Argsort {
  static constexpr Order kOrder = Order::C;

  explicit Argsort(const CoreCall& call) : n(call.lengths["n"]) {
    if constexpr (kHasKey<T>)
      if (n >= kWorthDigits) elements.resize(static_cast<std::size_t>(n)), spare = elements;
  }

  void operator()(const Core& core) {
    const T* const in = core.in<T>(0);
    std::int64_t* const out = core.out<std::int64_t>(0);
    if constexpr (kHasKey<T>) {
      if (!elements.empty()) {
        for (std::int64_t i = 0; i < n; ++i)
          // Both zeros are equal: they keep their order.
          elements[static_cast<std::size_t>(i)] = {key_of(in[i] == T(0) ? T(0) : in[i]), i};
        sort_by_digits(elements, spare);
        for (std::size_t i = 0; i < elements.size(); ++i) out[i] = elements[i].place;
        return;
      }
    }
    std::iota(out, out + n, std::int64_t{0});
    std::stable_sort(out, out + n,
                     [&](std::int64_t a, std::int64_t b) { return Before<T>()(in[a], in[b]); });
  }

  std::int64_t n;
  std::vector<Placed<std::conditional_t<kHasKey<T>, T, float>>> elements, spare;
};

template <class T>
struct Searchsorted {
  static constexpr Order kOrder = Order::C;

  explicit Searchsorted(const CoreCall& call)
      : n(call.lengths["n"]),
        k(call.lengths["k"]),
        right(call.attributes.get<std::string>("side") == "right") {}

  void operator()(const Core& core) {
    const T *const sorted = core.in<T>(0), *const values = core.in<T>(1);
    std::int64_t* const out = core.out<std::int64_t>(0);
    for (std::int64_t i = 0; i < k; ++i)
      out[i] = (right ? std::upper_bound(sorted, sorted + n, values[i], Before<T>())
                      : std::lower_bound(sorted, sorted + n, values[i], Before<T>())) -
               sorted;
  }

  std::int64_t n, k;
  bool right;
};

constexpr const char* kFamily = "order";

}  // namespace

DECLARE_OP(sort)
    .family(kFamily)
    .comment(
        "The elements along the last axis in ascending order; NaN comes last. The gradient of an "
        "element goes where it came from.")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.ops.sort(x))([3.0, 1.0, 2.0])\n"
        "array([1., 2., 3.])")
    .input("x", "numbers, with at least one axis")
    .output("out", "the same, sorted")
    .cores("(n)->(n)", number_kernel<Sort>)
    .in_place()
    .grad([](Apply& node, Gradients g) -> std::vector<Variable> {
      const Variable order = call_op("argsort", {node.input(0)});
      return {call_op("take_along", {g[0], call_op("argsort", {order})})};
    });

DECLARE_OP(argsort)
    .family(kFamily)
    .comment(
        "The positions along the last axis of the elements in ascending order. Equal ones keep "
        "their order; NaN comes last.")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.ops.argsort(x))([3.0, 1.0, 2.0])\n"
        "array([1, 2, 0])")
    .input("x", "numbers, with at least one axis")
    .output("out", "the positions", Gives::Int64)
    .cores("(n)->(n)", number_kernel<Argsort>)
    .grad(&no_gradients);

DECLARE_OP(searchsorted)
    .family(kFamily)
    .comment("The positions along the last axis where values would keep the order of sorted ones.")
    .example(
        ">>> x, v = tv.vector(\"x\"), tv.vector(\"v\")\n"
        ">>> tv.function([x, v], tv.ops.searchsorted(x, v))([1.0, 2.0, 3.0], [2.0, 2.5])\n"
        "array([1, 2])")
    .input("x", "numbers in ascending order, NaN last")
    .input("v", "the values")
    .attr("side", {AttrValue("left"), AttrValue("right")},
          "the position before equal elements, or behind them")
    .output("out", "for each value the number of elements before it", Gives::Int64)
    .cores("(n),(k)->(k)", number_kernel<Searchsorted>)
    .grad(&no_gradients);

}  // namespace thunkvm

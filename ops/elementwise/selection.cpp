// selection.cpp: Ops whose result is one of their inputs' elements. The gradient goes to the input
// that was picked, and nothing at all to the others: what they would have had is not multiplied by
// zero, so it cannot be NaN.
#include "ops/elementwise/elementwise.h"
#include "ops/kernels/element_math.h"

namespace thunkvm {
namespace {

/// `g` where `condition` holds, else zero.
Variable only_where(const Variable& condition, const Variable& g) {
  return where(condition, g, weak_number(0.0));
}

/// Where the first of two elements is picked: `wins`, as it is beyond the other or equal to it, or
/// it is NaN. A NaN beside a number never wins, and is picked.
Variable picks_first(const Variable& wins, const Variable& first) {
  return call_op("logical_or", {wins, call_op("isnan", {first})});
}

// Which of +0 and -0 comes out is NumPy's choice: the first, but in float32 and float64, whose
// vector functions take the second.
struct Maximum {
  template <class T>
  static constexpr const char* c() {
    return "{0} >= {1} ? {0} : {1}";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T a, T b) const {
    return larger(a, b);
  }
};
struct MaximumOfFloats {
  template <class T>
  static constexpr const char* c() {
    return "(({0} > {1}) | ({0} != {0})) ? {0} : {1}";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T a, T b) const {
    return a > b || is_nan(a) ? a : b;
  }
};
DECLARE_ELEMENTWISE(maximum, "selection", {"x", "y"})
    .comment(
        "The larger of two elements, or NaN if one is NaN. The gradient goes to the element "
        "that was taken, NaN too: to x where they are equal or both NaN.")
    .example("[1.0, 5.0], [3.0, 4.0]", "array([3., 5.])")
    .functions<Maximum, 2>(Bools{} + Ints{} + Types<Half>{} + Complexes{})
    .functions<MaximumOfFloats, 2>(Types<float, double>{})
    .gradient([](const Differential& d) -> Partials {
      const Variable first = picks_first(ge(d.x, d.y), d.x);
      return {only_where(first, d.g), where(first, weak_number(0.0), d.g)};
    });

struct Minimum {
  template <class T>
  static constexpr const char* c() {
    return "{0} <= {1} ? {0} : {1}";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T a, T b) const {
    return smaller(a, b);
  }
};
struct MinimumOfFloats {
  template <class T>
  static constexpr const char* c() {
    return "(({0} < {1}) | ({0} != {0})) ? {0} : {1}";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T a, T b) const {
    return a < b || is_nan(a) ? a : b;
  }
};
DECLARE_ELEMENTWISE(minimum, "selection", {"x", "y"})
    .comment(
        "The smaller of two elements, or NaN if one is NaN. The gradient goes to the element "
        "that was taken, NaN too: to x where they are equal or both NaN.")
    .example("[1.0, 5.0], [3.0, 4.0]", "array([1., 4.])")
    .functions<Minimum, 2>(Bools{} + Ints{} + Types<Half>{} + Complexes{})
    .functions<MinimumOfFloats, 2>(Types<float, double>{})
    .gradient([](const Differential& d) -> Partials {
      const Variable first = picks_first(le(d.x, d.y), d.x);
      return {only_where(first, d.g), where(first, weak_number(0.0), d.g)};
    });

struct Where {
  template <class T>
  static constexpr const char* c() {
    return "{0} ? {1} : {2}";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(bool condition, T a, T b) const {
    return condition ? a : b;
  }
};
DECLARE_ELEMENTWISE(where, "selection", {"condition", "x", "y"})
    .comment(
        "The element of x where the condition is true, else that of y. Both are computed: "
        "`ifelse` is the one that computes only what it picks. An element that is not picked "
        "has a gradient of 0, whatever its own derivative is: that of where(x > 0, sqrt(x), "
        "0.0) at 0 is 0.")
    .example("[True, False], [1.0, 2.0], [-1.0, -2.0]", "array([ 1., -2.])", {"bool", "float64"})
    .algebra({.selects = true})
    .loops_with_condition<Where, 2>(AllTypes{})
    .gradient([](const Differential& d) -> Partials {
      return {Variable(), only_where(d.x, d.g), where(d.x, weak_number(0.0), d.g)};
    });

struct Clip {
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T x, T low, T high) const {
    return smaller(larger(x, low), high);
  }
};
DECLARE_ELEMENTWISE(clip, "selection", {"x", "low", "high"})
    .wrapped()
    .comment(
        "Each element, but not below `low` and not above `high`; `high` wins where `low` is "
        "above it. The gradient goes to the one that the result is, to x first; a NaN among "
        "them has it.")
    .example("[-5.0, 0.5, 5.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]", "array([0. , 0.5, 1. ])")
    .out_of_range(OutOfRange::Saturate)
    .functions<Clip, 3>(AllTypes{})
    .gradient([](const Differential& d) -> Partials {
      const Variable raised = call_op("maximum", {d.x, d.y});
      const Variable below_high = picks_first(le(raised, d.z), raised);
      const Variable above_low = picks_first(ge(d.x, d.y), d.x);
      const Variable to_raised = only_where(below_high, d.g);
      return {only_where(above_low, to_raised), where(above_low, weak_number(0.0), to_raised),
              where(below_high, weak_number(0.0), d.g)};
    });

}  // namespace
}  // namespace thunkvm

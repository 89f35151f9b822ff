// numbers.cpp: functions that look at how a number is made: its sign, its neighbours, its divisors.
#include "ops/elementwise/elementwise.h"
#include "ops/kernels/element_math.h"

#include <cmath>
#include <numeric>

namespace thunkvm {
namespace {

struct Fmod {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fmod(a, b);
    } else {
      if (b == 0) return T(0);
      if constexpr (std::is_signed_v<T>)
        if (b == T(-1)) return T(0);  // the quotient may not fit
      return static_cast<T>(a % b);
    }
  }
};
DECLARE_ELEMENTWISE(fmod, "arithmetic", {"x", "y"})
    .comment(
        "Remainder with the sign of the first element, as C has it. Integers modulo zero give "
        "0.")
    .example("[7.0, -7.0], [3.0, 3.0]", "array([ 1., -1.])")
    .functions<Fmod, 2>(Ints{} + Floats{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g, -(d.g * call_op("trunc", {d.x / d.y}))};
    });

struct Copysign {
  template <class T>
  T operator()(T a, T b) const {
    return std::copysign(a, b);
  }
};
DECLARE_ELEMENTWISE(copysign, "arithmetic", {"x", "y"})
    .comment("The size of the first element with the sign of the second.")
    .example("[1.0, -2.0], [-0.0, 3.0]", "array([-1.,  2.])")
    .functions<Copysign, 2>(Floats{})
    .gradient([](const Differential& d) -> Partials {
      // By x it is 1 where the sign stays, -1 where it turns, and 0 at 0.
      const Variable sign = call_op("copysign", {call_op("sign", {call_op("abs", {d.x})}), d.y});
      return {d.g * (call_op("sign", {d.x}) * sign), Variable()};
    });

struct Heaviside {
  template <class T>
  T operator()(T x, T h) const {
    if (is_nan(x)) return x;
    return x == 0 ? h : x < 0 ? T(0) : T(1);
  }
};
DECLARE_ELEMENTWISE(heaviside, "selection", {"x", "h"})
    .comment("0 of negative elements, 1 of positive ones, and h of 0.")
    .example("[-1.0, 0.0], [0.5, 0.5]", "array([0. , 0.5])")
    .functions<Heaviside, 2>(Floats{})
    .gradient([](const Differential& d) -> Partials {
      return {Variable(), where(eq(d.x, weak_number(0.0)), d.g, weak_number(0.0))};
    });

struct Signbit {
  template <class T>
  bool operator()(T x) const {
    return std::signbit(x);
  }
};
DECLARE_ELEMENTWISE(signbit, "comparison", {"x"})
    .comment("True for elements with a minus sign, -0.0 too.")
    .example("[-0.0, 1.0]", "array([ True, False])")
    .functions<Signbit, 1>(Floats{});

/// The size of an integer, which may be one more than the largest of its dtype.
template <class T>
std::make_unsigned_t<T> size_of_integer(T x) {
  using U = std::make_unsigned_t<T>;
  return x < 0 ? static_cast<U>(U(0) - static_cast<U>(x)) : static_cast<U>(x);
}

struct Gcd {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(std::gcd(size_of_integer(a), size_of_integer(b)));
  }
};
DECLARE_ELEMENTWISE(gcd, "arithmetic", {"x", "y"})
    .comment("The greatest common divisor of two integers.")
    .example("[12, 0], [18, 5]", "array([6, 5])", {"int64"})
    .functions<Gcd, 2>(Ints{})
    .refuses(DType::Bool, "is not defined for bool, as in NumPy; cast the input to an integer");

struct Lcm {
  template <class T>
  T operator()(T a, T b) const {
    using U = std::make_unsigned_t<T>;
    const U x = size_of_integer(a), y = size_of_integer(b);
    if (x == 0 || y == 0) return T(0);
    return static_cast<T>(static_cast<U>(x / std::gcd(x, y) * y));  // wraps as NumPy's does
  }
};
DECLARE_ELEMENTWISE(lcm, "arithmetic", {"x", "y"})
    .comment("The least common multiple of two integers.")
    .example("[4, 0], [6, 5]", "array([12,  0])", {"int64"})
    .functions<Lcm, 2>(Ints{})
    .refuses(DType::Bool, "is not defined for bool, as in NumPy; cast the input to an integer");

struct Fmax {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (!std::is_floating_point_v<T>) return a >= b ? a : b;
    return a >= b || is_nan(b) ? a : b;
  }
};
DECLARE_ELEMENTWISE(fmax, "selection", {"x", "y"})
    .comment("The larger of two elements; of a number and NaN the number.")
    .example("[1.0, 5.0], [3.0, 4.0]", "array([3., 5.])")
    .functions<Fmax, 2>(Bools{} + Ints{} + Floats{})
    .gradient([](const Differential& d) -> Partials {
      const Variable first = call_op("logical_or", {ge(d.x, d.y), call_op("isnan", {d.y})});
      return {where(first, d.g, weak_number(0.0)), where(first, weak_number(0.0), d.g)};
    });

struct Fmin {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (!std::is_floating_point_v<T>) return a <= b ? a : b;
    return a <= b || is_nan(b) ? a : b;
  }
};
DECLARE_ELEMENTWISE(fmin, "selection", {"x", "y"})
    .comment("The smaller of two elements; of a number and NaN the number.")
    .example("[1.0, 5.0], [3.0, 4.0]", "array([1., 4.])")
    .functions<Fmin, 2>(Bools{} + Ints{} + Floats{})
    .gradient([](const Differential& d) -> Partials {
      const Variable first = call_op("logical_or", {le(d.x, d.y), call_op("isnan", {d.y})});
      return {where(first, d.g, weak_number(0.0)), where(first, weak_number(0.0), d.g)};
    });

}  // namespace
}  // namespace thunkvm

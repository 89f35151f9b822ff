// powers.cpp: powers and reciprocals, element by element, as NumPy 2 defines them.
#include "ops/elementwise/elementwise.h"
#include "ops/kernels/element_math.h"
#include "thunks/cast.h"

namespace thunkvm {
namespace {

struct Power {
  static constexpr ConstantCode c_constant{1, 2.0, "{0} * {0}"};
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "{1} == 2 ? {0} * {0} : pow({0}, {1})"
                                     : "{1} == 2 ? {0} * {0} : powf({0}, {1})";
  }
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (is_complex_type<T>) {
      return complex_power(a, b);
    } else {
      return b == T(2) ? a * a : std::pow(a, b);  // squares are most of the powers there are
    }
  }
  template <std::floating_point T>
  static void block(std::int64_t n, T* out, const T* a, const T* b) {
    T powers[kElementBlock];
    if (std::any_of(b, b + n, [](T exponent) { return exponent != T(2); }))
      vector_kernel<T>(VectorFunction::Pow)(n, powers, a, b);
    for (std::int64_t i = 0; i < n; ++i) out[i] = b[i] == T(2) ? a[i] * a[i] : powers[i];
  }
};
struct IntegerPower {
  static constexpr bool kCanFail = true;
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_signed_v<T>) {
      if (b < 0)
        throw Error(ErrorKind::Value,
                    "[pow] Integers to negative integer powers are not allowed. The exponent is " +
                        std::to_string(b) + "; cast the base to a float dtype");
    }
    return integer_power(a, b);
  }
};
/// y * x**(y - 1), but 0 where y is 0, even at x = 0. Where y is known not to be, nothing is
/// tested.
Variable slope_of_power(const Variable& x, const Variable& y) {
  if (y.is_constant() && y.ndim() == 0 && is_float(y.dtype())) {
    const auto exponent = cast_cell(y.constant_value(), DType::Float64).get<double>();
    if (exponent == 2) return y * x;
    if (exponent != 0) return y * pow(x, weak_number(exponent - 1));
  }
  const Variable zero = weak_number(0.0);
  const Variable one = weak_number(1.0);
  const Variable is_zero = eq(y, zero);
  return where(is_zero, zero, y * pow(x, where(is_zero, one, y - one)));
}
DECLARE_ELEMENTWISE(pow, "arithmetic", {"x", "y"})
    .singular()
    .alias("power")
    .infix("**", 13)
    .algebra({.neutral = {{.number = 1, .of_integers_only = true}}})
    .comment(
        "The first tensor to the power of the second, element by element. Integers to "
        "negative powers are a ValueError. Where the base is 0, the gradient with respect "
        "to the exponent is 0, and so is the one with respect to the base where the "
        "exponent is 0 (as in JAX).")
    .example("[2.0, 9.0], [3.0, 0.5]", "array([8., 3.])")
    .functions<IntegerPower, 2>(Ints{})
    .functions<Power, 2>(Inexacts{})
    .gradient([](const Differential& d) -> Partials {
      const Variable one = weak_number(1.0);
      const Variable logarithm = log(where(eq(d.x, weak_number(0.0)), one, d.x));
      return {d.g * conjugate(slope_of_power(d.x, d.y)), d.g * conjugate(d.out * logarithm)};
    });

struct Reciprocal {
  template <class T>
  static constexpr const char* c() {
    return std::is_floating_point_v<T> ? "({T})1 / {0}" : nullptr;
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T x) const {
    if constexpr (is_complex_type<T>) {
      using Part = typename T::value_type;
      if (std::fabs(x.imag()) <= std::fabs(x.real())) {
        const Part ratio = x.imag() / x.real();
        const Part length = x.real() + x.imag() * ratio;
        return {Part(1) / length, -ratio / length};
      }
      const Part ratio = x.real() / x.imag();
      const Part length = x.real() * ratio + x.imag();
      return {ratio / length, Part(-1) / length};
    } else if constexpr (std::is_floating_point_v<T>) {
      return T(1) / x;
    } else {
      // What NumPy's conversion of infinity gives on this machine.
      if (x == 0)
        return std::is_signed_v<T> && sizeof(T) >= 4 ? std::numeric_limits<T>::min() : T(0);
      return static_cast<T>(T(1) / x);
    }
  }
};
DECLARE_ELEMENTWISE(reciprocal, "arithmetic", {"x"})
    .singular()
    .comment("1 / x, element by element, in the dtype of x: of integers it is rounded to 0.")
    .example("[2.0, 4.0]", "array([0.5 , 0.25])")
    .functions<Reciprocal, 1>(Numbers{})
    .gradient([](const Differential& d) -> Partials {
      return {-(d.g * conjugate(square(d.out)))};
    });

}  // namespace
}  // namespace thunkvm

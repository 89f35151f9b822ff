// exponential.cpp: exponentials, logarithms and roots, element by element. Integers are computed in
// the float dtype that NumPy picks: int8 in float16, int16 in float32, larger ones in float64.
#include "ops/elementwise/elementwise.h"
#include "ops/kernels/element_math.h"

#include <numbers>

namespace thunkvm {
namespace {

constexpr double kLn2 = std::numbers::ln2;
constexpr double kLn10 = std::numbers::ln10;

/// A complex number by a real one, without a detour through a complex product.
template <class T>
std::complex<T> scaled(std::complex<T> z, T by) {
  return {z.real() * by, z.imag() * by};
}

struct Exp : Vectorised<VectorFunction::Exp> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "exp({0})" : "expf({0})";
  }
  template <class T>
  T operator()(T x) const {
    return std::exp(x);
  }
};
DECLARE_ELEMENTWISE(exp, "exponential", {"x"})
    .comment("e to the power of each element.")
    .example("[0.0, 1.0]", "array([1.        , 2.71828183])")
    .functions<Exp, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials { return {d.g * conjugate(d.out)}; });

struct Exp2 : Vectorised<VectorFunction::Exp2> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "exp2({0})" : "exp2f({0})";
  }
  template <class T>
  T operator()(T x) const {
    if constexpr (is_complex_type<T>) {
      return std::exp(scaled(x, static_cast<typename T::value_type>(kLn2)));
    } else {
      return std::exp2(x);
    }
  }
};
DECLARE_ELEMENTWISE(exp2, "exponential", {"x"})
    .comment("2 to the power of each element.")
    .example("[3.0, -1.0]", "array([8. , 0.5])")
    .functions<Exp2, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials { return {d.g * conjugate(d.out) * kLn2}; });

struct Expm1 : Vectorised<VectorFunction::Expm1> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "expm1({0})" : "expm1f({0})";
  }
  template <class T>
  T operator()(T x) const {
    if constexpr (is_complex_type<T>) {
      // exp(a + bi) - 1 = expm1(a) cos(b) + (cos(b) - 1) + i exp(a) sin(b), and cos(b) - 1 = -2
      // sin(b / 2)^2.
      const auto half_sine = std::sin(x.imag() / 2);
      return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half_sine * half_sine,
              std::exp(x.real()) * std::sin(x.imag())};
    } else {
      return std::expm1(x);
    }
  }
};
DECLARE_ELEMENTWISE(expm1, "exponential", {"x"})
    .comment("exp(x) - 1, precise for small elements too.")
    .example("[0.0, 1e-10]", "array([0.e+00, 1.e-10])")
    .functions<Expm1, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials { return {d.g * conjugate(d.out + 1.0)}; });

struct Log : Vectorised<VectorFunction::Log> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "log({0})" : "logf({0})";
  }
  template <class T>
  T operator()(T x) const {
    return std::log(x);
  }
};
DECLARE_ELEMENTWISE(log, "exponential", {"x"})
    .singular()
    .comment("Natural logarithm of each element; NaN of negative ones, unless they are complex.")
    .example("[1.0, np.e]", "array([0., 1.])")
    .functions<Log, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials { return {d.g / conjugate(d.x)}; });

struct Log2 : Vectorised<VectorFunction::Log2> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "log2({0})" : "log2f({0})";
  }
  template <class T>
  T operator()(T x) const {
    if constexpr (is_complex_type<T>) {
      return scaled(std::log(x), std::numbers::log2e_v<typename T::value_type>);
    } else {
      return std::log2(x);
    }
  }
};
DECLARE_ELEMENTWISE(log2, "exponential", {"x"})
    .singular()
    .comment("Logarithm of each element to base 2.")
    .example("[8.0, 0.5]", "array([ 3., -1.])")
    .functions<Log2, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials { return {d.g / (conjugate(d.x) * kLn2)}; });

struct Log10 : Vectorised<VectorFunction::Log10> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "log10({0})" : "log10f({0})";
  }
  template <class T>
  T operator()(T x) const {
    if constexpr (is_complex_type<T>) {
      return scaled(std::log(x), std::numbers::log10e_v<typename T::value_type>);
    } else {
      return std::log10(x);
    }
  }
};
DECLARE_ELEMENTWISE(log10, "exponential", {"x"})
    .singular()
    .comment("Logarithm of each element to base 10.")
    .example("[100.0, 0.1]", "array([ 2., -1.])")
    .functions<Log10, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials { return {d.g / (conjugate(d.x) * kLn10)}; });

struct Log1p : Vectorised<VectorFunction::Log1p> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "log1p({0})" : "log1pf({0})";
  }
  template <class T>
  T operator()(T x) const {
    if constexpr (is_complex_type<T>) {
      const auto real = x.real() + 1;
      return {std::log(std::hypot(real, x.imag())), std::atan2(x.imag(), real)};
    } else {
      return std::log1p(x);
    }
  }
};
DECLARE_ELEMENTWISE(log1p, "exponential", {"x"})
    .singular()
    .comment("log(1 + x), precise for small elements too.")
    .example("[0.0, 1e-10]", "array([0.e+00, 1.e-10])")
    .functions<Log1p, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials { return {d.g / (conjugate(d.x) + 1.0)}; });

struct Sqrt {
  template <class T>
  static constexpr const char* c() {
    return std::is_same_v<T, double> ? "__builtin_sqrt({0})" : "__builtin_sqrtf({0})";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T x) const {
    return std::sqrt(x);
  }
};
DECLARE_ELEMENTWISE(sqrt, "exponential", {"x"})
    .singular()
    .comment(
        "Square root of each element; NaN of negative ones, unless they are complex. Its "
        "gradient at 0 is infinite.")
    .example("[4.0, 2.0]", "array([2.        , 1.41421356])")
    .functions<Sqrt, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials { return {d.g / (2.0 * conjugate(d.out))}; });

struct Cbrt : Vectorised<VectorFunction::Cbrt> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "cbrt({0})" : "cbrtf({0})";
  }
  template <class T>
  T operator()(T x) const {
    return std::cbrt(x);
  }
};
DECLARE_ELEMENTWISE(cbrt, "exponential", {"x"})
    .singular()
    .comment("Cube root of each element, real for negative ones too.")
    .example("[27.0, -8.0]", "array([ 3., -2.])")
    .functions<Cbrt, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials { return {d.g / (3.0 * square(d.out))}; });

}  // namespace
}  // namespace thunkvm

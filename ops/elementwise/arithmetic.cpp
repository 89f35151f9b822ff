// arithmetic.cpp: sums, products, quotients and signs, element by element, as NumPy 2 defines them.
#include "ops/elementwise/elementwise.h"
#include "ops/kernels/element_math.h"

namespace thunkvm {
namespace {

constexpr const char* kNoBoolSubtract =
    "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` "
    "operator, or the logical_xor function instead.";
constexpr const char* kNoBoolNegative =
    "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the "
    "logical_not function instead.";

struct Add {
  template <class T>
  static constexpr const char* c() {
    return std::is_same_v<T, bool> ? "{0} | {1}"
           : std::is_integral_v<T> ? "({T})(({U}){0} + ({U}){1})"
                                   : "{0} + {1}";
  }
  static constexpr bool kCheap = true;
  bool operator()(bool a, bool b) const { return a | b; }
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(wrapping(a) + wrapping(b));
    return a + b;
  }
};
DECLARE_ELEMENTWISE(add, "arithmetic", {"x", "y"})
    .infix("+", 10)
    .algebra({.neutral = {{.number = 0, .commutes = true, .of_integers_only = true}}})
    .comment("Sum of two tensors, element by element; for bools logical or.")
    .example("[1.0, 2.0], [3.0, 4.0]", "array([4., 6.])")
    .functions<Add, 2>(AllTypes{})
    .gradient([](const Differential& d) -> Partials { return {d.g, d.g}; });

struct Subtract {
  template <class T>
  static constexpr const char* c() {
    return std::is_integral_v<T> ? "({T})(({U}){0} - ({U}){1})" : "{0} - {1}";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(wrapping(a) - wrapping(b));
    return a - b;
  }
};
DECLARE_ELEMENTWISE(sub, "arithmetic", {"x", "y"})
    .alias("subtract")
    .infix("-", 10)
    .algebra({.neutral = {{.number = 0}}})
    .comment("Difference of two tensors, element by element.")
    .example("[1.0, 2.0], [3.0, 5.0]", "array([-2., -3.])")
    .functions<Subtract, 2>(Numbers{})
    .refuses(DType::Bool, kNoBoolSubtract)
    .gradient([](const Differential& d) -> Partials { return {d.g, -d.g}; });

struct Multiply {
  template <class T>
  static constexpr const char* c() {
    return std::is_same_v<T, bool> ? "{0} & {1}"
           : std::is_integral_v<T> ? "({T})(({U}){0} * ({U}){1})"
                                   : "{0} * {1}";
  }
  static constexpr bool kCheap = true;
  bool operator()(bool a, bool b) const { return a & b; }
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(wrapping(a) * wrapping(b));
    if constexpr (is_complex_type<T>) return multiply(a, b);
    return a * b;
  }
};
DECLARE_ELEMENTWISE(mul, "arithmetic", {"x", "y"})
    .alias("multiply")
    .infix("*", 11)
    .algebra({.neutral = {{.number = 1, .commutes = true}}})
    .comment("Product of two tensors, element by element; for bools logical and.")
    .example("[1.0, 2.0], [3.0, 4.0]", "array([3., 8.])")
    .functions<Multiply, 2>(AllTypes{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g * conjugate(d.y), d.g * conjugate(d.x)};
    });

struct Divide {
  template <class T>
  static constexpr const char* c() {
    return "{0} / {1}";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (is_complex_type<T>) return divide(a, b);
    return a / b;
  }
};
DECLARE_ELEMENTWISE(true_div, "arithmetic", {"x", "y"})
    .singular()
    .alias("divide")
    .infix("/", 11)
    .algebra({.neutral = {{.number = 1}}})
    .comment("Quotient of two tensors, element by element; a float64 for integers.")
    .example("[1.0, 3.0], [2.0, 4.0]", "array([0.5 , 0.75])")
    .functions<Divide, 2>(Inexacts{})
    .computes_integers(DType::Float64)
    .gradient([](const Differential& d) -> Partials {
      const Variable by_x = d.g / conjugate(d.y);
      return {by_x, -(by_x * conjugate(d.out))};
    });

/// `floor_division` of numbers in C; what it returns is filled in.
template <class T>
constexpr const char* c_of_floor_division(bool quotient) {
  if constexpr (std::is_same_v<T, double>) {
    return quotient ? "static inline f64 {F}(f64 a, f64 b) {\n"
                      "  f64 rest = fmod(a, b), quotient = (a - rest) / b;\n"
                      "  if (b == 0) return a / b;\n"
                      "  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;\n"
                      "  if (quotient == 0) return __builtin_copysign(0.0, a / b);\n"
                      "  const f64 whole = __builtin_floor(quotient);\n"
                      "  return quotient - whole > 0.5 ? whole + 1 : whole;\n"
                      "}\n"
                    : "static inline f64 {F}(f64 a, f64 b) {\n"
                      "  const f64 rest = fmod(a, b);\n"
                      "  if (b == 0) return rest;\n"
                      "  if (rest == 0) return __builtin_copysign(0.0, b);\n"
                      "  return (b < 0) != (rest < 0) ? rest + b : rest;\n"
                      "}\n";
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    return quotient ? "static inline {T} {F}({T} a, {T} b) {\n"
                      "  if (b == 0) return 0;\n"
                      "  if (b == -1) return ({T})(0 - ({U})a);\n"
                      "  const {T} quotient = ({T})(a / b), rest = ({T})(a % b);\n"
                      "  return ({T})(quotient - (rest != 0 && (rest < 0) != (b < 0)));\n"
                      "}\n"
                    : "static inline {T} {F}({T} a, {T} b) {\n"
                      "  if (b == 0 || b == -1) return 0;\n"
                      "  const {T} rest = ({T})(a % b);\n"
                      "  return rest != 0 && (rest < 0) != (b < 0) ? ({T})(rest + b) : rest;\n"
                      "}\n";
  } else {
    return nullptr;
  }
}

struct FloorDivide {
  template <class T>
  static constexpr const char* c_function() {
    return c_of_floor_division<T>(true);
  }
  template <class T>
  static constexpr const char* c_number() {
    if constexpr (std::is_unsigned_v<T>) return "{1} == 0 ? 0 : {0} / {1}";
    return c_function<T>() == nullptr ? nullptr : "{F}({0}, {1})";
  }
  template <class T>
  T operator()(T a, T b) const {
    return floor_division(a, b).quotient;
  }
};
DECLARE_ELEMENTWISE(floor_div, "arithmetic", {"x", "y"})
    .alias("floor_divide")
    .infix("//", 11)
    .comment(
        "Quotient rounded down, element by element. Integers divided by zero give 0, without "
        "the warning that NumPy gives. Its gradient is zero.")
    .example("[7.0, -7.0], [2.0, 2.0]", "array([ 3., -4.])")
    .functions<FloorDivide, 2>(Ints{} + Floats{});

struct Modulo {
  template <class T>
  static constexpr const char* c_function() {
    return c_of_floor_division<T>(false);
  }
  template <class T>
  static constexpr const char* c_number() {
    if constexpr (std::is_unsigned_v<T>) return "{1} == 0 ? 0 : {0} % {1}";
    return c_function<T>() == nullptr ? nullptr : "{F}({0}, {1})";
  }
  template <class T>
  T operator()(T a, T b) const {
    return floor_division(a, b).remainder;
  }
};
DECLARE_ELEMENTWISE(mod, "arithmetic", {"x", "y"})
    .alias("remainder")
    .infix("%", 11)
    .comment(
        "Remainder with the sign of the divisor, element by element. Integers modulo zero "
        "give 0, without the warning that NumPy gives.")
    .example("[7.0, -7.0], [3.0, 3.0]", "array([1., 2.])")
    .functions<Modulo, 2>(Ints{} + Floats{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g, -(d.g * call_op("floor_div", {d.x, d.y}))};
    });

struct Negative {
  template <class T>
  static constexpr const char* c() {
    return std::is_integral_v<T> ? "({T})(0 - ({U}){0})" : "-{0}";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(0 - wrapping(x));
    return -x;
  }
};
DECLARE_ELEMENTWISE(neg, "arithmetic", {"x"})
    .alias("negative")
    .prefix("-", 12)
    .algebra({.is_involution = true})
    .comment("Each element with its sign changed; unsigned and lowest integers wrap around.")
    .example("[1.0, -2.0]", "array([-1.,  2.])")
    .functions<Negative, 1>(Numbers{})
    .refuses(DType::Bool, kNoBoolNegative)
    .gradient([](const Differential& d) -> Partials { return {-d.g}; });

struct Absolute {
  template <class T>
  static constexpr const char* c() {
    return std::is_same_v<T, double>  ? "__builtin_fabs({0})"
           : std::is_same_v<T, float> ? "__builtin_fabsf({0})"
                                      : "({T})({0} < 0 ? 0 - ({U}){0} : ({U}){0})";
  }
  static constexpr bool kCheap = true;
  template <class T>
  auto operator()(T x) const {
    if constexpr (is_complex_type<T>) {
      return std::hypot(x.real(), x.imag());
    } else if constexpr (std::is_floating_point_v<T>) {
      return std::fabs(x);
    } else {
      return x < 0 ? static_cast<T>(0 - wrapping(x)) : x;
    }
  }
};
DECLARE_ELEMENTWISE(abs, "arithmetic", {"x"})
    .alias("absolute")
    .algebra({.is_idempotent = true})
    .comment("Magnitude of each element. Its gradient at 0 is 0.")
    .example("[1.0, -2.0]", "array([1., 2.])")
    .functions<Absolute, 1>(Numbers{})
    .identity(Bools{} + UnsignedInts{})
    .gradient([](const Differential& d) -> Partials { return {d.g * call_op("sign", {d.x})}; });

struct Sign {
  template <class T>
  static constexpr const char* c() {
    return std::is_unsigned_v<T> ? "({T})({0} != 0)"  // nothing below 0 for a warning to be about
           : std::is_integral_v<T>
               ? "({T})(({0} > 0) - ({0} < 0))"
               : "{0} > 0 ? ({T})1 : {0} < 0 ? ({T})-1 : {0} == 0 ? ({T})0 : {0}";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T x) const {
    if constexpr (is_complex_type<T>) {
      const auto magnitude = std::hypot(x.real(), x.imag());
      if (magnitude == 0) return T(0);
      if (!std::isinf(magnitude)) return {x.real() / magnitude, x.imag() / magnitude};
      // One infinite part points along its axis; with two there is no direction.
      using Part = typename T::value_type;
      const bool real_is_infinite = std::isinf(x.real());
      const bool imag_is_infinite = std::isinf(x.imag());
      if (real_is_infinite && imag_is_infinite) {
        constexpr Part kNaN = std::numeric_limits<Part>::quiet_NaN();
        return {kNaN, kNaN};
      }
      return {real_is_infinite ? std::copysign(Part(1), x.real()) : Part(0),
              imag_is_infinite ? std::copysign(Part(1), x.imag()) : Part(0)};
    } else if constexpr (std::is_floating_point_v<T>) {
      return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x;
    } else {
      return static_cast<T>((x > 0) - (x < 0));
    }
  }
};
DECLARE_ELEMENTWISE(sign, "arithmetic", {"x"})
    .comment(
        "-1, 0 or 1 as each element is negative, zero or positive; NaN stays. For complex "
        "numbers: x / abs(x). The gradient of real numbers is zero.")
    .example("[-2.5, 0.0, 3.0]", "array([-1.,  0.,  1.])")
    .functions<Sign, 1>(Numbers{})
    .refuses(DType::Bool, "is not defined for bool, as in NumPy; cast the input to an integer")
    .gradient([](const Differential& d) -> Partials {
      if (!is_complex(d.x.dtype())) return {};
      // Only the part across x turns it; the part along x changes its length.
      const Variable along = call_op("real", {conjugate(d.g) * d.out});
      const Variable magnitude = call_op("abs", {d.x});
      const Variable safe = where(eq(magnitude, weak_number(0.0)), weak_number(1.0), magnitude);
      return {
          where(eq(magnitude, weak_number(0.0)), weak_number(0.0), (d.g - d.out * along) / safe)};
    });

struct Square {
  template <class T>
  static constexpr const char* c() {
    return std::is_integral_v<T> ? "({T})(({U}){0} * ({U}){0})" : "{0} * {0}";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T x) const {
    return Multiply{}(x, x);
  }
};
DECLARE_ELEMENTWISE(square, "arithmetic", {"x"})
    .comment("The square of each element.")
    .example("[2.0, -3.0]", "array([4., 9.])")
    .functions<Square, 1>(Numbers{})
    .gradient([](const Differential& d) -> Partials { return {d.g * (2.0 * conjugate(d.x))}; });

}  // namespace
}  // namespace thunkvm

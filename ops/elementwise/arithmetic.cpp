// arithmetic.cpp: sums, products, quotients, powers and signs, element by element, as NumPy 2
// defines them.
#include "ops/elementwise/elementwise.h"
#include "ops/kernels/element_math.h"
#include "thunks/cast.h"

#include <algorithm>

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
const Elementwise add_op =
    Elementwise("add", "arithmetic", {"x", "y"})
        .comment("Sum of two tensors, element by element. Of bools: logical or.")
        .example("[1.0, 2.0], [3.0, 4.0]", "array([4., 6.])")
        .loops<Add, 2>(AllTypes{})
        .gradient([](const Differential& d) -> Partials { return {d.g, d.g}; });
REGISTER_OP(ElementwiseOf<add_op>, ElementwiseMaker<add_op>, add)

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
const Elementwise sub_op =
    Elementwise("sub", "arithmetic", {"x", "y"})
        .alias("subtract")
        .comment("Difference of two tensors, element by element.")
        .example("[1.0, 2.0], [3.0, 5.0]", "array([-2., -3.])")
        .loops<Subtract, 2>(Numbers{})
        .refuses(DType::Bool, kNoBoolSubtract)
        .gradient([](const Differential& d) -> Partials { return {d.g, -d.g}; });
REGISTER_OP(ElementwiseOf<sub_op>, ElementwiseMaker<sub_op>, sub)

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
const Elementwise mul_op =
    Elementwise("mul", "arithmetic", {"x", "y"})
        .alias("multiply")
        .comment("Product of two tensors, element by element. Of bools: logical and.")
        .example("[1.0, 2.0], [3.0, 4.0]", "array([3., 8.])")
        .loops<Multiply, 2>(AllTypes{})
        .gradient([](const Differential& d) -> Partials {
          return {d.g * conjugate(d.y), d.g * conjugate(d.x)};
        });
REGISTER_OP(ElementwiseOf<mul_op>, ElementwiseMaker<mul_op>, mul)

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
const Elementwise true_div_op =
    Elementwise("true_div", "arithmetic", {"x", "y"})
        .alias("divide")
        .comment("Quotient of two tensors, element by element. Of integers it is a float64.")
        .example("[1.0, 3.0], [2.0, 4.0]", "array([0.5 , 0.75])")
        .loops<Divide, 2>(Inexacts{})
        .computes_integers(DType::Float64)
        .gradient([](const Differential& d) -> Partials {
          const Variable by_x = d.g / conjugate(d.y);
          return {by_x, -(by_x * conjugate(d.out))};
        });
REGISTER_OP(ElementwiseOf<true_div_op>, ElementwiseMaker<true_div_op>, true_div)

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
const Elementwise floor_div_op =
    Elementwise("floor_div", "arithmetic", {"x", "y"})
        .alias("floor_divide")
        .comment(
            "Quotient rounded down, element by element. Integers divided by zero give 0, without "
            "the warning that NumPy gives. Its gradient is zero.")
        .example("[7.0, -7.0], [2.0, 2.0]", "array([ 3., -4.])")
        .loops<FloorDivide, 2>(Ints{} + Floats{});
REGISTER_OP(ElementwiseOf<floor_div_op>, ElementwiseMaker<floor_div_op>, floor_div)

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
const Elementwise mod_op =
    Elementwise("mod", "arithmetic", {"x", "y"})
        .alias("remainder")
        .comment(
            "Remainder with the sign of the divisor, element by element. Integers modulo zero "
            "give 0, without the warning that NumPy gives.")
        .example("[7.0, -7.0], [3.0, 3.0]", "array([1., 2.])")
        .loops<Modulo, 2>(Ints{} + Floats{})
        .gradient([](const Differential& d) -> Partials {
          return {d.g, -(d.g * call_op("floor_div", {d.x, d.y}))};
        });
REGISTER_OP(ElementwiseOf<mod_op>, ElementwiseMaker<mod_op>, mod)

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
      vector_loop<T>(VectorFunction::Pow)(n, powers, a, b);
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
const Elementwise pow_op =
    Elementwise("pow", "arithmetic", {"x", "y"})
        .alias("power")
        .comment(
            "The first tensor to the power of the second, element by element. Integers to "
            "negative powers are a ValueError. Where the base is 0, the gradient with respect "
            "to the exponent is 0, and so is the one with respect to the base where the "
            "exponent is 0 (as in JAX).")
        .example("[2.0, 9.0], [3.0, 0.5]", "array([8., 3.])")
        .loops<IntegerPower, 2>(Ints{})
        .loops<Power, 2>(Inexacts{})
        .gradient([](const Differential& d) -> Partials {
          const Variable one = weak_number(1.0);
          const Variable logarithm = log(where(eq(d.x, weak_number(0.0)), one, d.x));
          return {d.g * conjugate(slope_of_power(d.x, d.y)), d.g * conjugate(d.out * logarithm)};
        });
REGISTER_OP(ElementwiseOf<pow_op>, ElementwiseMaker<pow_op>, pow)

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
const Elementwise neg_op =
    Elementwise("neg", "arithmetic", {"x"})
        .alias("negative")
        .comment("Each element with its sign changed; unsigned and lowest integers wrap around.")
        .example("[1.0, -2.0]", "array([-1.,  2.])")
        .loops<Negative, 1>(Numbers{})
        .refuses(DType::Bool, kNoBoolNegative)
        .gradient([](const Differential& d) -> Partials { return {-d.g}; });
REGISTER_OP(ElementwiseOf<neg_op>, ElementwiseMaker<neg_op>, neg)

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
const Elementwise abs_op =
    Elementwise("abs", "arithmetic", {"x"})
        .alias("absolute")
        .comment("Magnitude of each element. Its gradient at 0 is 0.")
        .example("[1.0, -2.0]", "array([1., 2.])")
        .loops<Absolute, 1>(Numbers{})
        .identity(Bools{} + UnsignedInts{})
        .gradient([](const Differential& d) -> Partials { return {d.g * call_op("sign", {d.x})}; });
REGISTER_OP(ElementwiseOf<abs_op>, ElementwiseMaker<abs_op>, abs)

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
const Elementwise sign_op =
    Elementwise("sign", "arithmetic", {"x"})
        .comment(
            "-1, 0 or 1 as each element is negative, zero or positive; NaN stays. Of complex "
            "numbers: x / abs(x). The gradient of real numbers is zero.")
        .example("[-2.5, 0.0, 3.0]", "array([-1.,  0.,  1.])")
        .loops<Sign, 1>(Numbers{})
        .refuses(DType::Bool, "is not defined for bool, as in NumPy; cast the input to an integer")
        .gradient([](const Differential& d) -> Partials {
          if (!is_complex(d.x.dtype())) return {};
          // Only the part across x turns it; the part along x changes its length.
          const Variable along = call_op("real", {conjugate(d.g) * d.out});
          const Variable magnitude = call_op("abs", {d.x});
          const Variable safe = where(eq(magnitude, weak_number(0.0)), weak_number(1.0), magnitude);
          return {where(eq(magnitude, weak_number(0.0)), weak_number(0.0),
                        (d.g - d.out * along) / safe)};
        });
REGISTER_OP(ElementwiseOf<sign_op>, ElementwiseMaker<sign_op>, sign)

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
const Elementwise reciprocal_op =
    Elementwise("reciprocal", "arithmetic", {"x"})
        .comment("1 / x, element by element, in the dtype of x: of integers it is rounded to 0.")
        .example("[2.0, 4.0]", "array([0.5 , 0.25])")
        .loops<Reciprocal, 1>(Numbers{})
        .gradient(
            [](const Differential& d) -> Partials { return {-(d.g * conjugate(square(d.out)))}; });
REGISTER_OP(ElementwiseOf<reciprocal_op>, ElementwiseMaker<reciprocal_op>, reciprocal)

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
const Elementwise square_op =
    Elementwise("square", "arithmetic", {"x"})
        .comment("The square of each element.")
        .example("[2.0, -3.0]", "array([4., 9.])")
        .loops<Square, 1>(Numbers{})
        .gradient([](const Differential& d) -> Partials { return {d.g * (2.0 * conjugate(d.x))}; });
REGISTER_OP(ElementwiseOf<square_op>, ElementwiseMaker<square_op>, square)

}  // namespace
}  // namespace thunkvm

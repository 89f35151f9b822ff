// trigonometric.cpp: circular and hyperbolic functions and their inverses, element by element.
// Integers are computed in the float dtype that NumPy picks: int8 in float16, int16 in float32,
// larger ones in float64.
#include "ops/elementwise/elementwise.h"
#include "ops/kernels/element_math.h"

#include <numbers>

namespace thunkvm {
namespace {

Variable apply(const char* op, const Variable& x) { return call_op(op, {x}); }

struct Sin : Vectorised<VectorFunction::Sin> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "sin({0})" : "sinf({0})";
  }
  template <class T>
  T operator()(T x) const {
    return std::sin(x);
  }
};
DECLARE_ELEMENTWISE(sin, "trigonometric", {"x"})
    .comment("Sine of each element, in radians.")
    .example("[0.0, np.pi / 2]", "array([0., 1.])")
    .functions<Sin, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g * conjugate(apply("cos", d.x))};
    });

struct Cos : Vectorised<VectorFunction::Cos> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "cos({0})" : "cosf({0})";
  }
  template <class T>
  T operator()(T x) const {
    return std::cos(x);
  }
};
DECLARE_ELEMENTWISE(cos, "trigonometric", {"x"})
    .comment("Cosine of each element, in radians.")
    .example("[0.0, np.pi]", "array([ 1., -1.])")
    .functions<Cos, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials {
      return {-(d.g * conjugate(apply("sin", d.x)))};
    });

struct Tan : Vectorised<VectorFunction::Tan> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "tan({0})" : "tanf({0})";
  }
  template <class T>
  T operator()(T x) const {
    return std::tan(x);
  }
};
DECLARE_ELEMENTWISE(tan, "trigonometric", {"x"})
    .comment("Tangent of each element, in radians.")
    .example("[0.0, 1.0]", "array([0.        , 1.55740772])")
    .functions<Tan, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g * conjugate(square(d.out) + 1.0)};
    });

struct Arcsin : Vectorised<VectorFunction::Arcsin> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "asin({0})" : "asinf({0})";
  }
  template <class T>
  T operator()(T x) const {
    return std::asin(x);
  }
};
DECLARE_ELEMENTWISE(arcsin, "trigonometric", {"x"})
    .singular()
    .comment("Angle in radians, between -pi/2 and pi/2, with this sine; NaN beyond -1 and 1.")
    .example("[0.0, 1.0]", "array([0.        , 1.57079633])")
    .functions<Arcsin, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g / conjugate(sqrt(1.0 - square(d.x)))};
    });

struct Arccos : Vectorised<VectorFunction::Arccos> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "acos({0})" : "acosf({0})";
  }
  template <class T>
  T operator()(T x) const {
    return std::acos(x);
  }
};
DECLARE_ELEMENTWISE(arccos, "trigonometric", {"x"})
    .singular()
    .comment("Angle in radians, between 0 and pi, with this cosine; NaN beyond -1 and 1.")
    .example("[1.0, 0.0]", "array([0.        , 1.57079633])")
    .functions<Arccos, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials {
      return {-(d.g / conjugate(sqrt(1.0 - square(d.x))))};
    });

struct Arctan : Vectorised<VectorFunction::Arctan> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "atan({0})" : "atanf({0})";
  }
  template <class T>
  T operator()(T x) const {
    return std::atan(x);
  }
};
DECLARE_ELEMENTWISE(arctan, "trigonometric", {"x"})
    .comment("Angle in radians, between -pi/2 and pi/2, with this tangent.")
    .example("[0.0, 1.0]", "array([0.        , 0.78539816])")
    .functions<Arctan, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g / conjugate(square(d.x) + 1.0)};
    });

struct Sinh : Vectorised<VectorFunction::Sinh> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "sinh({0})" : "sinhf({0})";
  }
  template <class T>
  T operator()(T x) const {
    return std::sinh(x);
  }
};
DECLARE_ELEMENTWISE(sinh, "trigonometric", {"x"})
    .comment("Hyperbolic sine of each element.")
    .example("[0.0, 1.0]", "array([0.        , 1.17520119])")
    .functions<Sinh, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g * conjugate(apply("cosh", d.x))};
    });

struct Cosh : Vectorised<VectorFunction::Cosh> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "cosh({0})" : "coshf({0})";
  }
  template <class T>
  T operator()(T x) const {
    return std::cosh(x);
  }
};
DECLARE_ELEMENTWISE(cosh, "trigonometric", {"x"})
    .comment("Hyperbolic cosine of each element.")
    .example("[0.0, 1.0]", "array([1.        , 1.54308063])")
    .functions<Cosh, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g * conjugate(apply("sinh", d.x))};
    });

struct Tanh : Vectorised<VectorFunction::Tanh> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "tanh({0})" : "tanhf({0})";
  }
  template <class T>
  T operator()(T x) const {
    return std::tanh(x);
  }
};
DECLARE_ELEMENTWISE(tanh, "trigonometric", {"x"})
    .comment("Hyperbolic tangent of each element.")
    .example("[0.0, 1.0]", "array([0.        , 0.76159416])")
    .functions<Tanh, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g * conjugate(1.0 - square(d.out))};
    });

struct Arcsinh : Vectorised<VectorFunction::Arcsinh> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "asinh({0})" : "asinhf({0})";
  }
  template <class T>
  T operator()(T x) const {
    return std::asinh(x);
  }
};
DECLARE_ELEMENTWISE(arcsinh, "trigonometric", {"x"})
    .comment("Inverse of the hyperbolic sine.")
    .example("[0.0, 1.0]", "array([0.        , 0.88137359])")
    .functions<Arcsinh, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g / conjugate(sqrt(square(d.x) + 1.0))};
    });

struct Arccosh : Vectorised<VectorFunction::Arccosh> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "acosh({0})" : "acoshf({0})";
  }
  template <class T>
  T operator()(T x) const {
    return std::acosh(x);
  }
};
DECLARE_ELEMENTWISE(arccosh, "trigonometric", {"x"})
    .singular()
    .comment("Inverse of the hyperbolic cosine, not negative; NaN below 1.")
    .example("[1.0, 2.0]", "array([0.       , 1.3169579])")
    .functions<Arccosh, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g / conjugate(sqrt(d.x - 1.0) * sqrt(d.x + 1.0))};
    });

struct Arctanh : Vectorised<VectorFunction::Arctanh> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "atanh({0})" : "atanhf({0})";
  }
  template <class T>
  T operator()(T x) const {
    return std::atanh(x);
  }
};
DECLARE_ELEMENTWISE(arctanh, "trigonometric", {"x"})
    .singular()
    .comment("Inverse of the hyperbolic tangent; NaN beyond -1 and 1.")
    .example("[0.0, 0.5]", "array([0.        , 0.54930614])")
    .functions<Arctanh, 1>(Inexacts{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g / conjugate(1.0 - square(d.x))};
    });

struct Arctan2 : Vectorised<VectorFunction::Arctan2> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "atan2({0}, {1})" : "atan2f({0}, {1})";
  }
  template <class T>
  T operator()(T y, T x) const {
    return std::atan2(y, x);
  }
};
DECLARE_ELEMENTWISE(arctan2, "trigonometric", {"x", "y"})
    .singular()
    .comment(
        "Angle in radians, between -pi and pi, of the point whose ordinate is x and whose "
        "abscissa is y (NumPy's order). Its gradient at (0, 0) is NaN.")
    .example("[0.0, 1.0], [-1.0, 1.0]", "array([3.14159265, 0.78539816])")
    .functions<Arctan2, 2>(Floats{})
    .gradient([](const Differential& d) -> Partials {
      const Variable scaled = d.g / (square(d.x) + square(d.y));
      return {scaled * d.y, -(scaled * d.x)};
    });

struct Hypot : Vectorised<VectorFunction::Hypot> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "hypot({0}, {1})" : "hypotf({0}, {1})";
  }
  template <class T>
  T operator()(T x, T y) const {
    return std::hypot(x, y);
  }
};
DECLARE_ELEMENTWISE(hypot, "trigonometric", {"x", "y"})
    .singular()
    .comment("sqrt(x**2 + y**2) without overflow on the way. Its gradient at (0, 0) is 0.")
    .example("[3.0, 5.0], [4.0, 12.0]", "array([ 5., 13.])")
    .functions<Hypot, 2>(Floats{})
    .gradient([](const Differential& d) -> Partials {
      const Variable length = where(eq(d.out, weak_number(0.0)), weak_number(1.0), d.out);
      return {d.g * (d.x / length), d.g * (d.y / length)};
    });

template <class T>
constexpr T kDegree = std::numbers::pi_v<T> / T(180);
template <class T>
constexpr T kDegreesOfRadian = T(180) / std::numbers::pi_v<T>;

struct DegreesToRadians {
  template <class T>
  static constexpr const char* c() {
    return std::is_same_v<T, double> ? "{0} * (3.14159265358979323846 / 180.0)"
                                     : "{0} * (3.14159265358979323846f / 180.0f)";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T x) const {
    return x * kDegree<T>;
  }
};
DECLARE_ELEMENTWISE(deg2rad, "trigonometric", {"x"})
    .numpy("radians")
    .comment("Degrees as radians: x * pi / 180.")
    .example("[0.0, 180.0]", "array([0.        , 3.14159265])")
    .functions<DegreesToRadians, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials { return {d.g * kDegree<double>}; });

struct RadiansToDegrees {
  template <class T>
  static constexpr const char* c() {
    return std::is_same_v<T, double> ? "{0} * (180.0 / 3.14159265358979323846)"
                                     : "{0} * (180.0f / 3.14159265358979323846f)";
  }
  static constexpr bool kCheap = true;
  template <class T>
  T operator()(T x) const {
    return x * kDegreesOfRadian<T>;
  }
};
DECLARE_ELEMENTWISE(rad2deg, "trigonometric", {"x"})
    .numpy("degrees")
    .comment("Radians as degrees: x * 180 / pi.")
    .example("[0.0, 1.0]", "array([ 0.        , 57.29577951])")
    .functions<RadiansToDegrees, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials { return {d.g * kDegreesOfRadian<double>}; });

}  // namespace
}  // namespace thunkvm

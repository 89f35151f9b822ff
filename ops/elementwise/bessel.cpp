// bessel.cpp: Bessel functions of real orders, with Boost.Math's values; of large orders by series.
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/of_doubles.h"

#include <boost/math/special_functions/bessel.hpp>

#include <cmath>
#include <limits>
#include <numbers>

namespace thunkvm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// From here on the series of modified functions of large orders have 13 digits. Boost.Math goes by
/// recurrences from small orders, whose functions are less than any number from x = 745 on.
constexpr double kLargeOrder = 200;
/// Boost.Math counts orders in an int.
constexpr double kLargestOrder = 1e9;

bool is_whole(double v) { return v == std::floor(v); }
/// True where a function of a real order has a real value.
bool is_in_domain(double v, double x) {
  return !std::isnan(v) && !std::isnan(x) && (x >= 0 || is_whole(v)) &&
         !(std::isinf(v) && std::isinf(x));
}

/// The modified functions of large orders v > 0, of numbers x >= 0: A. Olver and others, NIST
/// Digital Library of Mathematical Functions, 10.41.3 and 10.41.4.
class LargeOrder {
 public:
  LargeOrder(double v, double x) : v_(v) {
    const double z = x / v, root = std::hypot(1.0, z), p = 1 / root, q = p * p;
    exponent_ = v * (root + std::log(z / (1 + root)));
    scale_ = std::sqrt(p);
    const double u[] = {
        p * (3 - 5 * q) / 24, q * (81 + q * (-462 + q * 385)) / 1152,
        p * q * (30375 + q * (-369603 + q * (765765 - q * 425425))) / 414720,
        q * q * (4465125 + q * (-94121676 + q * (349922430 + q * (-446185740 + q * 185910725)))) /
            39813120};
    double power = 1;
    for (int k = 0; k < 4; ++k) {
      power /= v;
      first_ += u[k] * power;
      second_ += (k % 2 == 0 ? -u[k] : u[k]) * power;
    }
  }
  double i() const {
    return std::exp(exponent_ - 0.5 * std::log(2 * std::numbers::pi * v_)) * scale_ * first_;
  }
  double k() const {
    return std::exp(-exponent_ + 0.5 * std::log(std::numbers::pi / 2 / v_)) * scale_ * second_;
  }

 private:
  double v_, exponent_ = 0, scale_ = 1, first_ = 1, second_ = 1;
};

double jv(double v, double x) {
  if (!is_in_domain(v, x)) return kNaN;
  if (std::isinf(x)) return 0;
  if (x == 0 && v < 0 && !is_whole(v)) return kInfinity;
  // Far below its order the function is less than any number; elsewhere it is not computed.
  if (std::fabs(v) > kLargestOrder) return std::fabs(x) < std::fabs(v) / 2 ? 0 : kNaN;
  return boost::math::cyl_bessel_j(v, x, Quiet());
}
double kv(double v, double x) {
  v = std::fabs(v);
  if (std::isnan(v) || !(x >= 0) || (std::isinf(v) && std::isinf(x))) return kNaN;
  if (x == 0 || std::isinf(v)) return kInfinity;
  if (std::isinf(x)) return 0;
  if (v >= kLargeOrder) return LargeOrder(v, x).k();
  const double found = boost::math::cyl_bessel_k(v, x, Quiet());
  // The recurrence to the order overflows.
  return std::isnan(found) ? kInfinity : found;
}
double iv(double v, double x) {
  if (!is_in_domain(v, x)) return kNaN;
  if (std::isinf(v)) return 0;
  const bool turns = x < 0 && std::fmod(v, 2) != 0;
  if (std::isinf(x)) return turns ? -kInfinity : kInfinity;
  if (x == 0 && v < 0 && !is_whole(v)) return kInfinity;
  if (std::fabs(v) < kLargeOrder) return boost::math::cyl_bessel_i(v, x, Quiet());
  const LargeOrder large(std::fabs(v), std::fabs(x));
  if (v > 0 || is_whole(v)) return turns ? -large.i() : large.i();
  return large.i() -
         std::sin(std::numbers::pi * std::fmod(v, 2)) * large.k() * 2 / std::numbers::pi;
}
template <int kOrder>
double jn(double x) {
  return jv(kOrder, x);
}
template <int kOrder>
double in(double x) {
  return iv(kOrder, x);
}

Variable bessel(const char* name, const Variable& v, const Variable& x) {
  return call_op(name, {v, x});
}

DECLARE_ELEMENTWISE(jv, "special", {"v", "x"})
    .comment(
        "The Bessel function of the first kind of real order v, with respect to which there is "
        "no gradient.")
    .example("[0.0, 1.5], [1.0, 2.0]", "array([0.76519769, 0.49129378])")
    .functions<OfDoubles<&jv>, 2>(Floats{})
    .constant_input(0)
    .gradient([](const Differential& d) -> Partials {
      return {Variable(),
              d.g * ((bessel("jv", d.x - 1.0, d.y) - bessel("jv", d.x + 1.0, d.y)) * 0.5)};
    });

DECLARE_ELEMENTWISE(iv, "special", {"v", "x"})
    .comment(
        "The modified Bessel function of the first kind of real order v, with respect to which "
        "there is no gradient.")
    .example("[0.0, 1.5], [1.0, 2.0]", "array([1.26606588, 1.09947319])")
    .functions<OfDoubles<&iv>, 2>(Floats{})
    .constant_input(0)
    .gradient([](const Differential& d) -> Partials {
      return {Variable(),
              d.g * ((bessel("iv", d.x - 1.0, d.y) + bessel("iv", d.x + 1.0, d.y)) * 0.5)};
    });

DECLARE_ELEMENTWISE(kv, "special", {"v", "x"})
    .comment(
        "The modified Bessel function of the second kind of real order v, with respect to "
        "which there is no gradient.")
    .example("[0.0, 1.5], [1.0, 2.0]", "array([0.42102444, 0.17990666])")
    .functions<OfDoubles<&kv>, 2>(Floats{})
    .constant_input(0)
    .gradient([](const Differential& d) -> Partials {
      return {Variable(),
              d.g * ((bessel("kv", d.x - 1.0, d.y) + bessel("kv", d.x + 1.0, d.y)) * -0.5)};
    });

DECLARE_ELEMENTWISE(j0, "special", {"x"})
    .comment("The Bessel function of the first kind of order 0.")
    .example("[0.0, 1.0]", "array([1.        , 0.76519769])")
    .functions<OfDoubles<&jn<0>>, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials { return {-(d.g * call_op("j1", {d.x}))}; });

DECLARE_ELEMENTWISE(j1, "special", {"x"})
    .comment("The Bessel function of the first kind of order 1.")
    .example("[0.0, 1.0]", "array([0.        , 0.44005059])")
    .functions<OfDoubles<&jn<1>>, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials {
      const Variable second = bessel("jv", weak_number(2.0), d.x);
      return {d.g * ((call_op("j0", {d.x}) - second) * 0.5)};
    });

DECLARE_ELEMENTWISE(i0, "special", {"x"})
    .comment("The modified Bessel function of the first kind of order 0.")
    .example("[0.0, 1.0]", "array([1.        , 1.26606588])")
    .functions<OfDoubles<&in<0>>, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials { return {d.g * call_op("i1", {d.x})}; });

DECLARE_ELEMENTWISE(i1, "special", {"x"})
    .comment("The modified Bessel function of the first kind of order 1.")
    .example("[0.0, 1.0]", "array([0.       , 0.5651591])")
    .functions<OfDoubles<&in<1>>, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials {
      const Variable second = bessel("iv", weak_number(2.0), d.x);
      return {d.g * ((call_op("i0", {d.x}) + second) * 0.5)};
    });

}  // namespace
}  // namespace thunkvm

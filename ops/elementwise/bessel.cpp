// bessel.cpp: Bessel functions of real orders, with Boost.Math's values.
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/of_doubles.h"

#include <boost/math/special_functions/bessel.hpp>

#include <cmath>
#include <limits>

namespace thunkvm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// True where a function of a real order has a real value.
bool is_in_domain(double v, double x) {
  return !std::isnan(v) && !std::isnan(x) && !std::isinf(v) && (x >= 0 || v == std::floor(v));
}

double jv(double v, double x) {
  if (!is_in_domain(v, x)) return kNaN;
  if (std::isinf(x)) return 0;
  if (x == 0 && v < 0 && v != std::floor(v)) return kInfinity;
  return boost::math::cyl_bessel_j(v, x, Quiet());
}
double iv(double v, double x) {
  if (!is_in_domain(v, x)) return kNaN;
  if (std::isinf(x)) return x < 0 && std::fmod(v, 2) != 0 ? -kInfinity : kInfinity;
  if (x == 0 && v < 0 && v != std::floor(v)) return kInfinity;
  return boost::math::cyl_bessel_i(v, x, Quiet());
}
double kv(double v, double x) {
  if (std::isnan(v) || !(x >= 0)) return kNaN;
  if (x == 0) return kInfinity;
  return std::isinf(x) ? 0 : boost::math::cyl_bessel_k(v, x, Quiet());
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

const Elementwise jv_op =
    Elementwise("jv", "special", {"v", "x"})
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
REGISTER_OP(ElementwiseOf<jv_op>, ElementwiseMaker<jv_op>, jv)

const Elementwise iv_op =
    Elementwise("iv", "special", {"v", "x"})
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
REGISTER_OP(ElementwiseOf<iv_op>, ElementwiseMaker<iv_op>, iv)

const Elementwise kv_op =
    Elementwise("kv", "special", {"v", "x"})
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
REGISTER_OP(ElementwiseOf<kv_op>, ElementwiseMaker<kv_op>, kv)

const Elementwise j0_op = Elementwise("j0", "special", {"x"})
                              .comment("The Bessel function of the first kind of order 0.")
                              .example("[0.0, 1.0]", "array([1.        , 0.76519769])")
                              .functions<OfDoubles<&jn<0>>, 1>(Floats{})
                              .gradient([](const Differential& d) -> Partials {
                                return {-(d.g * call_op("j1", {d.x}))};
                              });
REGISTER_OP(ElementwiseOf<j0_op>, ElementwiseMaker<j0_op>, j0)

const Elementwise j1_op = Elementwise("j1", "special", {"x"})
                              .comment("The Bessel function of the first kind of order 1.")
                              .example("[0.0, 1.0]", "array([0.        , 0.44005059])")
                              .functions<OfDoubles<&jn<1>>, 1>(Floats{})
                              .gradient([](const Differential& d) -> Partials {
                                const Variable second = bessel("jv", weak_number(2.0), d.x);
                                return {d.g * ((call_op("j0", {d.x}) - second) * 0.5)};
                              });
REGISTER_OP(ElementwiseOf<j1_op>, ElementwiseMaker<j1_op>, j1)

const Elementwise i0_op =
    Elementwise("i0", "special", {"x"})
        .comment("The modified Bessel function of the first kind of order 0.")
        .example("[0.0, 1.0]", "array([1.        , 1.26606588])")
        .functions<OfDoubles<&in<0>>, 1>(Floats{})
        .gradient([](const Differential& d) -> Partials { return {d.g * call_op("i1", {d.x})}; });
REGISTER_OP(ElementwiseOf<i0_op>, ElementwiseMaker<i0_op>, i0)

const Elementwise i1_op = Elementwise("i1", "special", {"x"})
                              .comment("The modified Bessel function of the first kind of order 1.")
                              .example("[0.0, 1.0]", "array([0.       , 0.5651591])")
                              .functions<OfDoubles<&in<1>>, 1>(Floats{})
                              .gradient([](const Differential& d) -> Partials {
                                const Variable second = bessel("iv", weak_number(2.0), d.x);
                                return {d.g * ((call_op("i0", {d.x}) + second) * 0.5)};
                              });
REGISTER_OP(ElementwiseOf<i1_op>, ElementwiseMaker<i1_op>, i1)

}  // namespace
}  // namespace thunkvm

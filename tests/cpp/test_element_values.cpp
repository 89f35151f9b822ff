// The values of the elementwise Ops where they are easy to get wrong. Expected values are NumPy
// 2's.
#include "ops/graph/functions.h"
#include "tests/cpp/evaluate.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

using namespace thunkvm;

namespace {

template <class Out, class T>
Out value(const char* op, T x) {
  const Variable a = Variable::input(TensorType::scalar(dtype_of<T>));
  return evaluate(call_op(op, {a}), {{a, Cell::of(x)}}).template get<Out>();
}
template <class Out, class A, class B>
Out value(const char* op, A x, B y) {
  const Variable a = Variable::input(TensorType::scalar(dtype_of<A>));
  const Variable b = Variable::input(TensorType::scalar(dtype_of<B>));
  return evaluate(call_op(op, {a, b}), {{a, Cell::of(x)}, {b, Cell::of(y)}}).template get<Out>();
}

using i8 = std::int8_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u64 = std::uint64_t;

constexpr i64 kLowest = std::numeric_limits<i64>::min();
constexpr i64 kHighest = std::numeric_limits<i64>::max();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool is_minus_zero(double x) { return x == 0 && std::signbit(x); }

}  // namespace

TEST_CASE("integers wrap around") {
  CHECK(value<i64>("add", kHighest, i64{1}) == kLowest);
  CHECK(value<i64>("sub", kLowest, i64{1}) == kHighest);
  CHECK(value<i64>("mul", kLowest, i64{-1}) == kLowest);
  CHECK(value<u16>("mul", u16{65535}, u16{65535}) == 1);
  CHECK(value<i64>("neg", kLowest) == kLowest);
  CHECK(value<i64>("abs", kLowest) == kLowest);
  CHECK(value<u8>("neg", u8{1}) == 255);
  CHECK(value<i8>("square", i8{100}) == 16);
}

TEST_CASE("integers divided by zero give zero, and the lowest one by -1 itself") {
  CHECK(value<i64>("floor_div", i64{7}, i64{0}) == 0);
  CHECK(value<i64>("mod", i64{7}, i64{0}) == 0);
  CHECK(value<i64>("floor_div", kLowest, i64{-1}) == kLowest);
  CHECK(value<i64>("mod", kLowest, i64{-1}) == 0);
  CHECK(value<double>("true_div", i64{1}, i64{0}) == kInf);
}

TEST_CASE("the quotient is rounded down, and the remainder has the divisor's sign") {
  CHECK(value<i64>("floor_div", i64{-7}, i64{2}) == -4);
  CHECK(value<i64>("mod", i64{-7}, i64{2}) == 1);
  CHECK(value<i64>("mod", i64{7}, i64{-2}) == -1);
  CHECK(value<double>("floor_div", -7.5, 2.0) == -4.0);
  CHECK(value<double>("mod", -7.5, 2.0) == 0.5);
  CHECK(value<double>("mod", 5.0, -3.0) == -1.0);
  CHECK(is_minus_zero(value<double>("mod", 6.0, -3.0)));
  CHECK(value<double>("floor_div", 1.0, 0.1) == 9.0);
  CHECK(value<double>("floor_div", 1.0, 0.0) == kInf);
  CHECK(std::isnan(value<double>("mod", 1.0, 0.0)));
  CHECK(value<double>("mod", 1.0, -kInf) == -kInf);
}

TEST_CASE("integers to negative powers are an error, which says what to do") {
  CHECK(value<i64>("pow", i64{-3}, i64{3}) == -27);
  CHECK(value<i64>("pow", i64{0}, i64{0}) == 1);
  CHECK(value<u8>("pow", u8{3}, u8{255}) == 171);
  std::string message;
  try {
    value<i64>("pow", i64{2}, i64{-1});
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::Value);
    message = error.what();
  }
  CHECK(message ==
        "[pow] Integers to negative integer powers are not allowed. The exponent is -1; cast the "
        "base to a float dtype");
}

TEST_CASE("powers of floats") {
  CHECK(value<double>("pow", 0.0, 0.0) == 1.0);
  CHECK(value<double>("pow", kNaN, 0.0) == 1.0);
  CHECK(value<double>("pow", -8.0, 3.0) == -512.0);
  CHECK(std::isnan(value<double>("pow", -8.0, 0.5)));
  CHECK(value<double>("pow", -kInf, 2.0) == kInf);
}

TEST_CASE("sums and products of bools are logical") {
  CHECK(value<bool>("add", true, true));
  CHECK_FALSE(value<bool>("mul", true, false));
  CHECK(value<i8>("square", true) == 1);
}

TEST_CASE("signs: of NaN NaN, of both zeros zero") {
  CHECK(value<double>("sign", -2.5) == -1.0);
  CHECK(std::isnan(value<double>("sign", kNaN)));
  CHECK(value<double>("sign", -0.0) == 0.0);
  CHECK_FALSE(std::signbit(value<double>("abs", -0.0)));
  CHECK(value<i32>("sign", i32{-7}) == -1);
  CHECK(value<Complex64>("sign", Complex64(3, 4)) == Complex64(0.6f, 0.8f));
}

TEST_CASE("extrema hand NaN on, from either side") {
  CHECK(std::isnan(value<double>("maximum", kNaN, 1.0)));
  CHECK(std::isnan(value<double>("maximum", 1.0, kNaN)));
  CHECK(std::isnan(value<double>("minimum", 1.0, kNaN)));
  CHECK(value<double>("maximum", -kInf, 1.0) == 1.0);
  CHECK(value<Complex128>("maximum", Complex128(1, 5), Complex128(2, 0)) == Complex128(2, 0));
}

TEST_CASE("int64 and uint64 are compared as the integers they are") {
  CHECK(value<bool>("lt", i64{-1}, u64{0}));
  CHECK(value<bool>("gt", u64{0}, i64{-1}));
  // Equal as float64.
  CHECK_FALSE(value<bool>("eq", kHighest, static_cast<u64>(kHighest) + 1));
  CHECK(value<bool>("lt", kHighest, static_cast<u64>(kHighest) + 1));
  CHECK(value<bool>("ge", static_cast<u64>(kHighest) + 1, kHighest));
}

TEST_CASE("nothing is ordered beside NaN, and complex numbers are by their real part first") {
  CHECK_FALSE(value<bool>("le", kNaN, kNaN));
  CHECK_FALSE(value<bool>("eq", kNaN, kNaN));
  CHECK(value<bool>("neq", kNaN, kNaN));
  CHECK(value<bool>("lt", Complex128(1, 9), Complex128(2, 0)));
  CHECK(value<bool>("lt", Complex128(1, 1), Complex128(1, 2)));
  CHECK_FALSE(value<bool>("lt", Complex128(1, kNaN), Complex128(2, 0)));
}

TEST_CASE("anything but zero is true, NaN too") {
  CHECK(value<bool>("logical_and", kNaN, 1.0));
  CHECK_FALSE(value<bool>("logical_or", -0.0, 0.0));
  CHECK(value<bool>("logical_xor", Complex128(0, 1), Complex128(0, 0)));
}

TEST_CASE("shifts by the width or more, or by a negative number, leave only the sign") {
  CHECK(value<i64>("left_shift", i64{1}, i64{63}) == kLowest);
  CHECK(value<i64>("left_shift", i64{1}, i64{64}) == 0);
  CHECK(value<i64>("left_shift", i64{1}, i64{-1}) == 0);
  CHECK(value<i64>("right_shift", i64{-8}, i64{1}) == -4);
  CHECK(value<i64>("right_shift", i64{-8}, i64{64}) == -1);
  CHECK(value<u8>("right_shift", u8{200}, u8{8}) == 0);
  CHECK(value<i8>("left_shift", i8{1}, i8{7}) == -128);
  CHECK(value<bool>("invert", false));
  CHECK(value<i64>("invert", i64{5}) == -6);
}

TEST_CASE("complex division by zero, and by parts that would overflow") {
  const Complex128 by_zero = value<Complex128>("true_div", Complex128(1, 1), Complex128(0, 0));
  CHECK(by_zero == Complex128(kInf, kInf));
  CHECK(value<Complex128>("true_div", Complex128(1e300, 1e300), Complex128(1e300, 1e300)) ==
        Complex128(1, 0));
  CHECK(value<Complex128>("pow", Complex128(0, 1), Complex128(2, 0)) == Complex128(-1, 0));
  CHECK(value<Complex128>("pow", Complex128(0, 0), Complex128(0, 0)) == Complex128(1, 0));
}

TEST_CASE("halves are rounded to the even number, and zeros keep their sign") {
  CHECK(value<double>("round", 2.5) == 2.0);
  CHECK(value<double>("round", 3.5) == 4.0);
  CHECK(is_minus_zero(value<double>("round", -0.4)));
  CHECK(is_minus_zero(value<double>("ceil", -0.4)));
  CHECK(is_minus_zero(value<double>("trunc", -0.4)));
  CHECK(value<double>("floor", -1e300) == -1e300);
}

TEST_CASE("functions do not overflow on the way") {
  CHECK(value<double>("sigmoid", -1000.0) == 0.0);
  CHECK(value<double>("sigmoid", 1000.0) == 1.0);
  CHECK(value<double>("softplus", 1000.0) == 1000.0);
  CHECK(value<double>("softplus", -kInf) == 0.0);
  CHECK(value<double>("hypot", 3e300, 4e300) == 5e300);
  CHECK(value<double>("expm1", 1e-20) == 1e-20);
  CHECK(value<double>("log1p", 1e-20) == 1e-20);
  CHECK(value<double>("log", 0.0) == -kInf);
  CHECK(std::isnan(value<double>("sqrt", -1.0)));
}

TEST_CASE("gamma functions at known points and at their poles") {
  CHECK(value<double>("gammaln", 5.0) == doctest::Approx(std::log(24.0)));
  CHECK(value<double>("gammaln", -2.0) == kInf);
  CHECK(value<double>("digamma", 1.0) == doctest::Approx(-0.57721566490153286));
  CHECK(value<double>("digamma", -0.5) == doctest::Approx(0.03648997397857652));
  CHECK(std::isnan(value<double>("digamma", -3.0)));
  CHECK(value<double>("polygamma", 1.0, 1.0) == doctest::Approx(1.6449340668482264));
  CHECK(value<double>("polygamma", 1.0, -4e15 + 0.5) == doctest::Approx(9.8696044010893586));
  CHECK(value<double>("polygamma", 1.0, 1e300) == doctest::Approx(1e-300));
}

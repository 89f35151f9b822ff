// test_vector_math.cpp: the vector functions against the C library's of higher precision, on every
// unit that this processor has; and that an element's index means nothing.
#include "ops/graph/functions.h"
#include "ops/kernels/vector_math.h"
#include "tests/cpp/arrays.h"
#include "tests/cpp/evaluate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

using namespace thunkvm;

namespace {

using Exact = long double;

/// The Op's name, and the value in extended precision, which is off by less than 0.01 units of a
/// double.
struct Function {
  const char* op;
  Exact (*of_one)(Exact) = nullptr;
  Exact (*of_two)(Exact, Exact) = nullptr;
};
/// By VectorFunction.
constexpr std::array<Function, kVectorFunctions> kFunctions = {{
    {"exp", std::exp},
    {"exp2", std::exp2},
    {"expm1", std::expm1},
    {"log", std::log},
    {"log2", std::log2},
    {"log10", std::log10},
    {"log1p", std::log1p},
    {"sin", std::sin},
    {"cos", std::cos},
    {"tan", std::tan},
    {"arcsin", std::asin},
    {"arccos", std::acos},
    {"arctan", std::atan},
    {"sinh", std::sinh},
    {"cosh", std::cosh},
    {"tanh", std::tanh},
    {"arcsinh", std::asinh},
    {"arccosh", std::acosh},
    {"arctanh", std::atanh},
    {"erf", std::erf},
    {"erfc", std::erfc},
    {"cbrt", std::cbrt},
    {"pow", nullptr, std::pow},
    {"arctan2", nullptr, std::atan2},
    {"hypot", nullptr, std::hypot},
}};

std::vector<VectorUnit> units() {
  std::vector<VectorUnit> found;
  for (const VectorUnit unit : {VectorUnit::None, VectorUnit::Avx2, VectorUnit::Avx512})
    if (unit <= widest_vector_unit()) found.push_back(unit);
  return found;
}

/// How far `x` is from the true value, in units of the last place that T has there; infinite for a
/// wrong zero, NaN or infinity.
template <class T>
double distance(T x, Exact exact) {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  const T nearest = static_cast<T>(exact);
  if (std::isnan(nearest)) return std::isnan(x) ? 0 : kWrong;
  if (std::isnan(x)) return kWrong;
  if (exact == 0 || std::isinf(exact))
    return x == nearest && std::signbit(x) == std::signbit(nearest) ? 0 : kWrong;
  if (std::isinf(x)) return x == nearest ? 0 : kWrong;
  int exponent;
  std::frexp(exact, &exponent);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  const Exact unit = std::ldexp(Exact(1), exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::fabs(static_cast<Exact>(x) - exact) / unit);
}

/// Numbers of every kind: any bits at all, small, middling and large ones, and where things happen.
template <class T>
std::vector<T> numbers(std::uint64_t seed) {
  using Limits = std::numeric_limits<T>;
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  constexpr std::array<double, 5> kScales = {1.0, 20.0, 800.0, 1e6, 1e-5};
  constexpr T kInfinity = Limits::infinity();
  std::vector<T> x = {T(0),
                      -T(0),
                      kInfinity,
                      -kInfinity,
                      Limits::quiet_NaN(),
                      T(1),
                      T(-1),
                      T(2),
                      T(-2),
                      T(0.5),
                      T(-0.5),
                      T(3),
                      Limits::min(),
                      -Limits::min(),
                      Limits::min() / 4,
                      Limits::denorm_min(),
                      -Limits::denorm_min(),
                      Limits::max(),
                      Limits::lowest(),
                      T(1) + Limits::epsilon(),
                      T(1) - Limits::epsilon() / 2,
                      T(709.78),
                      T(709.79),
                      T(-708.5),
                      T(-745.13),
                      T(-745.14),
                      T(88.72),
                      T(88.73),
                      T(-87.4),
                      T(-103.9),
                      T(-104),
                      T(26.5),
                      T(27.3),
                      T(10.05),
                      T(1e22)};
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> around_zero(-1.0, 1.0);
  for (int i = 0; i < 4000; ++i) {
    x.push_back(std::bit_cast<T>(static_cast<Bits>(random())));
    for (const double scale : kScales) x.push_back(static_cast<T>(scale * around_zero(random)));
    x.push_back(static_cast<T>(1.0 + 0.01 * around_zero(random)));
    x.push_back(static_cast<T>(1.5 + 0.5 * around_zero(random)));
  }
  return x;
}

/// The largest distance from the true values, and where.
template <class T>
void expect_precise(VectorUnit unit, VectorFunction f) {
  const Function& function = kFunctions[static_cast<std::size_t>(f)];
  std::vector<T> x = numbers<T>(1);
  std::vector<T> y = numbers<T>(2);
  for (std::size_t i = 0; i < 35; ++i)  // every edge with every edge
    for (std::size_t k = 0; k < 35; ++k) {
      x.push_back(x[i]);
      y.push_back(y[k]);
    }
  std::vector<T> out(x.size());
  vector_table<T>(unit)[f](static_cast<std::int64_t>(x.size()), out.data(), x.data(),
                           takes_two(f) ? y.data() : nullptr);
  double worst = 0;
  std::size_t where = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Exact exact = takes_two(f) ? function.of_two(x[i], y[i]) : function.of_one(x[i]);
    const double off = distance(out[i], exact);
    if (off <= worst) continue;
    worst = off;
    where = i;
  }
  CAPTURE(static_cast<int>(unit));
  CAPTURE(function.op);
  CAPTURE(sizeof(T));
  CAPTURE(x[where]);
  CAPTURE(y[where]);
  CAPTURE(out[where]);
  CHECK(worst <= 4);
}

/// The bits of the result's elements.
template <class T>
std::vector<std::uint64_t> bits_of(const Cell& cell) {
  std::vector<std::uint64_t> bits;
  for (const T x : elements_of<T>(cell)) {
    if constexpr (sizeof(T) == 8)
      bits.push_back(std::bit_cast<std::uint64_t>(x));
    else
      bits.push_back(std::bit_cast<std::uint32_t>(x));
  }
  return bits;
}

/// The Op over `n` elements from `first` on, `step` elements apart.
template <class T>
std::vector<std::uint64_t> bits_of_slice(const char* op, bool of_two, const Array& x,
                                         std::int64_t first, std::int64_t step, std::int64_t n) {
  const std::int64_t size = sizeof(T);
  const Array slice = x.view(Lengths{n}, Lengths{step * size}, x.data() + first * size);
  const Variable a = tensor(x.dtype(), 1);
  const Variable b = tensor(x.dtype(), 1);
  if (of_two)
    return bits_of<T>(
        evaluate(call_op(op, {a, b}), {{a, Cell::of_array(slice)}, {b, Cell::of_array(slice)}}));
  return bits_of<T>(evaluate(call_op(op, {a}), {{a, Cell::of_array(slice)}}));
}

template <class T>
void expect_place_to_mean_nothing(const char* op, bool of_two) {
  constexpr std::int64_t kCount = 140;
  std::vector<T> values;
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> between(0.01, 3.0);
  for (std::int64_t i = 0; i < kCount; ++i) values.push_back(static_cast<T>(between(random)));
  values[5] = std::numeric_limits<T>::infinity();
  values[9] = T(0);
  values[20] = std::numeric_limits<T>::denorm_min();
  const Array x = vector_of<T>(values);
  std::vector<std::uint64_t> alone;
  for (std::int64_t i = 0; i < kCount; ++i)
    alone.push_back(bits_of_slice<T>(op, of_two, x, i, 1, 1)[0]);
  for (const std::int64_t step : {1, 2, -1})
    for (std::int64_t n = 1; n <= 67; ++n)
      for (std::int64_t offset = 0; offset < 4; ++offset) {
        const std::int64_t first = step > 0 ? offset : kCount - 1 - offset;
        const std::vector<std::uint64_t> found = bits_of_slice<T>(op, of_two, x, first, step, n);
        std::vector<std::uint64_t> expected;
        for (std::int64_t i = 0; i < n; ++i)
          expected.push_back(alone[static_cast<std::size_t>(first + i * step)]);
        if (found == expected) continue;
        FAIL_CHECK(op << " of " << n << " elements from " << first << " in steps of " << step);
        return;
      }
}

}  // namespace

TEST_CASE("vector functions of doubles are within 4 units in the last place") {
  for (const VectorUnit unit : units())
    for (int f = 0; f < kVectorFunctions; ++f)
      expect_precise<double>(unit, static_cast<VectorFunction>(f));
}

TEST_CASE("vector functions of floats are within 4 units in the last place") {
  for (const VectorUnit unit : units())
    for (int f = 0; f < kVectorFunctions; ++f)
      expect_precise<float>(unit, static_cast<VectorFunction>(f));
}

TEST_CASE("own functions of doubles are within 1 unit in the last place") {
  const std::vector<double> x = numbers<double>(7);
  std::vector<double> out(x.size());
  for (const VectorUnit unit : units())
    for (const VectorFunction f : {VectorFunction::Exp, VectorFunction::Log}) {
      if (f == VectorFunction::Log && unit == VectorUnit::Avx2) continue;  // libmvec's
      vector_table<double>(unit)[f](static_cast<std::int64_t>(x.size()), out.data(), x.data(),
                                    nullptr);
      double worst = 0;
      for (std::size_t i = 0; i < x.size(); ++i)
        worst =
            std::max(worst, distance(out[i], kFunctions[static_cast<std::size_t>(f)].of_one(x[i])));
      CHECK(worst <= 1);
    }
}

TEST_CASE("an unusual neighbour does not change exp or log") {
  constexpr double kUnusual[] = {0.0,    -1.0,  709.5,
                                 -740.0, 1e300, std::numeric_limits<double>::quiet_NaN()};
  const std::vector<double> usual = numbers<double>(8);
  for (const VectorUnit unit : units())
    for (const VectorFunction f : {VectorFunction::Exp, VectorFunction::Log}) {
      const VectorKernel<double> loop = vector_table<double>(unit)[f];
      std::size_t different = 0;
      for (std::size_t i = 0; i + 8 <= usual.size(); i += 8) {
        std::array<double, 8> alone, beside;
        loop(8, alone.data(), usual.data() + i, nullptr);
        for (std::size_t lane = 0; lane < 8; ++lane) {
          std::copy_n(usual.begin() + static_cast<std::ptrdiff_t>(i), 8, beside.begin());
          beside[(lane + 1) % 8] = kUnusual[i / 8 % std::size(kUnusual)];
          loop(8, beside.data(), beside.data(), nullptr);
          different += std::bit_cast<std::uint64_t>(alone[lane]) !=
                           std::bit_cast<std::uint64_t>(beside[lane]) &&
                       !std::isnan(alone[lane]);
        }
      }
      CHECK(different == 0);
    }
}

TEST_CASE("an element's index, neighbours and stride mean nothing to a vector function") {
  for (int f = 0; f < kVectorFunctions; ++f) {
    const char* const op = kFunctions[static_cast<std::size_t>(f)].op;
    const bool of_two = takes_two(static_cast<VectorFunction>(f));
    expect_place_to_mean_nothing<double>(op, of_two);
    expect_place_to_mean_nothing<float>(op, of_two);
  }
  for (const char* const op : {"sigmoid", "softplus"}) {
    expect_place_to_mean_nothing<double>(op, false);
    expect_place_to_mean_nothing<float>(op, false);
  }
}

TEST_CASE("a vector function may write where it reads") {
  for (const VectorUnit unit : units())
    for (int f = 0; f < kVectorFunctions; ++f) {
      std::vector<double> x, expected(100);
      for (int i = 0; i < 100; ++i) x.push_back(0.01 * i);
      const VectorKernel<double> loop = vector_table<double>(unit)[static_cast<VectorFunction>(f)];
      loop(100, expected.data(), x.data(), x.data());
      loop(100, x.data(), x.data(), x.data());
      const auto same = [](double a, double b) {
        return a == b || (std::isnan(a) && std::isnan(b));
      };
      CHECK(std::equal(x.begin(), x.end(), expected.begin(), same));
    }
}

TEST_CASE("kernels use a vector unit that the processor has") {
  CHECK(vector_unit() <= widest_vector_unit());
  const std::vector<double> x = {0.5, 1.5};
  std::vector<double> expected(2);
  vector_table<double>(vector_unit())[VectorFunction::Exp](2, expected.data(), x.data(), nullptr);
  const Variable v = tensor(DType::Float64, 1);
  CHECK(elements_of<double>(evaluate(call_op("exp", {v}), {{v, Cell::of_array(vector_of(x))}})) ==
        expected);
}

TEST_CASE("squares are exact products, beside other powers too") {
  const Variable x = tensor(DType::Float64, 1);
  const Variable y = tensor(DType::Float64, 1);
  const std::vector<double> bases = {0.1, 1e200, 3.0};
  const auto powers = [&](const std::vector<double>& exponents) {
    return elements_of<double>(evaluate(
        call_op("pow", {x, y}),
        {{x, Cell::of_array(vector_of(bases))}, {y, Cell::of_array(vector_of(exponents))}}));
  };
  CHECK(powers({2.0, 2.0, 2.0})[0] == 0.1 * 0.1);
  CHECK(powers({2.0, 2.0, 3.0})[0] == 0.1 * 0.1);
  CHECK(powers({2.0, 2.0, 3.0})[1] == std::numeric_limits<double>::infinity());
}

TEST_CASE("float16 goes through float32 and is rounded once") {
  const Variable x = tensor(DType::Float16, 1);
  const std::vector<Half> values = {Half(0.5f), Half(1.0f), Half(-3.0f), Half(11.0f)};
  const auto found =
      elements_of<Half>(evaluate(call_op("exp", {x}), {{x, Cell::of_array(vector_of(values))}}));
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(found[i].bits == Half(std::exp(static_cast<float>(values[i]))).bits);
}

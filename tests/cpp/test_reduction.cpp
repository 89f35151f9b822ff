// test_reduction.cpp: the reductions: values, dtypes, orders of summation, errors.
#include "ops/graph/functions.h"
#include "ops/kernels/block_reduction.h"
#include "ops/kernels/reduction_kernels.h"
#include "tests/cpp/arrays.h"
#include "tests/cpp/evaluate.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace thunkvm;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Cell reduced(std::string_view op, const Array& x, const Attributes& attrs = {}) {
  const Variable v = tensor(x.dtype(), x.ndim());
  return evaluate(call_op(op, {v}, attrs), {{v, Cell::of_array(x)}});
}

std::vector<double> random_numbers(std::size_t n) {
  std::mt19937_64 random(42);
  std::uniform_real_distribution<double> distribution(-1.0, 1.0);
  std::vector<double> numbers(n);
  for (double& x : numbers) x = distribution(random);
  return numbers;
}

/// The result of the reduction of `op` over the elements, handed over `blocks` blocks at a time.
template <class Out, class T>
Out reduced_value(std::string_view op, const std::vector<T>& elements, std::size_t blocks) {
  const Variable x = tensor(dtype_of<T>, 1);
  const Variable y = call_op(op, {x});
  const BlockReduction& reduction = *y.node()->op()->block_reduction(*y.node())->kernel;
  if (reduction.in != dtype_of<T> || reduction.out != dtype_of<Out>)
    throw std::logic_error("the reduction is of other dtypes");
  const auto count = static_cast<std::int64_t>(elements.size());
  std::vector<std::max_align_t> state(
      reduction.one.state_bytes(1, count) / sizeof(std::max_align_t) + 1);
  reduction.one.start(state.data(), 1);
  const std::size_t step = blocks * kReductionBlock;
  for (std::size_t i = 0; i < elements.size(); i += step) {
    const std::size_t n = std::min(step, elements.size() - i);
    reduction.one.add(state.data(), elements.data() + i, sizeof(T), static_cast<std::int64_t>(n));
  }
  Out result;
  reduction.one.finish(state.data(), count, &result);
  return result;
}

}  // namespace

TEST_CASE("sums over one axis, several axes and all of them") {
  const Array x = array_of<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(reduced("sum", x).get<double>() == 21.0);
  CHECK(elements_of<double>(reduced("sum", x, {{"axis", Axes{0}}})) ==
        std::vector<double>{5, 7, 9});
  CHECK(elements_of<double>(reduced("sum", x, {{"axis", Axes{-1}}})) == std::vector<double>{6, 15});
  CHECK(shape_of(reduced("sum", x, {{"axis", Axes{1}}, {"keepdims", true}})) ==
        std::vector<std::int64_t>{2, 1});
  CHECK(elements_of<double>(reduced("sum", x, {{"axis", Axes{}}})) ==
        std::vector<double>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("sums of integers are 64 bits wide and wrap") {
  CHECK(reduced("sum", vector_of<std::int8_t>({100, 100, 100})).get<std::int64_t>() == 300);
  CHECK(reduced("sum", vector_of<std::uint8_t>({200, 200})).get<std::uint64_t>() == 400);
  CHECK(reduced("sum", array_of<bool>({3}, {true, false, true})).get<std::int64_t>() == 2);
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  CHECK(reduced("sum", vector_of<std::int64_t>({largest, 1})).get<std::int64_t>() ==
        std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("a sum depends on the values and their order, not on strides") {
  for (std::int64_t n : {1, 7, 8, 15, 16, 17, 127, 128, 129, 1000, 4099}) {
    const std::vector<double> numbers = random_numbers(static_cast<std::size_t>(n));
    const Array dense = vector_of<double>(numbers);
    const double expected = reduced("sum", dense).get<double>();
    SUBCASE("every third element of a longer array") {
      Array wide = Array::zeros(DType::Float64, std::vector<std::int64_t>{3 * n});
      const Array strided =
          wide.view(std::vector<std::int64_t>{n}, std::vector<std::int64_t>{24}, wide.data());
      copy_elements(dense, strided);
      CHECK(reduced("sum", strided).get<double>() == expected);
    }
    SUBCASE("backwards in memory") {
      Array memory = Array::zeros(DType::Float64, std::vector<std::int64_t>{n});
      const Array backwards = memory.view(
          std::vector<std::int64_t>{n}, std::vector<std::int64_t>{-8}, memory.data() + 8 * (n - 1));
      copy_elements(dense, backwards);
      CHECK(reduced("sum", backwards).get<double>() == expected);
    }
    SUBCASE("the columns of a matrix, summed side by side") {
      for (std::int64_t columns : {1, 8, 64, 100}) {
        Array matrix = Array::zeros(DType::Float64, std::vector<std::int64_t>{n, columns});
        for (std::int64_t i = 0; i < n; ++i)
          std::fill_n(matrix.data_as<double>() + i * columns, columns,
                      numbers[static_cast<std::size_t>(i)]);
        const auto sums = elements_of<double>(reduced("sum", matrix, {{"axis", Axes{0}}}));
        CHECK(sums == std::vector<double>(static_cast<std::size_t>(columns), expected));
      }
    }
  }
}

TEST_CASE("a sum of many floats is pairwise") {
  const std::size_t n = 1 << 20;
  const Array x = vector_of<float>(std::vector<float>(n, 0.1f));
  const double exact = static_cast<double>(0.1f) * static_cast<double>(n);
  CHECK(std::abs(reduced("sum", x).get<float>() - exact) < 0.02);
}

TEST_CASE("float16 is summed in float32") {
  const Array x = vector_of<Half>(std::vector<Half>(4096, Half(1.0f)));
  CHECK(static_cast<float>(reduced("sum", x).get<Half>()) == 4096.0f);
}

TEST_CASE("empty reductions have the values that NumPy gives them") {
  const Array none = vector_of<double>({});
  CHECK(reduced("sum", none).get<double>() == 0.0);
  CHECK(reduced("prod", none).get<double>() == 1.0);
  CHECK(std::isnan(reduced("mean", none).get<double>()));
  CHECK(reduced("any", none).get<bool>() == false);
  CHECK(reduced("all", none).get<bool>() == true);
  CHECK(
      error_of([&] {
        reduced("max", none);
      }).starts_with("[max] zero-size array to reduction operation maximum which has no identity"));
  CHECK(error_of([&] {
          reduced("argmin", none);
        }).starts_with("[argmin] attempt to get argmin of an empty sequence"));
  const Array no_rows = array_of<double>({0, 3}, {});
  CHECK(error_of([&] {
          reduced("max", array_of<double>({0, 0}, {}), {{"axis", Axes{1}}});
        }).starts_with("[max]"));
  CHECK(shape_of(reduced("max", no_rows, {{"axis", Axes{1}}})) == std::vector<std::int64_t>{0});
}

TEST_CASE("a sum of minus zeros is zero") {
  CHECK(!std::signbit(reduced("sum", vector_of<double>({-0.0, -0.0})).get<double>()));
}

TEST_CASE("NaN is the largest and the smallest") {
  std::vector<double> numbers = random_numbers(300);
  numbers[211] = kNaN;
  CHECK(std::isnan(reduced("max", vector_of<double>(numbers)).get<double>()));
  CHECK(std::isnan(reduced("min", vector_of<double>(numbers)).get<double>()));
  CHECK(reduced("argmax", vector_of<double>(numbers)).get<std::int64_t>() == 211);
  CHECK(reduced("argmin", vector_of<double>(numbers)).get<std::int64_t>() == 211);
}

TEST_CASE("max and min of floats, integers and complex numbers") {
  CHECK(reduced("max", vector_of<double>({-3, 5, 2})).get<double>() == 5.0);
  CHECK(reduced("min", vector_of<std::int8_t>({-3, 5, 2})).get<std::int8_t>() == -3);
  CHECK(reduced("max", vector_of<Complex128>({{1, 9}, {2, -1}, {2, 3}})).get<Complex128>() ==
        Complex128(2, 3));
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(reduced("max", vector_of<double>({-infinity, -infinity})).get<double>() == -infinity);
}

TEST_CASE("argmax along an axis, and of the flattened array") {
  const Array x = array_of<double>({2, 3}, {1, 9, 9, 4, 0, 2});
  CHECK(reduced("argmax", x).get<std::int64_t>() == 1);
  CHECK(elements_of<std::int64_t>(reduced("argmax", x, {{"axis", std::int64_t{0}}})) ==
        std::vector<std::int64_t>{1, 0, 0});
  CHECK(elements_of<std::int64_t>(reduced("argmin", x, {{"axis", std::int64_t{1}}})) ==
        std::vector<std::int64_t>{0, 1});
}

TEST_CASE("argmax finds the first of several maxima in a long array, however it is laid out") {
  std::vector<double> numbers = random_numbers(1000);
  numbers[700] = numbers[701] = numbers[999] = 2.0;
  const Array dense = vector_of<double>(numbers);
  const Array wide = Array::zeros(DType::Float64, Lengths{2000});
  const Array strided = wide.view(Lengths{1000}, Lengths{16}, wide.data());
  copy_elements(dense, strided);
  CHECK(reduced("argmax", dense).get<std::int64_t>() == 700);
  CHECK(reduced("argmax", strided, {{"axis", std::int64_t{0}}}).get<std::int64_t>() == 700);
}

TEST_CASE("products, means, variances and running sums") {
  const Array x = array_of<double>({2, 2}, {1, 2, 3, 4});
  CHECK(reduced("prod", x).get<double>() == 24.0);
  CHECK(reduced("mean", vector_of<std::int32_t>({1, 2})).get<double>() == 1.5);
  CHECK(elements_of<double>(reduced("var", x, {{"axis", Axes{0}}})) == std::vector<double>{1, 1});
  CHECK(reduced("var", x, {{"ddof", std::int64_t{1}}}).get<double>() == doctest::Approx(5.0 / 3.0));
  CHECK(reduced("std", vector_of<double>({1, 3})).get<double>() == 1.0);
  CHECK(elements_of<double>(reduced("cumsum", x)) == std::vector<double>{1, 3, 6, 10});
  CHECK(elements_of<double>(reduced("cumsum", x, {{"axis", std::int64_t{0}}})) ==
        std::vector<double>{1, 2, 4, 6});
  CHECK(elements_of<double>(reduced("cumprod", x)) == std::vector<double>{1, 2, 6, 24});
  CHECK(elements_of<double>(reduced("cumprod", x, {{"axis", std::int64_t{0}}})) ==
        std::vector<double>{1, 2, 3, 8});
}

TEST_CASE("an axis that is not there is an error that names it") {
  const Variable x = tensor(DType::Float64, 2);
  CHECK(error_of([&] { sum(x, {2}); }) ==
        "[sum] axis 2 is out of bounds for array of dimension 2: use -2 to 1");
  CHECK(error_of([&] { sum(x, {0, -2}); }).starts_with("[sum] duplicate value in 'axis'"));
}

TEST_CASE("a reduction that is fed with blocks gives the bits that the kernel gives") {
  for (const std::size_t n : {1, 127, 128, 129, 512, 513, 4099}) {
    const std::vector<double> x = random_numbers(n);
    const Array array = vector_of<double>(x);
    for (const std::size_t blocks : {1, 4}) {
      CAPTURE(n);
      CAPTURE(blocks);
      CHECK(reduced_value<double>("sum", x, blocks) == reduced("sum", array).get<double>());
      CHECK(reduced_value<double>("mean", x, blocks) == reduced("mean", array).get<double>());
      CHECK(reduced_value<double>("prod", x, blocks) == reduced("prod", array).get<double>());
      CHECK(reduced_value<double>("max", x, blocks) == reduced("max", array).get<double>());
      CHECK(reduced_value<double>("min", x, blocks) == reduced("min", array).get<double>());
      CHECK(reduced_value<bool>("all", x, blocks) == reduced("all", array).get<bool>());
      CHECK(reduced_value<bool>("any", x, blocks) == reduced("any", array).get<bool>());
    }
  }
}

TEST_CASE("a reduction of integers has the result's dtype, one of nothing the reduction's value") {
  const std::vector<std::int8_t> x(300, 100);
  CHECK(reduced_value<std::int64_t>("sum", x, 1) == 30000);
  CHECK(reduced_value<double>("mean", x, 1) == 100.0);
  CHECK(reduced_value<std::int8_t>("max", x, 1) == 100);
  CHECK(reduced_value<double>("sum", std::vector<double>{}, 1) == 0.0);
  CHECK(reduced_value<double>("prod", std::vector<double>{}, 1) == 1.0);
  const Variable v = tensor(DType::Float64, 1);
  const auto nothing = [&](std::string_view op) {
    const Variable y = call_op(op, {v});
    return y.node()->op()->block_reduction(*y.node())->kernel->nothing;
  };
  CHECK(nothing("sum") == nullptr);
  CHECK(std::string_view(nothing("max")).starts_with("[max] zero-size array"));
}

TEST_CASE("an Op that is no reduction has none") {
  const Variable x = tensor(DType::Float64, 1);
  const Variable y = call_op("exp", {x});
  CHECK_FALSE(y.node()->op()->block_reduction(*y.node()).has_value());
}

namespace {

/// Every reduction of `x` over every choice of axes, as bits.
template <class T>
std::vector<std::vector<T>> all_reductions(const char* op, const Array& x) {
  std::vector<std::vector<T>> found;
  for (const Axes& axes :
       {Axes{0}, Axes{1}, Axes{2}, Axes{0, 1}, Axes{0, 2}, Axes{1, 2}, Axes{0, 1, 2}})
    found.push_back(elements_of<T>(reduced(op, x, {{"axis", axes}})));
  return found;
}

/// The same elements, with the axes in this order in memory, the last one the densest.
Array laid_out(const Array& x, const std::vector<int>& order) {
  Lengths strides(order.size());
  std::int64_t stride = static_cast<std::int64_t>(item_size(x.dtype()));
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    strides[static_cast<std::size_t>(*axis)] = stride;
    stride *= x.length(*axis);
  }
  Array memory = Array::zeros(x.dtype(), Lengths{x.size()});
  const Array view = memory.view(x.shape(), strides, memory.data());
  copy_elements(x, view);
  return view;
}

/// Equal bits: -0 is not 0, and one NaN is not another.
template <class T>
bool same_bits(const std::vector<std::vector<T>>& a, const std::vector<std::vector<T>>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].size() != b[i].size() ||
        std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(T)) != 0)
      return false;
  return true;
}

template <class T>
void expect_layout_to_mean_nothing(const std::vector<T>& values, const Lengths& shape) {
  const Array x = array_of<T>(shape, values);
  for (const char* op : {"sum", "mean", "max", "min", "prod"}) {
    if (std::string_view(op) == "mean" && std::is_integral_v<T>) continue;
    const auto expected = all_reductions<T>(op, x);
    for (const std::vector<int>& order :
         std::vector<std::vector<int>>{{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
      CAPTURE(op);
      CAPTURE(order[0]);
      CAPTURE(order[1]);
      CHECK(same_bits(all_reductions<T>(op, laid_out(x, order)), expected));
    }
  }
}

}  // namespace

TEST_CASE("no bit of a reduction depends on how the array lies in memory") {
  for (const Lengths& shape :
       {Lengths{3, 5, 7}, Lengths{2, 150, 21}, Lengths{140, 9, 33}, Lengths{17, 8, 300}}) {
    const auto n = static_cast<std::size_t>(shape[0] * shape[1] * shape[2]);
    const std::vector<double> numbers = random_numbers(n);
    std::vector<float> floats(numbers.begin(), numbers.end());
    std::vector<std::int64_t> integers;
    for (const double x : numbers) integers.push_back(static_cast<std::int64_t>(x * 1e15));
    expect_layout_to_mean_nothing(numbers, shape);
    expect_layout_to_mean_nothing(floats, shape);
    expect_layout_to_mean_nothing(integers, shape);
    for (std::size_t i = 0; i < n; ++i) floats[i] = i % 3 == 0 ? -0.0f : 0.0f;
    expect_layout_to_mean_nothing(floats, shape);
  }
}

TEST_CASE("the loops of every vector unit give the same bits") {
  const std::vector<double> x = random_numbers(128 * 40);
  for (const ReductionStep step : {ReductionStep::Add, ReductionStep::Max, ReductionStep::Min})
    for (const VectorUnit unit : {VectorUnit::Avx2, VectorUnit::Avx512}) {
      if (unit > widest_vector_unit()) continue;
      const ReductionKernels<double>& narrow = reduction_kernels<double>(step, VectorUnit::None);
      const ReductionKernels<double>& wide = reduction_kernels<double>(step, unit);
      for (const int n : {1, 15, 16, 17, 100, 128}) {
        CHECK(wide.block(x.data(), n) == narrow.block(x.data(), n));
        for (const int width : {1, 7, 8, 9, 16, 40}) {
          std::vector<double> a(16 * 40), b(16 * 40);
          const char* const rows = reinterpret_cast<const char*>(x.data());
          for (const int before : {0, n}) {
            narrow.add_rows(a.data(), before, rows, 40 * 8, n, width);
            wide.add_rows(b.data(), before, rows, 40 * 8, n, width);
          }
          CHECK(a == b);
          narrow.merge_rows(a.data(), std::min(2 * n, 16), width);
          wide.merge_rows(b.data(), std::min(2 * n, 16), width);
          CHECK(a == b);
          narrow.merge(a.data(), x.data(), width);
          wide.merge(b.data(), x.data(), width);
          CHECK(a == b);
          narrow.step(a.data(), x.data() + 40, width);
          wide.step(b.data(), x.data() + 40, width);
          CHECK(a == b);
        }
      }
    }
}

TEST_CASE("NaN and infinities are found wherever they stand") {
  for (const std::size_t n : {1u, 5u, 16u, 130u, 1000u})
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      std::vector<double> x(n, 1.0);
      x[at] = kNaN;
      CHECK(std::isnan(reduced("max", vector_of(x)).get<double>()));
      CHECK(std::isnan(reduced("min", vector_of(x)).get<double>()));
      x[at] = -std::numeric_limits<double>::infinity();
      CHECK(reduced("min", vector_of(x)).get<double>() == x[at]);
    }
}

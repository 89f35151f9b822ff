// test_array_reduction.cpp: arrays that lie anywhere, reduced by the loop.
#include "ops/graph/functions.h"
#include "ops/kernels/array_reduction.h"
#include "ops/kernels/row_tile.h"
#include "tests/cpp/arrays.h"
#include "tests/cpp/many_threads.h"
#include "thunks/error.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

using namespace thunkvm;

namespace {

const BlockReduction& kernel_of(std::string_view op, DType dtype) {
  const Variable y = call_op(op, {tensor(dtype, 1)});
  return *y.node()->op()->block_reduction(*y.node())->kernel;
}

/// A reduction of floats along these axes.
std::vector<double> reduced(std::string_view op, const Array& x, AxisSet axes) {
  std::int64_t n = 1;
  for (int axis = 0; axis < x.ndim(); ++axis)
    if (!has_axis(axes, static_cast<std::size_t>(axis))) n *= x.length(axis);
  std::vector<double> results(static_cast<std::size_t>(n));
  Host host;
  ArrayReduction(kernel_of(op, DType::Float64), x.ndim(), axes)
      .run(Layout::of(*x.body()), reinterpret_cast<char*>(results.data()), host);
  return results;
}

/// Numbers around 1 whose sums and products depend on their order.
Array rough(const Lengths& shape) {
  Array x = Array::zeros(DType::Float64, shape);
  for (std::int64_t i = 0; i < x.size(); ++i)
    x.data_as<double>()[i] = 1.0 + static_cast<double>(i * 7919 % 1009 - 504) / 1e5;
  return x;
}

}  // namespace

TEST_CASE("the columns in the middle of a matrix are reduced as a copy of them is") {
  const Array whole = rough({300, 1100});
  for (const std::int64_t width : {1, 7, 63, 64, 255, 256, 300, 513, 1024}) {
    const Array part = whole.view(Lengths{300, width}, whole.strides(), whole.data() + 8 * 5);
    const Array copy = part.copy();
    for (const char* op : {"sum", "prod", "max"})
      for (const AxisSet axes : {1u, 2u, 3u}) {
        CAPTURE(width);
        CAPTURE(axes);
        CHECK(reduced(op, part, axes) == reduced(op, copy, axes));
      }
  }
}

TEST_CASE("threads make no difference to a bit of a reduction") {
  const Array x = rough({70, 20, 60});
  const Array across = x.view(Lengths{60, 20, 70}, Lengths{8, 480, 9600}, x.data());
  for (const Array& array : {x, across})
    for (AxisSet axes = 1; axes < 8; ++axes) {
      CAPTURE(axes);
      const std::vector<double> alone = reduced("sum", array, axes);
      const Threads threads(3);
      CHECK(reduced("sum", array, axes) == alone);
    }
}

TEST_CASE("a long reduction asks the host whether to go on, and ends where it says no") {
  struct Asked : Host {
    bool interrupted() override { return ++times > 1; }
    int times = 0;
  };
  const Array x = Array::zeros(DType::Int8, Lengths{3, 1 << 20});
  const ArrayReduction sum(kernel_of("sum", DType::Int8), 2, 3);
  std::int64_t result;
  Asked host;
  CHECK_THROWS_AS(sum.run(Layout::of(*x.body()), reinterpret_cast<char*>(&result), host), Error);
  CHECK(host.times == 2);
}

TEST_CASE("an axis of length 0 leaves what nothing is reduced to, or no results") {
  const Array x = Array::zeros(DType::Float64, Lengths{3, 0});
  CHECK(reduced("sum", x, 2) == std::vector<double>{0, 0, 0});
  CHECK(reduced("prod", x, 2) == std::vector<double>{1, 1, 1});
  CHECK(reduced("sum", x, 1).empty());
}

TEST_CASE("rows that lie across memory are gathered in blocks of any size") {
  const Array memory = counted({40, 50});
  const Axis axes[] = {{50, 8}, {40, 400}};  // row i, column k: 50 k + i
  REQUIRE(RowTile::rows_at_once(axes, 8) > 1);
  for (const std::int64_t block : {1, 39, 40, 100, 128, 2000}) {
    RowTile tile;
    Position at;
    at.begin(axes);
    tile.begin(RowTile::rows_at_once(axes, 8));
    std::vector<double> gathered(2000);
    for (std::int64_t start = 0; start < 2000; start += block)
      tile.gather(reinterpret_cast<char*>(gathered.data() + start), memory.data(), 8, at,
                  std::min<std::int64_t>(block, 2000 - start));
    CHECK(gathered[1] == 50.0);
    CHECK(gathered[41] == 51.0);
    CHECK(gathered[1999] == 1999.0);
  }
}

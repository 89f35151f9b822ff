// test_array.cpp: arrays, buffers, the pool behind them, and walks over strided memory.
#include "thunks/array.h"
#include "thunks/cast.h"
#include "thunks/error.h"
#include "thunks/memory_pool.h"
#include "thunks/strided.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace thunkvm;

namespace {

using Shape = std::vector<std::int64_t>;

Array counting(const Shape& shape) {
  Array a = Array::allocate(DType::Int64, shape);
  std::iota(a.data_as<std::int64_t>(), a.data_as<std::int64_t>() + a.size(), 0);
  return a;
}

template <class To, class From>
To cast_value(From value) {
  To result;
  cast_function(dtype_of<From>, dtype_of<To>)(reinterpret_cast<const char*>(&value), 0,
                                              reinterpret_cast<char*>(&result), 0, 1);
  return result;
}

std::vector<std::int64_t> elements(const Array& a) {
  const Array c = a.as_contiguous();
  return {c.data_as<std::int64_t>(), c.data_as<std::int64_t>() + c.size()};
}

int drops = 0;
bool foreign_is_exclusive = true;
const ForeignOwner kForeign = {[](void*) noexcept { ++drops; },
                               [](void*) noexcept { return foreign_is_exclusive; }};

}  // namespace

TEST_CASE("a fresh array is in C order, ours, and exclusive") {
  const Array a = counting({2, 3});
  CHECK(a.stride(0) == 24);
  CHECK(a.stride(1) == 8);
  CHECK(a.contiguous());
  CHECK(a.exclusive());
  CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);
}

TEST_CASE("a second handle or a view ends exclusivity, and its end restores it") {
  Array a = counting({4});
  {
    const Array other = a;
    CHECK_FALSE(a.exclusive());
  }
  {
    const Array view = a.view(a.shape(), a.strides(), a.data());
    CHECK_FALSE(a.exclusive());
    CHECK_FALSE(view.exclusive());
  }
  CHECK(a.exclusive());
}

TEST_CASE("a broadcast view is never exclusive: its elements share addresses") {
  Array column = counting({1});
  const Shape shape = {5}, strides = {0};
  const Array wide = column.view(shape, strides, column.data());
  column = Array();
  CHECK_FALSE(wide.exclusive());
}

TEST_CASE("a transposed or reversed array may be exclusive") {
  Array a = counting({2, 3});
  const Shape shape = {3, 2}, strides = {8, -24};
  const Array turned = a.view(shape, strides, a.data() + 24);
  a = Array();
  CHECK(turned.exclusive());
  CHECK_FALSE(turned.contiguous());
  CHECK(elements(turned) == Shape{3, 0, 4, 1, 5, 2});
}

TEST_CASE("borrowed memory belongs to its owner, who is dropped once") {
  drops = 0;
  double data[2] = {1.0, 2.0};
  const Shape shape = {2}, strides = {8};
  {
    const Array a = Array::borrow(data, &kForeign, true, DType::Float64, shape, strides, data);
    CHECK(a.data() == reinterpret_cast<char*>(data));
    foreign_is_exclusive = false;
    CHECK_FALSE(a.exclusive());
    foreign_is_exclusive = true;
    CHECK(a.exclusive());
    const Array again = a;
  }
  CHECK(drops == 1);
}

TEST_CASE("read-only borrowed memory is never exclusive") {
  double data[1] = {1.0};
  const Shape shape = {1}, strides = {8};
  const Array a = Array::borrow(data, &kForeign, false, DType::Float64, shape, strides, data);
  CHECK_FALSE(a.exclusive());
}

TEST_CASE("more than four dimensions are held as well as few") {
  const Array a = counting({2, 1, 2, 1, 2});
  CHECK(a.ndim() == 5);
  CHECK(a.size() == 8);
  CHECK(elements(a.copy()) == Shape{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("an empty array has no elements and copies") {
  const Array a = counting({3, 0});
  CHECK(a.size() == 0);
  CHECK(a.copy().shape()[0] == 3);
}

TEST_CASE("a shape that cannot be is an error that shows it") {
  const auto message = [](const Shape& shape) {
    try {
      (void)Array::allocate(DType::Float64, shape);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK(message({2, -1}) == "negative dimensions are not allowed: shape (2, -1)");
  CHECK(message({std::int64_t{1} << 40, std::int64_t{1} << 40}) ==
        "an array of shape (1099511627776, 1099511627776) and dtype float64 is larger than the "
        "address space");
  CHECK(message(Shape(33, 1)) == "an array has at most 32 dimensions; 33 were asked for");
  CHECK(message({std::int64_t{1} << 58}).starts_with("out of memory: "));
}

TEST_CASE("the pool counts what is in use, and its peak") {
  MemoryPool::reset_peak();
  const PoolStatistics before = MemoryPool::statistics();
  {
    const Array a = counting({1 << 16});
    const PoolStatistics during = MemoryPool::statistics();
    CHECK(during.in_use >= before.in_use + (8 << 16));
    CHECK(during.live_buffers == before.live_buffers + 1);
    const Array view = a.view(a.shape(), a.strides(), a.data());
    CHECK(MemoryPool::statistics().live_buffers == during.live_buffers + 1);
  }
  const PoolStatistics after = MemoryPool::statistics();
  CHECK(after.in_use == before.in_use);
  CHECK(after.live_buffers == before.live_buffers);
  CHECK(after.peak >= before.in_use + (8 << 16));
}

TEST_CASE("trim gives idle memory back") {
  {
    const Array a = counting({1 << 16});
  }
  MemoryPool::trim();
  CHECK(MemoryPool::statistics().cached == 0);
}

TEST_CASE("a walk merges contiguous axes into one run and broadcasts axes of length one") {
  const Array a = counting({2, 3}), row = counting({3}), out = counting({2, 3});
  const std::array<StridedWalk::Operand, 2> alike = {operand(a), operand(out)};
  int runs = 0;
  StridedWalk(out.shape(), alike).run([&](char* const*, const std::int64_t*, std::int64_t n) {
    ++runs;
    CHECK(n == 6);
  });
  CHECK(runs == 1);
  const std::array<StridedWalk::Operand, 3> mixed = {operand(a), operand(row), operand(out)};
  StridedWalk(out.shape(), mixed).run([&](char* const* p, const std::int64_t* s, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
      *reinterpret_cast<std::int64_t*>(p[2] + i * s[2]) =
          *reinterpret_cast<std::int64_t*>(p[0] + i * s[0]) * 10 +
          *reinterpret_cast<std::int64_t*>(p[1] + i * s[1]);
  });
  CHECK(elements(out) == Shape{0, 11, 22, 30, 41, 52});
}

TEST_CASE("shapes that do not broadcast are named in NumPy's words") {
  const Shape a = {2, 3}, b = {4};
  const std::array<Dims, 2> shapes = {Dims(a), Dims(b)};
  CHECK_THROWS_WITH_AS((void)broadcast_shapes(shapes, "add"),
                       "[add] operands could not be broadcast together with shapes (2, 3) (4,)",
                       Error);
}

TEST_CASE("a cast converts as NumPy's astype does") {
  CHECK(cast_value<std::int32_t>(-2.9) == -2);
  CHECK(cast_value<std::uint8_t>(std::int64_t{300}) == 44);
  CHECK(cast_value<bool>(0.5) == true);
  CHECK(cast_value<double>(Complex128(3.0, 4.0)) == 3.0);
  CHECK(cast_value<std::uint64_t>(0x1p63) == std::uint64_t{1} << 63);
  CHECK(cast_value<std::int64_t>(std::numeric_limits<double>::quiet_NaN()) ==
        std::numeric_limits<std::int64_t>::min());
  CHECK(cast_value<Half>(1.0 + 0x1p-11 + 0x1p-40).bits ==
        Half(1.0f + 0x1p-10f).bits);  // one rounding, not two
}

TEST_CASE("a Python integer that does not fit is refused in NumPy's words") {
  CHECK(cast_weak(Cell::of(std::int64_t{200}), DType::UInt8).get<std::uint8_t>() == 200);
  CHECK_THROWS_WITH_AS((void)cast_weak(Cell::of(std::int64_t{300}), DType::UInt8),
                       "Python integer 300 out of bounds for uint8", Error);
}

TEST_CASE("a peak that came and went in small blocks is counted") {
  MemoryPool::reset_peak();
  const std::size_t before = MemoryPool::statistics().peak;
  {
    const Array a = counting({256}), b = counting({256});
  }
  CHECK(MemoryPool::statistics().peak >= before + 2 * 256 * 8);
}

TEST_CASE("where no block is live, none is in use") {
  {
    const Array a = counting({3});
  }
  const PoolStatistics now = MemoryPool::statistics();
  CHECK((now.live_buffers == 0) == (now.in_use == 0));
}

TEST_CASE("an array reaches from its first byte to its last, whatever lies between") {
  const Array x = counting({24});
  const auto reach = [&](const Shape& shape, const Shape& strides, std::int64_t at) {
    const Array view = x.view(shape, strides, x.data() + 8 * at);
    const std::span<char> bytes = Array::reach(*view.body());
    return std::pair((bytes.data() - x.data()) / 8, bytes.size() / 8);
  };
  CHECK(reach({24}, {8}, 0) == std::pair<std::ptrdiff_t, std::size_t>(0, 24));
  CHECK(reach({3}, {-16}, 10) == std::pair<std::ptrdiff_t, std::size_t>(6, 5));
  CHECK(reach({2, 3}, {64, -8}, 4) == std::pair<std::ptrdiff_t, std::size_t>(2, 11));
  CHECK(reach({4}, {0}, 7) == std::pair<std::ptrdiff_t, std::size_t>(7, 1));
  CHECK(reach({0, 3}, {8, 8}, 5) == std::pair<std::ptrdiff_t, std::size_t>(5, 0));
}

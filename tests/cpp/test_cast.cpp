// test_cast.cpp: what a conversion between dtypes loses.
#include "tests/cpp/arrays.h"
#include "thunks/cast.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace thunkvm {
namespace {

template <class T>
bool survive(const std::vector<T>& values, DType to) {
  const Array from = vector_of(values);
  return values_survive(from, cast_array(from, to));
}

TEST_CASE("integers survive where each of them fits") {
  CHECK(survive<std::int64_t>({0, 255}, DType::UInt8));
  CHECK_FALSE(survive<std::int64_t>({0, 256}, DType::UInt8));
  CHECK_FALSE(survive<std::int64_t>({-1}, DType::UInt64));
}

TEST_CASE("fractions survive in floats alone") {
  CHECK(survive<double>({2.0, -3.0}, DType::Int8));
  CHECK_FALSE(survive<double>({2.5}, DType::Int8));
  CHECK(survive<double>({0.1}, DType::Float32));
}

TEST_CASE("what overflows a float does not survive, and what was infinite does") {
  CHECK_FALSE(survive<double>({1e300}, DType::Float32));
  CHECK(survive<double>({INFINITY, NAN}, DType::Float32));
}

TEST_CASE("complex numbers survive in complex dtypes alone") {
  CHECK(survive<Complex128>({{1.0, 2.0}}, DType::Complex64));
  CHECK_FALSE(survive<Complex128>({{1.0, 1e300}}, DType::Complex64));
  CHECK_FALSE(survive<Complex128>({{1.0, 0.0}}, DType::Float64));
}

}  // namespace
}  // namespace thunkvm

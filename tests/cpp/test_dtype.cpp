// test_dtype.cpp: promotion, safe casts and float16, against NumPy's rules with the values in
// sight.
#include "thunks/dtype.h"
#include "thunks/error.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace thunkvm;

TEST_CASE("two dtypes promote to the smallest that holds both, as NumPy has it") {
  CHECK(promote(DType::Int8, DType::UInt8) == DType::Int16);
  CHECK(promote(DType::Int64, DType::UInt64) == DType::Float64);
  CHECK(promote(DType::UInt32, DType::Int16) == DType::Int64);
  CHECK(promote(DType::Int16, DType::Float16) == DType::Float32);
  CHECK(promote(DType::Int32, DType::Float32) == DType::Float64);
  CHECK(promote(DType::Int8, DType::Complex64) == DType::Complex64);
  CHECK(promote(DType::Float64, DType::Complex64) == DType::Complex128);
  CHECK(promote(DType::Bool, DType::UInt8) == DType::UInt8);
}

TEST_CASE("promotion is symmetric, and a dtype with itself stays") {
  for (int i = 0; i < kNumericDTypes; ++i)
    for (int k = 0; k < kNumericDTypes; ++k) {
      const auto a = static_cast<DType>(i), b = static_cast<DType>(k);
      CAPTURE(name(a));
      CAPTURE(name(b));
      CHECK(promote(a, b) == promote(b, a));
      if (i == k) CHECK(promote(a, b) == a);
    }
}

TEST_CASE("a Python number yields to the dtype beside it") {
  CHECK(promote_weak(DType::Int8, Kind::Signed) == DType::Int8);
  CHECK(promote_weak(DType::Float32, Kind::Float) == DType::Float32);
  CHECK(promote_weak(DType::Int8, Kind::Float) == DType::Float64);
  CHECK(promote_weak(DType::Bool, Kind::Signed) == DType::Int64);
  CHECK(promote_weak(DType::Float32, Kind::Complex) == DType::Complex64);
  CHECK(promote_weak(DType::Int32, Kind::Complex) == DType::Complex128);
}

TEST_CASE("a cast is safe if no value is lost") {
  CHECK(can_cast_safely(DType::Int32, DType::Float64));
  CHECK(can_cast_safely(DType::Int64, DType::Float64));
  CHECK_FALSE(can_cast_safely(DType::Int32, DType::Float32));
  CHECK_FALSE(can_cast_safely(DType::Float64, DType::Float32));
  CHECK_FALSE(can_cast_safely(DType::Int8, DType::UInt8));
  CHECK_FALSE(can_cast_safely(DType::Object, DType::Float64));
}

TEST_CASE("an opaque dtype has no arithmetic, and the error says so") {
  try {
    (void)promote(DType::Object, DType::Float64);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::Type);
    CHECK(std::string(error.what()) == "no common dtype for object and float64");
  }
}

TEST_CASE("names and dtypes map to each other") {
  CHECK(name(DType::Float16) == "float16");
  CHECK(dtype_from_name("complex128") == DType::Complex128);
  CHECK(dtype_from_name("float8") == std::nullopt);
}

TEST_CASE("every float16 survives the way to float32 and back") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    Half half;
    half.bits = static_cast<std::uint16_t>(bits);
    const float wide = static_cast<float>(half);
    if (std::isnan(wide)) {
      CHECK(std::isnan(static_cast<float>(Half(wide))));
      continue;
    }
    REQUIRE(Half(wide).bits == bits);
  }
}

TEST_CASE("float32 rounds to the nearest float16, ties to even") {
  CHECK(Half(1.0f + 0x1p-11f).bits == Half(1.0f).bits);                // halfway, down to even
  CHECK(Half(1.0f + 3 * 0x1p-11f).bits == Half(1.0f + 0x1p-9f).bits);  // halfway, up to even
  CHECK(Half(65519.0f).bits == 0x7bff);  // the largest that stays finite
  CHECK(Half(65520.0f).bits == 0x7c00);  // rounds to infinity
  CHECK(Half(0x1p-25f).bits == 0);       // halfway to the smallest subnormal
  CHECK(Half(0x1.8p-25f).bits == 1);
  CHECK(Half(-0.0f).bits == 0x8000);
}

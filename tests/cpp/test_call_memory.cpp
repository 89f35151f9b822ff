// test_call_memory.cpp: small arrays of one call, one after the other in its memory.
#include "linkers/codegen/call_memory.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace thunkvm;

namespace {

/// A call that has memory for so many temporaries.
struct Call {
  alignas(64) char memory[1 << 15];
  Activation activation;
  NativeCall native;

  explicit Call(std::size_t n_temporaries) {
    native.activation = &activation;
    native.memory = memory;
    native.memory_used = CallMemory::reserved(n_temporaries);
    native.memory_bytes = native.memory_used + CallMemory::room(n_temporaries);
    REQUIRE(native.memory_bytes <= sizeof(memory));
  }
};

bool make(const CallMemory& memory, std::size_t i, std::vector<std::int64_t> shape) {
  std::int64_t size = 1;
  for (const std::int64_t length : shape) size *= length;
  return memory.make(i, DType::Float64, shape, size);
}

}  // namespace

TEST_CASE("a temporary is in C order, with room for all lanes behind its elements") {
  Call call(2);
  const CallMemory memory(call.native);
  REQUIRE(make(memory, 0, {2, 3}));
  REQUIRE(make(memory, 1, {17}));
  CHECK(memory[0].lengths[0] == 2);
  CHECK(memory[0].lengths[1] == 3);
  CHECK(memory[0].strides[0] == 24);
  CHECK(memory[0].strides[1] == 8);
  CHECK(memory[0].data >= call.memory + 2 * sizeof(Temporary));
  CHECK(memory[1].data == memory[0].data + kArrayPadding);
  CHECK(call.native.memory_used ==
        static_cast<std::size_t>(memory[1].data - call.memory) + 2 * kArrayPadding);
}

TEST_CASE("what is larger than 4 KiB is no temporary") {
  Call call(1);
  const CallMemory memory(call.native);
  CHECK(make(memory, 0, {512}));
  CHECK_FALSE(make(memory, 0, {513}));
  CHECK(memory[0].data == nullptr);
}

TEST_CASE("there are no temporaries where the memory of the call is full") {
  Call call(2);
  const CallMemory memory(call.native);
  for (int i = 0; i < 2; ++i) CHECK(make(memory, 0, {512}));
  CHECK_FALSE(make(memory, 1, {1}));
  CHECK(memory[1].data == nullptr);
}

TEST_CASE("a call that keeps its values has no temporaries") {
  Call call(1);
  call.activation.keep = true;
  CHECK_FALSE(make(CallMemory(call.native), 0, {4}));
}

TEST_CASE("a temporary that a kernel reads moves to its register") {
  Call call(1);
  const CallMemory memory(call.native);
  REQUIRE(make(memory, 0, {2}));
  double* const elements = reinterpret_cast<double*>(memory[0].data);
  elements[0] = 1.5;
  elements[1] = -2.0;
  Cell cell;
  memory.move_to(cell, 0, DType::Float64, 1);
  REQUIRE(cell.is_array());
  CHECK(cell.array().length(0) == 2);
  CHECK(cell.array().data_as<double>()[0] == 1.5);
  CHECK(cell.array().data_as<double>()[1] == -2.0);
  CHECK(memory[0].data == nullptr);

  cell.clear();
  memory.move_to(cell, 0, DType::Float64, 1);  // it is in its register already
  CHECK_FALSE(cell.is_array());
}

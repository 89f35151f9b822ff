// test_call_memory.cpp: small arrays of one call, each in a slot of its memory.
#include "linkers/codegen/runtime/call_memory.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <vector>

using namespace thunkvm;

namespace {

constexpr std::size_t kThree = 3;

/// Memory for three temporaries.
struct Call {
  alignas(64) char memory[1 << 14];
  NativeCall native;

  Call() {
    std::memset(memory, 0, sizeof(memory));
    native.memory = memory;
    REQUIRE(kThree * CallMemory::slot_bytes(kThree) <= sizeof(memory));
  }
};

std::uint32_t slot(std::size_t i) {
  return static_cast<std::uint32_t>(i * CallMemory::slot_bytes(kThree));
}

bool make(const CallMemory& memory, std::uint32_t at, std::vector<std::int64_t> shape) {
  std::int64_t size = 1;
  for (const std::int64_t length : shape) size *= length;
  return memory.make(at, CallMemory::room(kThree), DType::Float64, shape, size);
}

}  // namespace

TEST_CASE("a temporary is in C order, with room before its elements and for all lanes behind") {
  Call call;
  const CallMemory memory(call.native);
  REQUIRE(make(memory, slot(0), {2, 3}));
  REQUIRE(make(memory, slot(1), {512}));
  const Temporary &matrix = memory[slot(0)], &vector = memory[slot(1)];
  CHECK(matrix.lengths[0] == 2);
  CHECK(matrix.lengths[1] == 3);
  CHECK(matrix.strides[0] == 24);
  CHECK(matrix.strides[1] == 8);
  CHECK(matrix.data - kTemporaryFront >= call.memory + sizeof(Temporary));
  CHECK(vector.data + kMostTemporary + kArrayPadding <= call.memory + slot(2));
}

TEST_CASE("what is larger than 4 KiB is no temporary") {
  Call call;
  const CallMemory memory(call.native);
  CHECK(make(memory, 0, {512}));
  CHECK_FALSE(make(memory, 0, {513}));
  CHECK(memory[0].data == nullptr);
}

TEST_CASE("many temporaries share a quarter of a MiB, with 256 bytes for each at least") {
  CHECK(CallMemory::room(1) == 4096);
  CHECK(CallMemory::room(64) == 4096);
  CHECK(CallMemory::room(128) == 2048);
  CHECK(CallMemory::room(100'000) == 256);
}

TEST_CASE("a temporary has another version where it has got other lengths") {
  Call call;
  const CallMemory memory(call.native);
  REQUIRE(make(memory, 0, {4}));
  const std::uint64_t first = memory[0].version;
  CHECK(first != 0);
  REQUIRE(make(memory, 0, {4}));
  CHECK(memory[0].version == first);
  REQUIRE(make(memory, 0, {5}));
  CHECK(memory[0].version != first);
}

TEST_CASE("a temporary is made again where it was") {
  Call call;
  const CallMemory memory(call.native);
  REQUIRE(make(memory, slot(1), {4}));
  const char* const data = memory[slot(1)].data;
  memory[slot(1)].data = nullptr;
  CHECK(memory.make_again(slot(1)) == data);
  CHECK(memory[slot(1)].data == data);
}

TEST_CASE("a temporary that a kernel reads moves to its register") {
  Call call;
  const CallMemory memory(call.native);
  REQUIRE(make(memory, slot(1), {2}));
  double* const elements = reinterpret_cast<double*>(memory[slot(1)].data);
  elements[0] = 1.5;
  elements[1] = -2.0;
  Cell cell;
  memory.move_to(cell, slot(1), DType::Float64, 1);
  REQUIRE(cell.is_array());
  CHECK(cell.array().length(0) == 2);
  CHECK(cell.array().data_as<double>()[0] == 1.5);
  CHECK(cell.array().data_as<double>()[1] == -2.0);
  CHECK(memory[slot(1)].data == nullptr);

  cell.clear();
  memory.move_to(cell, slot(1), DType::Float64, 1);  // it is in its register already
  CHECK_FALSE(cell.is_array());
}

TEST_CASE("a shape-only temporary has one zero for all its elements") {
  Call call;
  const CallMemory memory(call.native);
  const std::int64_t shape[] = {3, 1000};
  memory.make_shape_only(slot(1), shape);
  CHECK(memory[slot(1)].data != nullptr);
  CHECK(memory[slot(1)].lengths[1] == 1000);
  const std::uint64_t version = memory[slot(1)].version;
  memory.make_shape_only(slot(1), shape);
  CHECK(memory[slot(1)].version == version);
  Cell cell;
  memory.move_to(cell, slot(1), DType::Float64, 2);
  REQUIRE(cell.is_array());
  CHECK(cell.array().length(0) == 3);
  CHECK(cell.array().length(1) == 1000);
  CHECK(cell.array().stride(1) == 0);
  CHECK(cell.array().data_as<double>()[0] == 0.0);
  CHECK(memory[slot(1)].data == nullptr);
}

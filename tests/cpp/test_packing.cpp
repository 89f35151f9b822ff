// test_packing.cpp: strided operands, block by block in C order of the shape they are broadcast to.
#include "linkers/codegen/packing.h"
#include "thunks/array.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

using namespace thunkvm;

namespace {

using Elements = std::vector<std::int32_t>;

/// 0, 1, 2 ... 11.
Array twelve() {
  Array array = Array::allocate(DType::Int32, std::initializer_list<std::int64_t>{12});
  for (std::int32_t i = 0; i < 12; ++i) array.data_as<std::int32_t>()[i] = i;
  return array;
}

/// Those elements under another shape; strides and the offset count elements.
Array view(const Array& array, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides,
           std::int64_t offset = 0) {
  for (std::int64_t& stride : strides) stride *= 4;
  return array.view(shape, strides, array.data_as<std::int32_t>() + offset);
}

/// All elements from `start` on, taken in blocks of `block`.
Elements packed(const Array& array, std::vector<std::int64_t> shape, std::int64_t block,
                std::int64_t start = 0) {
  std::int64_t size = 1;
  for (const std::int64_t length : shape) size *= length;
  Elements elements(static_cast<std::size_t>(size - start));
  Packer packer(*array.body(), shape, start);
  for (std::int64_t i = 0; i < size - start; i += block)
    packer.next(reinterpret_cast<char*>(elements.data() + i), std::min(block, size - start - i));
  return elements;
}

}  // namespace

TEST_CASE("a packer gives the elements in C order, whatever the strides and the blocks") {
  const Array x = twelve();
  for (const std::int64_t block : {1, 2, 4, 5, 12}) {
    CAPTURE(block);
    CHECK(packed(view(x, {3, 4}, {4, 1}), {3, 4}, block) ==
          Elements{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    CHECK(packed(view(x, {4, 3}, {1, 4}), {4, 3}, block) ==
          Elements{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
    CHECK(packed(view(x, {2, 3}, {6, 2}), {2, 3}, block) == Elements{0, 2, 4, 6, 8, 10});
    CHECK(packed(view(x, {2, 2, 2}, {6, 3, 1}), {2, 2, 2}, block) ==
          Elements{0, 1, 3, 4, 6, 7, 9, 10});
  }
}

TEST_CASE("a packer walks backwards along negative strides") {
  const Array x = twelve();
  CHECK(packed(view(x, {2, 3}, {-3, -1}, 5), {2, 3}, 4) == Elements{5, 4, 3, 2, 1, 0});
}

TEST_CASE("a packer repeats what is broadcast") {
  const Array x = twelve();
  CHECK(packed(view(x, {1, 3}, {3, 1}), {2, 3}, 4) == Elements{0, 1, 2, 0, 1, 2});
  CHECK(packed(view(x, {2, 1}, {1, 1}), {2, 3}, 4) == Elements{0, 0, 0, 1, 1, 1});
  CHECK(packed(view(x, {3}, {1}), {2, 3}, 4) == Elements{0, 1, 2, 0, 1, 2});
  CHECK(packed(view(x, {1}, {1}, 7), {2, 2}, 3) == Elements{7, 7, 7, 7});
}

TEST_CASE("a packer may start anywhere") {
  const Array x = twelve();
  CHECK(packed(view(x, {4, 3}, {1, 4}), {4, 3}, 5, 7) == Elements{6, 10, 3, 7, 11});
  CHECK(packed(view(x, {2, 1}, {1, 1}), {2, 3}, 2, 2) == Elements{0, 1, 1, 1});
}

// test_gathered_blocks.cpp: strided operands, block by block in C order of the shape they are
// broadcast to.
#include "ops/kernels/gathered_blocks.h"
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

/// The axes of an array, broadcast to a shape.
std::vector<Axis> axes_of(const Array& array, const std::vector<std::int64_t>& shape) {
  std::vector<Axis> axes(shape.size());
  const int n = broadcast_axes(array.shape(), array.strides().data(), shape, axes.data());
  axes.resize(static_cast<std::size_t>(n));
  return axes;
}

/// All elements from `start` on, taken in blocks of `block`.
Elements gathered(const Array& array, std::vector<std::int64_t> shape, std::int64_t block,
                  std::int64_t start = 0) {
  std::int64_t size = 1;
  for (const std::int64_t length : shape) size *= length;
  Elements elements(static_cast<std::size_t>(size - start));
  const std::vector<Axis> axes = axes_of(array, shape);
  Position at;
  at.begin(axes, start);
  for (std::int64_t i = 0; i < size - start; i += block)
    gather(reinterpret_cast<char*>(elements.data() + i), array.data(), 4, at,
           std::min(block, size - start - i));
  return elements;
}

/// Where a part of an array is: its lengths and its strides, in elements of the array.
struct Part {
  std::vector<std::int64_t> lengths, strides;
};

/// `size` elements that are -1 but for a part that begins at element `offset`, which is `values`
/// broadcast to it; those from `start` on, taken in blocks of `block`.
Elements padded(const Array& values, const Part& part, std::int64_t offset, std::int64_t size,
                std::int64_t block, std::int64_t start = 0) {
  std::vector<Axis> axes;
  for (std::size_t axis = 0; axis < part.lengths.size(); ++axis)
    if (part.lengths[axis] != 1) axes.push_back({part.lengths[axis], part.strides[axis]});
  const std::vector<Axis> value_axes = axes_of(values, part.lengths);
  Elements elements(static_cast<std::size_t>(size - start));
  const std::int64_t before = elements_before(axes, start - offset);
  Position value, next;
  value.begin(value_axes, before);
  next.begin(axes, before);
  for (std::int64_t i = start; i < size; i += block)
    gather_padded(reinterpret_cast<char*>(elements.data() + i - start), values.data(), 4, value,
                  0xffffffffu, next, i - offset, std::min(block, size - i));
  return elements;
}

/// The first elements of twelve() as a vector.
Array first(std::int64_t n) { return view(twelve(), {n}, {1}); }

constexpr std::int64_t kBlocks[] = {1, 2, 3, 4, 5, 12};

}  // namespace

TEST_CASE("blocks have the elements in C order, whatever the strides and the blocks") {
  const Array x = twelve();
  for (const std::int64_t block : {1, 2, 4, 5, 12}) {
    CAPTURE(block);
    CHECK(gathered(view(x, {3, 4}, {4, 1}), {3, 4}, block) ==
          Elements{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    CHECK(gathered(view(x, {4, 3}, {1, 4}), {4, 3}, block) ==
          Elements{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
    CHECK(gathered(view(x, {2, 3}, {6, 2}), {2, 3}, block) == Elements{0, 2, 4, 6, 8, 10});
    CHECK(gathered(view(x, {2, 2, 2}, {6, 3, 1}), {2, 2, 2}, block) ==
          Elements{0, 1, 3, 4, 6, 7, 9, 10});
  }
}

TEST_CASE("blocks go backwards along negative strides") {
  const Array x = twelve();
  CHECK(gathered(view(x, {2, 3}, {-3, -1}, 5), {2, 3}, 4) == Elements{5, 4, 3, 2, 1, 0});
}

TEST_CASE("blocks repeat what is broadcast") {
  const Array x = twelve();
  CHECK(gathered(view(x, {1, 3}, {3, 1}), {2, 3}, 4) == Elements{0, 1, 2, 0, 1, 2});
  CHECK(gathered(view(x, {2, 1}, {1, 1}), {2, 3}, 4) == Elements{0, 0, 0, 1, 1, 1});
  CHECK(gathered(view(x, {3}, {1}), {2, 3}, 4) == Elements{0, 1, 2, 0, 1, 2});
  CHECK(gathered(view(x, {1}, {1}, 7), {2, 2}, 3) == Elements{7, 7, 7, 7});
}

TEST_CASE("a block may start anywhere") {
  const Array x = twelve();
  CHECK(gathered(view(x, {4, 3}, {1, 4}), {4, 3}, 5, 7) == Elements{6, 10, 3, 7, 11});
  CHECK(gathered(view(x, {2, 1}, {1, 1}), {2, 3}, 2, 2) == Elements{0, 1, 1, 1});
}

TEST_CASE("a padded block has a part of a vector between its fill") {
  for (const std::int64_t block : kBlocks) {
    CAPTURE(block);
    CHECK(padded(first(3), Part({3}, {1}), 2, 7, block) == Elements{-1, -1, 0, 1, 2, -1, -1});
    CHECK(padded(first(3), Part({3}, {1}), 0, 3, block) == Elements{0, 1, 2});
    CHECK(padded(first(2), Part({2}, {1}), 3, 5, block) == Elements{-1, -1, -1, 0, 1});
    CHECK(padded(first(1), Part({1}, {1}), 1, 3, block) == Elements{-1, 0, -1});
  }
}

TEST_CASE("a padded block leaves out what lies between the steps of a part") {
  for (const std::int64_t block : kBlocks) {
    CAPTURE(block);
    CHECK(padded(first(3), Part({3}, {2}), 1, 7, block) == Elements{-1, 0, -1, 1, -1, 2, -1});
    CHECK(padded(first(2), Part({2}, {5}), 0, 8, block) == Elements{0, -1, -1, -1, -1, 1, -1, -1});
  }
}

TEST_CASE("a padded block has a part of a matrix in its rows") {
  for (const std::int64_t block : kBlocks) {
    CAPTURE(block);
    // x[1:, 1:3] of three rows of four
    CHECK(padded(view(twelve(), {2, 2}, {2, 1}), Part({2, 2}, {4, 1}), 5, 12, block) ==
          Elements{-1, -1, -1, -1, -1, 0, 1, -1, -1, 2, 3, -1});
    // x[::2, ::3]
    CHECK(padded(view(twelve(), {2, 2}, {2, 1}), Part({2, 2}, {8, 3}), 0, 12, block) ==
          Elements{0, -1, -1, 1, -1, -1, -1, -1, 2, -1, -1, 3});
    // x[:, 2]
    CHECK(padded(first(3), Part({3}, {4}), 2, 12, block) ==
          Elements{-1, -1, 0, -1, -1, -1, 1, -1, -1, -1, 2, -1});
    // x[1]
    CHECK(padded(first(4), Part({4}, {1}), 4, 12, block) ==
          Elements{-1, -1, -1, -1, 0, 1, 2, 3, -1, -1, -1, -1});
  }
}

TEST_CASE("a padded block goes over axes of length 1, wherever they are") {
  for (const std::int64_t block : kBlocks) {
    CAPTURE(block);
    // x[1:, 2:, None] of two rows of four; then x[None, :, :1] of it
    CHECK(padded(view(twelve(), {1, 2, 1}, {2, 1, 1}), Part({1, 2, 1}, {4, 1, 0}), 6, 8, block) ==
          Elements{-1, -1, -1, -1, -1, -1, 0, 1});
    CHECK(padded(view(twelve(), {1, 2, 1}, {2, 1, 1}), Part({1, 2, 1}, {0, 4, 1}), 0, 8, block) ==
          Elements{0, -1, -1, -1, 1, -1, -1, -1});
  }
}

TEST_CASE("a padded block may start anywhere") {
  const auto check = [](const Array& values, const Part& part, std::int64_t offset,
                        const Elements& all) {
    const auto size = static_cast<std::int64_t>(all.size());
    for (std::int64_t start = 0; start < size; ++start) {
      CAPTURE(start);
      CHECK(padded(values, part, offset, size, 5, start) ==
            Elements(all.begin() + start, all.end()));
    }
  };
  check(first(3), Part({3}, {2}), 1, {-1, 0, -1, 1, -1, 2, -1, -1});
  check(view(twelve(), {2, 2}, {2, 1}), Part({2, 2}, {4, 1}), 5,
        {-1, -1, -1, -1, -1, 0, 1, -1, -1, 2, 3, -1});
  check(view(twelve(), {2, 2}, {2, 1}), Part({2, 2}, {8, 3}), 0,
        {0, -1, -1, 1, -1, -1, -1, -1, 2, -1, -1, 3});
  check(view(twelve(), {1, 2, 1}, {2, 1, 1}), Part({1, 2, 1}, {0, 4, 1}), 0,
        {0, -1, -1, -1, 1, -1, -1, -1});
  check(view(twelve(), {}, {}, 7), Part({}, {}), 3, {-1, -1, -1, 7, -1});
  check(view(twelve(), {}, {}, 7), Part({2, 2, 2}, {9, 3, 2}), 0,
        {7, -1, 7, 7, -1, 7, -1, -1, -1, 7, -1, 7, 7, -1, 7, -1});
  check(first(0), Part({2, 0}, {4, 1}), 0, {-1, -1, -1, -1, -1});
}

TEST_CASE("a padded block repeats a number, and a row, over its part") {
  const Array x = twelve();
  for (const std::int64_t block : kBlocks) {
    CAPTURE(block);
    CHECK(padded(view(x, {}, {}, 7), Part({2, 2}, {4, 2}), 1, 8, block) ==
          Elements{-1, 7, -1, 7, -1, 7, -1, 7});
    CHECK(padded(view(x, {}, {}, 7), Part({}, {}), 3, 5, block) == Elements{-1, -1, -1, 7, -1});
    CHECK(padded(first(2), Part({2, 2}, {4, 1}), 2, 8, block) ==
          Elements{-1, -1, 0, 1, -1, -1, 0, 1});
  }
}

TEST_CASE("a padded block of a part without elements is its fill") {
  CHECK(padded(first(0), Part({0}, {1}), 2, 4, 3) == Elements{-1, -1, -1, -1});
  CHECK(padded(view(twelve(), {}, {}), Part({2, 0}, {4, 1}), 0, 8, 3) == Elements(8, -1));
}

TEST_CASE("a padded block reads what it places from where it lies") {
  const Array x = twelve();
  CHECK(padded(view(x, {3}, {-2}, 11), Part({3}, {1}), 1, 5, 2) == Elements{-1, 11, 9, 7, -1});
}

TEST_CASE("a padded block's fill has the items' size") {
  const auto filled = [](std::int64_t item_size, std::uint64_t fill) {
    const Axis part[] = {{0, 1}};
    std::vector<unsigned char> bytes(static_cast<std::size_t>(2 * item_size), 0x55);
    Position none, empty;
    empty.begin(part);
    gather_padded(reinterpret_cast<char*>(bytes.data()), nullptr, item_size, none, fill, empty, 0,
                  2);
    return bytes;
  };
  using Bytes = std::vector<unsigned char>;
  CHECK(filled(1, 0x01) == Bytes{1, 1});
  CHECK(filled(2, 0x0201) == Bytes{1, 2, 1, 2});
  CHECK(filled(4, 0x04030201) == Bytes{1, 2, 3, 4, 1, 2, 3, 4});
  CHECK(filled(8, 0x0807060504030201) == Bytes{1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(filled(8, 0) == Bytes(16, 0));
}

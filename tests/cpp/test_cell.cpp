// test_cell.cpp: the register cell: one representation for each value, and references that balance.
#include "thunks/cell.h"
#include "thunks/error.h"

#include <doctest/doctest.h>

using namespace thunkvm;

namespace {
int holds = 0;
std::uint16_t counted_kind() {
  static const std::uint16_t kind =
      register_object_kind({[](void*) noexcept { ++holds; }, [](void*) noexcept { --holds; }});
  return kind;
}
}  // namespace

TEST_CASE("a number of up to 8 bytes is held in the cell itself") {
  const Cell cell = Cell::of(2.5);
  CHECK(cell.is_scalar());
  CHECK(cell.dtype() == DType::Float64);
  CHECK(cell.get<double>() == 2.5);
  CHECK(Cell::of(Complex64(1, 2)).get<Complex64>() == Complex64(1, 2));
}

TEST_CASE("a complex128 does not fit, and is a 0-d array that reads like a number") {
  const Cell cell = Cell::of(Complex128(1, 2));
  CHECK(cell.is_array());
  CHECK(cell.get<Complex128>() == Complex128(1, 2));
}

TEST_CASE("a 0-d array becomes a number on its way into a cell") {
  const Cell cell = Cell::of_array(Array::scalar(std::int32_t{7}));
  CHECK(cell.is_scalar());
  CHECK(cell.dtype() == DType::Int32);
  CHECK(cell.get<std::int32_t>() == 7);
}

TEST_CASE("a number becomes an array where an array is asked for") {
  const Array a = Cell::of(1.5f).to_array();
  CHECK(a.ndim() == 0);
  CHECK(*a.data_as<float>() == 1.5f);
}

TEST_CASE("an empty or an opaque cell is no array") {
  CHECK_THROWS_WITH_AS((void)Cell().to_array(), "the register is empty", Error);
}

TEST_CASE("copies of a cell hold their array, and let go of it") {
  const std::int64_t shape[] = {2};
  Array array = Array::zeros(DType::Float64, shape);
  {
    const Cell cell = Cell::of_array(array);
    Cell copy = cell;
    CHECK(array.body()->references.load() == 3);
    copy = Cell::of(1.0);
    CHECK(array.body()->references.load() == 2);
    Cell moved = Cell::of_array(array);
    const Cell target = std::move(moved);
    CHECK(moved.empty());
    CHECK(array.body()->references.load() == 3);
  }
  CHECK(array.exclusive());
}

TEST_CASE("an opaque object is retained and released through its kind's hooks") {
  int object = 0;
  holds = 1;
  {
    const Cell cell = Cell::of_object(&object, counted_kind());
    const Cell copy = cell;
    CHECK(holds == 2);
    CHECK(copy.object() == &object);
  }
  CHECK(holds == 0);
}

TEST_CASE("a number written over an array lets the array go") {
  const std::int64_t shape[] = {2};
  const Array array = Array::zeros(DType::Float64, shape);
  Cell cell = Cell::of_array(array);
  cell.set(3.0);
  CHECK(array.exclusive());
  CHECK(cell.get<double>() == 3.0);
}

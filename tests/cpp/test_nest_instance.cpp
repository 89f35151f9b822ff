// test_nest_instance.cpp: what a fused nest resolves to where its operands lie in a certain way,
// and the tiles that its iteration space is cut into.
#include "linkers/codegen/runtime/nest_instance.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace thunkvm;

namespace {

using Lengths = std::vector<std::int64_t>;
using Map = OperandMap::Kind;

/// A fused of `ndim` axes that reads float64 arrays of so many axes each, and writes one.
FusedNest nest_of(int ndim, const std::vector<int>& inputs) {
  FusedNest fused;
  fused.nest.ndim = ndim;
  fused.nest.n_inputs = inputs.size();
  fused.nest.n_outputs = 1;
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < inputs.size(); ++i) {
    fused.sources.push_back({.reg = i, .ndim = inputs[i], .slices = {}});
    fused.inputs.push_back({.source = i, .pad = {}});
    fused.nest.item_sizes.push_back(8);
    all |= std::uint64_t{1} << i;
  }
  fused.own_spaces = {all};
  fused.nest.item_sizes.push_back(8);
  fused.outputs.push_back({.registers = {static_cast<std::uint32_t>(inputs.size())}});
  return fused;
}

/// A call whose registers are these arrays.
struct Call {
  explicit Call(const FusedNest& of, const std::vector<Array>& arrays) : fused(of), memory(1024) {
    for (const Array& array : arrays) cells.push_back(Cell::of_array(array));
    native.cells = cells.data();
    native.activation = &activation;
    native.memory = reinterpret_cast<char*>(memory.data());
    REQUIRE(NestInstance::bytes(fused) <= 8 * memory.size());
  }
  ResolvedNest& instance() { return of_nest().resolved; }
  bool resolves() { return resolve(fused, NestLayouts(fused, native), of_nest()); }
  Map kind(std::size_t input) { return instance().inputs[input].kind; }
  bool fits() { return of_nest().fits(fused, native, data); }

  NestInstance& of_nest() { return NestInstance::of(fused, native); }

  const FusedNest& fused;
  std::vector<std::uint64_t> memory;
  std::vector<Cell> cells;
  Activation activation;
  NativeCall native;
  char* data[kNestOperands];
};

Array zeros(Lengths shape) { return Array::zeros(DType::Float64, shape); }
Array transposed(const Array& x) {
  return x.view(Lengths{x.length(1), x.length(0)}, Lengths{x.stride(1), x.stride(0)}, x.data());
}
Lengths list(Dims dims) { return {dims.begin(), dims.end()}; }

/// How often each element of a space is in a tile.
Lengths covered(const Lengths& shape, AxisSet reduced) {
  std::vector<Axis> outer(shape.size());
  const IterationTiles tiles(shape, reduced, outer.data());
  std::int64_t size = 1;
  for (const std::int64_t length : shape) size *= length;
  Lengths counts(static_cast<std::size_t>(size));
  Tile tile = tiles.tile(0);
  for (std::int64_t index = 0; index < tiles.n_tiles(); ++index, tiles.advance(tile)) {
    const Tile same = tiles.tile(index);
    CHECK(tiles.result(tile) == tiles.result(same));
    CHECK(tile.n * tile.width == same.n * same.width);
    for (std::int64_t far = 0, n = 1; far < tiles.far_reduced(); far += n) {
      n = tiles.far_reduced_at_once(far);
      for (std::int64_t row = 0; row < tiles.rows(); row += tiles.rows_at_once()) {
        const std::int64_t rows = std::min(tiles.rows_at_once(), tiles.rows() - row);
        const std::int64_t first = tiles.start(tile, far, row);
        const std::int64_t block = n * tile.n * rows * tile.width;
        CHECK(block <= kNestBlock);
        for (std::int64_t k = first; k < first + block; ++k) ++counts[static_cast<std::size_t>(k)];
      }
    }
  }
  return counts;
}

}  // namespace

TEST_CASE("operands that lie in the order of the nest are read as they lie") {
  const FusedNest fused = nest_of(2, {2, 2});
  Call call(fused, {zeros({3, 4}), zeros({3, 4})});
  REQUIRE(call.resolves());
  CHECK(call.instance().size == 12);
  CHECK(list(call.instance().shape) == Lengths{3, 4});
  CHECK(call.kind(0) == Map::Identity);
  CHECK(call.instance().gathered == 0);
  CHECK(call.instance().ends == 3);
}

TEST_CASE("what is broadcast or strided is gathered, one element is repeated") {
  const FusedNest fused = nest_of(2, {2, 2, 1, 1});
  Call call(fused, {zeros({3, 4}), transposed(zeros({4, 3})), zeros({4}), zeros({1})});
  REQUIRE(call.resolves());
  CHECK(call.kind(0) == Map::Identity);
  CHECK(call.kind(1) == Map::Strided);
  CHECK(call.kind(2) == Map::Strided);
  CHECK(call.kind(3) == Map::Broadcast);
  CHECK(call.instance().gathered == 0b1110);
}

TEST_CASE("a row of a nest of one row is read as it lies") {
  const FusedNest fused = nest_of(2, {2, 1});
  Call call(fused, {zeros({1, 4}), zeros({4})});
  REQUIRE(call.resolves());
  CHECK(call.kind(1) == Map::Identity);
}

TEST_CASE("an instance fits operands that lie alike, wherever they are") {
  const FusedNest fused = nest_of(2, {2});
  Call call(fused, {zeros({3, 4})});
  CHECK_FALSE(call.fits());
  REQUIRE(call.resolves());
  CHECK(call.fits());
  const Array other = zeros({3, 4});
  call.cells[0] = Cell::of_array(other);
  CHECK(call.fits());
  CHECK(call.data[0] == other.data());
  call.cells[0] = Cell::of_array(zeros({4, 3}));
  CHECK_FALSE(call.fits());
  call.cells[0] = Cell::of_array(transposed(zeros({4, 3})));
  CHECK_FALSE(call.fits());
}

TEST_CASE("lengths that do not fit, and those without elements, have no instance") {
  const FusedNest fused = nest_of(1, {1, 1});
  Call call(fused, {zeros({3}), zeros({3})});
  REQUIRE(call.resolves());
  call.cells[1] = Cell::of_array(zeros({2}));
  CHECK_FALSE(call.resolves());
  CHECK_FALSE(call.fits());
  call.cells[0] = call.cells[1] = Cell::of_array(zeros({0}));
  CHECK_FALSE(call.resolves());
}

TEST_CASE("a member that is smaller than the nest has no part in one pass") {
  FusedNest fused = nest_of(1, {1, 1});
  fused.own_spaces = {0b01, 0b11};  // the first member reads the first input alone
  Call call(fused, {zeros({1}), zeros({3})});
  CHECK_FALSE(call.resolves());
  call.cells[0] = Cell::of_array(zeros({3}));
  CHECK(call.resolves());
}

TEST_CASE("tiles have each element once, in blocks") {
  const std::vector<Lengths> shapes = {
      {7},         {513},     {2000},       {3, 5},      {600, 3}, {3, 600},      {40, 1, 30},
      {2, 700, 3}, {5, 4, 3}, {2, 3, 4, 5}, {20, 3, 40}, {1, 1},   {33, 17, 1, 2}};
  for (const Lengths& shape : shapes)
    for (AxisSet reduced = 0; reduced < 1u << shape.size(); ++reduced) {
      CAPTURE(shape);
      CAPTURE(reduced);
      const Lengths counts = covered(shape, reduced);
      CHECK(counts == Lengths(counts.size(), 1));
    }
}

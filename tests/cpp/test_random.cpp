// test_random.cpp: the bits of PCG64, and draws as kernels: NumPy's numbers, states, errors.
#include "ops/graph/array_op.h"
#include "ops/graph/functions.h"
#include "ops/random/bounded.h"
#include "ops/random/pcg64.h"
#include "ops/random/ziggurat.h"
#include "tests/cpp/arrays.h"
#include "tests/cpp/evaluate.h"

#include <doctest/doctest.h>

using namespace thunkvm;

namespace {

/// numpy.random.PCG64(42)
constexpr std::uint64_t kSeed42[kStateWords] = {
    0xcea44f6798798f2a, 0xacbc7c9d68860ac8, 0xfa505436c9a8416e, 0x66caf2e28d25abff, 0, 0};

Array state_array(std::int64_t n_lanes) {
  const std::int64_t shape[] = {n_lanes, kStateWords};
  Array states = Array::allocate(DType::UInt64, n_lanes == 0 ? Dims(shape + 1, 1) : Dims(shape, 2));
  for (std::int64_t i = 0; i < states.size(); ++i)
    states.data_as<std::uint64_t>()[i] = kSeed42[i % kStateWords];
  return states;
}

/// The next state and the numbers of a draw of so many.
std::vector<Cell> drawn(const std::string& op, std::int64_t n,
                        std::vector<Variable> parameters = {}, std::int64_t n_lanes = 0) {
  const Array states = state_array(n_lanes);
  std::vector<Variable> inputs{Variable::constant(Cell::of_array(states)),
                               constant_vector(std::span(&n, 1))};
  inputs.insert(inputs.end(), parameters.begin(), parameters.end());
  const std::vector<Variable> outputs = OpRegistry::create(op, {})->call(inputs);
  Apply& node = *outputs[0].node();
  std::vector<Cell> cells;
  for (const Variable& input : node.inputs()) cells.push_back(input.constant_value());
  return run_kernel(node, std::move(cells));
}

template <class T>
std::vector<T> numbers(const Cell& cell) {
  const Array array = cell.to_array();
  return {array.data_as<T>(), array.data_as<T>() + array.size()};
}

}  // namespace

TEST_CASE("PCG64 gives NumPy's bits, and a half of 64 is kept for the next 32") {
  Pcg64 bits(kSeed42);
  CHECK(bits.next64() == 0xc621fbcd16d92688);
  CHECK(bits.next64() == 0x705a5661a791ffc1);
  Pcg64 halves(kSeed42);
  CHECK(halves.next32() == 383329928);
  CHECK(halves.next32() == 3324115917);
  CHECK(halves.next32() == 2811363265);
}

TEST_CASE("PCG64's words are those that it was made of, with the half that is left") {
  Pcg64 bits(kSeed42);
  std::uint64_t words[kStateWords];
  bits.write(words);
  CHECK(std::equal(words, words + kStateWords, kSeed42));
  bits.next32();
  bits.write(words);
  CHECK(words[4] == 1);
  CHECK(words[5] == 3324115917);
}

TEST_CASE("standard_normal and bounded integers are NumPy's") {
  Pcg64 bits(kSeed42);
  CHECK(standard_normal<double>(bits) == 0x1.3807c1104fc6bp-2);
  CHECK(standard_normal<double>(bits) == -0x1.0a3c65fca9a7ep+0);
  Pcg64 again(kSeed42);
  Bounded<std::uint8_t> below7;
  std::vector<int> found;
  for (int i = 0; i < 8; ++i) found.push_back(below7(again, 6));
  CHECK(found == std::vector{3, 1, 5, 0, 5, 6, 0, 5});
}

TEST_CASE("a draw gives the numbers and the state behind them") {
  const std::vector<Cell> first = drawn("random_random", 2);
  CHECK(numbers<double>(first[1]) == std::vector{0x1.8c43f79a2db24p-1, 0x1.c16959869e47ep-2});
  Pcg64 bits(kSeed42);
  bits.next64();
  bits.next64();
  std::vector<std::uint64_t> behind(kStateWords);
  bits.write(behind.data());
  CHECK(numbers<std::uint64_t>(first[0]) == behind);
}

TEST_CASE("a permutation is NumPy's") {
  CHECK(numbers<std::int64_t>(drawn("random_permutation", 6)[1]) ==
        std::vector<std::int64_t>{3, 2, 5, 4, 1, 0});
}

TEST_CASE("many generators draw a row each, from their own states") {
  const std::vector<Cell> rows = drawn("random_random", 2, {}, 3);
  CHECK(rows[0].to_array().length(0) == 3);
  const std::vector<double> all = numbers<double>(rows[1]);
  for (std::size_t lane = 0; lane < 3; ++lane) {
    CHECK(all[2 * lane] == 0x1.8c43f79a2db24p-1);
    CHECK(all[2 * lane + 1] == 0x1.c16959869e47ep-2);
  }
}

TEST_CASE("a parameter that is none is an error when it is drawn from") {
  CHECK_THROWS_WITH_AS(drawn("random_beta", 2, {Variable::number(0.0), Variable::number(1.0)}),
                       "[random_beta] a <= 0", Error);
  CHECK_THROWS_AS(drawn("random_random", -1), Error);
}

TEST_CASE("a draw takes no other state than words of uint64") {
  const std::int64_t n = 2;
  const Variable inputs[] = {constant_vector(std::span(&n, 1)), constant_vector(std::span(&n, 1))};
  CHECK_THROWS_AS(OpRegistry::create("random_random", {})->call(inputs), Error);
}

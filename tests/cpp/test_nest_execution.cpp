// test_nest_execution.cpp: nests of element functions, which take strides, and of bodies, which do
// not.
#include "ops/kernels/nest_execution.h"
#include "tests/cpp/many_threads.h"
#include "thunks/array.h"
#include "thunks/error.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

using namespace thunkvm;

namespace {

using Lengths = std::vector<std::int64_t>;

/// x - y, of any strides.
void subtract(char* const* p, const std::int64_t* s, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    *reinterpret_cast<double*>(p[2] + i * s[2]) =
        *reinterpret_cast<const double*>(p[0] + i * s[0]) -
        *reinterpret_cast<const double*>(p[1] + i * s[1]);
}
/// The same as a body.
void subtract_blocks(char* const* blocks, const NumberBits*, const ElementFunction*, char*,
                     std::int64_t n) {
  const std::int64_t strides[] = {8, 8, 8};
  subtract(blocks, strides, n);
}
void refuse_negative(char* const* p, const std::int64_t* s, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    if (*reinterpret_cast<const double*>(p[0] + i * s[0]) < 0)
      throw Error(ErrorKind::Value, "negative");
  subtract(p, s, n);
}

struct Run {
  Run(const Lengths& shape, std::vector<Array> arrays, ElementFunction element_function)
      : inputs(std::move(arrays)) {
    nest.ndim = static_cast<int>(shape.size());
    nest.n_inputs = inputs.size();
    nest.n_outputs = 1;
    nest.item_sizes.assign(inputs.size() + 1, 8);
    nest.element_functions = {element_function};
    memory.resize(ResolvedNest::bytes(nest) / 8 + 1);
    Resolution resolution(nest, instance());
    std::copy(shape.begin(), shape.end(), resolution.shape());
    for (const Array& x : inputs) resolution.map(Layout::of(*x.body()));
    resolution.finish();
    out = Array::zeros(DType::Float64, shape);
    for (const Array& x : inputs) data.push_back(x.data());
    data.push_back(out.data());
  }
  void execute(Host& host) {
    PlacedOperands operands(nest, instance(), nullptr);
    std::ranges::copy(data, operands.data);
    thunkvm::execute(operands, host);
  }
  ResolvedNest& instance() { return *reinterpret_cast<ResolvedNest*>(memory.data()); }
  std::vector<double> result() const {
    return {out.data_as<double>(), out.data_as<double>() + out.size()};
  }

  Nest nest;
  std::vector<std::uint64_t> memory;
  std::vector<Array> inputs;
  std::vector<char*> data;
  Array out;
};

Array counting(Lengths shape, double first = 0.0) {
  Array x = Array::zeros(DType::Float64, shape);
  std::iota(x.data_as<double>(), x.data_as<double>() + x.size(), first);
  return x;
}

/// A host that does something when it is asked whether to stop.
struct AskedHost : Host {
  std::function<bool()> when_asked;
  bool interrupted() override { return when_asked(); }
};

}  // namespace

TEST_CASE("an element function gets operands that lie anywhere, and any number of elements") {
  Host host;
  const Array x = counting({2, 700}), row = counting({700}), number = counting({1, 1}, 3.0);
  Run rows({2, 700}, {x, row}, &subtract);
  rows.execute(host);
  CHECK(rows.result()[5] == 0.0);
  CHECK(rows.result()[705] == 700.0);
  Run numbers({2, 700}, {number, x}, &subtract);
  numbers.execute(host);
  CHECK(numbers.result()[1399] == 3.0 - 1399.0);
  const Array across = x.view(Lengths{700, 2}, Lengths{8, 5600}, x.data());
  Run transposed({700, 2}, {across, number}, &subtract);
  transposed.execute(host);
  CHECK(transposed.result()[3] == 701.0 - 3.0);
}

TEST_CASE("what an element function throws ends the nest, on threads too") {
  Host host;
  Array x = counting({5000});
  x.data_as<double>()[4321] = -1.0;
  for (const std::int32_t count : {1, 3}) {
    const Threads threads(count);
    Run run({5000}, {x, x}, &refuse_negative);
    CHECK_THROWS_WITH_AS(run.execute(host), "negative", Error);
  }
}

TEST_CASE("a nest that the host runs in a pause of another one does not write to its scratch") {
  AskedHost host;
  const Array x = counting({2048}), number = counting({1}, 0.5);
  Run inner({2048}, {x, counting({1}, 7.0)}, &subtract);
  Run outer({2048}, {x, number}, &subtract);
  inner.nest.body = outer.nest.body = &subtract_blocks;
  outer.nest.cost = 1 << 20;  // a pause after each block
  int pauses = 0;
  host.when_asked = [&] {
    Host other;
    inner.execute(other);
    ++pauses;
    return false;
  };
  outer.execute(host);
  CHECK(pauses == 4);
  CHECK(outer.result()[0] == -0.5);
  CHECK(outer.result()[2047] == 2046.5);
}

TEST_CASE("a long nest ends where the host says so") {
  AskedHost host;
  const Array x = counting({2048});
  Run run({2048}, {x, x}, &subtract);
  run.nest.cost = 1 << 20;
  host.when_asked = [] { return true; };
  CHECK_THROWS_AS(run.execute(host), Error);
}

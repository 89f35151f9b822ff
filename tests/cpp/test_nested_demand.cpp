// test_nested_demand.cpp: lazy thunks in straight-line code that force each other, how deep they
// may, and how many may wait.
#include "tests/cpp/straight_program.h"
#include "thunks/demand.h"
#include "vm/interpreter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>

namespace thunkvm {
namespace {

using namespace testing;
using testing::Index;

/// `depth` thunks, each of which forces the one before it; the first forces x.
struct Nest {
  Nest(ForceBy way, Index depth, LazyBody body) {
    const Index x = b.input("x"), y = b.output("y");
    std::vector<Index> lazies, values;
    const ThunkCode code = straight_line(std::move(body), way);
    for (Index i = 0; i < depth; ++i) {
      values.push_back(i + 1 == depth ? y : b.reg("value"));
      lazies.push_back(
          b.lazy("level " + std::to_string(i), {i == 0 ? x : values[i - 1]}, {values[i]}, code));
    }
    b.demand(lazies.back(), 0);
    b.retire(values = {values.begin(), values.end() - 1});
    b.halt();
    for (Index i = 0; i < depth; ++i) {
      b.input_body(lazies[i], 0);
      if (i > 0)
        b.demand(lazies[i - 1], 0);
      else
        b.thunk("deepest", {}, {}, [this](Activation&, const Operands&) { at_bottom(); });
      b.ret();
    }
  }
  ProgramBuilder b;
  std::function<void()> at_bottom = [] {};
};

void plus_one(Demand& demand) { demand.set_output(0, Cell::of(number(demand, 0) + 1)); }

TEST_CASE(
    "thunks may force each other a hundred deep, and a failure at the bottom unwinds them all") {
  in_both_ways([](ForceBy way) {
    int alive = 0, most = 0;
    Nest nest(way, 100, [&](Demand& demand) {
      const Local local(alive);
      most = std::max(most, alive);
      plus_one(demand);
    });
    Machine machine(nest.b.build());
    CHECK(machine.call({0.0}) == Values{100.0});
    CHECK(most == 100);
    CHECK(alive == 0);
    nest.at_bottom = [] { throw Error(ErrorKind::Value, "deep down"); };
    CHECK(machine.call({0.0}).empty());
    CHECK(machine.node == "deepest");
    CHECK(machine.error == "deep down");
    CHECK(alive == 0);
    CHECK(machine.frame.empty());
    nest.at_bottom = [] {};
    CHECK(machine.call({0.0}) == Values{100.0});
  });
}

TEST_CASE("nested calls are bounded by a named error") {
  Nest nest(ForceBy::Nested, kMaxNesting + 1, plus_one);
  Machine machine(nest.b.build());
  CHECK(machine.call({0.0}).empty());
  CHECK(machine.kind == ErrorKind::Runtime);
  CHECK(machine.node == "level 0");
  CHECK(has(machine.error, "more than 200 lazy thunks wait for each other on the native stack"));
  CHECK(machine.frame.empty());

  Nest fits(ForceBy::Nested, kMaxNesting, plus_one);
  CHECK(Machine(fits.b.build()).call({0.0}) == Values{double(kMaxNesting)});
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

TEST_CASE("ten thousand fibers may be suspended at once, and a failure unwinds them all") {
  constexpr Index kDepth = 10'000;
  int alive = 0, suspended = 0;
  Nest nest(ForceBy::Fiber, kDepth, [&](Demand& demand) {
    const Local local(alive);
    plus_one(demand);
  });
  nest.at_bottom = [&] { suspended = StackPool::instance().in_use(); };
  Machine machine(nest.b.build());
  CHECK(machine.call({0.0}) == Values{double(kDepth)});
  CHECK(suspended == kDepth);
  CHECK(StackPool::instance().in_use() == 0);
  CHECK(StackPool::instance().idle() == 1024);
  nest.at_bottom = [&] {
    CHECK(alive == kDepth);
    throw Error(ErrorKind::Value, "deep down");
  };
  CHECK(machine.call({0.0}).empty());
  CHECK(machine.error == "deep down");
  CHECK(alive == 0);
  CHECK(StackPool::instance().in_use() == 0);
}

TEST_CASE("one fiber too many is a named error") {
  Nest nest(ForceBy::Fiber, kMaxFibers + 1, plus_one);
  Machine machine(nest.b.build());
  CHECK(machine.call({0.0}).empty());
  CHECK(machine.kind == ErrorKind::Runtime);
  CHECK(machine.node == "level 0");
  CHECK(has(machine.error, "16384 lazy thunks wait for an input at once"));
  CHECK(StackPool::instance().in_use() == 0);
  CHECK(machine.frame.empty());
}

TEST_CASE("the default is fibers") { CHECK(default_force() == ForceBy::Fiber); }

#else

TEST_CASE("the default under a sanitizer is nested calls") {
  CHECK(default_force() == ForceBy::Nested);
}

#endif

TEST_CASE("lazy bodies in several threads have nothing to do with each other") {
  in_both_ways([](ForceBy way) {
    Nest nest(way, 50, plus_one);
    FramePool pool(nest.b.build());
    std::vector<int> right(4);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        Host host;
        for (int i = 0; i < 50; ++i) {
          Frame* frame = pool.acquire();
          frame->cell(pool.program()->inputs[0]).set(double(i));
          if (frame->run(host) == Status::Done &&
              frame->cell(pool.program()->outputs[0]).get<double>() == i + 50.0)
            ++right[t];
          frame->finish();
          pool.release(frame);
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(right == std::vector<int>(4, 50));
  });
}

TEST_CASE("fibers and nested calls mix in one call") {
  for (const ForceBy outer_way : kWays)
    for (const ForceBy inner_way : kWays) {
      ProgramBuilder b;
      const Index x = b.input("x"), t = b.reg("t"), u = b.reg("u"), y = b.output("y");
      // The inner thunk stays suspended in its second output while the outer one goes on.
      const Index inner = b.lazy("inner", {x}, {t, u},
                                 straight_line(
                                     [](Demand& demand) {
                                       demand.set_output(0, Cell::of(10.0));
                                       demand.wait();
                                       demand.set_output(1, Cell::of(number(demand, 0)));
                                     },
                                     inner_way));
      const Index outer = b.lazy("outer", {t, u}, {y},
                                 straight_line(
                                     [](Demand& demand) {
                                       const double first = number(demand, 0);
                                       demand.set_output(0, Cell::of(first + number(demand, 1)));
                                     },
                                     outer_way));
      b.demand(outer, 0);
      b.retire({t, u});
      b.halt();
      b.input_body(outer, 0);
      b.demand(inner, 0);
      b.ret();
      b.input_body(outer, 1);
      b.demand(inner, 1);
      b.ret();
      b.input_body(inner, 0);
      b.ret();
      Machine machine(b.build());
      CHECK(machine.call({3.0}) == Values{13.0});
      CHECK(machine.frame.empty());
      CHECK(StackPool::instance().in_use() == 0);
    }
}

}  // namespace
}  // namespace thunkvm

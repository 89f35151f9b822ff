// test_demand.cpp: lazy thunks in straight-line code, on fibers and in nested calls: the same tests
// for both.
#include "tests/cpp/lazy_program.h"
#include "thunks/demand.h"
#include "vm/interpreter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <thread>

namespace thunkvm {
namespace {

using namespace testing;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
const std::vector<ForceBy> kWays = {
    ForceBy::Nested};  // sanitizers do not follow a switch of stacks
#else
const std::vector<ForceBy> kWays = {ForceBy::Fiber, ForceBy::Nested};
#endif

/// Runs the test once for each way in which `force` can wait.
template <class Test>
void in_both_ways(Test test) {
  for (const ForceBy way : kWays) {
    const std::string how = way == ForceBy::Fiber ? "on a fiber" : "nested";
    CAPTURE(how);
    test(way);
    CHECK(live_fibers() == 0);
  }
}

/// A LazyProgram whose thunk is straight-line code.
struct StraightProgram : LazyProgram {
  StraightProgram(ForceBy way, int n_inputs, int n_outputs, std::vector<Index> demands,
                  LazyBody body)
      : LazyProgram(n_inputs, n_outputs, std::move(demands), straight_line(std::move(body), way)) {}
};

double number(Demand& demand, int i) { return demand.force(i).get<double>(); }

/// Counts its instances that are alive.
struct Local {
  explicit Local(int& alive) : alive(alive) { ++alive; }
  ~Local() { --alive; }
  Local(const Local&) = delete;
  int& alive;
};

TEST_CASE("inputs are computed when they are forced, once, and no others") {
  in_both_ways([](ForceBy way) {
    int bodies = 0;
    StraightProgram p(way, 4, 1, {0}, [&](Demand& demand) {
      ++bodies;
      CHECK(demand.n_inputs() == 4);
      CHECK(demand.n_outputs() == 1);
      CHECK(demand.demanded() == 0);
      const Cell& kept = demand.force(3);
      double result = number(demand, 1);
      result += number(demand, 3) + kept.get<double>();
      demand.set_output(0, Cell::of(result));
    });
    Machine machine = p.machine();
    CHECK(machine.call({}) == Values{2010.0});
    CHECK(p.log == "in3 in1 ");
    CHECK(bodies == 1);
    CHECK(machine.frame.empty());
    CHECK(machine.call({}) == Values{2010.0});
    CHECK(p.log == "in3 in1 in3 in1 ");
  });
}

TEST_CASE("a body that forces nothing runs nothing") {
  in_both_ways([](ForceBy way) {
    StraightProgram p(way, 1, 1, {0}, [](Demand& demand) { demand.set_output(0, Cell::of(4.0)); });
    Machine machine = p.machine();
    CHECK(machine.call({}) == Values{4.0});
    CHECK(p.log.empty());
  });
}

TEST_CASE("an exception of the body fails the call at its node") {
  in_both_ways([](ForceBy way) {
    int alive = 0;
    StraightProgram p(way, 1, 1, {0}, [&](Demand& demand) {
      const Local local(alive);
      demand.force(0);
      throw Error(ErrorKind::ZeroDivision, "no");
    });
    Machine machine = p.machine();
    CHECK(machine.call({}).empty());
    CHECK(machine.node == "lazy");
    CHECK(machine.kind == ErrorKind::ZeroDivision);
    CHECK(machine.error == "no");
    CHECK(alive == 0);
    CHECK(machine.frame.empty());
  });
}

TEST_CASE("a failing input fails the call at its own node, and the body's locals are destroyed") {
  in_both_ways([](ForceBy way) {
    int alive = 0;
    bool went_on = false;
    StraightProgram p(way, 2, 1, {0}, [&](Demand& demand) {
      const Local local(alive);
      demand.force(0);
      demand.force(1);
      went_on = true;
      demand.set_output(0, Cell::of(6.0));
    });
    p.failing = 1;
    Machine machine = p.machine();
    CHECK(machine.call({}).empty());
    CHECK(machine.node == "in1");
    CHECK(machine.error == "input failed");
    CHECK(alive == 0);
    CHECK_FALSE(went_on);
    CHECK(machine.frame.empty());

    p.failing = -1;
    CHECK(machine.call({}) == Values{6.0});
    CHECK(alive == 0);
  });
}

TEST_CASE("what computing an input threw is thrown by force, each time, and the body may go on") {
  in_both_ways([](ForceBy way) {
    std::string thrown;
    StraightProgram p(way, 3, 1, {0}, [&](Demand& demand) {
      double total = 0;
      for (const int i : {0, 1, 1, 2}) try {
          total += number(demand, i);
        } catch (const Error& error) {
          thrown += error.what() + std::string("; ");
        }
      demand.set_output(0, Cell::of(total));
    });
    p.failing = 1;
    Machine machine = p.machine();
    CHECK(machine.call({}) == Values{101.0});
    CHECK(thrown == "input failed; input failed; ");
    CHECK(p.log == "in0 in1 in2 ");
    CHECK(machine.frame.empty());
    CHECK_FALSE(machine.frame.failure().error);
  });
}

TEST_CASE("a body that throws what computing an input threw leaves the failure with that node") {
  in_both_ways([](ForceBy way) {
    StraightProgram p(way, 2, 1, {0}, [&](Demand& demand) {
      try {
        demand.force(1);
      } catch (const Error&) {
        demand.force(0);
        throw;
      }
    });
    p.failing = 1;
    Machine machine = p.machine();
    CHECK(machine.call({}).empty());
    CHECK(machine.node == "in1");
    CHECK(machine.error == "input failed");
    CHECK(p.log == "in1 in0 ");
  });
}

TEST_CASE("a body may force within a catch block") {
  in_both_ways([](ForceBy way) {
    StraightProgram p(way, 2, 1, {0}, [&](Demand& demand) {
      try {
        throw Error(ErrorKind::Value, "first");
      } catch (const Error& first) {
        double value = number(demand, 0);
        try {
          throw Error(ErrorKind::Value, "second");
        } catch (const Error& second) {
          value += number(demand, 1);
          CHECK(std::string(second.what()) == "second");
        }
        CHECK(std::string(first.what()) == "first");
        CHECK_THROWS_WITH(std::rethrow_exception(std::current_exception()), "first");
        demand.set_output(0, Cell::of(value));
      }
    });
    Machine machine = p.machine();
    CHECK(std::current_exception() == nullptr);
    CHECK(machine.call({}) == Values{11.0});
    CHECK(std::current_exception() == nullptr);
    p.failing = 1;
    CHECK(machine.call({}).empty());
    CHECK(machine.node == "in1");
    CHECK(std::current_exception() == nullptr);
  });
}

TEST_CASE("two bodies that wait within catch blocks keep their exceptions apart") {
  in_both_ways([](ForceBy way) {
    std::string seen;
    ProgramBuilder b;
    const Index t = b.reg("t"), unused = b.reg("unused"), y = b.output("y");
    // Gives its first output, and stays in its catch block until the call ends.
    const Index inner = b.lazy("inner", {}, {t, unused},
                               straight_line(
                                   [](Demand& demand) {
                                     try {
                                       throw std::runtime_error("inner");
                                     } catch (const std::exception&) {
                                       demand.set_output(0, Cell::of(1.0));
                                       demand.wait();
                                     }
                                   },
                                   way));
    const Index outer = b.lazy("outer", {t}, {y},
                               straight_line(
                                   [&](Demand& demand) {
                                     try {
                                       throw std::runtime_error("outer");
                                     } catch (const std::exception&) {
                                       demand.set_output(0, Cell::of(number(demand, 0) + 1));
                                       try {
                                         std::rethrow_exception(std::current_exception());
                                       } catch (const std::exception& mine) {
                                         seen = mine.what();
                                       }
                                     }
                                   },
                                   way));
    b.demand(outer, 0);
    b.retire({t});
    b.halt();
    b.input_body(outer, 0);
    b.demand(inner, 0);
    b.thunk("no exception here", {}, {}, [&](Activation&, const Operands&) {
      if (way == ForceBy::Fiber) CHECK(std::current_exception() == nullptr);
    });
    b.ret();
    Machine machine(b.build());
    CHECK(machine.call({}) == Values{2.0});
    CHECK(seen == "outer");
    CHECK(std::current_exception() == nullptr);
  });
}

TEST_CASE("an index or output out of range, or an end without the output, is a named error") {
  in_both_ways([](ForceBy way) {
    struct Case {
      const char* message;
      ErrorKind kind;
      LazyBody body;
    };
    const std::vector<Case> cases = {
        {"asked for input 2, but it has 2 inputs", ErrorKind::Index, [](Demand& d) { d.force(2); }},
        {"asked for input -1, but it has 2 inputs", ErrorKind::Index,
         [](Demand& d) { d.force(-1); }},
        {"set output 1, but it has 1 outputs", ErrorKind::Index,
         [](Demand& d) { d.set_output(1, Cell::of(1.0)); }},
        {"set output -1", ErrorKind::Index, [](Demand& d) { d.set_output(-1, Cell::of(1.0)); }},
        {"finished without the demanded output", ErrorKind::Runtime, [](Demand& d) { d.force(0); }},
    };
    for (const Case& c : cases) {
      CAPTURE(c.message);
      StraightProgram p(way, 2, 1, {0}, c.body);
      Machine machine = p.machine();
      CHECK(machine.call({}).empty());
      CHECK(machine.node == "lazy");
      CHECK(machine.kind == c.kind);
      INFO(machine.error);
      CHECK(has(machine.error, c.message));
      CHECK(machine.frame.empty());
    }
  });
}

TEST_CASE("what comes after the demanded output waits until another one is demanded") {
  in_both_ways([](ForceBy way) {
    for (const bool explicitly : {false, true}) {
      CAPTURE(explicitly);
      int alive = 0;
      std::vector<std::uint32_t> demanded;
      const LazyBody body = [&](Demand& demand) {
        const Local local(alive);
        demand.set_output(0, Cell::of(number(demand, 0)));
        if (explicitly) demand.wait();
        const double value = number(demand, 1);
        demanded.push_back(demand.demanded());
        demand.set_output(1, Cell::of(value));
      };
      StraightProgram both(way, 2, 2, {0, 1}, body);
      Machine machine = both.machine();
      CHECK(machine.call({}) == Values{1.0, 10.0});
      CHECK(both.log == "in0 in1 ");
      CHECK(demanded == std::vector<std::uint32_t>{1});
      CHECK(alive == 0);

      // Nobody demands output 1: the body is given up when the call ends, and what it waits for
      // never runs.
      StraightProgram one(way, 2, 2, {0}, body);
      Machine first = one.machine();
      CHECK(first.call({}) == Values{1.0});
      CHECK(one.log == "in0 ");
      CHECK(alive == 0);
      CHECK(first.frame.empty());
      CHECK(first.call({}) == Values{1.0});
    }
  });
}

TEST_CASE(
    "wait returns at once while the demanded output is missing, and a body that ended stays "
    "ended") {
  in_both_ways([](ForceBy way) {
    int bodies = 0;
    StraightProgram p(way, 0, 2, {0, 1}, [&](Demand& demand) {
      ++bodies;
      demand.wait();
      demand.set_output(0, Cell::of(1.0));
    });
    Machine machine = p.machine();
    CHECK(machine.call({}).empty());
    CHECK(machine.node == "lazy");
    CHECK(has(machine.error, "finished without the demanded output"));
    CHECK(bodies == 1);
  });
}

TEST_CASE("the first value that is set counts") {
  in_both_ways([](ForceBy way) {
    StraightProgram p(way, 0, 1, {0}, [](Demand& demand) {
      demand.set_output(0, Cell::of(1.0));
      demand.set_output(0, Cell::of(2.0));
    });
    CHECK(p.machine().call({}) == Values{1.0});
  });
}

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
  nest.at_bottom = [&] { suspended = live_fibers(); };
  Machine machine(nest.b.build());
  CHECK(machine.call({0.0}) == Values{double(kDepth)});
  CHECK(suspended == kDepth);
  CHECK(live_fibers() == 0);
  CHECK(pooled_stacks() == 1024);
  nest.at_bottom = [&] {
    CHECK(alive == kDepth);
    throw Error(ErrorKind::Value, "deep down");
  };
  CHECK(machine.call({0.0}).empty());
  CHECK(machine.error == "deep down");
  CHECK(alive == 0);
  CHECK(live_fibers() == 0);
}

TEST_CASE("one fiber too many is a named error") {
  Nest nest(ForceBy::Fiber, kMaxFibers + 1, plus_one);
  Machine machine(nest.b.build());
  CHECK(machine.call({0.0}).empty());
  CHECK(machine.kind == ErrorKind::Runtime);
  CHECK(machine.node == "level 0");
  CHECK(has(machine.error, "16384 lazy thunks wait for an input at once"));
  CHECK(live_fibers() == 0);
  CHECK(machine.frame.empty());
}

TEST_CASE("the default is fibers") { CHECK(default_force() == ForceBy::Fiber); }

#else

TEST_CASE("the default under a sanitizer is nested calls") {
  CHECK(default_force() == ForceBy::Nested);
}

#endif

TEST_CASE("bodies in several threads have nothing to do with each other") {
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
      CHECK(live_fibers() == 0);
    }
}

}  // namespace
}  // namespace thunkvm

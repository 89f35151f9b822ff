// test_demand.cpp: lazy thunks in straight-line code, on fibers and in nested calls: the same tests
// for both.
#include "tests/cpp/straight_program.h"
#include "thunks/demand.h"
#include "vm/interpreter.h"

#include <doctest/doctest.h>

#include <string>

namespace thunkvm {
namespace {

using namespace testing;
using testing::Index;

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

TEST_CASE("a lazy body that forces nothing runs nothing") {
  in_both_ways([](ForceBy way) {
    StraightProgram p(way, 1, 1, {0}, [](Demand& demand) { demand.set_output(0, Cell::of(4.0)); });
    Machine machine = p.machine();
    CHECK(machine.call({}) == Values{4.0});
    CHECK(p.log.empty());
  });
}

TEST_CASE("an exception of the lazy body fails the call at its node") {
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

TEST_CASE(
    "a failing input fails the call at its own node, and the lazy body's locals are destroyed") {
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

TEST_CASE(
    "what computing an input threw is thrown by force, each time, and the lazy body may go on") {
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

TEST_CASE(
    "a lazy body that throws what computing an input threw leaves the failure with that node") {
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

TEST_CASE("a lazy body may force within a catch block") {
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

TEST_CASE("two lazy bodies that wait within catch blocks keep their exceptions apart") {
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

      // Nobody demands output 1: the lazy body is given up when the call ends, and what it waits
      // for never runs.
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
    "wait returns at once while the demanded output is missing, and a lazy body that ended stays "
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

}  // namespace
}  // namespace thunkvm

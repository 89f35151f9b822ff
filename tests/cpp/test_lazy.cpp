// test_lazy.cpp: the protocol of lazy thunks: what they are told, and what they may ask.
#include "tests/cpp/lazy_program.h"
#include "vm/interpreter.h"

#include <doctest/doctest.h>

namespace thunkvm {
namespace {

using namespace testing;
using testing::Index;

double number(LazyCall& call, int i) { return call.input(i).get<double>(); }

TEST_CASE("a lazy thunk gets what it asks for, in its order, and nothing else runs") {
  int entries = 0;
  LazyProgram p(4, 1, {0}, lazy_function([&](LazyCall& call) {
                  ++entries;
                  CHECK(call.demanded() == 0);
                  CHECK(call.n_inputs() == 4);
                  CHECK(call.n_outputs() == 1);
                  if (!call.available(3)) {
                    CHECK_FALSE(call.available(1));
                    call.request(3);
                    call.request(1);
                    return;
                  }
                  CHECK(call.available(1));
                  CHECK_FALSE(call.available(0));
                  CHECK_FALSE(call.available(2));
                  call.set_output(0, Cell::of(number(call, 3) + number(call, 1)));
                }));
  Machine machine = p.machine();
  CHECK(machine.call({}) == Values{1010.0});
  CHECK(p.log == "in3 in1 ");
  CHECK(entries == 2);
  CHECK(machine.runs("in0") == 0);
  CHECK(machine.runs("in3") == 1);
  CHECK(machine.frame.empty());
  CHECK(machine.call({}) == Values{1010.0});
  CHECK(p.log == "in3 in1 in3 in1 ");
}

TEST_CASE("an input that stands twice in a list is computed once, where it stands first") {
  LazyProgram p(3, 1, {0}, lazy_function([&](LazyCall& call) {
                  if (call.available(0))
                    return call.set_output(0, Cell::of(number(call, 0) + number(call, 2)));
                  for (const int i : {2, 0, 2, 2, 0}) call.request(i);
                }));
  Machine machine = p.machine();
  CHECK(machine.call({}) == Values{101.0});
  CHECK(p.log == "in2 in0 ");
}

TEST_CASE("what else computed an input makes no difference to what a lazy thunk sees") {
  ProgramBuilder b;
  const Index x = b.input("x"), y = b.output("y");
  bool got_before_asking = true, got_after = false;
  const Index lazy = b.lazy("lazy", {x}, {y}, lazy_function([&](LazyCall& call) {
                              if (!call.available(0)) {
                                got_before_asking = false;
                                call.request(0);
                              } else {
                                got_after = true;
                                call.set_output(0, call.input(0));
                              }
                            }));
  b.demand(lazy, 0);
  b.halt();
  b.input_body(lazy, 0);
  b.ret();
  Machine machine(b.build());
  CHECK(machine.call({7.0}) == Values{7.0});
  CHECK_FALSE(got_before_asking);
  CHECK(got_after);
}

TEST_CASE(
    "each output is a demand of its own, and what is asked for a demand that is met is ignored") {
  std::vector<std::uint32_t> demands;
  bool second_was_got = true;
  LazyProgram p(2, 2, {0, 1}, lazy_function([&](LazyCall& call) {
                  demands.push_back(call.demanded());
                  if (call.demanded() == 0) {
                    call.set_output(0, Cell::of(5.0));
                    call.request(1);  // is not needed for output 0, and not held against us later
                    call.request(-7);
                    return;
                  }
                  CHECK(call.computed(0));
                  CHECK(call.output(0).get<double>() == 5.0);
                  if (!call.available(1)) {
                    second_was_got = false;
                    return call.request(1);
                  }
                  call.set_output(1, Cell::of(number(call, 1)));
                }));
  Machine machine = p.machine();
  CHECK(machine.call({}) == Values{5.0, 10.0});
  CHECK(demands == std::vector<std::uint32_t>{0, 1, 1});
  CHECK_FALSE(second_was_got);
  CHECK(p.log == "in1 ");
}

TEST_CASE("an output that is computed already costs no entry") {
  int entries = 0;
  LazyProgram p(0, 2, {0, 1, 0}, lazy_function([&](LazyCall& call) {
                  ++entries;
                  call.set_output(0, Cell::of(1.0));
                  call.set_output(1, Cell::of(2.0));
                }));
  Machine machine = p.machine();
  CHECK(machine.call({}) == Values{1.0, 2.0});
  CHECK(entries == 1);
  const Lazy& lazy = machine.frame.program().lazies[0];
  CHECK(machine.frame.counters()[lazy.counter] == 1);
  CHECK(machine.frame.counters()[lazy.counter + 1] == 2);
  CHECK(machine.runs("lazy") == 1);
}

TEST_CASE("an output that nobody demanded is dropped when the call ends") {
  const Array array = Array::zeros(DType::Float64, std::vector<std::int64_t>{3});
  LazyProgram p(0, 2, {0}, lazy_function([&](LazyCall& call) {
                  call.set_output(0, Cell::of(1.0));
                  call.set_output(1, Cell::of_array(array));
                }));
  Machine machine = p.machine();
  CHECK(machine.call({}) == Values{1.0});
  CHECK(machine.frame.empty());
  CHECK(array.exclusive());
}

TEST_CASE("a lazy thunk is reset once after each call that entered it") {
  int resets = 0;
  ProgramBuilder b;
  const Index c = b.input("c"), y = b.output("y");
  const Index no = b.label(), yes = b.label();
  const Index lazy = b.lazy(
      "lazy", {}, {y},
      lazy_function([](LazyCall& call) { call.set_output(0, Cell::of(1.0)); }, [&] { ++resets; }));
  b.branch("ifelse", c, {no, yes});
  b.place(no);
  b.thunk("other", {}, {y}, sum);
  b.halt();
  b.place(yes);
  b.demand(lazy, 0);
  b.halt();
  Machine machine(b.build());
  CHECK(machine.call({0.0}) == Values{0.0});
  CHECK(resets == 0);
  CHECK(machine.call({1.0}) == Values{1.0});
  CHECK(resets == 1);
}

TEST_CASE("a call that is given up after it ran resets its lazy thunks too") {
  int resets = 0;
  LazyProgram p(1, 1, {0},
                lazy_function(
                    [](LazyCall& call) {
                      if (!call.available(0)) return call.request(0);
                      call.set_output(0, call.input(0));
                    },
                    [&] { ++resets; }));
  Machine machine = p.machine();
  REQUIRE(machine.frame.run(machine.host) == Status::Done);
  machine.frame.abandon();
  CHECK(resets == 1);
  CHECK(machine.frame.empty());
  CHECK(machine.call({}) == Values{1.0});
}

TEST_CASE("a stale value of the call before is not computed") {
  int entries = 0;
  bool computed = true;
  LazyProgram p(1, 2, {0}, lazy_function([&](LazyCall& call) {
                  ++entries;
                  if (!call.available(0)) {
                    computed = call.computed(0) || call.computed(1);
                    return call.request(0);
                  }
                  call.set_output(1, Cell::of(3.0));
                  call.set_output(0, call.input(0));
                }),
                true);
  Machine machine = p.machine();
  for (int i = 0; i < 2; ++i) {
    CHECK(machine.call({}) == Values{1.0});
    CHECK_FALSE(computed);
  }
  CHECK(entries == 4);
  CHECK(p.log == "in0 in0 ");
  CHECK(machine.frame.cell(2).is_scalar());  // output 1 is kept, for its memory
  machine.frame.abandon();
  CHECK(machine.frame.cell(2).empty());
}

/// Asks for input 0 and adds 1 to it.
ThunkCode plus_one() {
  return lazy_function([](LazyCall& call) {
    if (!call.available(0)) return call.request(0);
    call.set_output(0, Cell::of(number(call, 0) + 1));
  });
}

TEST_CASE("a hundred thousand lazy thunks that wait for each other need no native stack") {
  constexpr Index kDepth = 100'000;
  ProgramBuilder b;
  const Index x = b.input("x"), y = b.output("y");
  std::vector<Index> lazies, values;
  for (Index i = 0; i < kDepth; ++i) {
    values.push_back(i + 1 == kDepth ? y : b.reg("value"));
    lazies.push_back(b.lazy("plus one", {i == 0 ? x : values[i - 1]}, {values[i]}, plus_one()));
  }
  b.demand(lazies.back(), 0);
  b.halt();
  for (Index i = 0; i < kDepth; ++i) {
    b.input_body(lazies[i], 0);
    if (i > 0) b.demand(lazies[i - 1], 0);
    b.ret();
  }
  Machine machine(b.build());
  CHECK(machine.call({0.0}) == Values{double(kDepth)});
  CHECK(machine.frame.empty());
}

TEST_CASE("two lazy thunks share a memo body, which runs once") {
  ProgramBuilder b;
  const Index x = b.input("x"), t = b.reg("t"), p = b.reg("p"), q = b.reg("q"), y = b.output("y");
  const Index memo = b.memo("memo");
  const Index first = b.lazy("first", {t}, {p}, plus_one()),
              second = b.lazy("second", {t}, {q}, plus_one());
  b.demand(first, 0);
  b.demand(second, 0);
  b.thunk("plus", {p, q}, {y}, sum, {p, q, t});
  b.halt();
  b.input_body(first, 0);
  b.need(memo);
  b.ret();
  b.input_body(second, 0);
  b.need(memo);
  b.ret();
  b.memo_body(memo);
  b.thunk("costly", {x, x}, {t}, product);
  b.ret();
  Machine machine(b.build());
  CHECK(machine.call({3.0}) == Values{20.0});
  CHECK(machine.runs("costly") == 1);
}

TEST_CASE("a thunk without enter is a named error") {
  ThunkCode bare;
  bare.lazy = true;
  bare.make = [] { return std::make_unique<BoundThunk>(); };
  LazyProgram p(1, 1, {0}, bare);
  Machine machine = p.machine();
  CHECK(machine.call({}).empty());
  CHECK(machine.node == "lazy");
  CHECK(has(machine.error, "override BoundThunk::enter"));
}

TEST_CASE("a tracer sees every entry of a lazy thunk") {
  struct Journal final : Tracer {
    void before(const ThunkRun& run) override {
      text += run.frame.program().text->node(run.node) + "(" + got(run);
    }
    void after(const ThunkRun& run, Status) override { text += "|" + got(run) + ")"; }
    static std::string got(const ThunkRun& run) {
      if (run.lazy == nullptr) return "";
      return std::string(run.lazy->available(0) ? "x" : "-") + (run.lazy->computed(0) ? "y" : "-");
    }
    std::string text;
  } recorder;
  LazyProgram p(1, 1, {0}, plus_one());
  Machine machine = p.machine();
  machine.tracer = &recorder;
  CHECK(machine.call({}) == Values{2.0});
  CHECK(recorder.text == "lazy(--|--)in0(|)lazy(x-|xy)");
}

TEST_CASE("a host can stop a call whose lazy thunks run nothing else") {
  struct Stopping final : Host {
    bool interrupted() override { return true; }
  } stopping;
  constexpr Index kLazies = kThunksPerPoll;
  ProgramBuilder b;
  int entries = 0;
  for (Index i = 0; i < kLazies; ++i) {
    const Index y = b.reg("y");
    const Index lazy = b.lazy("lazy", {}, {y}, lazy_function([&](LazyCall& call) {
                                ++entries;
                                call.set_output(0, Cell::of(1.0));
                              }));
    b.demand(lazy, 0);
    b.retire({y});
  }
  b.halt();
  Frame frame(b.build());
  CHECK(frame.run(stopping) == Status::Failed);
  CHECK(entries == kLazies - 1);
  CHECK(frame.empty());
}

}  // namespace
}  // namespace thunkvm

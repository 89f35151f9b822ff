// test_interpreter.cpp: segments, memo bodies, bound thunks, and the host of a call.
#include "tests/cpp/assembler.h"
#include "vm/interpreter.h"

#include <doctest/doctest.h>
#include <pthread.h>

namespace thunkvm {
namespace {

using namespace testing;
using testing::Index;

TEST_CASE("a segment runs its thunks in order") {
  ProgramBuilder b;
  const Index x = b.input("x"), t = b.reg("t"), y = b.output("y");
  b.thunk("square", {x, x}, {t}, product);
  b.thunk("plus", {t, x}, {y}, sum);
  b.halt();
  Machine machine(b.build());
  CHECK(machine.call({3.0}) == Values{12.0});
  CHECK(machine.call({-1.0}) == Values{0.0});
}

TEST_CASE("a register is empty after its retire, and a call leaves nothing in the frame") {
  ProgramBuilder b;
  const Index x = b.input("x"), t = b.reg("t"), y = b.output("y");
  bool t_was_empty = false, x_was_empty = false;
  b.thunk("square", {x, x}, {t}, product, {x});
  b.thunk("look", {t}, {y},
          [&](Activation& a, const Operands& o) {
            x_was_empty = a.cells[x].empty();
            sum(a, o);
          },
          {t});
  b.thunk("look again", {y}, {y},
          [&](Activation& a, const Operands&) { t_was_empty = a.cells[t].empty(); });
  b.halt();
  Machine machine(b.build());
  CHECK(machine.call({3.0}) == Values{9.0});
  CHECK(x_was_empty);
  CHECK(t_was_empty);
  CHECK(machine.frame.empty());
}

TEST_CASE("a retire releases an array, and leaves an empty register alone") {
  ProgramBuilder b;
  const Index x = b.input("x"), never = b.reg("never"), y = b.output("y");
  const Array array = Array::zeros(DType::Float64, std::vector<std::int64_t>{3});
  b.thunk("make", {}, {y}, sum);
  b.retire({x, never, x});
  b.halt();
  Machine machine(b.build());
  CHECK(machine.call_with({Cell::of_array(array)}) == Values{0.0});
  CHECK(array.exclusive());
}

TEST_CASE("a memo body runs at its first need and not again in this call") {
  ProgramBuilder b;
  const Index c = b.input("c"), x = b.input("x"), common = b.reg("common"), y = b.output("y");
  const Index no = b.label(), yes = b.label(), end = b.label();
  const Index memo = b.memo("costly memo");
  b.branch("ifelse", c, {no, yes});
  b.place(no);
  b.move(y, x);
  b.jump(end);
  b.place(yes);
  b.need(memo);
  b.need(memo);
  b.thunk("plus", {common, common}, {y}, sum);
  b.place(end);
  b.retire({common});
  b.halt();
  b.memo_body(memo);
  b.thunk("costly", {x, x}, {common}, product);
  b.ret();
  Machine machine(b.build());

  CHECK(machine.call_with({Cell::of(false), Cell::of(3.0)}) == Values{3.0});
  CHECK(machine.runs("costly") == 0);
  CHECK(machine.call_with({Cell::of(true), Cell::of(3.0)}) == Values{18.0});
  CHECK(machine.runs("costly") == 1);
  CHECK(machine.call_with({Cell::of(true), Cell::of(4.0)}) == Values{32.0});
  CHECK(machine.runs("costly") == 2);
  CHECK(machine.frame.empty());
}

TEST_CASE("a chain of a hundred thousand memo bodies needs no native stack") {
  constexpr Index kDepth = 100'000;
  ProgramBuilder b;
  const Index x = b.input("x"), y = b.output("y");
  std::vector<Index> memos, values;
  for (Index i = 0; i < kDepth; ++i) {
    memos.push_back(b.memo("memo"));
    values.push_back(b.reg("value"));
  }
  b.need(memos.back());
  b.move(y, values.back());
  b.retire(values);
  b.halt();
  for (Index i = 0; i < kDepth; ++i) {
    b.memo_body(memos[i]);
    if (i > 0) b.need(memos[i - 1]);
    b.thunk("plus", {i > 0 ? values[i - 1] : x, x}, {values[i]}, sum);
    b.ret();
  }
  const auto program = b.build();
  // A quarter of a megabyte, as a thread that a user made may have.
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  pthread_t thread;
  struct Job {
    std::shared_ptr<const Program> program;
    Values result;
  } job{program, {}};
  const auto run = [](void* argument) -> void* {
    auto& job = *static_cast<Job*>(argument);
    job.result = Machine(job.program).call({1.0});
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, run, &job) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  CHECK(job.result == Values{kDepth + 1.0});
}

class Counting final : public BoundThunk {
 public:
  Status run(Activation& a, const Operands& o) override {
    a.output(o, 0).set(a.input(o, 0).get<double>() + ++runs_);
    return Status::Done;
  }

 private:
  double runs_ = 0;
};

TEST_CASE("a bound thunk belongs to one frame") {
  ProgramBuilder b;
  const Index x = b.input("x"), y = b.output("y");
  b.bound_thunk("counting", {x}, {y}, [] { return std::make_unique<Counting>(); });
  b.halt();
  const auto program = b.build();
  Machine first(program), second(program);
  CHECK(first.call({0.0}) == Values{1.0});
  CHECK(first.call({0.0}) == Values{2.0});
  CHECK(second.call({0.0}) == Values{1.0});
}

TEST_CASE("a bound thunk without run, or a maker that makes nothing, is a named error") {
  ProgramBuilder b;
  const Index y = b.output("y");
  b.bound_thunk("bare", {}, {y}, [] { return std::make_unique<BoundThunk>(); });
  b.halt();
  Machine machine(b.build());
  CHECK(machine.call({}).empty());
  CHECK(machine.node == "bare");
  CHECK(has(machine.error, "override BoundThunk::run"));

  ProgramBuilder none;
  none.bound_thunk("none", {}, {none.output("y")}, [] { return nullptr; });
  none.halt();
  CHECK_THROWS_WITH_AS(Machine(none.build()), doctest::Contains("has to return a BoundThunk"),
                       Error);
}

/// Stops a call when it is asked for the n-th time.
class Stopping final : public Host {
 public:
  explicit Stopping(int after) : left_(after) {}
  bool interrupted() override {
    ++asked;
    return --left_ < 0;
  }
  int asked = 0;

 private:
  int left_;
};

TEST_CASE("the host is asked about every thousand thunks and can stop the call there") {
  constexpr int kThunks = 5000;
  ProgramBuilder b;
  Index last = b.input("x");
  int ran = 0;
  for (int i = 0; i < kThunks; ++i) {
    const Index next = i == kThunks - 1 ? b.output("y") : b.reg("t");
    b.thunk(i == 2048 ? "after" : "plus", {last}, {next},
            [&](Activation& a, const Operands& o) {
              ++ran;
              sum(a, o);
            },
            {last});
    last = next;
  }
  b.halt();
  Machine patient(b.build());
  Stopping never(1000);
  REQUIRE(patient.frame.empty());
  patient.frame.cell(0).set(1.0);
  CHECK(patient.frame.run(never) == Status::Done);
  CHECK(never.asked == kThunks / kThunksPerPoll);
  patient.frame.finish();

  ran = 0;
  Machine machine(b.build());
  Stopping second(1);
  machine.frame.cell(0).set(1.0);
  CHECK(machine.frame.run(second) == Status::Failed);
  CHECK(ran == 2 * kThunksPerPoll);
  CHECK(machine.frame.failure().node == kNone);
  CHECK_THROWS_WITH_AS(std::rethrow_exception(machine.frame.failure().error),
                       "the call was interrupted", Error);
  CHECK(machine.frame.empty());
  CHECK(machine.runs("after") == 0);
  CHECK(machine.call({1.0}) == Values{1.0});
}

TEST_CASE("a kernel that took long has the host asked after it") {
  ProgramBuilder b;
  const Index x = b.input("x"), t = b.reg("t"), y = b.output("y");
  b.thunk("long", {x}, {t}, [](Activation& a, const Operands& o) {
    sum(a, o);
    a.poll = true;
  });
  b.thunk("next", {t}, {y}, sum, {t});
  b.halt();
  Machine machine(b.build());
  Stopping stopping(0);
  machine.frame.cell(x).set(1.0);
  CHECK(machine.frame.run(stopping) == Status::Failed);
  CHECK(stopping.asked == 1);
  CHECK(machine.runs("long") == 1);
  CHECK(machine.runs("next") == 0);
}

}  // namespace
}  // namespace thunkvm

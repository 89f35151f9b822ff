// test_interpreter.cpp: segments, branches, memo bodies, failures, counters and the frame that a
// call leaves behind.
#include "tests/cpp/assembler.h"
#include "vm/interpreter.h"
#include "vm/verifier.h"

#include <doctest/doctest.h>

#include <limits>
#include <thread>

namespace thunkvm {
namespace {

using namespace testing;

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

TEST_CASE("a branch runs the arm that its selector picks and no other") {
  ProgramBuilder b;
  const Index c = b.input("c"), x = b.input("x"), y = b.output("y");
  const Index no = b.label(), yes = b.label(), end = b.label();
  const Index counter = b.branch("ifelse", c, {no, yes});
  b.place(no);
  b.thunk("double", {x, x}, {y}, sum);
  b.jump(end);
  b.place(yes);
  b.thunk("square", {x, x}, {y}, product);
  b.place(end);
  b.halt();
  Machine machine(b.build());

  CHECK(machine.call_with({Cell::of(true), Cell::of(5.0)}) == Values{25.0});
  CHECK(machine.runs("double") == 0);
  CHECK(machine.call_with({Cell::of(false), Cell::of(5.0)}) == Values{10.0});
  CHECK(machine.call_with({Cell::of(false), Cell::of(6.0)}) == Values{12.0});
  CHECK(machine.runs("double") == 2);
  CHECK(machine.runs("square") == 1);
  CHECK(machine.frame.counters()[counter] == 2);
  CHECK(machine.frame.counters()[counter + 1] == 1);
}

TEST_CASE("a failing selector names the conditional and leaves nothing behind") {
  ProgramBuilder b;
  const Index c = b.input("c"), y = b.output("y");
  const Index end = b.label();
  b.thunk("one", {}, {y}, product);
  b.branch("ifelse", c, {end, end});
  b.place(end);
  b.halt();
  Machine machine(b.build());
  CHECK(machine.call({std::numeric_limits<double>::quiet_NaN()}).empty());
  CHECK(machine.node == "ifelse");
  CHECK(machine.kind == ErrorKind::Value);
  CHECK(has(machine.error, "NaN"));
  CHECK(machine.frame.empty());
  CHECK(machine.call({0.0}) == Values{1.0});
}

TEST_CASE("a truth value is read from every kind of number") {
  const auto truth = [](Cell cell) { return Interpreter::decode(cell, Decoding::Truth, 2); };
  CHECK(truth(Cell::of(true)) == 1);
  CHECK(truth(Cell::of(false)) == 0);
  CHECK(truth(Cell::of(std::int8_t{-3})) == 1);
  CHECK(truth(Cell::of(std::uint64_t{0})) == 0);
  CHECK(truth(Cell::of(-0.0)) == 0);
  CHECK(truth(Cell::of(0.5f)) == 1);
  CHECK(truth(Cell::of(Half(0.25f))) == 1);
  CHECK(truth(Cell::of(Complex64(0, 2))) == 1);
  CHECK(truth(Cell::of(Complex128(0, 0))) == 0);
  const Array one = Array::zeros(DType::Int32, std::vector<std::int64_t>{1, 1});
  CHECK(truth(Cell::of_array(one)) == 0);
  one.data_as<std::int32_t>()[0] = 7;
  CHECK(truth(Cell::of_array(one)) == 1);
}

TEST_CASE("an index picks its arm, and a default takes what is out of range") {
  const auto index = [](Cell cell) { return Interpreter::decode(cell, Decoding::Index, 3); };
  const auto or_default = [](Cell cell) {
    return Interpreter::decode(cell, Decoding::IndexOrDefault, 3);
  };
  CHECK(index(Cell::of(std::int64_t{2})) == 2);
  CHECK(index(Cell::of(std::uint8_t{1})) == 1);
  CHECK(index(Cell::of(true)) == 1);
  CHECK(index(Cell::of(2.0)) == 2);
  CHECK(or_default(Cell::of(std::int64_t{1})) == 1);
  CHECK(or_default(Cell::of(std::int64_t{2})) == 2);
  CHECK(or_default(Cell::of(std::int64_t{-1})) == 2);
  CHECK(or_default(Cell::of(std::numeric_limits<std::uint64_t>::max())) == 2);
  CHECK(or_default(Cell::of(1e300)) == 2);
}

TEST_CASE("a value that is no selector is a named error") {
  const auto message = [](Cell cell, Decoding decoding, ErrorKind kind) -> std::string {
    try {
      Interpreter::decode(cell, decoding, 3);
      return "no error";
    } catch (const Error& error) {
      CHECK(error.kind() == kind);
      return error.what();
    }
  };
  const Array three = Array::zeros(DType::Float64, std::vector<std::int64_t>{3});
  CHECK(has(message(Cell::of_array(three), Decoding::Truth, ErrorKind::Value), "shape (3,)"));
  CHECK(has(message(Cell{}, Decoding::Truth, ErrorKind::Value), "no value"));
  CHECK(has(message(Cell::of(Complex128(0, NAN)), Decoding::Truth, ErrorKind::Value), "NaN"));
  CHECK(has(message(Cell::of(std::int64_t{3}), Decoding::Index, ErrorKind::Index),
            "is 3, but there are 3 arms"));
  CHECK(has(message(Cell::of(std::int32_t{-1}), Decoding::Index, ErrorKind::Index), "is -1"));
  CHECK(has(message(Cell::of(1.5), Decoding::IndexOrDefault, ErrorKind::Value), "no whole number"));
  CHECK(has(message(Cell::of(double{NAN}), Decoding::IndexOrDefault, ErrorKind::Value),
            "no whole number"));
  CHECK(has(message(Cell::of(Complex64(1, 0)), Decoding::Index, ErrorKind::Value), "complex"));
}

TEST_CASE("a move copies or takes") {
  ProgramBuilder b;
  const Index x = b.input("x"), copy = b.output("copy"), taken = b.output("taken");
  b.move(copy, x);
  b.move(taken, x, true);
  b.halt();
  Machine machine(b.build());
  CHECK(machine.call({4.0}) == Values{4.0, 4.0});

  machine.frame.cell(x).set(4.0);
  REQUIRE(machine.frame.run(machine.host) == Status::Done);
  CHECK(machine.frame.cell(x).empty());
  machine.frame.finish();
  CHECK(machine.frame.empty());
}

TEST_CASE("a branch may empty the selector that dies in it, and the verifier knows") {
  ProgramBuilder b;
  const Index c = b.input("c"), y = b.output("y");
  const Index end = b.label();
  b.branch("ifelse", c, {end, end});
  b.place(end);
  b.thunk("look", {}, {y}, [&](Activation& a, const Operands& o) {
    a.output(o, 0).set(a.cells[c].empty() ? 1.0 : 0.0);
  });
  const Index read = b.label();
  b.jump(read);
  b.place(read);
  b.move(b.reg("late"), c);
  b.halt();
  const auto program = b.build();
  CHECK(Machine(program).call({1.0}) == Values{0.0});
  program->code[0].flag = kTake;
  CHECK(Machine(program).call({1.0}) == Values{1.0});
  CHECK(Machine(program).call_with({Cell::of(true)}) == Values{1.0});
  CHECK_THROWS_WITH_AS(verify(*program),
                       doctest::Contains("(Move): register 0 (c) is read after it was retired"),
                       Error);
}

TEST_CASE("a memo body runs at its first need and not again in this call") {
  ProgramBuilder b;
  const Index c = b.input("c"), x = b.input("x"), shared = b.reg("shared"), y = b.output("y");
  const Index no = b.label(), yes = b.label(), end = b.label();
  const Index memo = b.memo("costly memo");
  b.branch("ifelse", c, {no, yes});
  b.place(no);
  b.move(y, x);
  b.jump(end);
  b.place(yes);
  b.need(memo);
  b.need(memo);
  b.thunk("plus", {shared, shared}, {y}, sum);
  b.place(end);
  b.retire({shared});
  b.halt();
  b.body(memo);
  b.thunk("costly", {x, x}, {shared}, product);
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
    b.body(memos[i]);
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

TEST_CASE("wherever a thunk fails, no register holds a value and the frame can be used again") {
  constexpr int kThunks = 5;
  for (int failing = 0; failing < kThunks; ++failing) {
    CAPTURE(failing);
    bool fail = true;
    ProgramBuilder b;
    const Index x = b.input("x"), w = b.shared("w"), k = b.constant("k", Cell::of(10.0));
    Index last = x;
    for (int i = 0; i < kThunks; ++i) {
      const Index next = i == kThunks - 1 ? b.output("y") : b.reg("t");
      b.thunk("thunk " + std::to_string(i), {last, w, k}, {next},
              [&, i](Activation& a, const Operands& o) {
                if (fail && i == failing) throw Error(ErrorKind::Value, "not this time");
                sum(a, o);
              });
      last = next;
    }
    b.halt();
    Machine machine(b.build());
    machine.frame.cell(w).set(1.0);
    CHECK(machine.call({0.0}).empty());
    CHECK(machine.node == "thunk " + std::to_string(failing));
    CHECK(machine.error == "not this time");
    CHECK(machine.frame.empty());
    CHECK(machine.frame.cell(k).is_scalar());
    CHECK(machine.frame.cell(k).get<double>() == 10.0);
    for (int i = 0; i < kThunks; ++i)
      CHECK(machine.runs("thunk " + std::to_string(i)) == (i <= failing ? 1u : 0u));

    fail = false;
    machine.frame.cell(w).set(1.0);
    CHECK(machine.call({0.0}) == Values{55.0});
    for (int i = 0; i < kThunks; ++i)
      CHECK(machine.runs("thunk " + std::to_string(i)) == (i <= failing ? 2u : 1u));
    machine.frame.reset_counters();
    for (int i = 0; i < kThunks; ++i) CHECK(machine.runs("thunk " + std::to_string(i)) == 0);
  }
}

TEST_CASE("a failure inside a memo body is that node's, and the memo runs again in the next call") {
  bool fail = true;
  ProgramBuilder b;
  const Index x = b.input("x"), t = b.reg("t"), y = b.output("y");
  const Index memo = b.memo("memo");
  b.need(memo);
  b.thunk("plus", {t, t}, {y}, sum, {t});
  b.halt();
  b.body(memo);
  b.thunk("inner", {x}, {t}, [&](Activation& a, const Operands& o) {
    if (fail) throw std::runtime_error("inner failed");
    sum(a, o);
  });
  b.ret();
  Machine machine(b.build());
  CHECK(machine.call({2.0}).empty());
  CHECK(machine.node == "inner");
  CHECK(machine.runs("plus") == 0);
  CHECK(machine.frame.empty());
  fail = false;
  CHECK(machine.call({2.0}) == Values{4.0});
  CHECK(machine.runs("inner") == 2);
}

TEST_CASE("a thunk that fails without an error gets one that says so") {
  ProgramBuilder b;
  const Index y = b.output("y");
  b.step("mute", {}, {y}, [](Activation&, const Operands&) { return Status::Failed; }, nullptr);
  b.halt();
  Machine machine(b.build());
  CHECK(machine.call({}).empty());
  CHECK(machine.node == "mute");
  CHECK(has(machine.error, "failed without an error"));
}

TEST_CASE("a failure can be taken out of its frame") {
  ProgramBuilder b;
  const Index y = b.output("y");
  b.thunk("bad", {}, {y}, fails);
  b.halt();
  Machine machine(b.build());
  machine.call({});
  const Failure failure = machine.frame.take_failure();
  CHECK(failure.error != nullptr);
  CHECK(failure.node == 0);
  CHECK(machine.frame.failure().error == nullptr);
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

TEST_CASE("a keep program has its intermediates from the call before, and not its inputs") {
  ProgramBuilder b;
  const Index x = b.input("x"), t = b.reg("t"), y = b.output("y");
  double stale = -1;
  b.thunk("square", {x, x}, {t}, [&](Activation& a, const Operands& o) {
    CHECK(a.keep);
    stale = a.output(o, 0).empty() ? 0 : a.output(o, 0).get<double>();
    product(a, o);
  });
  b.thunk("copy", {t}, {y}, sum);
  b.keep();
  b.halt();
  Machine machine(b.build());
  CHECK(machine.call({3.0}) == Values{9.0});
  CHECK(stale == 0);
  CHECK(machine.frame.empty());
  CHECK(machine.frame.cell(t).get<double>() == 9.0);
  CHECK(machine.frame.cell(x).empty());
  CHECK(machine.call({4.0}) == Values{16.0});
  CHECK(stale == 9.0);
  machine.frame.abandon();
  CHECK(machine.frame.cell(t).empty());
}

TEST_CASE("finish drops the outputs and updates that the caller left, but no constant") {
  ProgramBuilder b;
  const Index x = b.input("x"), y = b.output("y"), u = b.update("u");
  b.thunk("square", {x, x}, {y}, product);
  b.thunk("plus", {x, x}, {u}, sum);
  b.halt();
  const auto program = b.build();
  program->constants.emplace_back(program->n_registers++, Cell::of(2.0));
  program->outputs.push_back(program->n_registers - 1);
  Frame frame(program);
  Host host;
  frame.cell(x).set(3.0);
  REQUIRE(frame.run(host) == Status::Done);
  frame.finish();
  CHECK(frame.empty());
  CHECK(frame.cell(program->outputs[1]).is_scalar());
}

class Recorder final : public Tracer {
 public:
  explicit Recorder(std::string fail_after = "") : fail_after_(std::move(fail_after)) {}
  void before(std::uint32_t node, Frame& frame) override {
    text += "(" + frame.program().text->node(node);
  }
  void after(std::uint32_t node, Frame& frame, Status status) override {
    text += status == Status::Done ? ")" : "!)";
    if (frame.program().text->node(node) == fail_after_)
      throw Error(ErrorKind::Value, "the tracer objects");
  }
  void branched(std::uint32_t branch, std::uint32_t arm, Frame&) override {
    text += "[" + std::to_string(branch) + ":" + std::to_string(arm) + "]";
  }
  std::string text;

 private:
  std::string fail_after_;
};

TEST_CASE(
    "a tracer sees thunks and branches, before their inputs are retired, and may fail the call") {
  ProgramBuilder b;
  const Index c = b.input("c"), x = b.input("x"), y = b.output("y");
  const Index no = b.label(), yes = b.label();
  b.branch("ifelse", c, {no, yes});
  b.place(yes);
  b.thunk("a", {x}, {y}, sum, {x});
  b.halt();
  b.place(no);
  b.thunk("b", {x}, {y}, sum);
  b.thunk("bad", {x}, {y}, fails);
  b.halt();
  Machine machine(b.build());
  Recorder taken, other, objecting("a");
  machine.tracer = &taken;
  CHECK(machine.call({1.0, 2.0}) == Values{2.0});
  CHECK(taken.text == "[0:1](a)");
  machine.tracer = &other;
  CHECK(machine.call({0.0, 2.0}).empty());
  CHECK(other.text == "[0:0](b)(bad!)");
  machine.tracer = &objecting;
  CHECK(machine.call({1.0, 2.0}).empty());
  CHECK(machine.error == "the tracer objects");
  CHECK(machine.node == "a");
  CHECK(machine.frame.empty());
}

TEST_CASE("a pool hands out idle frames again and sums their counters") {
  ProgramBuilder b;
  const Index x = b.input("x"), y = b.output("y");
  b.thunk("square", {x, x}, {y}, product);
  b.halt();
  FramePool pool(b.build());
  Host host;
  Frame* first = pool.acquire();
  Frame* second = pool.acquire();
  CHECK(first != second);
  for (Frame* frame : {first, second, second}) {
    frame->cell(x).set(3.0);
    REQUIRE(frame->run(host) == Status::Done);
    frame->finish();
  }
  pool.release(first);
  pool.release(second);
  CHECK(pool.size() == 2);
  CHECK(pool.node_runs() == std::vector<std::uint64_t>{3});
  CHECK(pool.counters() == std::vector<std::uint64_t>{3});
  Frame* third = pool.acquire();
  Frame* fourth = pool.acquire();
  CHECK(pool.size() == 2);
  pool.release(third);
  pool.release(fourth);
  pool.reset_counters();
  CHECK(pool.node_runs() == std::vector<std::uint64_t>{0});
}

TEST_CASE("one pool serves many threads, and loses no count") {
  constexpr int kThreads = 4, kCalls = 2000;
  ProgramBuilder b;
  const Index x = b.input("x"), y = b.output("y");
  b.thunk("square", {x, x}, {y}, product);
  b.halt();
  FramePool pool(b.build());
  std::vector<int> wrong(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      Host host;
      for (int i = 0; i < kCalls; ++i) {
        Frame* frame = pool.acquire();
        frame->cell(x).set(double(i));
        if (frame->run(host) != Status::Done || frame->cell(y).get<double>() != double(i) * i)
          ++wrong[t];
        frame->finish();
        pool.release(frame);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(kThreads));
  CHECK(pool.node_runs() == std::vector<std::uint64_t>{kThreads * kCalls});
  CHECK(pool.size() <= kThreads);
}

}  // namespace
}  // namespace thunkvm

// test_frame.cpp: the frame that a call leaves behind, and the pool of frames.
#include "tests/cpp/assembler.h"
#include "vm/interpreter.h"

#include <doctest/doctest.h>

#include <thread>

namespace thunkvm {
namespace {

using namespace testing;
using testing::Index;

TEST_CASE(
    "a program that retains intermediates has its intermediates from the call before, and not its "
    "inputs") {
  ProgramBuilder b;
  const Index x = b.input("x"), t = b.reg("t"), y = b.output("y");
  double stale = -1;
  b.thunk("square", {x, x}, {t}, [&](Activation& a, const Operands& o) {
    CHECK(a.retain_intermediates);
    stale = a.output(o, 0).empty() ? 0 : a.output(o, 0).get<double>();
    product(a, o);
  });
  b.thunk("copy", {t}, {y}, sum);
  b.retain_intermediates();
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

class Journal final : public Tracer {
 public:
  explicit Journal(std::string fail_after = "") : fail_after_(std::move(fail_after)) {}
  void before(const ThunkRun& run) override {
    text += "(" + run.frame.program().text->node(run.node);
  }
  void after(const ThunkRun& run, Status status) override {
    text += status == Status::Done ? ")" : "!)";
    if (run.frame.program().text->node(run.node) == fail_after_)
      throw Error(ErrorKind::Value, "the tracer objects");
  }
  std::string text;

 private:
  std::string fail_after_;
};

TEST_CASE("a tracer sees thunks before their inputs are retired, and may fail the call") {
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
  Journal taken, other, objecting("a");
  machine.tracer = &taken;
  CHECK(machine.call({1.0, 2.0}) == Values{2.0});
  CHECK(taken.text == "(a)");
  machine.tracer = &other;
  CHECK(machine.call({0.0, 2.0}).empty());
  CHECK(other.text == "(b)(bad!)");
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

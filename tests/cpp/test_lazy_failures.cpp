// test_lazy_failures.cpp: every way to break the protocol of lazy thunks, and inputs that fail.
#include "tests/cpp/lazy_program.h"
#include "vm/interpreter.h"

#include <doctest/doctest.h>

namespace thunkvm {
namespace {

using namespace testing;
using Asked = std::vector<std::int64_t>;

struct Misuse {
  const char* what;
  std::vector<Asked> lists;  ///< what it asks for, entry by entry
  ErrorKind kind;
  const char* message;
  const char* ran;
};

TEST_CASE(
    "a lazy thunk that breaks the protocol is an error that names it, and nothing more runs") {
  const std::vector<Misuse> misuses = {
      {"an index too large",
       {{0, 2}},
       ErrorKind::Index,
       "asked for input 2, but it has 2 inputs",
       ""},
      {"a negative index",
       {{0}, {-1}},
       ErrorKind::Index,
       "asked for input -1, but it has 2 inputs",
       "in0 "},
      {"an index beyond 32 bits",
       {{std::int64_t{1} << 32}},
       ErrorKind::Index,
       "input 4294967296",
       ""},
      {"an input that it got",
       {{0}, {1, 0}},
       ErrorKind::Runtime,
       "asked again for input 0",
       "in0 "},
      {"no input, no output", {{}}, ErrorKind::Runtime, "finished without the demanded output", ""},
      {"the same after an input",
       {{1}, {}},
       ErrorKind::Runtime,
       "finished without the demanded output",
       "in1 "},
  };
  for (const Misuse& misuse : misuses) {
    CAPTURE(misuse.what);
    std::size_t entry = 0;
    int resets = 0;
    LazyProgram p(2, 2, {0},
                  lazy_function(
                      [&](LazyCall& call) {
                        call.set_output(1, Cell::of(1.0));  // not the demanded one
                        if (entry == misuse.lists.size()) return call.set_output(0, Cell::of(42.0));
                        for (const std::int64_t input : misuse.lists[entry]) call.request(input);
                        ++entry;
                      },
                      [&] { ++resets; }));
    Machine machine = p.machine();
    CHECK(machine.call({}).empty());
    CHECK(machine.node == "lazy");
    CHECK(machine.kind == misuse.kind);
    INFO(machine.error);
    CHECK(has(machine.error, misuse.message));
    CHECK(p.log == misuse.ran);
    CHECK(machine.frame.empty());
    CHECK(resets == 1);

    entry = misuse.lists.size();
    CHECK(machine.call({}) == Values{42.0});
    CHECK(resets == 2);
  }
}

TEST_CASE("a lazy thunk that throws fails the call at its node") {
  LazyProgram p(1, 1, {0}, lazy_function([](LazyCall& call) {
                  if (!call.available(0)) return call.request(0);
                  throw std::runtime_error("changed my mind");
                }));
  Machine machine = p.machine();
  CHECK(machine.call({}).empty());
  CHECK(machine.node == "lazy");
  CHECK(machine.error == "changed my mind");
  CHECK(machine.frame.empty());
}

TEST_CASE("a failing input fails the call at its own node, and the inputs after it do not run") {
  int entries = 0, resets = 0;
  LazyProgram p(3, 1, {0},
                lazy_function(
                    [&](LazyCall& call) {
                      ++entries;
                      if (call.available(0)) return call.set_output(0, Cell::of(1.0));
                      for (const int i : {2, 1, 0}) call.request(i);
                    },
                    [&] { ++resets; }));
  p.failing = 1;
  Machine machine = p.machine();
  CHECK(machine.call({}).empty());
  CHECK(machine.node == "in1");
  CHECK(p.log == "in2 in1 ");
  CHECK(entries == 1);
  CHECK(resets == 1);
  CHECK(machine.frame.empty());

  p.failing = -1;
  p.log.clear();
  CHECK(machine.call({}) == Values{1.0});
  CHECK(p.log == "in2 in1 in0 ");
}

TEST_CASE("what a failed call was still waiting for is not computed in the next") {
  bool first_call = true;
  LazyProgram p(2, 1, {0}, lazy_function([&](LazyCall& call) {
                  if (call.available(0)) return call.set_output(0, call.input(0));
                  call.request(0);
                  if (first_call) call.request(1);
                }));
  p.failing = 0;
  Machine machine = p.machine();
  CHECK(machine.call({}).empty());
  p.failing = -1;
  first_call = false;
  CHECK(machine.call({}) == Values{1.0});
  CHECK(p.log == "in0 in0 ");
}

TEST_CASE("an input computed in place may not fail unnoticed") {
  int entries = 0;
  LazyProgram p(2, 1, {0}, lazy_function([&](LazyCall& call) {
                  ++entries;
                  const Status first = call.compute_now(0), again = call.compute_now(0),
                               second = call.compute_now(1);
                  CHECK(first == Status::Done);
                  CHECK(again == Status::Done);
                  CHECK(call.available(0));
                  CHECK((second == Status::Done) == call.available(1));
                  call.set_output(0, Cell::of(call.input(0).get<double>()));
                }));
  Machine machine = p.machine();
  CHECK(machine.call({}) == Values{1.0});
  CHECK(p.log == "in0 in1 ");
  p.failing = 1;
  CHECK(machine.call({}).empty());
  CHECK(machine.node == "in1");
  CHECK(entries == 2);
  CHECK(machine.frame.empty());
}

}  // namespace
}  // namespace thunkvm

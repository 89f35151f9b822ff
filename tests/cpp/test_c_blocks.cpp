// test_c_blocks.cpp: which Runs of users' C become one function, and what enters and leaves it.
#include "linkers/linker.h"
#include "linkers/passes/c_blocks.h"
#include "ops/control/conditional.h"
#include "ops/graph/functions.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

Variable vector(const char* name) {
  return Variable::input(TensorType::of_ndim(DType::Float64, 1), name);
}

Schedule schedule_of(std::vector<Variable> inputs, std::vector<Variable> outputs) {
  return *link({.inputs = std::move(inputs), .outputs = std::move(outputs)}, {}).schedule;
}

std::string op_of(const Schedule& schedule, StatementIndex run) {
  return schedule.nodes[schedule.statements[run].node].node()->op()->name();
}

/// The blocks of a schedule in which these Ops are C of users': those of the first list may share a
/// block with each other, and those of the second one.
std::vector<ScheduledCBlock> blocks_of(const Schedule& schedule, std::string_view first,
                                       std::string_view second = "", std::size_t largest = 100) {
  IndexedVector<ProgramNode, std::uint32_t> sharing;
  for (const Variable& output : schedule.nodes) {
    const std::string name = output.node()->op()->name();
    sharing.push_back(first.find(name) != std::string_view::npos    ? 0u
                      : second.find(name) != std::string_view::npos ? 1u
                                                                    : kNone);
  }
  return c_blocks(schedule, sharing, largest);
}

/// "exp log, sin": the Ops of blocks.
std::string text(const Schedule& schedule, const std::vector<ScheduledCBlock>& blocks) {
  std::string text;
  for (const ScheduledCBlock& block : blocks) {
    if (!text.empty()) text += ", ";
    for (std::size_t k = 0; k < block.runs.size(); ++k)
      text += (k == 0 ? "" : " ") + op_of(schedule, block.runs[k]);
  }
  return text;
}

/// "exp.0 = x": which input, or output, of which member has which register.
std::string text(const Schedule& schedule, const ScheduledCBlock& block,
                 const std::vector<ScheduledCBlock::Port>& ports) {
  std::string text;
  for (const ScheduledCBlock::Port& port : ports)
    text += (text.empty() ? "" : ", ") + op_of(schedule, block.runs[port.member]) + "." +
            std::to_string(port.slot) + " = " + schedule.register_name(port.reg);
  return text;
}

TEST_CASE("runs behind each other that may share a block do") {
  const Variable x = vector("x");
  const Schedule schedule = schedule_of({x}, {neg(log(exp(x)))});
  CHECK(text(schedule, blocks_of(schedule, "exp log neg")) == "exp log neg");
}

TEST_CASE("what runs no C, or shares with others, ends a block") {
  const Variable x = vector("x");
  const Schedule schedule = schedule_of({x}, {exp(log(neg(log(exp(x)))))});
  CHECK(text(schedule, blocks_of(schedule, "exp log")) == "exp log, log exp");
  CHECK(text(schedule, blocks_of(schedule, "exp log", "neg")) == "exp log, neg, log exp");
}

TEST_CASE("a block has no more runs than it may have") {
  const Variable x = vector("x");
  const Schedule schedule = schedule_of({x}, {exp(log(neg(log(exp(x)))))});
  CHECK(text(schedule, blocks_of(schedule, "exp log neg", "", 2)) == "exp log, neg log, exp");
  CHECK(text(schedule, blocks_of(schedule, "exp log neg", "", 1)) == "exp, log, neg, log, exp");
}

TEST_CASE("a block is within one arm") {
  const Variable x = vector("x"), y = exp(x);
  const Variable c = Variable::input(TensorType::scalar(DType::Float64), "c");
  const Schedule schedule = schedule_of({x, c}, {ifelse(c, neg(log(y)), log(neg(y)))});
  CHECK(text(schedule, blocks_of(schedule, "exp log neg")) == "exp, neg log, log neg");
}

TEST_CASE("a value enters a block once, and leaves it where others read it") {
  const Variable x = vector("x"), y = exp(x), z = log(y * x);
  const Schedule schedule = schedule_of({x}, {z, sum(y)});
  const std::vector<ScheduledCBlock> blocks = blocks_of(schedule, "exp mul log");
  REQUIRE(text(schedule, blocks) == "exp mul log");
  CHECK(text(schedule, blocks[0], blocks[0].inputs) == "exp.0 = x");
  CHECK(text(schedule, blocks[0], blocks[0].outputs) == "exp.0 = t1, log.0 = t3");
}

TEST_CASE("a run alone gets each input as often as it names it, and hands all outputs on") {
  const Variable x = vector("x"), y = exp(x);
  const Schedule schedule = schedule_of({x}, {log(y * y)});
  const std::vector<ScheduledCBlock> blocks = blocks_of(schedule, "exp mul log");
  REQUIRE(text(schedule, blocks) == "exp mul log");
  const ScheduledCBlock one = block_of_one(schedule, blocks[0], 1);
  CHECK(text(schedule, {one}) == "mul");
  CHECK(text(schedule, one, one.inputs) == "mul.0 = t1, mul.1 = t1");
  CHECK(text(schedule, one, one.outputs) == "mul.0 = t2");
}

TEST_CASE("the first run of a block says that it reads what all of them do") {
  const Variable x = vector("x"), a = vector("a"), b = vector("b");
  Schedule schedule = schedule_of({x, a, b}, {log((exp(x) * a) * b)});
  const std::vector<ScheduledCBlock> blocks = blocks_of(schedule, "exp mul log");
  REQUIRE(text(schedule, blocks) == "exp mul mul log");
  read_at_first(schedule, blocks[0]);
  CHECK(schedule.text() == R"(root
  exp.0: t1 = x, a, b
  mul.1: t3 = t1, a, dies: t1
  mul.2: t5 = t3, b, dies: t3
  log.3: t6 = t5, dies: t5
)");
}

}  // namespace
}  // namespace thunkvm

// test_shape_facts.cpp: which values are known to have the same shape, and what nests make of it.
#include "linkers/codegen/emit/emitter.h"
#include "linkers/linker.h"
#include "ops/graph/array_op.h"
#include "ops/graph/extents.h"
#include "ops/graph/functions.h"
#include "ops/graph/registry.h"
#include "ops/graph/shape_facts.h"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

namespace thunkvm {
namespace {

using Verdict = ShapeFacts::Verdict;

Variable array(const StaticShape& shape) {
  return Variable::input(TensorType::of(DType::Float64, shape), "x");
}
Variable vector() { return array({kUnknownLength}); }

/// Whether `a` and `b`, which a function of these inputs computes, have the same shape.
Verdict compare(std::vector<Variable> inputs, const Variable& a, const Variable& b) {
  const Linked linked = link({.inputs = std::move(inputs), .outputs = {a, b}}, {});
  const ShapeFacts shapes(linked.schedule->nodes);
  return shapes.compare(shapes.shape(*a.node(), a.index()), shapes.shape(*b.node(), b.index()));
}

/// The nests that a function is emitted with.
std::vector<FusedNest> fused_nests(std::vector<Variable> inputs, std::vector<Variable> outputs) {
  LinkOptions options;
  options.emits = true;
  const Linked linked = link({.inputs = std::move(inputs), .outputs = std::move(outputs)}, options);
  const ShapeFacts shapes(linked.schedule->nodes);
  return emit(linked.program, *linked.schedule, shapes, {})->nests;
}

/// A user's Op of one vector, which says nothing of lengths.
class Unruly final : public Op {
 public:
  std::string name() const override { return "unruly"; }
  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    return {Apply::make1(*this, inputs, TensorType::of_ndim(DType::Float64, 1))};
  }
  ThunkCode kernel(const Apply&) const override {
    ThunkCode code;
    code.eager = [](Activation&, const Operands&) { return Status::Done; };
    return code;
  }
};

TEST_CASE("what is computed of one array has its shape") {
  const Variable x = vector();
  CHECK(compare({x}, exp(x) * 2.0, x + x) == Verdict::Same);
}

TEST_CASE("two arrays may have any lengths") {
  const Variable x = vector(), y = vector();
  CHECK(compare({x, y}, exp(x), exp(y)) == Verdict::Unknown);
  CHECK(compare({x, y}, exp(x), x + y) == Verdict::Unknown);
}

TEST_CASE("what arrays broadcast to is one shape, wherever that is computed") {
  const Variable x = vector(), y = vector();
  CHECK(compare({x, y}, x + y, exp(y) * x) == Verdict::Same);
}

TEST_CASE("lengths that are known by type are the same or different") {
  const Variable x = array({3, kUnknownLength}), y = array({3, kUnknownLength}),
                 z = array({4, kUnknownLength});
  CHECK(compare({x, z}, exp(x), exp(z)) == Verdict::Different);
  CHECK(compare({x, y}, exp(x), exp(y)) == Verdict::Unknown);
  const Variable a = array({3}), b = array({3}), one = array({1});
  CHECK(compare({a, b}, exp(a), exp(b)) == Verdict::Same);
  CHECK(compare({a, one}, exp(a), exp(one)) == Verdict::Different);
}

TEST_CASE("what is repeated to the shape of an array has that") {
  const Variable x = vector(), s = array({});
  CHECK(compare({x, s}, exp(x), exp(call_op("broadcast_to", {s, shape(x)}))) == Verdict::Same);
}

TEST_CASE("equal parts have equal lengths, and others may") {
  const Variable x = vector();
  CHECK(compare({x}, exp(subtensor(x, {"1:"})), subtensor(x, {"1:"}) + 1.0) == Verdict::Same);
  CHECK(compare({x}, exp(subtensor(x, {"1:"})), exp(subtensor(x, {"2:"}))) == Verdict::Unknown);
}

TEST_CASE("parts that leave out as many elements have equal lengths") {
  const Variable x = vector();
  const auto part = [&](const char* slice) { return exp(subtensor(x, {slice})); };
  CHECK(compare({x}, part("1:"), part(":-1")) == Verdict::Same);
  CHECK(compare({x}, part("2:"), part("1:-1")) == Verdict::Same);
  CHECK(compare({x}, part("1:-1"), part(":-2:1")) == Verdict::Same);
  CHECK(compare({x}, part("-3:"), part("0:3")) == Verdict::Same);
  CHECK(compare({x}, part("::-1"), exp(x)) == Verdict::Same);
  CHECK(compare({x}, part("1:"), part(":1")) == Verdict::Unknown);
  CHECK(compare({x}, part("1:3"), part(":2")) == Verdict::Unknown);
  CHECK(compare({x}, part("-3:-1"), part(":2")) == Verdict::Unknown);
  CHECK(compare({x}, part("::2"), part("1::2")) == Verdict::Unknown);
}

TEST_CASE("arrays of different numbers of axes have different shapes") {
  const Variable x = vector(), y = array({kUnknownLength, kUnknownLength});
  CHECK(compare({x, y}, exp(x), exp(y)) == Verdict::Different);
}

TEST_CASE("of lengths that no rule tells, nothing is known but that they are their own") {
  const Variable x = vector();
  const Ref<const Op> op(new Unruly);
  const Variable first = op->call(std::vector{x})[0], second = op->call(std::vector{x})[0];
  CHECK(compare({x}, exp(first), exp(second)) == Verdict::Unknown);
  CHECK(compare({x}, exp(first), first + 1.0) == Verdict::Same);
}

TEST_CASE("without facts nothing is known") {
  const Variable x = vector();
  const ShapeFacts none;
  CHECK(none.shape(*x.node()).empty());
  CHECK(none.compare(none.shape(*x.node()), none.shape(*x.node())) == Verdict::Unknown);
}

TEST_CASE("nodes of one shape are one nest, connected or not, and nothing is compared") {
  const Variable x = vector(), s = array({});
  const std::vector<FusedNest> nests = fused_nests({x, s}, {exp(x), x * s, x * x});
  REQUIRE(nests.size() == 1);
  CHECK(nests[0].members.steps.size() == 3);
  CHECK(nests[0].own_spaces.empty());
}

TEST_CASE("lengths that a broadcast is given are not compared where another member has them") {
  const Variable x = vector(), y = vector();
  const Variable given = call_op("broadcast_to", {y, shape(x)});
  const std::vector<FusedNest> nests = fused_nests({x, y}, {exp(x), given * 2.0});
  REQUIRE(nests.size() == 1);
  CHECK(nests[0].alike.empty());
  CHECK(nests[0].lengths.empty());
  CHECK(nests[0].own_spaces.size() == 1);  // y may be longer: then exp(x) has not the nest's shape
}

TEST_CASE("lengths that the type of a broadcast has are compared with those that it is given") {
  const Variable x = array({5}), y = array({5});
  const Variable lengths = Variable::input(TensorType::of(DType::Int64, {1}), "lengths");
  const std::vector<FusedNest> nests =
      fused_nests({x, y, lengths}, {exp(x) * call_op("broadcast_to", {y, lengths})});
  REQUIRE(nests.size() == 1);
  CHECK(nests[0].lengths.size() == 1);
}

TEST_CASE("what is not known of connected nodes is compared when the nest runs") {
  const Variable x = vector(), y = vector();
  const std::vector<FusedNest> nests = fused_nests({x, y}, {exp(x) + y});
  REQUIRE(nests.size() == 1);
  CHECK(nests[0].own_spaces == std::vector<std::uint64_t>{0b01});  // exp(x) has the sum's shape
}

TEST_CASE("nodes that cannot have the same shape are not one nest") {
  const Variable row = array({1, 3}), x = array({4, 3});
  CHECK(fused_nests({row, x}, {exp(row) + x}).empty());
  CHECK(fused_nests({row, x}, {exp(row) * 2.0 + x}).size() == 1);
}

TEST_CASE("nodes of arrays that need not be alike are nests of their own") {
  const Variable x = vector(), y = vector();
  CHECK(fused_nests({x, y}, {exp(x) * 2.0, exp(y) * 2.0}).size() == 2);
}

TEST_CASE("a rule infers lengths where it gives others than those of the value itself") {
  const Variable x = vector();
  CHECK(is_inferred(exp(x), extents_of(x)));
  CHECK_FALSE(is_inferred(x, extents_of(x)));
  CHECK(is_inferred(array({3}), extents_of(array({3}))));
  CHECK(is_inferred(sum(x), {}));
}

}  // namespace
}  // namespace thunkvm

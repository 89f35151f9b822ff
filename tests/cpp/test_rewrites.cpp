// test_rewrites.cpp: what each rewrite takes out of a graph, and what it leaves alone.
#include "ops/control/conditional.h"
#include "ops/graph/functions.h"
#include "ops/rewrites/inferred_shapes.h"
#include "ops/rewrites/rewrite.h"
#include "tests/cpp/arrays.h"
#include "tests/cpp/evaluate.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace thunkvm;

namespace {

Variable scalar(DType dtype, const char* name = "x") {
  return Variable::input(TensorType::scalar(dtype), name);
}
Variable real(const char* name) { return scalar(DType::Float64, name); }
Variable transposed(const Variable& x) { return call_op("transpose", {x}); }
Variable number(double value) { return Variable::number(value); }

std::size_t count_nodes(const std::vector<Variable>& roots) {
  std::size_t n = 0;
  for (const Apply* node : topological_order(roots)) n += node->leaf() == Leaf::None;
  return n;
}

/// The outputs after the named rewrites. The counts that come with them have to add up.
std::vector<Variable> rewritten(std::vector<std::string> names, std::vector<Variable> outputs) {
  const Rewritten result = rewrite({.outputs = outputs}, names);
  std::size_t removed = 0;
  for (const auto& [name, count] : result.removed) removed += count;
  CHECK(count_nodes(result.graph.outputs) + removed == count_nodes(outputs));
  return result.graph.outputs;
}
Variable merged(const Variable& output) { return rewritten({"merge"}, {output})[0]; }
Variable undone(const Variable& output) { return rewritten({"inverses"}, {output})[0]; }
Variable done_once(const Variable& output) { return rewritten({"idempotents"}, {output})[0]; }
std::vector<Variable> shaped(std::vector<Variable> outputs) {
  return with_inferred_shapes({.outputs = std::move(outputs)}).outputs;
}
Variable shaped(const Variable& output) { return shaped(std::vector{output})[0]; }

bool stays(const Variable& output, const Variable& after) { return after == output; }

/// An Op of a user's: not from the registry.
class Effect final : public Op {
 public:
  std::string name() const override { return "effect"; }
  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    return {Apply::make1(*this, inputs, inputs[0].type_ref())};
  }
};

}  // namespace

// ---- merge

TEST_CASE("equal nodes of the same inputs become one, and so do the nodes over them") {
  const Variable x = real("x"), y = real("y");
  const Variable sum = merged(exp(x + y) + exp(x + y));
  CHECK(sum.node()->input(0) == sum.node()->input(1));
  CHECK(count_nodes({sum}) == 3);
  CHECK(evaluate(sum, {{x, Cell::of(0.0)}, {y, Cell::of(0.0)}}).get<double>() == 2.0);
}

TEST_CASE("nodes that differ in an input, its order or an attribute stay two") {
  const Variable x = tensor(DType::Float64, 2), y = tensor(DType::Float64, 2);
  for (const Variable& output : {(x - y) + (y - x), exp(x) + exp(y),
                                 call_op("sum", {x}, {{"axis", std::vector<std::int64_t>{0}}}) +
                                     call_op("sum", {x}, {{"axis", std::vector<std::int64_t>{1}}})})
    CHECK(stays(output, merged(output)));
}

TEST_CASE("constants of one type with the same bits are one input; -0.0 is not 0.0") {
  const Variable x = real("x");
  CHECK(count_nodes({merged((x + number(2)) * (x + number(2)))}) == 2);
  CHECK(count_nodes({merged((x + number(0.0)) * (x + number(-0.0)))}) == 3);
  CHECK(count_nodes({merged((x + number(2)) * (x + weak_number(2)))}) == 3);
  const auto vector = [](double last) {
    return Variable::constant(Cell::of_array(vector_of<double>({1, last})));
  };
  CHECK(count_nodes({merged((x + vector(2)) * (x + vector(2)))}) == 2);
  CHECK(count_nodes({merged((x + vector(2)) * (x + vector(3)))}) == 3);
}

TEST_CASE("constants of other types are one input only if they hold one kind of value") {
  const auto kept = [](Cell value) {
    return call_op("stop_gradient", {Variable::constant(value, GenericType::instance())});
  };
  const auto one = Cell::of(std::int8_t{1}), truth = Cell::of(true);
  CHECK(count_nodes(rewritten({"merge"}, {kept(one), kept(one)})) == 1);
  CHECK(count_nodes(rewritten({"merge"}, {kept(one), kept(truth)})) == 2);
}

TEST_CASE("outputs of one node are different inputs") {
  const Variable c = real("c"), x = real("x"), y = real("y");
  const std::vector<Variable> arms[2] = {{x, y}, {y, x}};
  const std::vector<Variable> picked = conditional(c, Decoding::Truth, arms);
  const Variable both = exp(picked[0]) + exp(picked[1]);
  CHECK(stays(both, merged(both)));
}

TEST_CASE("equal attributes make equal Ops, whoever made them") {
  const Variable x = tensor(DType::Float64, 2);
  const auto sum = [&] { return call_op("sum", {x}, {{"axis", std::vector<std::int64_t>{0}}}); };
  CHECK(count_nodes({merged(sum() + sum())}) == 2);
}

TEST_CASE("an Op that is not from the registry may have effects: its nodes stay") {
  const Variable x = real("x");
  const Ref<const Op> effect(new Effect);
  const Variable a = effect->call({{x}})[0], b = effect->call({{x}})[0];
  const Variable output = a + b;
  CHECK(stays(output, merged(output)));
  // Its node over a merged input is a copy, not a call of the Op.
  const Variable over = effect->call({{exp(x) * exp(x)}})[0];
  over.set_name("over");
  const Variable copy = merged(over);
  CHECK(copy.node()->op() == effect.get());
  CHECK(copy.name() == "over");
  CHECK(count_nodes({copy}) == 3);
}

TEST_CASE("conditionals of one form over the same selector and arms become one") {
  const Variable c = real("c"), x = real("x"), y = real("y");
  CHECK(count_nodes({merged(ifelse(c, x, y) + ifelse(c, x, y))}) == 2);
  const Variable other_arms = ifelse(c, x, y) + ifelse(c, y, x);
  CHECK(stays(other_arms, merged(other_arms)));
  const Variable i = scalar(DType::Bool, "i");
  const std::vector<Variable> arms[2] = {{x}, {y}};
  const Variable by_index = conditional(i, Decoding::Index, arms)[0];
  const Variable by_truth = conditional(i, Decoding::Truth, arms)[0];
  const Variable both = by_index + by_truth;
  CHECK(stays(both, merged(both)));
}

// ---- idempotents

TEST_CASE("what is done already is not done again") {
  const Variable x = tensor(DType::Float64, 2), n = tensor(DType::Int8, 1),
                 z = tensor(DType::Complex128, 1);
  for (const char* op : {"abs", "floor", "ceil", "trunc", "round"}) {
    CAPTURE(op);
    for (const Variable& v : {x, z}) {
      if (is_complex(v.dtype()) && op != std::string("abs") && op != std::string("round")) continue;
      const Variable once = call_op(op, {v}), twice = call_op(op, {once});
      CHECK(stays(once, done_once(once)));
      CHECK(done_once(twice) == once);
      CHECK(done_once(call_op(op, {twice})) == once);
    }
  }
  const Variable once = call_op("abs", {n});  // that of -128 is -128
  CHECK(done_once(call_op("abs", {once})) == once);
}

TEST_CASE("what the same Op would change again stays") {
  const Variable x = real("x"), z = scalar(DType::Complex128);
  for (const Variable& output : {exp(exp(x)), call_op("floor", {call_op("ceil", {x})}),
                                 call_op("sign", {call_op("sign", {z})}), -(-x)})
    CHECK(stays(output, done_once(output)));
}

// ---- inverses

TEST_CASE("what undoes itself goes") {
  const Variable x = real("x"), n = scalar(DType::Int8), b = scalar(DType::Bool),
                 z = scalar(DType::Complex128);
  CHECK(undone(-(-x)) == x);
  CHECK(undone(-(-(-x))).node()->input(0) == x);
  CHECK(undone(-(-n)) == n);  // -128 wraps around twice
  CHECK(undone(-(-z)) == z);
  CHECK(undone(call_op("conj", {call_op("conj", {z})})) == z);
  CHECK(undone(call_op("invert", {call_op("invert", {n})})) == n);
  CHECK(undone(call_op("logical_not", {call_op("logical_not", {b})})) == b);
}

TEST_CASE("not of not of a number is no number") {
  const Variable x = real("x");
  const Variable output = call_op("logical_not", {call_op("logical_not", {x})});
  CHECK(stays(output, undone(output)));
}

TEST_CASE("neutral numbers go") {
  const Variable x = real("x"), h = scalar(DType::Float16), n = scalar(DType::UInt8),
                 b = scalar(DType::Bool);
  CHECK(undone(x * 1.0) == x);
  CHECK(undone(1.0 * x) == x);
  CHECK(undone(x / 1.0) == x);
  CHECK(undone(x - 0.0) == x);
  CHECK(undone(h * weak_integer(1)) == h);
  CHECK(undone(n + weak_integer(0)) == n);
  CHECK(undone(weak_integer(0) + n) == n);
  CHECK(undone(n - weak_integer(0)) == n);
  CHECK(undone(pow(n, weak_integer(1))) == n);
  CHECK(undone(b * Variable::number(true)) == b);
}

TEST_CASE("what is neutral for most numbers stays") {
  const Variable x = real("x"), z = scalar(DType::Complex64), n = scalar(DType::Int64);
  for (const Variable& output : {x + 0.0,           // -0.0 + 0.0 is 0.0
                                 x - number(-0.0),  // -0.0 - -0.0 is 0.0
                                 0.0 - x, 1.0 / x, x * 2.0, x * (1.0 + 1e-15),
                                 pow(x, weak_number(1)),  // libmvec may be off by a last place
                                 z * 1.0,                 // inf * 0 is NaN
                                 z - 0.0, weak_integer(0) - n})
    CHECK(stays(output, undone(output)));
}

TEST_CASE("a neutral array stays: it may enlarge its operand") {
  const Variable x = real("x"), v = exp(tensor(DType::Float64, 1));
  const Variable ones = Variable::constant(Cell::of_array(vector_of<double>({1})));
  for (const Variable& output : {x * ones, v * ones}) CHECK(stays(output, undone(output)));
}

TEST_CASE("a neutral number that promotes its operand leaves the cast") {
  const Variable f = scalar(DType::Float32), n = scalar(DType::Int64);
  CHECK(undone(f * number(1)).node()->op()->name() == "cast");
  CHECK(undone(n / 1.0).node()->op()->name() == "cast");
}

TEST_CASE("an array that may lie in memory otherwise than the result stays") {
  const Variable x = tensor(DType::Float64, 2);
  for (const Variable& output : {-(-x), x * 1.0, -(-transposed(exp(x)))})
    CHECK(stays(output, undone(output)));
  const Variable fresh = exp(x);
  CHECK(undone(-(-fresh)) == fresh);
  CHECK(undone(fresh * 1.0) == fresh);
}

TEST_CASE("a weak number does not stand for a strong one") {
  const Variable two = weak_number(2.0);
  const Variable output = -(-two);
  CHECK(stays(output, undone(output)));
}

TEST_CASE("transposes are composed, and go where they undo each other") {
  const Variable x = tensor(DType::Float64, 3);
  const auto turned = [](const Variable& v, Axes axes) { return transpose(v, axes); };
  CHECK(undone(turned(turned(x, {1, 2, 0}), {2, 0, 1})) == x);
  CHECK(undone(turned(turned(x, {-1, 0, 1}), {1, 2, 0})) == x);
  CHECK(undone(transposed(transposed(x))) == x);
  const Variable twice = turned(turned(x, {1, 2, 0}), {1, 2, 0});
  const Variable once = undone(twice);
  CHECK(once.node()->input(0) == x);
  const Cell value = Cell::of_array(counted({2, 3, 4}));
  CHECK(elements_of<double>(evaluate(once, {{x, value}})) ==
        elements_of<double>(evaluate(twice, {{x, value}})));
}

TEST_CASE("a composed transpose is merged with an equal one") {
  const Variable x = tensor(DType::Float64, 3);
  const Variable composed = transpose(transpose(x, {1, 2, 0}), {1, 2, 0});
  const Variable direct = transpose(x, {2, 0, 1});
  CHECK(count_nodes(rewritten({"merge", "inverses"}, {direct + composed})) == 2);
  CHECK(count_nodes(rewritten({"merge", "inverses"}, {composed + direct})) == 2);
}

TEST_CASE("squeezing the axes that were made undoes it, other axes do not") {
  const Variable x = tensor(DType::Float64, 1);
  CHECK(undone(squeeze(expand_dims(x, {0, 2}), {-1, 0})) == x);
  const Variable one_of_two = squeeze(expand_dims(x, {0, 1}), {0});
  CHECK(stays(one_of_two, undone(one_of_two)));
}

// ---- shapes

TEST_CASE("the shape of an elementwise node is that of its array") {
  const Variable x = tensor(DType::Float64, 2), a = real("a");
  CHECK(shaped(shape(exp(x * a) + 1.0)).node()->input(0) == x);
  CHECK(shaped(shape(x * x)).node()->input(0) == x);
  CHECK(shaped(shape(cast(x, DType::Float32))).node()->input(0) == x);
  CHECK(shaped(call_op("size", {exp(x)})).node()->input(0) == x);
  const Variable length = shaped(call_op("length", {exp(x)}, {{"axis", std::int64_t{1}}}));
  CHECK(length.node()->input(0) == x);
  CHECK(evaluate(length, {{x, Cell::of_array(counted({2, 3}))}}).get<std::int64_t>() == 3);
}

TEST_CASE("the shape of what broadcasts is that of its arrays together") {
  const Variable x = tensor(DType::Float64, 2), y = tensor(DType::Float64, 1);
  const Variable together = shaped(shape(exp(x) + x * y));
  CHECK(count_nodes({together}) == 1);
  CHECK(together.node()->inputs().size() == 2);
  const Cell values =
      evaluate(together, {{x, Cell::of_array(counted({2, 1}))}, {y, Cell::of_array(counted({3}))}});
  CHECK(values.to_array().data_as<std::int64_t>()[0] == 2);
  CHECK(values.to_array().data_as<std::int64_t>()[1] == 3);
}

TEST_CASE("the shape of a value that is computed anyway is asked of it") {
  const Variable x = tensor(DType::Float64, 2);
  const Variable turned = transposed(x);
  const Variable asked = shape(turned);
  CHECK(stays(asked, shaped({turned, asked})[1]));
  CHECK_FALSE(stays(asked, shaped(asked)));
}

TEST_CASE("a value that one arm computes is asked for its shape there, and nowhere else") {
  const Variable x = tensor(DType::Float64, 2), c = real("c");
  const Variable turned = transposed(x);
  const Variable length = call_op("length", {turned}, {{"axis", std::int64_t{0}}});
  const Variable first =
      call_op("subtensor", {turned}, {{"index", std::vector<std::string>{"0", "0"}}});
  const Variable in_arm = ifelse(c, first + cast(length, DType::Float64), Variable::number(0.0));
  CHECK(stays(in_arm, shaped(in_arm)));
  const Variable outside = shaped({in_arm, length})[1];
  CHECK(outside.node()->input(0) == x);
}

// ---- all

TEST_CASE("one walk leaves nothing to rewrite") {
  const Variable x = tensor(DType::Float64, 2), a = real("a");
  const Variable y = exp(x);
  const Variable output = shape(-(-y) * a) + shape(y * 1.0) + shape(transposed(transposed(y)));
  std::vector<std::string> all;
  for (const NamedRewrite& known : named_rewrites()) all.emplace_back(known.name);
  const Variable once = rewritten(all, {output})[0];
  CHECK(stays(once, rewritten(all, {once})[0]));
  const Variable asked = shaped(once);
  CHECK(count_nodes({asked}) == 3);  // shape(x) + shape(x) + shape(x)
  CHECK(stays(asked, shaped(asked)));
}

TEST_CASE("every node that went is counted where its last use went") {
  const Variable a = real("a");
  const std::string all[] = {"merge", "inverses"};
  const FunctionGraph graph{.outputs = {-(-(a)), (a + 2.0) * (a + 2.0)}};
  const std::vector<std::pair<std::string_view, std::uint32_t>> expected = {{"merge", 1},
                                                                            {"inverses", 2}};
  CHECK(rewrite(graph, all).removed == expected);
}

TEST_CASE("an update that waits for a value waits for that node alone") {
  const Variable x = real("x");
  const Ref<SharedValue> target(new SharedValue(x.type_ref(), Cell::of(0.0)));
  const Variable waited = -x;
  const FunctionGraph graph{.inputs = {x},
                            .outputs = {ifelse(x, -waited, -x)},
                            .updates = {{.target = target, .value = waited, .if_computed = true}}};
  const std::string all[] = {"merge", "inverses"};
  const Rewritten result = rewrite(graph, all);
  CHECK(result.graph.updates[0].value == waited);
  CHECK(result.graph.outputs[0] == graph.outputs[0]);
}

TEST_CASE("an update that waits for a node over merged ones waits for its copy") {
  const Variable x = real("x");
  const Ref<SharedValue> target(new SharedValue(x.type_ref(), Cell::of(0.0)));
  const Variable first = exp(x), waited = -exp(x);
  const FunctionGraph graph{.inputs = {x},
                            .outputs = {ifelse(x, waited, first)},
                            .updates = {{.target = target, .value = waited, .if_computed = true}}};
  const std::string merge[] = {"merge"};
  const Rewritten result = rewrite(graph, merge);
  const Variable copy = result.graph.updates[0].value;
  CHECK(copy.node()->input(0) == first);
  CHECK(result.graph.outputs[0].node()->input(2) == copy);
}

TEST_CASE("a chain of a million nodes, and as many shapes of it, are rewritten without recursion") {
  const Variable x = tensor(DType::Float64, 1);
  std::vector<Variable> outputs;
  Variable y = x;
  for (int i = 0; i < 500'000; ++i) {
    y = exp(y);
    outputs.push_back(shape(y));
  }
  const std::string all[] = {"merge", "inverses"};
  CHECK(count_nodes(shaped(rewrite({.outputs = outputs}, all).graph.outputs)) == 1);
  Variable back_and_forth = real("a");
  const Variable a = back_and_forth;
  for (int i = 0; i < 1'000'000; ++i) back_and_forth = -back_and_forth;
  CHECK(rewrite({.outputs = {back_and_forth}}, all).graph.outputs[0] == a);
}

TEST_CASE("a rewrite that does not exist is an error that lists those that do") {
  const std::string wrong[] = {"merg"};
  CHECK(error_of([&] { (void)rewrite({}, wrong); }) ==
        "there is no rewrite 'merg'; there are 'merge', 'inverses', 'idempotents' and 'factors'");
}

// test_graph_file.cpp: graphs of files and of descriptions, made and run without Python.
#include "linkers/function.h"
#include "ops/control/attempt.h"
#include "ops/control/loop.h"
#include "ops/descriptions/graph_desc.h"
#include "ops/descriptions/graph_file_error.h"
#include "ops/files/graph_file.h"
#include "ops/files/npy.h"
#include "ops/files/zip_archive.h"
#include "ops/graph/functions.h"
#include "tests/cpp/inputs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace thunkvm;

namespace {

Cell numbers(const std::vector<double>& values) {
  Array array = Array::allocate(DType::Float64, std::vector{std::int64_t(values.size())});
  std::copy(values.begin(), values.end(), array.data_as<double>());
  return Cell::of_array(std::move(array));
}

std::string refusal(const GraphDesc& graph) {
  try {
    build(graph, HostOps());
  } catch (const GraphFileError& error) {
    return error.what();
  }
  return "it is built";
}

OpDesc sum_of(const std::string& a, const std::string& b, const std::string& out) {
  return {.type = "add", .inputs = {{"x", {a}}, {"y", {b}}}, .outputs = {out}};
}

std::string file_of(const std::string& json) { return zip_of({{"graph.json", json}}, true); }

std::string refusal_of_file(const std::string& bytes) {
  try {
    graph_of_bytes(bytes);
  } catch (const GraphFileError& error) {
    return error.what();
  }
  return "it is read";
}

}  // namespace

TEST_CASE("build makes the nodes of a description, with names, over its leaves") {
  const Variable x = real("x");
  GraphDesc graph{{{"a", x}}, {"a"}, {sum_of("a", "a", "b"), sum_of("b", "a", "c")}, {"c"}};
  graph.ops[0].names = {"twice"};
  const BuiltGraph built = build(graph, HostOps());
  CHECK(built.values.at("b").name() == "twice");
  Function f({.inputs = built.inputs, .outputs = built.outputs});
  CHECK(f({Cell::of(2.0)})[0].get<double>() == 6.0);
}

TEST_CASE("build refuses what is no graph, with the place") {
  const Variable x = real("x");
  const auto with = [&](std::vector<OpDesc> ops, const std::string& output) {
    return refusal({{{"a", x}}, {"a"}, std::move(ops), {output}});
  };
  CHECK(with({sum_of("a", "c", "b"), sum_of("b", "a", "c")}, "c") ==
        "ops[0] (add): it reads 'c', which ops[1] computes, not before it: a graph has no cycle");
  CHECK(with({sum_of("a", "z", "b")}, "b") == "ops[0] (add): it reads 'z', which nothing computes");
  CHECK(with({}, "z") == "outputs: it reads 'z', which nothing computes");
  CHECK(with({sum_of("a", "a", "a")}, "a") == "ops[0] (add): two values are called 'a'");
  OpDesc unknown = sum_of("a", "a", "b");
  unknown.type = "mine.cos";
  CHECK(with({unknown}, "b").find("ops[0] (mine.cos): there is no Op called 'mine.cos'") == 0);
  CHECK(with({unknown}, "b").find("it needs Python") != std::string::npos);
  OpDesc typed = sum_of("a", "a", "b");
  typed.types = {GenericType::instance()};
  CHECK(with({typed}, "b") == "ops[0] (add): its output 'b' is scalar float64, not generic");
  OpDesc attributed = sum_of("a", "a", "b");
  attributed.attributes.set("axis", std::int64_t{1});
  CHECK(with({attributed}, "b").find("ops[0] (add): [add] has no attribute 'axis'") == 0);
}

TEST_CASE("a graph file of version 1 has conditionals, attempts, loops and shared variables") {
  const FileGraph graph = load_graph(std::string(THUNKVM_TESTS) + "/data/graph_version_1.tv");
  CHECK(graph.form == FileGraph::Outputs::Named);
  CHECK(graph.output_names ==
        std::vector<std::string>{"arm", "last", "n", "tried", "spread", "all"});
  REQUIRE(graph.shared.size() == 1);
  CHECK(graph.shared[0].first == "w");
  Function f({.inputs = graph.inputs, .outputs = graph.outputs});

  const std::vector<Cell> taken = f({numbers({1.0, 2.0}), Cell::of(1.0)});
  CHECK(taken[0].array().data_as<double>()[1] == 8.0);  // x * w * 2
  CHECK(taken[1].get<double>() == 15.0);                // 1, 3, 7, 15
  CHECK(taken[2].get<std::int64_t>() == 3);
  CHECK(taken[3].get<double>() == 2.0);
  const std::vector<Cell> other = f({numbers({3.0, 4.0}), Cell::of(-1.0)});
  CHECK(other[0].array().data_as<double>()[1] == 4.0);
}

TEST_CASE("a file that is damaged or of another version is refused with the place") {
  CHECK(refusal_of_file("PK") == "it is no zip file, or damaged");
  CHECK(refusal_of_file(zip_of({{"other", ""}}, true)) == "it has no member 'graph.json'");
  CHECK(refusal_of_file(file_of("[")).find("graph.json: [json.exception.parse_error") == 0);
  CHECK(refusal_of_file(file_of("{}")) == "graph.json: its format is not 'thunkvm graph'");
  CHECK(refusal_of_file(file_of(R"({"format": "thunkvm graph", "version": 2})")) ==
        "graph.json: its version is 2, and this program reads 1 to 1");
  CHECK(refusal_of_file(file_of(
            R"({"format": "thunkvm graph", "version": 1, "inputs": [], "ops": [], "outputs": [],
                "leaves": {"v0": {"kind": "constant", "type": {"dtype": "int8", "shape": []},
                                  "array": "arrays/0.npy"}}})")) ==
        "graph.json: leaves.v0: it has no member 'arrays/0.npy'");
}

TEST_CASE("arrays of npy files are what they were, in C order") {
  Array array = Array::allocate(DType::Int16, std::vector<std::int64_t>{2, 3});
  for (int i = 0; i < 6; ++i) array.data_as<std::int16_t>()[i] = static_cast<std::int16_t>(i - 3);
  const Array read = array_of_npy(npy_of(array));
  CHECK(read.dtype() == DType::Int16);
  CHECK(format_shape(read.shape()) == "(2, 3)");
  CHECK(std::equal(read.data_as<std::int16_t>(), read.data_as<std::int16_t>() + 6,
                   array.data_as<std::int16_t>()));
  CHECK_THROWS_AS(array_of_npy(npy_of(array).substr(0, 100)), GraphFileError);
}

TEST_CASE("an attempt catches the kinds of errors that its names say, as Python's classes do") {
  const Variable x = vector("x");
  const Variable third = row(x, Variable::number(std::int64_t{2}));
  const auto value_on = [&](const char* caught) {
    const Variable y = attempt(attempt_op({caught}), {{third}}, {{Variable::number(-1.0)}})[0];
    Function f({.inputs = {x}, .outputs = {y}});
    return f({numbers({1.0})})[0].get<double>();
  };
  CHECK(value_on("IndexError") == -1.0);
  CHECK(value_on("LookupError") == -1.0);
  CHECK(value_on("Exception") == -1.0);
  CHECK_THROWS_AS(value_on("ValueError"), Error);
  CHECK_THROWS_WITH_AS(value_on("mine.Error"),
                       "[attempt] it catches mine.Error, which is a class of Python's: without "
                       "Python there are the exceptions of its own Ops alone",
                       Error);
}

TEST_CASE("a loop is made of its attributes, with the body that is among them") {
  const Ref<LoopBody> body(new LoopBody);
  body->name = "while_loop";
  body->states = {real("s")};
  body->test = lt(body->states[0], Variable::number(10.0));
  body->nexts = {body->states[0] * 2.0};
  const std::vector<Variable> made = make_loop(*body, {{real("x")}});
  const Op& op = *made[0].node()->op();
  REQUIRE(op.proto() != nullptr);
  CHECK(op.proto()->name == "loop");

  const Ref<const Op> same = OpRegistry::create("loop", op.attributes());
  CHECK(same->attributes() == op.attributes());
  const Variable x = real("x");
  Function f({.inputs = {x}, .outputs = {same->call({{x}})[0]}});
  CHECK(f({Cell::of(3.0)})[0].get<double>() == 12.0);

  Attributes wrong = op.attributes();
  wrong.set("n_states", std::int64_t{2});
  CHECK_THROWS_WITH_AS(OpRegistry::create("loop", wrong),
                       "[while_loop] a body of 1 inputs and 2 outputs does not fit the loop's "
                       "attributes",
                       Error);
}

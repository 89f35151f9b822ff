// test_registry.cpp: Ops by their names, and the rules of their attributes.
#include "ops/graph/array_op.h"
#include "ops/graph/declaration.h"
#include "ops/graph/functions.h"
#include "ops/graph/registry.h"
#include "tests/cpp/inputs.h"
#include "thunks/error.h"

#include <doctest/doctest.h>

using namespace thunkvm;

namespace {

OpProto proto_of(const char* name) {
  OpProto proto;
  proto.name = name;
  return proto;
}

}  // namespace

TEST_CASE("an Op that is called with a number of inputs that it does not take is an error") {
  const Variable x = real("x");
  CHECK_THROWS_WITH_AS(call_op("exp", {}), "[exp] takes the inputs (x), not 0 of them", Error);
  CHECK_THROWS_WITH_AS(call_op("add", {x}), "[add] takes the inputs (x, y), not 1 of them", Error);
  CHECK_THROWS_WITH_AS(call_op("add", {x, x, x}), "[add] takes the inputs (x, y), not 3 of them",
                       Error);
  CHECK(call_op("add", {x, x}).node()->n_inputs() == 2);
}

TEST_CASE("a name that is registered twice is an error where it is asked for, and not before") {
  const auto creator = [](const Attributes&) -> Ref<Op> { return {}; };
  OpRegistry::add(proto_of("test_registered_twice"), creator);
  CHECK(OpRegistry::proto("test_registered_twice").name == "test_registered_twice");
  OpRegistry::add(proto_of("test_registered_twice"), creator);
  CHECK_THROWS_WITH_AS(OpRegistry::create("test_registered_twice", {}),
                       doctest::Contains("two Ops are registered as 'test_registered_twice'"),
                       Error);
}

// ---- the seed's own Op (seeds/002), declared

namespace {

std::string no_prime(const AttrValue& value) {
  return std::get<std::int64_t>(value) == 2 ? "it has to be no prime" : "";
}

class CosineOp final : public ArrayOp {
 public:
  explicit CosineOp(const Attributes& attrs) : ArrayOp("test_cos", attrs) {}
  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    return {call_op("cos", {inputs[0]}) * Variable::number(attributes().get<double>("scale"))};
  }
};

DECLARE_OP(test_cos)
    .family("test")
    .comment("This is cos op.")
    .input("input", "input of cosine op")
    .attr("scale", AttrType::Float, "scale of cosine op")
    .by_default(1.0)
    .greater_than(0.0)
    .attr("how", AttrType::String, "one of two words")
    .by_default(std::string("fast"))
    .in_enum({std::string("fast"), std::string("exact")})
    .attr("lengths", AttrType::Ints, "some lengths")
    .by_default(std::vector<std::int64_t>{})
    .at_least(1)
    .at_most(9)
    .attr("n", AttrType::Int, "a number")
    .by_default(std::int64_t{4})
    .checked_by(no_prime)
    .output("output", "output of cosine op")
    .made_by<CosineOp>();

Variable cosine(const Attributes& attrs) { return call_op("test_cos", {real("x")}, attrs); }
const char* refusal(const Attributes& attrs) {
  static std::string message;
  message.clear();
  try {
    cosine(attrs);
  } catch (const Error& error) {
    message = error.what();
  }
  return message.c_str();
}

}  // namespace

TEST_CASE("a declared attribute has its default, and an integer is a fine float") {
  CHECK(OpRegistry::create("test_cos", {})->attributes().get<double>("scale") == 1.0);
  CHECK(OpRegistry::create("test_cos", {{"scale", std::int64_t{2}}})
            ->attributes()
            .get<double>("scale") == 2.0);
}

TEST_CASE("a bound that an attribute has to be greater than is refused itself") {
  CHECK(refusal({{"scale", 0.0}}) ==
        std::string("[test_cos] attribute 'scale' = 0, but it has to be greater than 0"));
  CHECK(refusal({{"scale", 1e-300}}) == std::string());
}

TEST_CASE("an attribute is one of those of its enumeration, and keeps the rules of the Op's own") {
  CHECK(
      refusal({{"how", std::string("slow")}}) ==
      std::string("[test_cos] attribute 'how' = 'slow', but it has to be one of 'fast', 'exact'"));
  CHECK(refusal({{"n", std::int64_t{2}}}) ==
        std::string("[test_cos] attribute 'n' = 2, but it has to be no prime"));
  CHECK(refusal({{"n", std::int64_t{6}}}) == std::string());
}

TEST_CASE("the range of a list is that of each of its numbers") {
  CHECK(refusal({{"lengths", std::vector<std::int64_t>{1, 9}}}) == std::string());
  CHECK(refusal({{"lengths", std::vector<std::int64_t>{3, 10}}}) ==
        std::string("[test_cos] attribute 'lengths' = [3, 10], but it has to be at least 1 and at "
                    "most 9"));
}

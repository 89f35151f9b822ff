// test_registry.cpp: Ops by their names.
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

// test_c_template.cpp: templates of C in pieces, and written out.
#include "ops/graph/c_template.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace thunkvm {
namespace {

const std::vector<std::string> kInputs = {"x", "(y + 1)"};

TEST_CASE("a template is filled with its inputs and its types") {
  const CTemplate wrapping("({T})(({U}){0} - ({U}){1})");
  CHECK(wrapping.fill("sub", DType::Int16, kInputs) == "(i16)((u32)x - (u32)(y + 1))");
  CHECK(wrapping.fill("sub", DType::Int64, kInputs) == "(i64)((u64)x - (u64)(y + 1))");
  CHECK(CTemplate("{F}({0}, {0})").fill("mod", DType::Bool, kInputs) == "mod_bool(x, x)");
}

TEST_CASE("a template knows which inputs it reads") {
  CHECK(CTemplate("{1} * {1}").inputs_read() == 0b10);
  CHECK(CTemplate("{31} + {0}").inputs_read() == (1u << 31 | 1u));
  CHECK(CTemplate("({T})1").inputs_read() == 0);
}

TEST_CASE("braces that stand for nothing are the C's own") {
  const std::string text = "{ if (a) { return {T}(0); } int b[] = {12, 3}; {32} {X} {} }{";
  const CTemplate function(text);
  CHECK(function.fill("f", DType::Float64) ==
        "{ if (a) { return f64(0); } int b[] = {12, 3}; {32} {X} {} }{");
  CHECK(function.pieces().size() == 3);
  CHECK(function.inputs_read() == 0);
}

}  // namespace
}  // namespace thunkvm

// test_body_contents.cpp: what belongs to the bodies of small graphs, with placement and without.
#include "linkers/linker.h"
#include "ops/control/attempt.h"
#include "ops/control/conditional.h"
#include "ops/graph/functions.h"
#include "tests/cpp/inputs.h"
#include "vm/body_contents.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

Variable named(Variable v, const char* name) {
  v.set_name(name);
  return v;
}

/// `value`, or `otherwise` where computing it fails.
Variable attempted(const std::vector<Variable>& values, const Variable& otherwise) {
  const std::vector<Variable> others(values.size(), otherwise);
  return attempt(attempt_op(), values, others)[0];
}

/// A line for each memo and input body: the registers and the lazy thunks that belong to it.
std::string contents(std::vector<Variable> inputs, std::vector<Variable> outputs, bool placed) {
  const Linked linked =
      link({.inputs = std::move(inputs), .outputs = std::move(outputs)}, {.placed = placed});
  const Schedule& s = *linked.schedule;
  std::string text = "\n";
  std::uint32_t body = 0;
  const auto line = [&](const std::string& name) {
    text += name + ":";
    for (const std::uint32_t reg : linked.program->contents->registers(body))
      text += " " + s.register_name(reg);
    for (const std::uint32_t lazy : linked.program->contents->lazies(body))
      text += " [" + s.node_name(s.lazies[lazy].node) + "]";
    text += "\n";
    ++body;
  };
  for (std::uint32_t m = 0; m < s.memos.size(); ++m) line("memo " + s.node_name(s.memos[m].node));
  for (std::uint32_t l = 0; l < s.lazies.size(); ++l)
    for (std::uint32_t i = 0; i < s.lazies[l].n_inputs; ++i)
      line("input " + std::to_string(i) + " of " + s.node_name(s.lazies[l].node));
  return text;
}

TEST_CASE("what one input alone needs belongs to it, what the program needs too does not") {
  const Variable x = real("x"), a = named(exp(x), "a"), b = named(a * x, "b");
  const Variable c = named(exp(b), "c");
  const std::vector<Variable> outputs = {attempted({c}, x), named(a + x, "d")};
  CHECK(contents({x}, outputs, true) == R"(
memo exp.2: c b
input 0 of attempt.3:
)");
  CHECK(contents({x}, outputs, false) == R"(
memo ifelse.4: t3 c b [attempt.3]
memo add.5:
memo exp.2: c b
memo exp.0: a
memo mul.1: b
input 0 of attempt.3:
)");
}

TEST_CASE("what two inputs need belongs to the body around both, and so does what they are of") {
  const Variable x = real("x"), a = named(exp(x), "a");
  const Variable b = named(a * x, "b"), c = named(a + x, "c");
  const Variable inner = attempted({b, c}, x), d = named(exp(inner), "d");
  CHECK(contents({x}, {attempted({d}, x)}, true) == R"(
memo exp.5: d t6 t7 c b a [attempt.3]
memo mul.1: b
memo exp.0: a
input 0 of attempt.6:
input 0 of attempt.3:
input 1 of attempt.3: c
)");
  CHECK(contents({x}, {attempted({d}, x)}, false) == R"(
memo ifelse.7: t6 d t3 t4 c b a [attempt.6] [attempt.3]
memo exp.5: d t3 t4 c b a [attempt.3]
memo ifelse.4: t3 t4 c b a [attempt.3]
memo mul.1: b
memo exp.0: a
memo add.2: c
input 0 of attempt.6:
input 0 of attempt.3:
input 1 of attempt.3: c
)");
}

TEST_CASE("what the arms of one body need belongs to that body") {
  const Variable x = real("x"), p = real("p"), q = real("q"), a = named(exp(x), "a");
  const Variable b = named(a * x, "b"), c = named(a + x, "c");
  const Variable d = named(ifelse(p, ifelse(q, b, x), ifelse(q, x, c)), "d");
  CHECK(contents({x, p, q}, {attempted({d}, x)}, true) == R"(
memo ifelse.5: c a
memo exp.0: a
input 0 of attempt.6:
)");
  CHECK(contents({x, p, q}, {attempted({d}, x)}, false) == R"(
memo ifelse.7: t6 d t4 b t2 c a [attempt.6]
memo ifelse.5: d t4 b t2 c a
memo ifelse.2: t2 c
memo ifelse.4: t4 b
memo add.1: c
memo mul.3: b
memo exp.0: a
input 0 of attempt.6:
)");
}

}  // namespace
}  // namespace thunkvm

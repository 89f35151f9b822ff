// control.cpp: conditionals, loops and attempts of Variables, for Python.
#include "ops/control/attempt.h"
#include "ops/control/conditional.h"
#include "ops/control/loop.h"
#include "python/bindings/graph/attribute.h"
#include "python/bindings/graph/casters.h"
#include "python/bindings/python/raised.h"
#include "python/bindings/python/refusal.h"
#include "python/bindings/python/release.h"
#include "python/bindings/python/rows.h"
#include "python/bindings/python/topics.h"

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

using namespace py::literals;

// ---- conditionals

using Variables = std::vector<Variable>;

/// The names of a conditional's arms, in the program's order.
std::vector<std::string> arm_names(Decoding decoding, std::size_t n_arms) {
  std::vector<std::string> names;
  for (std::size_t arm = 0; arm < n_arms; ++arm) names.push_back(arm_name(decoding, n_arms, arm));
  return names;
}

// ---- loops

Variables loop_of(Text name, Variables states, const Variables& firsts, const MaybeVariable& limit,
                  const Variable& test, Variables nexts, Variables collected, unsigned keeps,
                  bool implicit) {
  auto* const body = new LoopBody;
  const Ref<const LoopBody> held(body);
  body->name = std::move(name.text);
  body->states = std::move(states);
  body->limit = limit;
  body->test = test;
  body->nexts = std::move(nexts);
  body->keeps = keeps;
  body->implicit = implicit;
  body->collected = std::move(collected);
  collect_for_gradients(*body);
  Variables outputs = make_loop(*body, firsts);
  const auto hidden = outputs.end() - 2 - body->n_for_gradients;
  outputs.erase(hidden, hidden + body->n_for_gradients);
  return outputs;
}

// Steps, whether the test ended it, what the state collects, `keeps`, the last state's last value.
using LoopAbout = std::tuple<Variable, Variable, MaybeVariable, std::uint32_t, Variable>;

std::optional<LoopAbout> loop_about(const Variable& last) {
  const LoopOp* const op = last.is_leaf() ? nullptr : closed_loop(*last.node());
  if (op == nullptr || last.index() >= op->outputs().n_states) return {};
  const LoopOutputs place = op->outputs();
  const auto output = [&](std::uint32_t i) { return last.node()->output(i); };
  const bool collects = last.index() < place.n_collected - op->body().n_for_gradients;
  return LoopAbout(output(place.steps()), output(place.finished()),
                   collects ? output(place.collected(last.index())) : Variable(), op->body().keeps,
                   output(place.last(place.n_states - 1)));
}

using LoopParts = std::tuple<Variables, Variables, MaybeVariable, Variable, Variables, Variables>;

std::optional<LoopParts> loop_body(const Variable& output) {
  const LoopOp* const op = output.is_leaf() ? nullptr : closed_loop(*output.node());
  if (op == nullptr) return {};
  const LoopBody& body = op->body();
  const auto n_collected =
      static_cast<std::ptrdiff_t>(body.collected.size() - body.n_for_gradients);
  return LoopParts(body.states, body.captures, body.limit, body.test, body.nexts,
                   {body.collected.begin(), body.collected.begin() + n_collected});
}

// ---- attempts

// "ValueError", "numpy.linalg.LinAlgError".
std::string class_text(PyObject* exception_class) {
  const std::string module = str_of(attribute(exception_class, "__module__").get());
  const std::string name = str_of(attribute(exception_class, "__qualname__").get());
  return module == "builtins" ? name : module + "." + name;
}

class PythonAttempt final : public AttemptOp {
 public:
  explicit PythonAttempt(const Attributes& attributes) {
    PyRef module = PyRef::take(PyImport_ImportModule("thunkvm._src.graph.exception_names"));
    const PyRef names = attribute_object(attributes.values().at("on"));
    on_ = with_refusals([&] {
      return PyRef::take(PyObject_CallMethod(module.get(), "classes_of", "O", names.get()));
    });
  }
  ~PythonAttempt() override { release_object(on_.release()); }

  std::string text() const override {
    std::string names;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(on_.get()); ++i)
      names += (i == 0 ? "" : ", ") + class_text(PyTuple_GET_ITEM(on_.get(), i));
    return "attempt{on=" + names + "}";
  }
  bool catches(const Failure& failure) const override {
    const GilHold gil;  // a call that runs no other Python may have let it go
    PyRef exception = exception_of(failure);
    return PyErr_GivenExceptionMatches(exception.get(), on_.get()) != 0;
  }

 private:
  PyRef on_;  // a tuple of classes
};

Ref<Op> python_attempt(const Attributes& attributes) {
  return Ref<Op>(new PythonAttempt(attributes));
}

Variables attempt_of(const Variables& values, const Variables& otherwise,
                     const std::vector<std::string>& on) {
  return attempt(attempt_op(on), values, otherwise);
}

}  // namespace

void init_control(PyObject* module) {
  add_enum<Decoding>(module, "How the value of a selector picks an arm.");
  Functions(module)
      .def(
          "conditional",
          [](const Variable& selector, Decoding decoding, const std::vector<Variables>& arms,
             bool strict) { return conditional(selector, decoding, arms, strict); },
          "selector"_a, "decoding"_a, "arms"_a, "strict"_a = false,
          "One Variable for each output of the arms, computed by the arm that the selector picks.")
      .def("arm_names", &arm_names, "decoding"_a, "n_arms"_a,
           "The names of a conditional's arms, arm 0 first.")
      .def(
          "loop_arm_names", [] { return std::vector{loop_arm_name(0), loop_arm_name(1)}; },
          "The names of the arms of a loop's test, arm 0 first.")
      .def("loop", &loop_of, "name"_a, "states"_a, "firsts"_a, "limit"_a, "test"_a, "nexts"_a,
           "collected"_a, "keeps"_a = 0, "implicit"_a = false,
           "The outputs of a loop: last values and histories of its states, what it collects, its "
           "steps, whether its test ended it. A step runs where the limit (or None) and then the "
           "test are true.")
      .def("loop_about", &loop_about, "last"_a,
           "Of a loop's last value: its steps, whether its test ended it, what it collects, what "
           "its maker said that it keeps, and the last value of its last state.")
      .def("loop_body", &loop_body, "output"_a,
           "Of a loop that stands in a graph: the leaves of its states and of what it takes from "
           "outside, its limit or None, its test, the next values, and what it collects. None of "
           "another node.")
      .def(
          "lazy_and", [](const Variable& a, const Variable& b) { return lazy_and(a, b); }, "a"_a,
          "b"_a, "`a and b`: b is computed only if a is true.")
      .def(
          "lazy_or", [](const Variable& a, const Variable& b) { return lazy_or(a, b); }, "a"_a,
          "b"_a, "`a or b`: b is computed only if a is false.")
      .def("attempt", &attempt_of, "values"_a, "otherwise"_a, "on"_a,
           "The values, or the others where computing the values raises one of `on`, names of "
           "classes.");
  set_attempt_maker(&python_attempt);
}

}  // namespace thunkvm

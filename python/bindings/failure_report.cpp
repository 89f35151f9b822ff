#include "python/bindings/failure_report.h"

#include "python/bindings/python_op.h"
#include "python/bindings/raised.h"
#include "python/bindings/value.h"

namespace thunkvm {
namespace {

// The registers of the inputs of a node's thunk; of a conditional, its selector.
std::vector<std::uint32_t> input_registers(const Program& program, std::uint32_t node) {
  const auto inputs = [](const Operands& o) {
    return std::vector<std::uint32_t>(o.registers, o.registers + o.n_inputs);
  };
  for (const Step& step : program.steps)
    if (step.node == node) return inputs(step.operands);
  for (const Lazy& lazy : program.lazies)
    if (lazy.node == node) return inputs(lazy.operands);
  for (const Branch& branch : program.branches)
    if (branch.node == node) return {branch.selector};
  return {};
}

const char* hint(PyObject* exception, bool user_op) {
  if (PyErr_GivenExceptionMatches(exception, exception_class(ErrorKind::LinAlg)))
    return "look at the matrix among the inputs above: add a multiple of the identity, or scale "
           "its columns";
  if (user_op)
    return "the Op's own code raised this or broke its contract; the types above are what it was "
           "promised";
  if (PyErr_GivenExceptionMatches(exception, PyExc_MemoryError))
    return "the modes that end in _nogc keep intermediates; those that do not release them early";
  if (PyErr_GivenExceptionMatches(exception, PyExc_ValueError))
    return "compare the shapes and values above; lengths that are declared, as in "
           "tv.tensor(shape=(3, None)), are "
           "checked when the graph is built";
  if (PyErr_GivenExceptionMatches(exception, PyExc_IndexError))
    return "compare the index with the lengths above; tv.switch_case(..., default=) takes what is "
           "out of range";
  return "the same call in mode=\"py\" runs one NumPy function for each node, in order";
}

}  // namespace

std::string FailureReport::describe_failure(Frame& frame) const {
  const std::uint32_t index = frame.failure().node;
  if (index == kNone || index >= linked_.nodes.size()) return {};
  const Program& program = *linked_.program;
  const Apply& apply = *linked_.nodes[index].node();
  std::string text = "In " + function_ + ": node " + linked_.nodes[index].text();
  if (apply.op() != nullptr) text += ", Op " + apply.op()->text();
  const std::vector<std::uint32_t> registers = input_registers(program, index);
  for (std::size_t i = 0; i < registers.size() && i < apply.n_inputs(); ++i) {
    const Variable& input = apply.input(static_cast<int>(i));
    const Cell& value = frame.cell(registers[i]);
    text += "\n  input " + std::to_string(i) + ": " + input.text() + ", " + input.type().text() +
            ": " + (value.empty() ? "not computed" : describe(value));
  }
  const std::string origin = apply.origin_text();
  if (!origin.empty()) text += "\n  made at: " + origin;
  return text;
}

void FailureReport::failed(Frame& frame) noexcept {
  try {
    text_ = describe_failure(frame);
  } catch (const PythonError&) {
    PyErr_Clear();
  } catch (const std::exception&) {
    // The failure itself is told in any case.
  }
}

void FailureReport::raise(const Failure& failure) const {
  set_failure(failure);
  if (text_.empty()) return;
  const Variable& output = linked_.nodes[failure.node];
  PyRef exception = take_exception();
  const char* advice = hint(exception.get(), python_op(output.node()->op()) != nullptr);
  set_exception(std::move(exception));
  add_note(text_ + "\n  hint: " + advice);
}

}  // namespace thunkvm

#include "python/bindings/thunks/failure_report.h"

#include "python/bindings/graph/python_op.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/python/raised.h"

#include <algorithm>

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

bool is_a(PyObject* exception, PyObject* exceptions_class) {
  return PyErr_GivenExceptionMatches(exception, exceptions_class) != 0;
}

// True if two arrays among the values differ in shape.
bool shapes_differ(const std::vector<const Cell*>& values) {
  const Cell* first = nullptr;
  for (const Cell* value : values) {
    if (!value->is_array()) continue;
    if (first != nullptr &&
        !(first->array().shape().size() == value->array().shape().size() &&
          std::equal(first->array().shape().begin(), first->array().shape().end(),
                     value->array().shape().begin())))
      return true;
    first = value;
  }
  return false;
}

}  // namespace

std::string FailureReport::text_of(Frame& frame, const Failure& failure) {
  const std::uint32_t index = failure.node;
  if (index == kNone || index >= linked_.nodes().size()) return {};
  const Program& program = *linked_.program;
  const Apply& apply = *linked_.nodes()[index].node();
  std::string text = "In " + function_ + ": node " + linked_.nodes()[index].text();
  if (apply.op() != nullptr) text += ", Op " + apply.op()->text();
  const std::vector<std::uint32_t> registers = input_registers(program, index);
  std::vector<const Cell*> values;
  for (std::size_t i = 0; i < registers.size() && i < apply.n_inputs(); ++i) {
    const Variable& input = apply.input(static_cast<int>(i));
    const Cell& value = frame.cell(registers[i]);
    text += "\n  input " + std::to_string(i) + ": " + input.text() + ", " + input.type().text() +
            ": " + (value.empty() ? "not computed" : describe(value));
    values.push_back(&value);
  }
  shapes_differ_ = shapes_differ(values);
  const std::string origin = apply.origin_text();
  if (!origin.empty()) text += "\n  made at: " + origin;
  return text;
}

void FailureReport::read(Frame& frame, const Failure& failure) noexcept {
  text_.clear();
  try {
    text_ = text_of(frame, failure);
  } catch (const PythonError&) {
    PyErr_Clear();
  } catch (const std::exception&) {
    // The failure itself is told in any case.
  }
}

void FailureReport::failed(Frame& frame) noexcept { read(frame, frame.failure()); }

PyRef FailureReport::exception(Frame& frame, const Failure& failure) {
  read(frame, failure);
  raise(failure);
  return take_exception();
}

// Advice on it; null where none is known that the message and the inputs do not give.
const char* FailureReport::hint(const Failure& failure, PyObject* exception) const {
  if (is_final(failure)) return nullptr;  // a check's, which says all
  const Op& op = *linked_.nodes()[failure.node].node()->op();
  if (python_op(&op) != nullptr)
    return is_raised(failure) ? "the Op's own code raised this; the traceback has its line"
                              : "the Op broke its contract, which the message states; the types "
                                "above are what it was promised";
  for (const Hint& own : op.hints())
    if (!own.kind || is_a(exception, exception_class(*own.kind))) return own.text;
  if (is_a(exception, PyExc_MemoryError))
    return linked_.program->retain_intermediates
               ? "this mode keeps every intermediate; the one without _nogc releases them early"
               : "the memory that is in use is tv.memory(); work in smaller blocks";
  if (is_a(exception, PyExc_IndexError)) return "compare the index with the lengths above";
  if (shapes_differ_)
    return "compare the shapes above; lengths that are declared, as in tv.tensor(shape=(3, None)), "
           "are checked when the graph is built";
  return nullptr;
}

void FailureReport::raise(const Failure& failure) {
  set_failure(failure);
  if (text_.empty()) return;
  const Op& op = *linked_.nodes()[failure.node].node()->op();
  if (python_op(&op) == nullptr && !is_final(failure)) name_op(op.name());
  PyRef exception = take_exception();
  const bool told = std::any_of(told_.begin(), told_.end(),
                                [&](const PyRef& other) { return other.get() == exception.get(); });
  if (told) return set_exception(std::move(exception));
  told_.push_back(exception);
  // Ctrl-C and exit are nobody's mistake.
  const char* advice =
      is_a(exception.get(), PyExc_Exception) ? hint(failure, exception.get()) : nullptr;
  set_exception(std::move(exception));
  add_note(advice == nullptr ? text_ : text_ + "\n  hint: " + advice);
}

}  // namespace thunkvm

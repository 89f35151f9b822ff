#include "python/bindings/thunks/failure_report.h"

#include "linkers/failed_node.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/python_op.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/python/raised.h"
#include "python/bindings/python/release.h"
#include "thunks/input_failure.h"

#include <algorithm>

namespace thunkvm {
namespace {

// The exception's attribute `node`, unless its class means something else by that name.
void give_node(PyObject* exception, Apply& node) {
  PyObject* const before = PyObject_GetAttrString(exception, "node");
  const bool is_free = before == nullptr || is_node(before);
  Py_XDECREF(before);
  PyErr_Clear();
  if (!is_free) return;
  const PyRef handle = PyRef::take(wrap_node(&node));
  // An exception without a __dict__ goes without: the exception itself matters more.
  if (PyObject_SetAttrString(exception, "node", handle.get()) != 0) PyErr_Clear();
}

bool is_a(PyObject* exception, PyObject* exceptions_class) {
  return PyErr_GivenExceptionMatches(exception, exceptions_class) != 0;
}

}  // namespace

std::string FailureReport::text_of(Frame& frame, const Failure& failure) {
  const ProgramNode index(failure.node);
  if (index == kNone || index >= linked_.nodes().size()) return {};
  const Variable& output = linked_.nodes()[index];
  std::string text = failed_node_text(function_, output);
  const std::vector<FailedInput> inputs = failed_inputs(linked_, frame, index);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Variable& input = inputs[i].variable;
    const Cell& value = inputs[i].value;
    text += "\n  input " + std::to_string(i) + ": " + input.text() + ", " + input.type().text() +
            ": " + (value.empty() ? "not computed" : describe(value));
  }
  shapes_differ_ = shapes_differ(inputs);
  const std::string origin = output.node()->origin_text();
  if (!origin.empty()) text += "\n  made at: " + origin;
  return text + steps_text(linked_, frame, index);
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

void FailureReport::failed(Frame& frame) noexcept {
  const GilHold gil;
  read(frame, frame.failure());
}

PyRef FailureReport::exception(Frame& frame, const Failure& failure) {
  read(frame, failure);
  raise(failure);
  return take_exception();
}

// Advice on it; null where none is known that the message and the inputs do not give.
const char* FailureReport::hint(const Failure& failure, PyObject* exception) const {
  if (is_final(failure)) return nullptr;  // a check's, which says all
  const Op& op = *linked_.failed_node(failure).node()->op();
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
  const Op& op = *linked_.failed_node(failure).node()->op();
  if (python_op(&op) == nullptr && !is_final(failure)) name_op(op.name());
  PyRef exception = take_exception();
  give_node(exception.get(), *linked_.failed_node(failure).node());
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

#include "python/bindings/call/observer.h"

#include "python/bindings/graph/value.h"
#include "python/bindings/python/raised.h"
#include "vm/frame.h"

#include <algorithm>

namespace thunkvm {
namespace {

/// A callable, or null for None.
PyRef callable(PyObject* object, const char* name) {
  PyRef member = attribute(object, name);
  if (member.get() == Py_None) return {};
  return member;
}

std::uint32_t count(PyObject* object, const char* name) {
  const unsigned long value = PyLong_AsUnsignedLong(attribute(object, name).get());
  if (PyErr_Occurred() != nullptr) throw PythonError{};
  return static_cast<std::uint32_t>(value);
}

/// `value(k)` for each of `n` values that is there, else `absent`.
template <class Value>
PyRef list_of(int n, PyObject* absent, const Value& value) {
  PyRef list = PyRef::take(PyList_New(n));
  for (int k = 0; k < n; ++k) {
    const Cell* const cell = value(k);
    PyList_SET_ITEM(list.get(), k,
                    cell == nullptr ? Py_NewRef(absent) : to_python(*cell).release());
  }
  return list;
}

/// Runs what calls Python: what that raises is no failure that a lazy thunk may deal with.
template <class Call>
void ending_the_call(const Call& call) {
  try {
    call();
  } catch (const PythonError&) {
    throw Raised(ErrorKind::Interrupted, take_exception());
  }
}

}  // namespace

Observer::Observer(PyObject* object)
    : object_(PyRef::borrow(object)),
      before_(callable(object, "before")),
      after_(callable(object, "after")),
      started_(callable(object, "started")),
      finished_(callable(object, "finished")),
      absent_(attribute(object, "absent")),
      new_runs_(count(object, "first")) {}

PyRef Observer::started(Frame& frame) {
  const double spent = calls_.take_skipped();
  if (!started_) return PyRef::borrow(Py_None);
  const std::vector<std::uint32_t>& registers = frame.program().inputs;
  const PyRef arguments = list_of(
      static_cast<int>(registers.size()), absent_.get(),
      [&](int i) -> const Cell* { return &frame.cell(registers[static_cast<std::size_t>(i)]); });
  const PyRef seconds = PyRef::take(PyFloat_FromDouble(spent));
  return PyRef::take(
      PyObject_CallFunctionObjArgs(started_.get(), arguments.get(), seconds.get(), nullptr));
}

void Observer::finished(PyObject* outputs, const PyRef& started) {
  if (!finished_) return;
  const PyRef rest =
      PyRef::take(PyObject_CallFunctionObjArgs(finished_.get(), outputs, started.get(), nullptr));
  if (rest.get() == Py_None) return;
  const long long skipped = PyLong_AsLongLong(rest.get());
  if (skipped < 0 && PyErr_Occurred() != nullptr) throw PythonError{};
  calls_.skip(static_cast<std::uint64_t>(std::max(skipped, 0LL)));
}

int Observer::traverse(visitproc visit, void* arg) const {
  Py_VISIT(object_.get());
  Py_VISIT(before_.get());
  Py_VISIT(after_.get());
  Py_VISIT(started_.get());
  Py_VISIT(finished_.get());
  Py_VISIT(absent_.get());
  return 0;
}

PyRef ObserverTracer::inputs(const ThunkRun& run) const {
  return list_of(run.operands.n_inputs, observer_.absent_.get(), [&](int i) -> const Cell* {
    if (run.lazy != nullptr && !run.lazy->available(i)) return nullptr;
    return &run.frame.cell(run.operands.input(i));
  });
}

PyRef ObserverTracer::outputs(const ThunkRun& run) const {
  return list_of(run.operands.n_outputs, observer_.absent_.get(), [&](int j) -> const Cell* {
    if (run.lazy != nullptr && !run.lazy->computed(j)) return nullptr;
    return &run.frame.cell(run.operands.output(j));
  });
}

void ObserverTracer::before(const ThunkRun& run) {
  if (!observer_.before_ || run.node == kNone) return;
  const bool is_new = observer_.new_runs_.is_new(run);
  if (!all_ && !is_new) return;
  ending_the_call([&] {
    host_.heed_float_errors();
    const PyRef index = PyRef::take(PyLong_FromUnsignedLong(run.node)), values = inputs(run);
    begun_.emplace_back(
        run.node, PyRef::take(PyObject_CallFunctionObjArgs(observer_.before_.get(), index.get(),
                                                           values.get(), nullptr)));
  });
}

void ObserverTracer::after(const ThunkRun& run, Status status) {
  if (run.node == kNone) return;
  PyRef begun = PyRef::borrow(Py_None);
  if (observer_.before_) {
    // What emitted code began that failed is still there, and what is not new is not.
    while (!begun_.empty() && begun_.back().first != run.node && all_) begun_.pop_back();
    if (begun_.empty() || begun_.back().first != run.node) return;
    begun = std::move(begun_.back().second);
    begun_.pop_back();
  }
  if (!observer_.after_ || status != Status::Done) return;
  ending_the_call([&] {
    host_.heed_float_errors();
    const PyRef index = PyRef::take(PyLong_FromUnsignedLong(run.node));
    const PyRef in = inputs(run), out = outputs(run);
    PyRef::take(PyObject_CallFunctionObjArgs(observer_.after_.get(), index.get(), in.get(),
                                             out.get(), begun.get(), nullptr));
  });
}

}  // namespace thunkvm

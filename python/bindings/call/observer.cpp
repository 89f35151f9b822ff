#include "python/bindings/call/observer.h"

#include "python/bindings/graph/value.h"
#include "python/bindings/python/raised.h"
#include "vm/clock.h"
#include "vm/frame.h"

namespace thunkvm {
namespace {

/// A callable, or null for None.
PyRef callable(PyObject* object, const char* name) {
  PyRef member = attribute(object, name);
  if (member.get() == Py_None) return {};
  return member;
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
      absent_(attribute(object, "absent")) {
  const PyRef first = attribute(object, "first");
  first_ = static_cast<std::uint32_t>(PyLong_AsUnsignedLong(first.get()));
  if (PyErr_Occurred() != nullptr) throw PythonError{};
}

PyRef Observer::started(Frame& frame) {
  const double spent =
      static_cast<double>(std::exchange(unwatched_ticks_, 0)) * Clock::seconds_per_tick();
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
  unwatched_ = PyLong_AsLongLong(rest.get());
  if (unwatched_ < 0) {
    unwatched_ = 0;
    if (PyErr_Occurred() != nullptr) throw PythonError{};
  }
}

namespace {

// Layouts of a node that are known; what comes beyond them is new each time. So many take 42 kB,
// and a look among them 6 ns, as among ten.
constexpr std::size_t kRemembered = 1000;

/// A hash of how the inputs of a run lie; numbers have no layout.
std::uint64_t layout_of(const ThunkRun& run) {
  std::uint64_t hash = 1;
  const auto add = [&](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  };
  for (int i = 0; i < run.operands.n_inputs; ++i) {
    if (run.lazy != nullptr && !run.lazy->available(i)) {
      add(1);
      continue;
    }
    const Cell& cell = run.frame.cell(run.operands.input(i));
    if (!cell.is_array()) continue;
    const ArrayBody& body = *cell.body();
    add(static_cast<std::uint64_t>(body.dtype) * 64 + body.ndim);
    for (int k = 0; k < 2 * body.ndim; ++k) add(static_cast<std::uint64_t>(body.dims[k]));
  }
  return hash;
}

}  // namespace

bool Observer::is_new(const ThunkRun& run) {
  if (run.node >= runs_.size()) runs_.resize(run.node + 1);
  Runs& runs = runs_[run.node];
  const std::uint64_t layout = layout_of(run);
  if (runs.n < first_) {
    ++runs.n;
    runs.others.insert(layout);
    return true;
  }
  if (layout == runs.layout) return false;
  const bool known = runs.others.contains(layout);
  if (known || runs.others.size() < kRemembered) {
    runs.others.insert(layout);
    runs.layout = layout;
  }
  return !known;
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
  const bool is_new = observer_.first_ != 0 && observer_.is_new(run);
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

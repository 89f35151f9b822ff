// recording_object.cpp: a recording as Python has it: to be stopped, read, and called with.
#include "python/bindings/call/recording_object.h"

#include "linkers/recording_report.h"
#include "python/bindings/call/function.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/list_of.h"
#include "python/bindings/python/testing.h"

#include <cmath>
#include <optional>
#include <utility>

namespace thunkvm {
namespace {

struct RecordingObject {
  PyObject_HEAD std::shared_ptr<Recording>* recording;
  PythonFunction* function;
  PyObject* owner;  // of the function; null once the garbage collector took it
};
PyTypeObject* recording_class = nullptr;

RecordingObject* self_of(PyObject* self) { return reinterpret_cast<RecordingObject*>(self); }

Recording& recording_of(PyObject* self) { return **self_of(self)->recording; }

PythonFunction& function_of(PyObject* self) {
  if (self_of(self)->owner == nullptr)
    throw Error(ErrorKind::Runtime, "the garbage collector took the function of this recording");
  return *self_of(self)->function;
}

PyRef integer(std::uint64_t value) { return PyRef::take(PyLong_FromUnsignedLongLong(value)); }

void set(const PyRef& dict, const char* key, const PyRef& value) {
  check(PyDict_SetItemString(dict.get(), key, value.get()));
}

unsigned long long number(std::uint64_t value) { return value; }  // as "K" takes it

PyRef seconds(double value) { return PyRef::take(PyFloat_FromDouble(value)); }
PyRef seconds_or_none(std::optional<double> value) {
  return value ? seconds(*value) : PyRef::borrow(Py_None);
}

PyRef site_row(const RecordingReport::Site& site) {
  PyRef min = seconds_or_none(site.min), p95 = seconds_or_none(site.p95),
        max = seconds_or_none(site.max), first = seconds_or_none(site.first);
  return PyRef::take(Py_BuildValue("(KdOOOOKKKKK)", number(site.runs), site.self, min.get(),
                                   p95.get(), max.get(), first.get(), number(site.suspended),
                                   number(site.failed), number(site.bytes), number(site.peak),
                                   number(site.copies)));
}

PyRef branch_row(const RecordingReport::BranchCounts& branch) {
  const PyRef loop = branch.loop == kNone ? PyRef::borrow(Py_None) : integer(branch.loop);
  return PyRef::take(Py_BuildValue("(KOOO)", number(branch.flips),
                                   list_of(branch.arms, integer).get(), loop.get(),
                                   list_of(branch.by_steps, integer).get()));
}

// {node: [(shapes, runs, bytes), ...]}; the shapes one after the other, as ShapeCounts has them.
PyRef shape_dict(const std::map<std::uint32_t, ShapeCounts>& nodes) {
  PyRef dict = PyRef::take(PyDict_New());
  for (const auto& [node, counts] : nodes) {
    PyRef rows = list_of(counts, [](const auto& entry) {
      PyRef shapes = list_of(entry.first, [](std::int64_t number) {
        return PyRef::take(PyLong_FromLongLong(number));
      });
      return PyRef::take(Py_BuildValue("(OKK)", shapes.get(), number(entry.second.runs),
                                       number(entry.second.bytes)));
    });
    check(PyDict_SetItem(dict.get(), integer(node).get(), rows.get()));
  }
  return dict;
}

PyRef call_row(const RecordingReport::CallTimes& call) {
  PyRef decisions = list_of(call.decisions, [](const Decision& decision) {
    return PyRef::take(Py_BuildValue("(II)", decision.branch, decision.arm));
  });
  PyRef in_loops = list_of(call.in_loops, [](const LoopDecisions& decided) {
    PyRef runs = list_of(decided.runs, [](const ArmRun& run) {
      return PyRef::take(Py_BuildValue("(IK)", run.arm, number(run.times)));
    });
    return PyRef::take(Py_BuildValue("(IO)", decided.branch, runs.get()));
  });
  return PyRef::take(Py_BuildValue("(KdddKKOOO)", number(call.id), call.start, call.gross, call.net,
                                   number(call.thread), number(call.bytes), decisions.get(),
                                   in_loops.get(), call.failed ? Py_True : Py_False));
}

// (node, branch of the test, [(steps, runs), ...], broken runs)
PyRef loop_row(const RecordingReport::LoopRuns& loop) {
  PyRef runs = list_of(loop.record.runs, [](const auto& entry) {
    return PyRef::take(Py_BuildValue("(KK)", number(entry.first), number(entry.second)));
  });
  return PyRef::take(
      Py_BuildValue("(IIOK)", loop.node, loop.branch, runs.get(), number(loop.record.broken)));
}

PyRef step_row(const RecordingReport::Step& step) {
  return PyRef::take(Py_BuildValue("(ddIKKK)", step.start, step.gross, step.loop, number(step.step),
                                   number(step.call), number(step.thread)));
}

PyRef event_row(const RecordingReport::Event& event) {
  return PyRef::take(Py_BuildValue("(ddIKK)", event.start, event.net, event.site,
                                   number(event.call), number(event.thread)));
}

PyObject* read(PyObject* self, PyObject*) {
  return guard([&] {
    const RecordingReport report = report_of(recording_of(self), function_of(self).core());
    PyRef dict = PyRef::take(PyDict_New());
    set(dict, "sites", list_of(report.sites, site_row));
    set(dict, "node_runs", list_of(report.node_runs, integer));
    set(dict, "branches", list_of(report.branches, branch_row));
    set(dict, "regions", list_of(report.regions, seconds));
    set(dict, "demanders", list_of(report.demanders, [](std::uint32_t pc) {
          return pc == kNone ? PyRef::borrow(Py_None) : integer(pc);
        }));
    set(dict, "loops", list_of(report.loops, loop_row));
    set(dict, "steps", list_of(report.steps, step_row));
    set(dict, "calls", list_of(report.calls, call_row));
    set(dict, "events", list_of(report.events, event_row));
    set(dict, "shapes_of_nodes", shape_dict(report.shapes_of_nodes));
    set(dict, "shapes_of_loops", shape_dict(report.shapes_of_loops));
    set(dict, "first_group", integer(report.first_group));
    set(dict, "n_calls", integer(report.n_calls));
    set(dict, "n_events", integer(report.n_events));
    set(dict, "compile", seconds(report.compile));
    set(dict, "compile_background", seconds(report.compile_background));
    set(dict, "cache_hits", integer(report.cache_hits));
    set(dict, "changeover", seconds(report.changeover));
    set(dict, "lap_cost", seconds(report.lap_cost));
    return dict;
  });
}

PyObject* groups(PyObject* self, PyObject*) {
  return guard([&] {
    const NativeCode* const native = recording_of(self).compilation().ready();
    if (native == nullptr) return PyRef::take(PyList_New(0));
    return list_of(native->groups, [](const NativeGroup& group) {
      PyRef nodes = list_of(group.nodes, integer);
      return PyRef::take(Py_BuildValue("(Os)", nodes.get(), group.kind));
    });
  });
}

PyObject* stop(PyObject* self, PyObject*) {
  return guard([&] {
    function_of(self).stop(*self_of(self)->recording);
    return PyRef::borrow(Py_None);
  });
}

PyObject* count(PyObject* self, PyObject*) {
  return guard([&] { return integer(recording_of(self).n_calls()); });
}

PyObject* compile(PyObject* self, PyObject*) {
  return guard([&] {
    Compilation& compilation = recording_of(self).compilation();
    interruptible([&](Host& host) { compilation.compile(host); });
    return PyRef::borrow(Py_None);
  });
}

PyObject* get_compiled(PyObject* self, void*) {
  return PyBool_FromLong(recording_of(self).compilation().ready() != nullptr ? 1 : 0);
}

PyObject* recording_cost(PyObject*, PyObject*) {
  return PyFloat_FromDouble(TickScale::of_clock().seconds_of_lap());
}

PyObject* stop_clock(PyObject*, PyObject* stopped) {
  return guard([&] {
    Clock::stand_still(check(PyObject_IsTrue(stopped)) != 0);
    return PyRef::borrow(Py_None);
  });
}

PyObject* advance_clock(PyObject*, PyObject* seconds) {
  return guard([&] {
    const double value = PyFloat_AsDouble(seconds);
    if (PyErr_Occurred() != nullptr) throw PythonError{};
    Clock::advance(static_cast<std::uint64_t>(std::llround(value * 1e9)));
    return PyRef::borrow(Py_None);
  });
}

// [(arm, times), ...]
std::vector<ArmRun> arm_runs(PyObject* rows, const Branch& branch, unsigned number) {
  std::vector<ArmRun> runs;
  for (PyObject* row : Items(rows, "forced arms have to be pairs (arm, times)")) {
    unsigned arm = 0;
    unsigned long long times = 0;
    if (PyArg_ParseTuple(row, "IK", &arm, &times) == 0) throw PythonError{};
    if (arm >= branch.n_arms)
      throw Error(ErrorKind::Index, "there is no arm " + std::to_string(arm) + " of branch " +
                                        std::to_string(number));
    if (times != 0) runs.push_back({arm, times});
  }
  return runs;
}

PyObject* force(PyObject* self, PyObject* rows) {
  return guard([&] {
    const std::vector<Branch>& branches = function_of(self).linked().program->branches;
    std::vector<ArmScript> scripts(branches.size());
    for (PyObject* row : Items(rows, "scripts have to be rows (branch, runs, repeats)")) {
      unsigned branch = 0;
      int repeats = 0;
      PyObject* runs = nullptr;
      if (PyArg_ParseTuple(row, "IOp", &branch, &runs, &repeats) == 0) throw PythonError{};
      if (branch >= branches.size())
        throw Error(ErrorKind::Index, "there is no branch " + std::to_string(branch));
      scripts[branch] = {arm_runs(runs, branches[branch], branch), repeats != 0};
    }
    recording_of(self).force(std::move(scripts));
    return PyRef::borrow(Py_None);
  });
}

PyObject* call(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guard([&] {
    // As vectorcall has it: the values of keywords after the others, their names in a tuple.
    std::vector<PyObject*> values;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i)
      values.push_back(PyTuple_GET_ITEM(args, i));
    PyRef names;
    if (kwargs != nullptr && PyDict_GET_SIZE(kwargs) != 0) {
      names = PyRef::take(PyTuple_New(PyDict_GET_SIZE(kwargs)));
      PyObject *key = nullptr, *value = nullptr;
      for (Py_ssize_t at = 0, n = 0; PyDict_Next(kwargs, &at, &key, &value) != 0; ++n) {
        PyTuple_SET_ITEM(names.get(), n, Py_NewRef(key));
        values.push_back(value);
      }
    }
    return function_of(self).call_recorded(*self_of(self)->recording, values.data(),
                                           static_cast<std::size_t>(PyTuple_GET_SIZE(args)),
                                           names.get());
  });
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(self_of(self)->owner);
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(self_of(self)->owner);
  return 0;
}

void destroy(PyObject* self) {
  PyObject_GC_UnTrack(self);
  delete std::exchange(self_of(self)->recording, nullptr);
  clear(self);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"read", read, METH_NOARGS,
     "What was recorded of the calls that have ended: a dict of lists, times in seconds."},
    {"count", count, METH_NOARGS, "How many calls were recorded."},
    {"compile", compile, METH_NOARGS,
     "Compiles the C of the recorded program now, if there is any."},
    {"groups", groups, METH_NOARGS,
     "What emitted code computes together: (nodes, kind) of each group."},
    {"stop", stop, METH_NOARGS, "Records no further call."},
    {"force", force, METH_O,
     "Has branches take these arms in the calls from now on: rows (branch, [(arm, times), ...], "
     "repeats)."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef properties[] = {
    {"compiled", get_compiled, nullptr, "Whether calls run emitted code.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef functions[] = {
    {"recording_cost", recording_cost, METH_NOARGS,
     "recording_cost()\n--\n\nSeconds that recording the time of one thunk takes."},
    {nullptr, nullptr, 0, nullptr},
};

PyMethodDef testing_functions[] = {
    {"stop_clock", stop_clock, METH_O,
     "stop_clock(stopped)\n--\n\nFor tests: the recorded time stands still, but for "
     "advance_clock."},
    {"advance_clock", advance_clock, METH_O,
     "advance_clock(seconds)\n--\n\nFor tests: so much of the recorded time passes."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(call)},
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_tp_doc, const_cast<char*>("What is recorded of a function's calls. Called itself, it calls "
                                  "the function and records that.")},
    {0, nullptr},
};

PyType_Spec spec = {"thunkvm._core.Recording", sizeof(RecordingObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

}  // namespace

PyObject* wrap_recording(std::shared_ptr<Recording> recording, PythonFunction& function,
                         PyObject* owner) {
  RecordingObject* object = PyObject_GC_New(RecordingObject, recording_class);
  if (object == nullptr) throw PythonError{};
  object->recording = new std::shared_ptr<Recording>(std::move(recording));
  object->function = &function;
  object->owner = Py_NewRef(owner);
  PyObject_GC_Track(reinterpret_cast<PyObject*>(object));
  return reinterpret_cast<PyObject*>(object);
}

void init_recording(PyObject* module) {
  recording_class = add_class(module, spec);
  check(PyModule_AddFunctions(module, functions));
  add_testing_functions(module, testing_functions);
}

}  // namespace thunkvm

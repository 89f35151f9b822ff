// recording_object.cpp: a recording as Python has it: to be stopped, read, and called with.
#include "python/bindings/call/recording_object.h"

#include "python/bindings/call/function.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/list_of.h"
#include "python/bindings/python/testing.h"

#include <algorithm>
#include <cmath>
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

// Ticks as seconds, less what the laps in them cost.
struct Seconds {
  double tick = Clock::seconds_per_tick();
  double lap = ticks_of_lap();

  double of(std::uint64_t ticks, std::uint64_t laps) const {
    return std::max(0.0, static_cast<double>(ticks) - lap * static_cast<double>(laps)) * tick;
  }
};

PyRef site_row(const SiteRecord& site, const Seconds& seconds) {
  const auto one = [&](std::uint64_t ticks, bool known) {
    return known ? PyRef::take(PyFloat_FromDouble(seconds.of(ticks, 1))) : PyRef::borrow(Py_None);
  };
  const bool again = site.runs > 1;
  PyRef min = one(site.min, again), p95 = one(site.p95(), again), max = one(site.max, again),
        first = one(site.first, site.runs != 0);
  const std::uint64_t laps = site.runs + site.suspended + site.failed;
  return PyRef::take(Py_BuildValue(
      "(KdOOOOKKKKK)", static_cast<unsigned long long>(site.runs), seconds.of(site.self, laps),
      min.get(), p95.get(), max.get(), first.get(), static_cast<unsigned long long>(site.suspended),
      static_cast<unsigned long long>(site.failed), static_cast<unsigned long long>(site.bytes),
      static_cast<unsigned long long>(site.peak), static_cast<unsigned long long>(site.copies)));
}

// {node: [(shapes, runs, bytes), ...]}; the shapes one after the other, as ShapeCounts has them.
PyRef shape_dict(const std::map<std::uint32_t, ShapeCounts>& nodes) {
  PyRef dict = PyRef::take(PyDict_New());
  for (const auto& [node, counts] : nodes) {
    PyRef rows = list_of(counts, [](const auto& entry) {
      PyRef shapes = list_of(entry.first, [](std::int64_t number) {
        return PyRef::take(PyLong_FromLongLong(number));
      });
      return PyRef::take(Py_BuildValue("(OKK)", shapes.get(),
                                       static_cast<unsigned long long>(entry.second.runs),
                                       static_cast<unsigned long long>(entry.second.bytes)));
    });
    check(PyDict_SetItem(dict.get(), integer(node).get(), rows.get()));
  }
  return dict;
}

PyRef call_row(const CallRecord& call, const Seconds& seconds) {
  PyRef decisions = list_of(call.decisions, [](const Decision& decision) {
    return PyRef::take(Py_BuildValue("(II)", decision.branch, decision.arm));
  });
  return PyRef::take(Py_BuildValue("(KdddKKOO)", static_cast<unsigned long long>(call.start),
                                   static_cast<double>(call.start) * seconds.tick,
                                   static_cast<double>(call.elapsed.ticks) * seconds.tick,
                                   seconds.of(call.elapsed.ticks, call.elapsed.laps),
                                   static_cast<unsigned long long>(call.thread),
                                   static_cast<unsigned long long>(call.bytes), decisions.get(),
                                   call.failed ? Py_True : Py_False));
}

PyRef event_row(const EventRecord& event, const Seconds& seconds) {
  return PyRef::take(Py_BuildValue(
      "(ddIKK)", static_cast<double>(event.end - event.ticks) * seconds.tick,
      seconds.of(event.ticks, 1), event.site, static_cast<unsigned long long>(event.call),
      static_cast<unsigned long long>(event.thread)));
}

PyObject* read(PyObject* self, PyObject*) {
  return guard([&] {
    Recording& recording = recording_of(self);
    const Program& program = *function_of(self).linked().program;
    const RecordedCalls recorded = recording.recorded();
    const Seconds seconds;
    PyRef dict = PyRef::take(PyDict_New());
    set(dict, "sites", list_of(recorded.totals.sites, [&](const SiteRecord& site) {
          return site_row(site, seconds);
        }));
    set(dict, "node_runs", list_of(recorded.node_runs, integer));
    std::size_t index = 0;
    set(dict, "branches", list_of(recorded.totals.branches, [&](const BranchRecord& record) {
          const Branch& branch = program.branches[index++];
          const auto first = recorded.counters.begin() + branch.first_counter;
          PyRef arms = list_of(std::vector<std::uint64_t>(first, first + branch.n_arms), integer);
          return PyRef::take(
              Py_BuildValue("(KO)", static_cast<unsigned long long>(record.flips), arms.get()));
        }));
    set(dict, "regions", list_of(recorded.totals.regions, [&](const Elapsed& elapsed) {
          return PyRef::take(PyFloat_FromDouble(seconds.of(elapsed.ticks, elapsed.laps)));
        }));
    set(dict, "demanders", list_of(recorded.totals.demanders, [](std::uint32_t pc) {
          return pc == kNone ? PyRef::borrow(Py_None) : integer(pc);
        }));
    set(dict, "calls", list_of(recorded.totals.calls, [&](const CallRecord& call) {
          return call_row(call, seconds);
        }));
    set(dict, "events", list_of(recorded.totals.events, [&](const EventRecord& event) {
          return event_row(event, seconds);
        }));
    set(dict, "shapes_of_nodes", shape_dict(recorded.totals.shapes_of_nodes));
    set(dict, "shapes_of_loops", shape_dict(recorded.totals.shapes_of_loops));
    set(dict, "first_group", integer(Recorder::first_group(program)));
    set(dict, "n_calls", integer(recorded.totals.n_calls));
    set(dict, "n_events", integer(recorded.totals.n_events));
    double waited = 0, in_background = 0;
    std::uint64_t cache_hits = 0;
    const Compilation& its_own = function_of(self).core().compilation();
    for (const Compilation* compilation : {&its_own, &std::as_const(recording).compilation()}) {
      waited += compilation->waited();
      in_background += compilation->in_background();
      cache_hits += compilation->cache_hits();
    }
    set(dict, "compile", PyRef::take(PyFloat_FromDouble(waited)));
    set(dict, "compile_background", PyRef::take(PyFloat_FromDouble(in_background)));
    set(dict, "cache_hits", integer(cache_hits));
    set(dict, "changeover", PyRef::take(PyFloat_FromDouble(recorded.changeover)));
    set(dict, "lap_cost", PyRef::take(PyFloat_FromDouble(seconds.lap * seconds.tick)));
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
  return PyFloat_FromDouble(ticks_of_lap() * Clock::seconds_per_tick());
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

PyObject* force(PyObject* self, PyObject* pairs) {
  return guard([&] {
    std::vector<std::uint32_t> arms(function_of(self).linked().program->branches.size(), kNone);
    for (PyObject* pair : Items(pairs, "forced arms have to be pairs (branch, arm)")) {
      unsigned branch = 0, arm = 0;
      if (PyArg_ParseTuple(pair, "II", &branch, &arm) == 0) throw PythonError{};
      if (branch >= arms.size() ||
          arm >= function_of(self).linked().program->branches[branch].n_arms)
        throw Error(ErrorKind::Index, "there is no arm " + std::to_string(arm) + " of branch " +
                                          std::to_string(branch));
      arms[branch] = arm;
    }
    recording_of(self).force(std::move(arms));
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
    {"force", force, METH_O, "Has branches go one way in the calls from now on."},
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

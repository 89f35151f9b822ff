// recording_object.cpp: a recording as Python has it: to be stopped, read, and called with.
#include "python/bindings/call/recording_object.h"

#include "linkers/recording_report.h"
#include "python/bindings/call/function.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/pybind.h"

#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace thunkvm {
namespace {

using namespace py::literals;

/// A recording, and the function that it is of, which goes where the garbage collector takes it.
struct RecordingObject {
  std::shared_ptr<Recording> recording;
  PythonFunction* function;
  py::object owner;  // of the function; null once the garbage collector took it

  PythonFunction& live() const {
    if (!owner)
      throw Error(ErrorKind::Runtime, "the garbage collector took the function of this recording");
    return *function;
  }
};

py::tuple site_row(const RecordingReport::Site& site) {
  return py::make_tuple(site.runs, site.self, site.min, site.p95, site.max, site.first,
                        site.suspended, site.failed, site.bytes, site.peak, site.copies);
}

py::tuple branch_row(const RecordingReport::BranchCounts& branch) {
  return py::make_tuple(branch.flips, branch.arms, index_or_none(branch.loop), branch.by_steps);
}

// {node: [(shapes, runs, bytes), ...]}; the shapes one after the other, as ShapeCounts has them.
py::dict shape_dict(const std::map<std::uint32_t, ShapeCounts>& nodes) {
  py::dict dict;
  for (const auto& [node, counts] : nodes)
    dict[py::int_(node)] = py_list(counts, [](const auto& entry) {
      return py::make_tuple(entry.first, entry.second.runs, entry.second.bytes);
    });
  return dict;
}

py::tuple call_row(const RecordingReport::CallTimes& call) {
  const py::list decisions = py_list(call.decisions, [](const Decision& decision) {
    return py::make_tuple(decision.branch, decision.arm);
  });
  const py::list in_loops = py_list(call.in_loops, [](const LoopDecisions& decided) {
    return py::make_tuple(decided.branch, py_list(decided.runs, [](const ArmRun& run) {
                            return py::make_tuple(run.arm, run.times);
                          }));
  });
  return py::make_tuple(call.id, call.start, call.gross, call.net, call.thread, call.bytes,
                        decisions, in_loops, call.failed);
}

// (node, branch of the test, [(steps, runs), ...], broken runs)
py::tuple loop_row(const RecordingReport::LoopRuns& loop) {
  return py::make_tuple(
      loop.node, loop.branch,
      py_list(loop.record.runs,
              [](const auto& entry) { return py::make_tuple(entry.first, entry.second); }),
      loop.record.broken);
}

py::tuple step_row(const RecordingReport::Step& step) {
  return py::make_tuple(step.start, step.gross, step.loop, step.step, step.call, step.thread);
}

py::tuple event_row(const RecordingReport::Event& event) {
  return py::make_tuple(event.start, event.net, event.site, event.call, event.thread);
}

py::dict read(const RecordingObject& self) {
  const RecordingReport report = report_of(*self.recording, self.live().core());
  return py::dict(
      "sites"_a = py_list(report.sites, site_row), "node_runs"_a = report.node_runs,
      "branches"_a = py_list(report.branches, branch_row), "regions"_a = report.regions,
      "demanders"_a = py_list(report.demanders, index_or_none),
      "loops"_a = py_list(report.loops, loop_row), "steps"_a = py_list(report.steps, step_row),
      "calls"_a = py_list(report.calls, call_row), "events"_a = py_list(report.events, event_row),
      "shapes_of_nodes"_a = shape_dict(report.shapes_of_nodes),
      "shapes_of_nests"_a = shape_dict(report.shapes_of_nests),
      "first_group"_a = report.first_group, "n_calls"_a = report.n_calls,
      "n_events"_a = report.n_events, "compile"_a = report.compile,
      "compile_background"_a = report.compile_background, "cache_hits"_a = report.cache_hits,
      "changeover"_a = report.changeover, "lap_cost"_a = report.lap_cost);
}

py::list groups(const RecordingObject& self) {
  const NativeCode* const native = self.recording->compilation().ready();
  if (native == nullptr) return py::list();
  return py_list(native->groups,
                 [](const NativeGroup& group) { return py::make_tuple(group.nodes, group.kind); });
}

using ArmRuns = std::vector<std::pair<unsigned, std::uint64_t>>;

// `rows`: (branch, its runs, whether they repeat)
void force(RecordingObject& self, const std::vector<std::tuple<unsigned, ArmRuns, bool>>& rows) {
  const std::vector<Branch>& branches = self.live().linked().program->branches;
  std::vector<ArmScript> scripts(branches.size());
  for (const auto& [branch, runs, repeats] : rows) {
    if (branch >= branches.size())
      throw Error(ErrorKind::Index, "there is no branch " + std::to_string(branch));
    scripts[branch].repeats = repeats;
    for (const auto& [arm, times] : runs) {
      if (arm >= branches[branch].n_arms)
        throw Error(ErrorKind::Index, "there is no arm " + std::to_string(arm) + " of branch " +
                                          std::to_string(branch));
      if (times != 0) scripts[branch].runs.push_back({arm, times});
    }
  }
  self.recording->force(std::move(scripts));
}

PyRef call(RecordingObject& self, const py::args& args, const py::kwargs& kwargs) {
  // As vectorcall has it: the values of keywords after the others, their names in a tuple.
  std::vector<PyObject*> values;
  for (const py::handle value : args) values.push_back(value.ptr());
  py::tuple names(kwargs.size());
  std::size_t n = 0;
  for (const auto& [name, value] : kwargs) {
    names[n++] = name;
    values.push_back(value.ptr());
  }
  return PyRef::take(self.live().call_recorded(self.recording, values.data(), args.size(),
                                               n == 0 ? nullptr : names.ptr()));
}

RecordingObject* object_in(PyObject* self) {
  return py::detail::is_holder_constructed(self) ? py::cast<RecordingObject*>(py::handle(self))
                                                 : nullptr;
}

// So that the garbage collector sees the function.
void collect(PyHeapTypeObject* type) {
  type->ht_type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  type->ht_type.tp_traverse = [](PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (RecordingObject* const object = object_in(self)) Py_VISIT(object->owner.ptr());
    return 0;
  };
  type->ht_type.tp_clear = [](PyObject* self) {
    if (RecordingObject* const object = object_in(self)) std::exchange(object->owner, {});
    return 0;
  };
}

}  // namespace

PyObject* wrap_recording(std::shared_ptr<Recording> recording, PythonFunction& function,
                         PyObject* owner) {
  return py::cast(RecordingObject{std::move(recording), &function,
                                  py::reinterpret_borrow<py::object>(owner)})
      .release()
      .ptr();
}

void init_recording(PyObject* module) {
  py::class_<RecordingObject>(module, "Recording", py::custom_type_setup(collect),
                              "What is recorded of a function's calls. Called itself, it calls the "
                              "function and records that.")
      .def("__call__", heeding(&call))
      .def("read", heeding(&read),
           "What was recorded of the calls that have ended: a dict of lists, times in seconds.")
      .def(
          "count", [](const RecordingObject& self) { return self.recording->n_calls(); },
          "How many calls were recorded.")
      .def("compile", heeding([](RecordingObject& self) {
             Compilation& compilation = self.recording->compilation();
             interruptible([&](Host& host) { compilation.compile(host); });
           }),
           "Compiles the C of the recorded program now, if there is any.")
      .def("groups", &groups, "What emitted code computes together: (nodes, kind) of each group.")
      .def(
          "stop", [](RecordingObject& self) { self.live().stop(self.recording); },
          "Records no further call.")
      .def("force", &force, "scripts"_a,
           "Has branches take these arms in the calls from now on: rows (branch, [(arm, times), "
           "...], repeats).")
      .def_property_readonly(
          "compiled",
          [](const RecordingObject& self) {
            return self.recording->compilation().ready() != nullptr;
          },
          "Whether calls run emitted code.");
  Functions(module).def(
      "recording_cost", [] { return TickScale::of_clock().seconds_of_lap(); },
      "Seconds that recording the time of one thunk takes.");
  testing_functions(module)
      .def("stop_clock", &Clock::stand_still, "stopped"_a,
           "For tests: the recorded time stands still, but for advance_clock.")
      .def(
          "advance_clock",
          [](double seconds) {
            Clock::advance(static_cast<std::uint64_t>(std::llround(seconds * 1e9)));
          },
          "seconds"_a, "For tests: so much of the recorded time passes.");
}

}  // namespace thunkvm

// recording_object.cpp: a recording as Python has it: to be stopped, read, and called with.
#include "python/bindings/call/recording_object.h"

#include "linkers/recording_report.h"
#include "linkers/schedule_rows.h"
#include "python/bindings/call/function.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/rows.h"
#include "python/bindings/python/topics.h"

#include <cmath>
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

Typed<"thunkvm._rows.RecordingReport"> read(const RecordingObject& self) {
  return as_python(report_of(*self.recording, self.live().core()));
}

Typed<"list[thunkvm._rows.RecordedCall]"> calls(const RecordingObject& self) {
  const Program& program = *self.live().linked().program;
  return as_python(report_of(self.recording->recorded(), program, TickScale::of_clock()).calls);
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

Any call(RecordingObject& self, const py::args& args, const py::kwargs& kwargs) {
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
  add_row_classes<NodeRuns, NodeCode, NativeGroup, BlockRow, BranchRow, ProgramCondition,
                  RegionPlace, ScheduleRows, SiteCounts, Work, SiteRow, BranchTally, BranchCounts,
                  Decision, ArmRun, LoopDecisions, CallTimes, RecordedCall, Stretch, RecordedEvent,
                  RecordedStep, LoopCounts, RecordingReport>(module);
  add_enum<ThunkForm>(module, "How a node runs.");
  add_enum<GroupKind>(module, "The kinds of groups in emitted code.");
  add_enum<Block::Kind>(module, "The kinds of blocks in a schedule.");
  add_enum<CallPart>(module, "The parts of a call beside its program.");
  py::class_<RecordingObject>(module, "Recording", py::custom_type_setup(collect),
                              "What is recorded of a function's calls. Called itself, it calls the "
                              "function and records that.")
      .def("__call__", heeding(&call))
      .def("read", heeding(&read), "The RecordingReport of the calls that have ended.")
      .def(
          "count", [](const RecordingObject& self) { return self.recording->n_calls(); },
          "How many calls were recorded.")
      .def("compile", heeding([](RecordingObject& self) {
             Compilation& compilation = self.recording->compilation();
             interruptible([&](Host& host) { compilation.compile(host); });
           }),
           "Compiles the C of the recorded program now, if there is any.")
      .def("calls", heeding(&calls), "The latest calls that have ended, each a RecordedCall.")
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

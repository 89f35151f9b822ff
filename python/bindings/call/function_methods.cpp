// function_methods.cpp: the methods and properties of Functions that are not on a call's path.
#include "linkers/codegen/emit/emitted_code.h"
#include "linkers/node_forms.h"
#include "linkers/recording_report.h"
#include "linkers/schedule_rows.h"
#include "python/bindings/call/first_calls.h"
#include "python/bindings/call/function.h"
#include "python/bindings/call/function_object.h"
#include "python/bindings/call/recording_object.h"
#include "python/bindings/graph/casters.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/rows.h"
#include "python/bindings/python/topics.h"
#include "vm/disassembler.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace pybind11::detail {

/// The function of a Function, as self. Throws where the garbage collector took it.
template <>
class type_caster<thunkvm::PythonFunction>
    : public caster_by_hand<thunkvm::PythonFunction, &thunkvm::is_function, &thunkvm::function_of> {
 public:
  static constexpr auto name = const_name("thunkvm._core.Function");
};

}  // namespace pybind11::detail

namespace thunkvm {
namespace {

using namespace py::literals;

// ---- rows about nodes

std::vector<NodeRuns> node_runs(PythonFunction& function) {
  const Linked& linked = function.linked();
  const std::vector<std::uint64_t> runs = function.core().recordings().node_runs(function.pool());
  const IndexedVector forms = thunk_forms(*linked.program);
  std::vector<NodeRuns> rows;
  for (const ProgramNode i : linked.nodes().indices()) {
    const Apply& node = *linked.nodes()[i].node();
    rows.push_back({.node = linked.program->text->node(i),
                    .op = node.op()->name(),
                    .form = forms[i],
                    .origin = node.origin_text(),
                    .runs = runs[i]});
  }
  return rows;
}

std::vector<NodeCode> node_code(PythonFunction& function) {
  const IndexedVector forms = interruptible([&](Host& host) {
    return node_forms(*function.linked().program, function.core().compilation(), host);
  });
  std::vector<NodeCode> rows;
  for (const NodeForm& how : forms)
    rows.push_back({.form = how.form.value(), .code = how.region, .why = how.why});
  return rows;
}

// ---- recordings

Typed<"thunkvm._core.Recording"> record(const py::object& self, bool times, bool events,
                                        bool memory, bool calls, bool steps, bool apart, bool own) {
  PythonFunction& function = function_of(self.ptr());
  const RecordOptions options{
      .times = times, .events = events, .memory = memory, .calls = calls, .steps = steps};
  std::shared_ptr<Recording> recording =
      apart ? function.core().record_apart(options) : function.record(options);
  if (own) function.set_own(recording);
  return PyRef::take(wrap_recording(std::move(recording), function, self.ptr()));
}

Typed<"thunkvm._core.Recording | None"> own_recording(const py::object& self) {
  PythonFunction& function = function_of(self.ptr());
  if (function.own() == nullptr) return PyRef();
  return PyRef::take(wrap_recording(function.own(), function, self.ptr()));
}

// ---- the rest

std::string c_source(PythonFunction& function) {
  Compilation& compilation = function.core().compilation();
  const EmittedCode* code = interruptible([&](Host& host) { return compilation.code(host); });
  if (code == nullptr)
    throw Error(ErrorKind::Value, "this function's mode emits no C; the modes " +
                                      emitting_linkers() +
                                      " do, unless they are made with compile=\"never\".");
  return code->readable();
}

std::string_view compiled(PythonFunction& function) {
  return name(function.core().compilation().state());
}

Typed<"list[tuple[str | None, bool, typing.Any]]"> parameters(PythonFunction& function) {
  return py_list(function.parameters(), [](const Parameter& parameter) {
    return py::make_tuple(
        parameter.keyword, parameter.has_default,
        parameter.has_default ? to_python_lent(parameter.default_value) : PyRef());
  });
}

Typed<"dict[str, typing.Any]"> making(PythonFunction& function) {
  const Function::Making& making = function.core().making();
  return py::dict("rewrite"_a = making.rewrite, "link"_a = making.link,
                  "compile"_a = making.compile, "cache_hits"_a = making.cache_hits);
}

void add_methods(Methods methods) {
  methods
      .def(
          "disassemble",
          [](PythonFunction& function) { return disassemble(*function.linked().program); },
          "The program, one instruction a line.")
      .def(
          "_node_rows", [](PythonFunction & function) -> Typed<"list[thunkvm._rows.NodeRuns]"> {
            return as_python(node_runs(function));
          },
          "The NodeRuns of each node that may run, in the program's order.")
      .def(
          "_node_counts",
          [](PythonFunction& function) {
            return function.core().recordings().node_runs(function.pool());
          },
          "How often each node ran, in the order of `_node_rows`.")
      .def(
          "_node_forms", [](PythonFunction & function) -> Typed<"list[thunkvm._rows.NodeCode]"> {
            return as_python(node_code(function));
          },
          "The NodeCode of each node that may run, in the same order.")
      .def(
          "_schedule", [](PythonFunction & function) -> Typed<"thunkvm._rows.ScheduleRows"> {
            return as_python(rows_of(*function.linked().schedule));
          },
          "The blocks of the function's schedule, and the nodes that run in them: ScheduleRows.")
      .def("c_source", &c_source,
           "The C that stands for the program, with a comment for each node.")
      .def(
          "compile",
          [](PythonFunction& function) {
            function.compile();
            return compiled(function);
          },
          "Compiles the emitted code now, if its mode emits any, and says what came of it.")
      .def(
          "_counted", [](PythonFunction & function) -> Typed<"thunkvm._rows.RecordingReport"> {
            return as_python(counts_of(function.core(), function.pool()));
          },
          "The RecordingReport of what is always counted: runs of nodes, and arms of branches.")
      .def("_record", &record, py::kw_only(), "times"_a = false, "events"_a = false,
           "memory"_a = false, "calls"_a = true, "steps"_a = false, "apart"_a = false,
           "own"_a = false,
           "A Recording of the calls from now on. `apart`: only of calls that are made with it; "
           "`own`: the one that `_own_recording` returns.")
      .def("_own_recording", &own_recording,
           "The Recording of a function that was made with profile=; else None.")
      .def(
          "reset_counters",
          [](PythonFunction& function) {
            function.core().recordings().reset_counters(function.pool());
          },
          "Sets the counts of runs to zero.");
}

void add_properties(Methods methods) {
  methods
      .property(
          "inputs", [](PythonFunction& function) { return function.core().graph().inputs; },
          "The Variables that the arguments stand for.")
      .property(
          "outputs", [](PythonFunction& function) { return function.core().graph().outputs; },
          "The Variables that a call computes: after givens and the mode's rewrites, in the order "
          "in\nwhich the outputs' structure has them.")
      .property(
          "updates", [](PythonFunction& function) { return function.updates(); },
          "(shared variable, Variable with its new value) for each update, after givens and "
          "rewrites.")
      .property(
          "mode", [](PythonFunction & function) -> Typed<"thunkvm._src.calls.mode.Mode"> {
            return PyRef::take(function.mode());
          },
          "The Mode that the function was made with.")
      .property(
          "_nodes",
          [](PythonFunction& function) -> const std::vector<Variable>& {
            return function.linked().nodes();
          },
          "Output 0 of each node that may run, as `_node_rows`.")
      .property(
          "name",
          [](PythonFunction& function) {
            return function.name().empty() ? "function" : function.name();
          },
          "The name that it was made with; messages call one without by the line that made it.")
      .property(
          "rewrites", [](PythonFunction & function) -> Typed<"dict[str, int]"> {
            py::dict counts;
            for (const auto& [name, count] : function.core().removed())
              counts[py::str(name)] = count;
            return counts;
          },
          "How many nodes fewer each rewrite of the mode left, by its name.")
      .property(
          "_shown", [](PythonFunction& function) { return function.core().name(); },
          "Its name, or the line that made it.")
      .property("_making", &making, "Seconds that it took to make it, by what was done.")
      .property("_parameters", &parameters,
                "(name or None, whether it has a default, default) for each input.")
      .property(
          "_has_shared_variables",
          [](PythonFunction& function) {
            const Linked& linked = function.linked();
            return !linked.shared.empty() || !linked.targets.empty();
          },
          "Whether it reads or updates shared variables.")
      .property("compiled", &compiled,
                "What became of the emitted code: 'off', 'waiting', 'compiling', 'ready', 'failed' "
                "or\n'unneeded'.")
      .property(
          "why_not_compiled",
          [](PythonFunction& function) { return function.core().compilation().why_not(); },
          "Why the emitted code is not compiled, or not yet; empty where it is, or is being "
          "compiled.");
}

}  // namespace

void init_function_methods(PyObject* module) {
  add_methods(Methods(function_class));
  add_properties(Methods(function_class));
  Functions(module).def(
      "watch_functions", [](const py::object& callable) { FirstCalls::set(callable.ptr()); },
      "callable"_a,
      "Calls `callable` with each function that is called, once, before its first call from now "
      "on; "
      "None: nobody is told.");
  testing_functions(module)
      .def(
          "registers_empty",
          [](PythonFunction& function) { return function.pool().registers_empty(); }, "function"_a,
          "Whether no register of a function holds a value, as it has to be between calls.")
      .def(
          "count_frames", [](PythonFunction& function) { return function.pool().size(); },
          "function"_a, "How many calls were in flight at once, at most.");
}

}  // namespace thunkvm

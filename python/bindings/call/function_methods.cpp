#include "python/bindings/call/function_methods.h"

#include "linkers/codegen/emit/emitted_code.h"
#include "linkers/node_forms.h"
#include "linkers/schedule/code_regions.h"
#include "python/bindings/call/function.h"
#include "python/bindings/call/function_object.h"
#include "python/bindings/call/function_watch.h"
#include "python/bindings/call/recording_object.h"
#include "python/bindings/graph/casters.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/python/host.h"
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

py::list node_rows(PythonFunction& function) {
  const Linked& linked = function.linked();
  const std::vector<std::uint64_t> runs = function.core().recordings().node_runs(function.pool());
  const std::vector<ThunkForm> forms = thunk_forms(*linked.program);
  std::uint32_t i = 0;
  return py_list(runs, [&](std::uint64_t n) {
    const Apply& node = *linked.nodes()[i].node();
    const std::string text = linked.program->text->node(i);
    return py::make_tuple(text, node.op()->name(), name(forms[i++]), node.origin_text(), n);
  });
}

py::list node_form_rows(PythonFunction& function) {
  const std::vector<NodeForm> forms = interruptible([&](Host& host) {
    return node_forms(*function.linked().program, function.core().compilation(), host);
  });
  return py_list(forms,
                 [](const NodeForm& how) { return py::make_tuple(how.form, how.region, how.why); });
}

using Counts = std::vector<std::uint64_t>;

std::pair<Counts, std::vector<Counts>> node_counts(PythonFunction& function) {
  Recordings& recordings = function.core().recordings();
  const Counts counters = recordings.counters(function.pool());
  std::vector<Counts> arms;
  for (const Branch& branch : function.linked().program->branches) {
    const auto& counts = branch.arm_counts(counters);
    arms.emplace_back(counts.begin(), counts.end());
  }
  return {recordings.node_runs(function.pool()), std::move(arms)};
}

// ---- the schedule

py::tuple block_row(const Schedule& schedule, const Block& block, bool idle) {
  const char* kind = "root";
  std::string_view decoding = "truth";
  std::uint32_t node = kNone, n_arms = 0;
  switch (block.kind) {
    case Block::Kind::Root: break;
    case Block::Kind::Arm: {
      const ScheduledBranch& branch = schedule.branches[block.owner];
      kind = "arm";
      node = schedule.decided_by(branch).front();
      n_arms = branch.n_arms;
      decoding = name(branch.decoding);
      break;
    }
    case Block::Kind::Memo:
      kind = "memo";
      node = schedule.memos[block.owner].node;
      break;
    case Block::Kind::Loop:
      kind = "step";
      node = schedule.loops[block.owner].node;
      break;
    case Block::Kind::Input:
    case Block::Kind::Guarded:
      kind = block.kind == Block::Kind::Input ? "input" : "guarded";
      node = schedule.lazies[block.owner].node;
      break;
  }
  return py::make_tuple(kind, index_or_none(block.parent), block.owner, index_or_none(node),
                        block.number, n_arms, decoding, idle);
}

// A dict of lists.
//
//   blocks       (kind, block that it is within or None, owner, node or None, number, number of
//                arms, decoding, whether it is idle): the owner of an arm is its branch, of a memo
//                body or an input that of `memos` or `lazies`; the node is the conditional, or the
//                one of the body; the number says which arm or input it is. Kinds are "root",
//                "arm", "memo", "input" and "guarded", decodings "truth", "index" and "default"
//   node_blocks  by node the block that it runs in, or None
//   branches     (register of the selector, decoding, number of arms, conditional, block)
//   memos        the nodes of memo bodies
//   lazies       the nodes of lazy thunks
//   demanders    by pc the node for which it may have a body run, or None
py::dict schedule_rows(PythonFunction& function) {
  const Schedule& schedule = *function.linked().schedule;
  const std::vector<bool> idle = idle_blocks(schedule);
  std::size_t b = 0;
  const auto node_of = [](const auto& body) { return index_or_none(body.node); };
  return py::dict(
      "blocks"_a =
          py_list(schedule.blocks,
                  [&](const Block& block) { return block_row(schedule, block, idle[b++]); }),
      "node_blocks"_a = py_list(schedule.block_of_nodes(), index_or_none),
      "branches"_a = py_list(schedule.branches,
                             [&](const ScheduledBranch& branch) {
                               return py::make_tuple(branch.selector, name(branch.decoding),
                                                     branch.n_arms,
                                                     schedule.decided_by(branch).front(),
                                                     schedule.arm(branch, 0).parent);
                             }),
      "memos"_a = py_list(schedule.memos, node_of), "lazies"_a = py_list(schedule.lazies, node_of),
      "demanders"_a = py_list(demanders_of(schedule), index_or_none));
}

// ---- recordings

PyRef record(const py::object& self, bool times, bool events, bool memory, bool calls, bool steps,
             bool apart, bool own) {
  PythonFunction& function = function_of(self.ptr());
  const RecordOptions options{
      .times = times, .events = events, .memory = memory, .calls = calls, .steps = steps};
  std::shared_ptr<Recording> recording =
      apart ? function.core().record_apart(options) : function.record(options);
  if (own) function.set_own(recording);
  return PyRef::take(wrap_recording(std::move(recording), function, self.ptr()));
}

PyRef own_recording(const py::object& self) {
  PythonFunction& function = function_of(self.ptr());
  if (function.own() == nullptr) return {};
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

py::list parameters(PythonFunction& function) {
  return py_list(function.parameters(), [](const Parameter& parameter) {
    return py::make_tuple(
        parameter.keyword, parameter.has_default,
        parameter.has_default ? to_python_lent(parameter.default_value) : PyRef());
  });
}

py::dict making(PythonFunction& function) {
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
      .def("_node_rows", &node_rows,
           "For each node that may run: (node, Op, form, where it was made, how often it ran).")
      .def("_node_forms", &node_form_rows,
           "For each node that may run, in the order of `_node_rows`: (form, code, why).")
      .def("_schedule", &schedule_rows,
           "The blocks of the function's schedule, and what runs in them: a dict; see regions.py.")
      .def("c_source", &c_source,
           "The C that stands for the program, with a comment for each node.")
      .def(
          "compile",
          [](PythonFunction& function) {
            function.compile();
            return compiled(function);
          },
          "Compiles the emitted code now, if its mode emits any, and says what came of it.")
      .def("_counts", &node_counts,
           "How often each node ran, and each branch took each of its arms.")
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
          "mode", [](PythonFunction& function) { return PyRef::take(function.mode()); },
          "The Mode that the function was made with.")
      .property(
          "_nodes", [](PythonFunction& function) { return wrap_list(function.linked().nodes()); },
          "Output 0 of each node that may run, as `_node_rows`.")
      .property(
          "name",
          [](PythonFunction& function) {
            return function.name().empty() ? "function" : function.name();
          },
          "The name that it was made with; messages call one without by the line that made it.")
      .property(
          "rewrites",
          [](PythonFunction& function) {
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
      "watch_functions", [](const py::object& callable) { FunctionWatch::set(callable.ptr()); },
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

#include "python/bindings/call/link.h"

#include "linkers/mode.h"
#include "linkers/user_code/input_guard.h"
#include "ops/rewrites/rewrite.h"
#include "python/bindings/call/function.h"
#include "python/bindings/call/function_object.h"
#include "python/bindings/graph/casters.h"
#include "python/bindings/graph/origin.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/user_kernel.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/python/raised.h"
#include "python/bindings/thunks/c_thunk.h"
#include "python/bindings/thunks/python_thunk.h"

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

using namespace py::literals;

// An item of a dict by name, or null.
PyRef item(PyObject* dict, const char* key) {
  return PyRef::borrow(PyDict_GetItemString(dict, key));
}

bool flag(PyObject* dict, const char* key) {
  const PyRef value = item(dict, key);
  return value && check(PyObject_IsTrue(value.get())) != 0;
}

// The dict for each of `n` things; none where no list was given.
std::vector<PyRef> spec_list(PyObject* specs, std::size_t n, const char* what) {
  if (specs == Py_None) return std::vector<PyRef>(n);
  const Items items(specs, "specs have to be a sequence of dicts");
  if (items.size() != static_cast<Py_ssize_t>(n))
    throw Error(ErrorKind::Value, std::string(what) + " has " + std::to_string(items.size()) +
                                      " entries for " + std::to_string(n) +
                                      " variables; give one for each.");
  std::vector<PyRef> list;
  for (PyObject* spec : items) {
    if (!PyDict_Check(spec))
      throw Error(ErrorKind::Type, std::string(what) + "[" + std::to_string(list.size()) +
                                       "] has to be a dict, but it is a " + class_name(spec) + ".");
    list.push_back(PyRef::borrow(spec));
  }
  return list;
}

CastRule cast_rule(PyObject* spec) {
  if (flag(spec, "strict")) return CastRule::Exact;
  return flag(spec, "allow_downcast") ? CastRule::Downcast : CastRule::Safe;
}

Parameter parameter(const Variable& input, PyObject* spec, const std::string& function,
                    std::size_t index) {
  Parameter result;
  result.set_type(input.type_ref());
  result.name = std::string(input.name());
  const PyRef name = spec == nullptr ? PyRef() : item(spec, "name");
  if (name && name.get() != Py_None)
    result.name = std::string(text_of(name.get(), "an input's name"));
  if (!result.name.empty()) {
    PyObject* keyword = to_text(result.name).release();
    PyUnicode_InternInPlace(&keyword);
    result.keyword = PyRef::take(keyword);
  }
  result.what = "argument " +
                (result.name.empty() ? std::to_string(index) : "'" + result.name + "'") + " of " +
                function;
  if (spec == nullptr) return result;
  result.rule = cast_rule(spec);
  if (const PyRef value = item(spec, "default")) {
    result.has_default = true;
    const std::string what = "the default of " + result.what;
    result.default_value = from_python(value.get(), *result.type, result.rule, what.c_str());
    // A change of the caller's array later does not change the default, unless they lent it.
    result.default_value =
        flag(spec, "borrow") ? kept_lent(std::move(result.default_value))
                             : kept(make_exclusive(std::move(result.default_value), *result.type));
  }
  return result;
}

// The updates; their shared variables, in the same order, go to `targets`.
std::vector<Update> parse_updates(PyObject* updates, std::vector<Variable>& targets) {
  std::vector<Update> result;
  if (updates == Py_None) return result;
  const Items items(updates,
                    "updates have to be a sequence of (shared variable, value, if_computed)");
  for (PyObject* update : items) {
    const Items entry(update, "an update has to be a tuple");
    const Py_ssize_t n = entry.size();
    if (n != 2 && n != 3)
      throw Error(ErrorKind::Value,
                  "an update is (shared variable, new value) or (shared variable, new value, "
                  "if_computed), but update " +
                      std::to_string(result.size()) + " has " + std::to_string(n) + " items.");
    const Variable& target = require_variable(entry[0], "the target of an update");
    const Variable& value = require_variable(entry[1], "the value of an update");
    if (target.leaf() != Leaf::Shared)
      throw Error(ErrorKind::Type,
                  "an update has to be of a shared variable, but " + target.text() + " is none.");
    const bool if_computed = n == 3 && check(PyObject_IsTrue(entry[2])) != 0;
    result.push_back({Ref<SharedValue>(&target.shared_value()), value, if_computed});
    targets.push_back(target);
  }
  return result;
}

// Values that go to shared variables of any Type in the calls in which they are computed.
void parse_watched(PyObject* watched, std::vector<Update>& updates,
                   std::vector<Variable>& targets) {
  if (watched == Py_None) return;
  for (PyObject* pair :
       Items(watched, "watched has to be a sequence of (shared variable, value)")) {
    const Items entry(pair, "what is watched is a pair (shared variable, value)");
    if (entry.size() != 2)
      throw Error(ErrorKind::Value, "what is watched is (shared variable, value)");
    targets.push_back(require_variable(entry[0], "the target of a watched value"));
    updates.push_back({Ref<SharedValue>(&targets.back().shared_value()),
                       require_variable(entry[1], "a watched value"), true});
  }
}

constexpr const char* kRewrites = "rewrites have to be a sequence of names";

/// `make_c` makes what compiles the C of users' Ops; see CNodes.
HostThunks python_thunks(const FunctionGraph& graph, const LinkerRow& linker, PyObject* performs,
                         PyObject* make_c, const std::shared_ptr<PythonNodes>& nodes) {
  HostThunks thunks{.perform = perform_source(performs, nodes, linker.has(ThunkOrigin::UserC))};
  if (!linker.has(ThunkOrigin::UserC)) return thunks;
  std::vector<Variable> roots = graph.outputs;
  for (const Update& update : graph.updates) roots.push_back(update.value);
  const CNodes c_nodes(roots, make_c, linker.has(ThunkOrigin::Perform));
  const bool checks_inputs = checks_inputs_of_new_nodes();
  thunks.user_c = c_nodes.source(nodes);
  thunks.scheduled = [c_nodes, checks_inputs](Schedule& schedule, bool alone) {
    c_nodes.compile(schedule, alone || checks_inputs);
  };
  thunks.held = kernels_ahead(roots);
  return thunks;
}

PyRef link_function(const py::object& inputs, const py::object& outputs, const py::object& updates,
                    std::string linker, bool retain_intermediates, const py::object& input_specs,
                    const py::object& output_specs, const py::object& performs,
                    const py::object& name, bool unpack, const py::object& pack,
                    const std::optional<std::string>& compile, bool waits, bool fuse,
                    const py::object& observer, const py::object& rewrites, const py::object& mode,
                    const py::object& c_code, const py::object& watched) {
  std::vector<Variable> targets;
  FunctionGraph graph{require_variables(inputs.ptr(), "an input of a function"),
                      require_variables(outputs.ptr(), "an output of a function"),
                      parse_updates(updates.ptr(), targets)};
  const std::size_t n_updates = targets.size();
  parse_watched(watched.ptr(), graph.updates, targets);
  const std::string named(name.is_none() ? std::string_view()
                                         : text_of(name.ptr(), "a function's name"));
  const std::string origin = named.empty() ? origin_here() : std::string();
  const std::string function = named.empty() ? "the function made at " + origin : named;
  const std::string called = named.empty() ? "function(), made at " + origin + "," : named + "()";

  std::vector<Parameter> parameters;
  const std::vector<PyRef> in = spec_list(input_specs.ptr(), graph.inputs.size(), "input_specs");
  for (std::size_t i = 0; i < in.size(); ++i)
    parameters.push_back(parameter(graph.inputs[i], in[i].get(), function, i));
  std::vector<OutputSpec> results;
  const std::vector<PyRef> out =
      spec_list(output_specs.ptr(), graph.outputs.size(), "output_specs");
  for (std::size_t j = 0; j < out.size(); ++j)
    results.push_back({graph.outputs[j].type_ref(), out[j] && flag(out[j].get(), "borrow")});

  const auto nodes = std::make_shared<PythonNodes>();
  Mode how{.linker = std::move(linker), .retain_intermediates = retain_intermediates, .fuse = fuse};
  if (compile) how.compile = compile_when(*compile);
  if (!rewrites.is_none()) how.rewrites = texts_of(rewrites.ptr(), kRewrites);
  FunctionOptions options{.name = function,
                          .n_watched = targets.size() - n_updates,
                          .traced = !observer.is_none(),
                          .compile = false};
  for (const Variable& target : targets) options.update_names.push_back(target.text());
  options.thunks = [&](const FunctionGraph& rewritten, const LinkerRow& row) {
    return python_thunks(rewritten, row, performs.ptr(), c_code.ptr(), nodes);
  };
  auto made = std::make_unique<PythonFunction>(
      std::move(graph), how, std::move(options),
      PythonInterface{.name = named,
                      .called = called,
                      .parameters = std::move(parameters),
                      .outputs = std::move(results),
                      .bare = unpack,
                      .pack = pack.is_none() ? PyRef() : PyRef::borrow(pack.ptr()),
                      .mode = mode.is_none() ? PyRef() : PyRef::borrow(mode.ptr()),
                      .targets = std::move(targets)});
  made->hold(std::move(*nodes));
  if (!observer.is_none()) made->set_observer(Observer(observer.ptr()));
  if (Interruption::waits()) throw PythonError{};  // nothing is compiled any more
  if (waits && how.compiles() == CompileWhen::Now) made->compile();
  return PyRef::take(wrap_function(std::move(made)));
}

using Replacement = std::tuple<std::string_view, Variable, Variable>;

std::pair<std::vector<Variable>, std::vector<Replacement>> rewritten_outputs(
    const py::object& outputs, const py::object& rewrites) {
  const Rewritten rewritten =
      rewrite({{}, require_variables(outputs.ptr(), "an output to rewrite"), {}},
              texts_of(rewrites.ptr(), kRewrites));
  std::vector<Replacement> replaced;
  for (const auto& [by, before, after] : rewritten.replaced)
    replaced.emplace_back(by, before, after);
  return {rewritten.graph.outputs, std::move(replaced)};
}

// ---- modes

py::dict mode_tables() {
  return py::dict(
      "linkers"_a = py_list(linkers(),
                            [](const LinkerRow& row) {
                              return py::dict("name"_a = row.name, "summary"_a = row.summary,
                                              "runs_without_c"_a = row.runs_without_c,
                                              "compared"_a = row.compared);
                            }),
      "features"_a = py_list(features(),
                             [](const Feature& feature) {
                               return py::make_tuple(feature.name, feature.summary,
                                                     feature.rewrites);
                             }),
      "optimizers"_a = py_list(
          optimizers(),
          [](const Optimizer& optimizer) {
            const py::object known =
                optimizer.name.empty() ? py::object(py::none()) : py::str(optimizer.name);
            return py::make_tuple(known, py_list(optimizer.features, [](std::string_view text) {
                                    return py::str(text);
                                  }));
          }),
      "modes"_a = py_list(named_modes(), [](const NamedMode& mode) {
        py::list fields;
        for (const std::string_view field : {mode.name, mode.linker, mode.optimizer})
          fields.append(field);
        return fields;
      }));
}

std::string_view when_compiled(std::string linker, const std::optional<std::string>& compile) {
  Mode mode{.linker = std::move(linker)};
  if (compile) mode.compile = compile_when(*compile);
  return name(mode.compiles());
}

}  // namespace

void init_link(PyObject* module) {
  const py::none none;
  Functions(module)
      .def("link", &link_function, "inputs"_a, "outputs"_a, "updates"_a = none, py::kw_only(),
           "linker"_a = "cvm", "retain_intermediates"_a = false, "input_specs"_a = none,
           "output_specs"_a = none, "performs"_a = none, "name"_a = none, "unpack"_a = false,
           "pack"_a = none, "compile"_a = none, "waits"_a = true, "fuse"_a = true,
           "observer"_a = none, "rewrites"_a = none, "mode"_a = none, "c_code"_a = none,
           "watched"_a = none,
           "A Function that computes `outputs` from `inputs` and updates shared variables. "
           "`watched` are pairs (shared, value): the shared variable gets the value in calls that "
           "compute it. With `waits` it is compiled before this returns, if `compile` says now.")
      .def("rewritten", &rewritten_outputs, "outputs"_a, "rewrites"_a,
           "The outputs after these rewrites, and for each output of a node that one of them "
           "replaced\n(rewrite, before, after), in topological order.")
      .def("set_check_perform", &check_inputs_of_new_nodes, "check"_a,
           "Whether functions that are made from now on look for inputs that Ops of users' write "
           "to.")
      .def("mode_tables", &mode_tables,
           "The tables that modes are made from: of linkers, features, optimizers and named modes.")
      .def("when_compiled", &when_compiled, "linker"_a, "compile"_a,
           "When the C of a mode is compiled; raises ValueError for a choice that the linker has "
           "not.");
}

}  // namespace thunkvm

// link.cpp: from a graph of Variables to a Function.
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
#include "python/bindings/python/rows.h"
#include "python/bindings/python/topics.h"
#include "python/bindings/thunks/c_thunk.h"
#include "python/bindings/thunks/python_thunk.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

using namespace py::literals;

// ---- what a function is made of

/// A graph to link. The targets are the shared variables of its updates, in the same order; the
/// last `n_conditional` of them note a value in the calls that compute it.
struct TargetedGraph {
  FunctionGraph graph;
  std::vector<Variable> targets;
  std::size_t n_conditional = 0;

  void update(const Variable& target, const Variable& value, bool if_computed) {
    if (target.leaf() != Leaf::Shared)
      throw Error(ErrorKind::Type,
                  "an update has to be of a shared variable, but " + target.text() + " is none.");
    graph.updates.push_back({Ref<SharedValue>(&target.shared_value()), value, if_computed});
    targets.push_back(target);
  }
};

/// How Python gives one input.
struct InputSpec {
  std::optional<std::string> name;  ///< none: the Variable's
  CastRule rule = CastRule::Safe;
  bool has_default = false;
  PyRef default_value = {};
  bool borrow = false;      ///< the default may be what the caller keeps
  bool is_mutable = false;  ///< see mutable_arguments.h
};

/// How Python calls a function, and what of it is Python's.
struct Interface {
  std::vector<InputSpec> inputs;  ///< empty: each is by position, and of a safe cast
  std::vector<bool> borrow;       ///< by output, see OutputSpec; empty: none
  std::optional<std::string> name;
  bool bare = false;
  py::object pack, performs, c_code, observer;
  bool waits = true;
};

using GivenUpdate = std::tuple<Variable, Variable, bool>;
using ConditionalUpdate = std::pair<Variable, Variable>;

TargetedGraph make_graph(std::vector<Variable> inputs, std::vector<Variable> outputs,
                         const std::vector<GivenUpdate>& updates,
                         const std::vector<ConditionalUpdate>& conditional) {
  TargetedGraph made{.graph = {std::move(inputs), std::move(outputs), {}},
                     .targets = {},
                     .n_conditional = conditional.size()};
  for (const auto& [target, value, if_computed] : updates) made.update(target, value, if_computed);
  for (const auto& [target, value] : conditional) made.update(target, value, true);
  return made;
}

/// The name, if there is one; `what` is for the error of one that is no text.
std::optional<std::string> name_of(const py::object& name, const char* what) {
  if (name.is_none()) return std::nullopt;
  return std::string(text_of(name.ptr(), what));
}

void add_specifications(PyObject* module) {
  py::class_<TargetedGraph>(module, "Graph",
                            R"(What a function computes: `outputs` from `inputs`.

`updates` are (shared variable, new value, whether the value is committed only where something else
demands it). `conditional` are pairs (shared variable of any Type, value): it gets the value in the
calls that compute it.)")
      .def(py::init(&make_graph), "inputs"_a, "outputs"_a, "updates"_a = std::vector<GivenUpdate>(),
           "conditional"_a = std::vector<ConditionalUpdate>());
  py::class_<InputSpec>(module, "InputSpec",
                        R"(How Python gives one input of a function.

`name` is its keyword; None: the name of its Variable. `default` counts where `has_default`, and is
not copied if it is to `borrow`. Calls may write to the memory of a `mutable` argument.)")
      .def(py::init([](const py::object& name, CastRule rule, bool has_default, PyRef default_value,
                       bool borrow, bool is_mutable) {
             return InputSpec{name_of(name, "an input's name"), rule,   has_default,
                              std::move(default_value),         borrow, is_mutable};
           }),
           "name"_a, "rule"_a, "has_default"_a = false, "default"_a = py::none(),
           "borrow"_a = false, "mutable"_a = false);
  py::class_<Interface>(module, "Interface",
                        R"(How Python calls a function, and what of it runs in Python.

`inputs` has an InputSpec for each, `borrow` a bool for each output: whether it may share memory.
Without `name` it is called after the line that makes it. A `bare` function returns its output
itself; `pack` makes the result of the list of outputs. `performs` gives built-in nodes their NumPy
implementation; `c_code` makes what compiles the C of users' Ops. `observer` is told of each thunk.
With `waits` the C is compiled before `link` returns, if the mode says now.)")
      .def(py::init([](std::vector<InputSpec> inputs, std::vector<bool> borrow,
                       const py::object& name, bool bare, py::object pack, py::object performs,
                       py::object c_code, py::object observer, bool waits) {
             return Interface{std::move(inputs),
                              std::move(borrow),
                              name_of(name, "a function's name"),
                              bare,
                              std::move(pack),
                              std::move(performs),
                              std::move(c_code),
                              std::move(observer),
                              waits};
           }),
           "inputs"_a = std::vector<InputSpec>(), "borrow"_a = std::vector<bool>(), py::kw_only(),
           "name"_a = py::none(), "bare"_a = false, "pack"_a = py::none(),
           "performs"_a = py::none(), "c_code"_a = py::none(), "observer"_a = py::none(),
           "waits"_a = true);
}

// ---- linking

Parameter parameter(const Variable& input, const InputSpec& spec, const std::string& function,
                    std::size_t index) {
  Parameter result;
  result.set_type(input.type_ref());
  result.name = spec.name ? *spec.name : std::string(input.name());
  if (!result.name.empty()) {
    PyObject* keyword = to_text(result.name).release();
    PyUnicode_InternInPlace(&keyword);
    result.keyword = PyRef::take(keyword);
  }
  result.what = "argument " +
                (result.name.empty() ? std::to_string(index) : "'" + result.name + "'") + " of " +
                function;
  result.rule = spec.rule;
  result.has_default = spec.has_default;
  if (!spec.has_default) return result;
  const std::string what = "the default of " + result.what;
  Cell value = from_python(spec.default_value.get(), *result.type, result.rule, what.c_str());
  // A change of the caller's array later does not change the default, unless they lent it.
  result.default_value = spec.borrow ? kept_lent(std::move(value))
                                     : kept(make_exclusive(std::move(value), *result.type));
  return result;
}

/// The specification of element `i` of `n`; of all of them the default, where none was given.
template <class Spec>
Spec spec_of(const std::vector<Spec>& specs, std::size_t i, std::size_t n, const char* what) {
  if (specs.empty()) return {};
  if (specs.size() == n) return specs[i];
  throw Error(ErrorKind::Value, std::string(what) + " has " + std::to_string(specs.size()) +
                                    " entries for " + std::to_string(n) +
                                    " variables; give one for each.");
}

HostThunks python_thunks(const FunctionGraph& graph, const LinkerRow& linker,
                         const Interface& interface, const std::shared_ptr<PythonNodes>& nodes) {
  HostThunks thunks{
      .perform = perform_source(interface.performs.ptr(), nodes, linker.has(ThunkOrigin::UserC))};
  if (!linker.has(ThunkOrigin::UserC)) return thunks;
  std::vector<Variable> roots = graph.outputs;
  for (const Update& update : graph.updates) roots.push_back(update.value);
  const CNodes c_nodes(roots, interface.c_code.ptr(), linker.has(ThunkOrigin::Perform));
  const bool checks_inputs = checks_inputs_of_new_nodes();
  thunks.user_c = c_nodes.source(nodes);
  thunks.scheduled = [c_nodes, checks_inputs](Schedule& schedule, bool alone) {
    c_nodes.compile(schedule, alone || checks_inputs);
  };
  thunks.held = kernels_ahead(roots);
  return thunks;
}

Typed<"thunkvm._core.Function"> link_function(const TargetedGraph& given, const py::object& mode,
                                              const Interface& interface) {
  FunctionGraph graph = given.graph;
  const std::string named = interface.name.value_or(std::string());
  const std::string origin = named.empty() ? origin_here() : std::string();
  const std::string function = named.empty() ? "the function made at " + origin : named;
  const std::string called = named.empty() ? "function(), made at " + origin + "," : named + "()";

  std::vector<Parameter> parameters;
  const std::size_t n_inputs = graph.inputs.size(), n_outputs = graph.outputs.size();
  std::vector<std::uint32_t> mutable_inputs;
  for (std::size_t i = 0; i < n_inputs; ++i) {
    const InputSpec spec = spec_of(interface.inputs, i, n_inputs, "inputs");
    parameters.push_back(parameter(graph.inputs[i], spec, function, i));
    if (spec.is_mutable) mutable_inputs.push_back(static_cast<std::uint32_t>(i));
  }
  std::vector<OutputSpec> outputs;
  for (std::size_t j = 0; j < n_outputs; ++j)
    outputs.push_back(
        {graph.outputs[j].type_ref(), spec_of(interface.borrow, j, n_outputs, "borrow")});

  const auto nodes = std::make_shared<PythonNodes>();
  const Mode& how = mode.cast<const Mode&>();
  FunctionOptions options{.name = function,
                          .n_conditional = given.n_conditional,
                          .mutable_inputs = std::move(mutable_inputs),
                          .traced = !interface.observer.is_none(),
                          .compile = false};
  for (const Variable& target : given.targets) options.update_names.push_back(target.text());
  options.thunks = [&](const FunctionGraph& rewritten, const LinkerRow& row) {
    return python_thunks(rewritten, row, interface, nodes);
  };
  auto made = std::make_unique<PythonFunction>(
      std::move(graph), how, std::move(options),
      PythonInterface{
          .name = named,
          .called = called,
          .parameters = std::move(parameters),
          .outputs = std::move(outputs),
          .bare = interface.bare,
          .pack = interface.pack.is_none() ? PyRef() : PyRef::borrow(interface.pack.ptr()),
          .mode = PyRef::borrow(mode.ptr()),
          .targets = given.targets});
  made->hold(std::move(*nodes));
  if (!interface.observer.is_none()) made->set_observer(Observer(interface.observer.ptr()));
  if (Interruption::waits()) throw PythonError{};  // nothing is compiled any more
  if (interface.waits && how.compiles() == CompileWhen::Now) made->compile();
  return PyRef::take(wrap_function(std::move(made)));
}

using Replacement = std::tuple<std::string_view, Variable, Variable>;

std::pair<std::vector<Variable>, std::vector<Replacement>> rewritten_outputs(
    std::vector<Variable> outputs, const std::vector<std::string>& rewrites) {
  const Rewritten rewritten = rewrite({{}, std::move(outputs), {}}, rewrites);
  std::vector<Replacement> replaced;
  for (const auto& [by, before, after] : rewritten.replaced)
    replaced.emplace_back(by, before, after);
  return {rewritten.graph.outputs, std::move(replaced)};
}

// ---- modes

void add_mode(PyObject* module) {
  py::class_<Mode>(module, "ModeFields", "The fields of a `tv.Mode` but for its linker's checker.")
      .def(py::init([](std::string linker, std::optional<std::string> optimizer, bool gc,
                       const std::optional<std::string>& compile,
                       const std::vector<std::string>& features) {
             Mode mode{.linker = std::move(linker), .optimizer = std::move(optimizer), .gc = gc};
             if (compile) mode.compile = compile_when(*compile);
             mode.set_features(features);
             static_cast<void>(mode.compiles());  // or it throws
             return mode;
           }),
           "linker"_a, "optimizer"_a, "gc"_a, "compile"_a, "features"_a)
      .def_readonly("optimizer", &Mode::optimizer)
      .def_readonly("gc", &Mode::gc)
      .def_property_readonly("compile",
                             [](const Mode& mode) {
                               return mode.compile ? std::optional(name(*mode.compile))
                                                   : std::nullopt;
                             })
      .def_property_readonly(
          "features",
          [](const Mode& mode) {
            return Typed<"frozenset[str]">(py::frozenset(py::cast(mode.features)));
          })
      .def_property_readonly(
          "rewrites",
          [](const Mode& mode) {
            return Typed<"tuple[str, ...]">(py::tuple(py::cast(mode.rewrites())));
          },
          "The features that rewrite the graph, in the order in which they are asked.")
      .def_property_readonly(
          "compiles", [](const Mode& mode) { return name(mode.compiles()); },
          R"(When emitted C is compiled: ``"now"``, ``"background"`` or ``"never"``.)")
      .def_property_readonly(
          "name", &Mode::name,
          "The name under which `function` and `config.mode` take this mode, or its linker's.")
      // So a dataclass that is derived from it makes no slots of these.
      .attr("__slots__") = py::make_tuple("optimizer", "gc", "compile", "features");
}

std::vector<std::string_view> rounding_rewrites() {
  std::vector<std::string_view> names;
  for (const NamedRewrite& known : named_rewrites())
    if (!known.is_exact()) names.push_back(known.name);
  return names;
}

py::dict mode_tables() {
  return py::dict(
      "linkers"_a = py_list(linkers(),
                            [](const LinkerRow& row) {
                              return py::dict("name"_a = row.name, "summary"_a = row.summary,
                                              "runs_without_c"_a = row.runs_without_c,
                                              "compared"_a = row.compared);
                            }),
      "features"_a = py_list(
          features(),
          [](const Feature& feature) { return py::make_tuple(feature.name, feature.summary); }),
      "rounding"_a =
          py_list(rounding_rewrites(), [](std::string_view name) { return py::str(name); }),
      "optimizers"_a = py_list(optimizers(),
                               [](const Optimizer& optimizer) {
                                 return py::make_tuple(optimizer.name, optimizer.features);
                               }),
      "modes"_a = py_list(Mode::names(), [](const auto& name) {
        const Mode mode = Mode::named(name);
        return py::make_tuple(name, mode.linker, mode.optimizer, mode.gc);
      }));
}

}  // namespace

void init_link(PyObject* module) {
  add_enum<CastRule>(module, "The conversions that an argument may undergo.");
  add_specifications(module);
  add_mode(module);
  Functions(module)
      .def("link", &link_function, "graph"_a, "mode"_a, "interface"_a,
           "A Function that computes a Graph, linked as a `tv.Mode` says and called by an "
           "Interface.")
      .def("rewritten", &rewritten_outputs, "outputs"_a, "rewrites"_a,
           "The outputs after these rewrites, and for each output of a node that one of them "
           "replaced\n(rewrite, before, after), in topological order.")
      .def("set_check_perform", &check_inputs_of_new_nodes, "check"_a,
           "Whether functions that are made from now on look for inputs that Ops of users' write "
           "to.")
      .def(
          "mode_tables", &mode_tables,
          "The tables that modes are made from: of linkers, features, optimizers and named modes.");
}

}  // namespace thunkvm

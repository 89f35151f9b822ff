#include "python/bindings/call/link.h"

#include "linkers/user_code/input_guard.h"
#include "ops/rewrites/rewrite.h"
#include "python/bindings/call/function.h"
#include "python/bindings/call/function_object.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/origin.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/user_kernel.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/raised.h"
#include "python/bindings/thunks/c_thunk.h"
#include "python/bindings/thunks/python_thunk.h"

#include <memory>

namespace thunkvm {
namespace {

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

PyObject* link_function(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {
      "inputs",      "outputs",      "updates",  "linker",  "retain_intermediates",
      "input_specs", "output_specs", "performs", "name",    "unpack",
      "pack",        "compile",      "waits",    "fuse",    "observer",
      "rewrites",    "mode",         "c_code",   "watched", nullptr};
  PyObject *inputs, *outputs, *updates = Py_None, *input_specs = Py_None, *output_specs = Py_None;
  PyObject *performs = Py_None, *name = Py_None, *pack = Py_None, *observer = Py_None;
  PyObject *rewrites = nullptr, *mode = nullptr, *c_code = Py_None, *watched = Py_None;
  const char *linker = "cvm", *compile = nullptr;
  int retain = 0, unpack = 0, waits = 1, fuse = 1;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "OO|O$spOOOOpOzppOOOOO:link", const_cast<char**>(names), &inputs, &outputs,
          &updates, &linker, &retain, &input_specs, &output_specs, &performs, &name, &unpack, &pack,
          &compile, &waits, &fuse, &observer, &rewrites, &mode, &c_code, &watched))
    return nullptr;
  return guard([&] {
    std::vector<Variable> targets;
    FunctionGraph graph{require_variables(inputs, "an input of a function"),
                        require_variables(outputs, "an output of a function"),
                        parse_updates(updates, targets)};
    const std::size_t n_updates = targets.size();
    parse_watched(watched, graph.updates, targets);
    const std::string named(name == Py_None ? std::string_view()
                                            : text_of(name, "a function's name"));
    const std::string origin = named.empty() ? origin_here() : std::string();
    const std::string function = named.empty() ? "the function made at " + origin : named;
    const std::string called = named.empty() ? "function(), made at " + origin + "," : named + "()";

    std::vector<Parameter> parameters;
    const std::vector<PyRef> in = spec_list(input_specs, graph.inputs.size(), "input_specs");
    for (std::size_t i = 0; i < in.size(); ++i)
      parameters.push_back(parameter(graph.inputs[i], in[i].get(), function, i));
    std::vector<OutputSpec> results;
    const std::vector<PyRef> out = spec_list(output_specs, graph.outputs.size(), "output_specs");
    for (std::size_t j = 0; j < out.size(); ++j)
      results.push_back({graph.outputs[j].type_ref(), out[j] && flag(out[j].get(), "borrow")});

    const auto nodes = std::make_shared<PythonNodes>();
    Mode how{.linker = linker, .retain_intermediates = retain != 0, .fuse = fuse != 0};
    if (compile != nullptr) how.compile = compile_when(compile);
    if (rewrites != nullptr) how.rewrites = texts_of(rewrites, kRewrites);
    FunctionOptions options{.name = function,
                            .n_watched = targets.size() - n_updates,
                            .traced = observer != Py_None,
                            .compile = false};
    for (const Variable& target : targets) options.update_names.push_back(target.text());
    options.thunks = [&](const FunctionGraph& rewritten, const LinkerRow& row) {
      return python_thunks(rewritten, row, performs, c_code, nodes);
    };
    auto made = std::make_unique<PythonFunction>(
        std::move(graph), how, std::move(options),
        PythonInterface{.name = named,
                        .called = called,
                        .parameters = std::move(parameters),
                        .outputs = std::move(results),
                        .bare = unpack != 0,
                        .pack = pack == Py_None ? PyRef() : PyRef::borrow(pack),
                        .mode = PyRef::borrow(mode),
                        .targets = std::move(targets)});
    made->hold(std::move(*nodes));
    if (observer != Py_None) made->set_observer(Observer(observer));
    if (Interruption::waits()) throw PythonError{};  // nothing is compiled any more
    if (waits != 0 && how.compiles() == CompileWhen::Now) made->compile();
    return PyRef::take(wrap_function(std::move(made)));
  });
}

PyObject* rewritten_outputs(PyObject*, PyObject* args) {
  PyObject *outputs, *names;
  if (!PyArg_ParseTuple(args, "OO:rewritten", &outputs, &names)) return nullptr;
  return guard([&] {
    const Rewritten rewritten = rewrite(
        {{}, require_variables(outputs, "an output to rewrite"), {}}, texts_of(names, kRewrites));
    PyRef replaced = PyRef::take(PyList_New(0));
    for (const auto& [by, before, after] : rewritten.replaced) {
      PyRef one = PyRef::take(PyTuple_Pack(3, to_text(by).get(), PyRef::take(wrap(before)).get(),
                                           PyRef::take(wrap(after)).get()));
      check(PyList_Append(replaced.get(), one.get()));
    }
    return PyRef::take(PyTuple_Pack(2, wrap_list(rewritten.graph.outputs).get(), replaced.get()));
  });
}

PyObject* set_check_perform(PyObject*, PyObject* value) {
  return guard([&] {
    check_inputs_of_new_nodes(check(PyObject_IsTrue(value)) != 0);
    return PyRef::borrow(Py_None);
  });
}

PyMethodDef functions[] = {
    {"link", with_keywords(link_function), METH_VARARGS | METH_KEYWORDS,
     "link(inputs, outputs, updates=None, *, linker='cvm', retain_intermediates=False, "
     "input_specs=None, output_specs=None, performs=None, name=None, unpack=False, pack=None, "
     "compile=None, waits=True, fuse=True, "
     "observer=None, rewrites=(), mode=None, c_code=None, watched=None)\n--\n\n"
     "A Function that computes `outputs` from `inputs` and updates shared variables. `watched` are "
     "pairs (shared, value): the shared variable gets the value in calls that compute it. With "
     "`waits` it is compiled before this returns, if `compile` says now."},
    {"rewritten", rewritten_outputs, METH_VARARGS,
     "rewritten(outputs, rewrites)\n--\n\n"
     "The outputs after these rewrites, and for each output of a node that one of them replaced\n"
     "(rewrite, before, after), in topological order."},
    {"set_check_perform", set_check_perform, METH_O,
     "set_check_perform(check)\n--\n\n"
     "Whether functions that are made from now on look for inputs that Ops of users' write to."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_link(PyObject* module) { check(PyModule_AddFunctions(module, functions)); }

}  // namespace thunkvm

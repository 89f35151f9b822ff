#include "python/bindings/call/link.h"

#include "linkers/linker.h"
#include "ops/rewrites/inferred_shapes.h"
#include "ops/rewrites/rewrite.h"
#include "python/bindings/call/function.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/origin.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/user_kernel.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/raised.h"
#include "python/bindings/thunks/c_thunk.h"
#include "python/bindings/thunks/input_guard.h"
#include "python/bindings/thunks/python_thunk.h"
#include "python/bindings/values/value.h"

#include <memory>
#include <unordered_set>

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

// A shared variable can only become what functions that use it were built for.
void check_update(const Variable& target, const Variable& value) {
  const Type &have = target.type(), &given = value.type();
  const TensorType *a = have.tensor(), *b = given.tensor();
  const bool fits = a != nullptr && b != nullptr
                        ? a->dtype() == b->dtype() && a->ndim() == b->ndim()
                        : a == nullptr && b == nullptr && have.equals(given);
  if (!fits)
    throw Error(ErrorKind::Type,
                "the update of shared variable " + target.text() + " (" + have.text() + ") is " +
                    value.text() + ", a " + given.text() +
                    "; dtype and number of dimensions have to stay: cast or reshape it.");
}

// The updates; their shared variables, in the same order, go to `targets`.
std::vector<Update> parse_updates(PyObject* updates, std::vector<Variable>& targets) {
  std::vector<Update> result;
  std::unordered_set<const SharedValue*> seen;
  if (updates == Py_None) return result;
  const Items items(updates, "updates have to be a sequence of (shared, value, if_computed)");
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
    check_update(target, value);
    if (!seen.insert(&target.shared_value()).second)
      throw Error(ErrorKind::Value,
                  "shared variable " + target.text() + " has two updates; it can have one.");
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
  for (PyObject* pair : Items(watched, "watched has to be a sequence of (shared, value)")) {
    const Items entry(pair, "what is watched is a pair (shared, value)");
    if (entry.size() != 2) throw Error(ErrorKind::Value, "what is watched is (shared, value)");
    targets.push_back(require_variable(entry[0], "the target of a watched value"));
    updates.push_back({Ref<SharedValue>(&targets.back().shared_value()),
                       require_variable(entry[1], "a watched value"), true});
  }
}

// Whether what the value is known to have is what the target asks for.
bool has_lengths(const StaticShape& known, const StaticShape& wanted) {
  for (std::size_t axis = 0; axis < wanted.size(); ++axis)
    if (wanted[axis] != kUnknownLength && wanted[axis] != known[axis]) return false;
  return true;
}

// What to call the value of each update whose lengths are to be looked at when there is one;
// nothing where they are known to be right.
std::vector<std::string> names_to_check(const std::vector<Update>& updates,
                                        const std::vector<Variable>& targets) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < updates.size(); ++k) {
    const TensorType* type = targets[k].type().tensor();
    const bool known =
        type == nullptr || has_lengths(updates[k].value.type().tensor()->shape(), type->shape());
    names.push_back(known ? "" : "the update of " + targets[k].text());
  }
  return names;
}

std::vector<std::string> parse_names(PyObject* names) {
  std::vector<std::string> result;
  for (PyObject* name : Items(names, "rewrites have to be a sequence of names"))
    result.emplace_back(text_of(name));
  return result;
}

// A native lazy thunk, for Ops of C++ that have no other way to run.
ThunkCode native_lazy_thunk(const Apply& node) {
  ThunkCode code = native_thunk(node);
  return code.lazy ? code : ThunkCode{};
}

/// How a linker of a mode links, and what it emits.
struct Linker {
  LinkOptions link;
  bool emits = false;
  PlanOptions plan;
};

/// `make_c` makes what compiles the C of users' Ops; see CNodes. `observed`: an Observer is told of
/// each node, so none is fused with others.
Linker find_linker(std::string_view name, bool keep, bool observed, PyObject* performs,
                   const std::shared_ptr<PythonNodes>& nodes, std::span<const Variable> roots,
                   PyObject* make_c) {
  Linker linker;
  linker.link.retain_intermediates = keep;
  linker.link.traced = observed;
  if (name == "vm" || name == "py") {
    linker.link.placed = name == "vm";
    linker.link.sources = {perform_source(performs, nodes), native_lazy_thunk};
    return linker;
  }
  linker.emits = linker.link.emits = true;
  const CNodes c_nodes(roots, make_c);
  const ThunkSource c_source = c_nodes.source(nodes);
  linker.link.sources = {native_thunk, c_source, perform_source(performs, nodes)};
  if (name == "c") {
    linker.link.sources = {native_thunk, c_source};
    linker.link.advice =
        "C and native kernels are all that mode \"c\" has: give the Op a c_code, or choose "
        "mode=\"cvm\", which runs an Op's perform too";
  } else if (name == "cvm") {
    linker.emits = !observed;
  } else if (name != "c|py" && name != "c&py") {
    throw Error(ErrorKind::Value, "there is no linker '" + std::string(name) +
                                      "'; there are 'py', 'vm', 'cvm', 'c', 'c|py' and 'c&py'.");
  }
  if (name == "c|py" || name == "c&py" || (name == "c" && observed)) {
    linker.link.segment = 1;
    linker.plan = {.fuse = true, .unfused = true, .traced = observed};
  }
  const bool alone = keep || observed || linker.link.segment == 1 || checks_inputs_of_new_nodes();
  linker.link.scheduled = [c_nodes, alone](Schedule& schedule) {
    c_nodes.compile(schedule, alone);
  };
  return linker;
}

CompileWhen compile_when(std::string_view when) {
  if (when == "now") return CompileWhen::Now;
  if (when == "background") return CompileWhen::Background;
  if (when == "never") return CompileWhen::Never;
  throw Error(ErrorKind::Value, "compile is '" + std::string(when) +
                                    "'; it has to be 'now', 'background' or 'never'.");
}

PyObject* link_function(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"inputs",      "outputs",      "updates",  "linker",   "keep",
                                "input_specs", "output_specs", "performs", "name",     "unpack",
                                "pack",        "compile",      "fuse",     "observer", "rewrites",
                                "mode",        "c_code",       "watched",  nullptr};
  PyObject *inputs, *outputs, *updates = Py_None, *input_specs = Py_None, *output_specs = Py_None;
  PyObject *performs = Py_None, *name = Py_None, *pack = Py_None, *observer = Py_None;
  PyObject *rewrites = nullptr, *mode = nullptr, *c_code = Py_None, *watched = Py_None;
  const char *linker = "cvm", *compile = "never";
  int keep = 0, unpack = 0, fuse = 1;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "OO|O$spOOOOpOspOOOOO:link", const_cast<char**>(names), &inputs, &outputs,
          &updates, &linker, &keep, &input_specs, &output_specs, &performs, &name, &unpack, &pack,
          &compile, &fuse, &observer, &rewrites, &mode, &c_code, &watched))
    return nullptr;
  return guard([&] {
    std::vector<Variable> targets;
    FunctionGraph graph{require_variables(inputs, "an input of a function"),
                        require_variables(outputs, "an output of a function"),
                        parse_updates(updates, targets)};
    std::vector<std::string> update_names = names_to_check(graph.updates, targets);
    parse_watched(watched, graph.updates, targets);
    update_names.resize(graph.updates.size());
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
    std::vector<std::pair<std::string_view, std::uint32_t>> removed;
    const std::uint64_t begin = Clock::now();
    if (rewrites != nullptr) {
      Rewritten rewritten = rewrite(graph, parse_names(rewrites));
      graph = std::move(rewritten.graph);
      removed = std::move(rewritten.removed);
    }
    graph = with_inferred_shapes(graph);
    const std::uint64_t rewritten_at = Clock::now();
    std::vector<Variable> roots = graph.outputs;
    for (const Update& update : graph.updates) roots.push_back(update.value);
    Linker chosen =
        find_linker(linker, keep != 0, observer != Py_None, performs, nodes, roots, c_code);
    chosen.plan.fuse &= fuse != 0;
    const KernelsAhead ahead(chosen.link.emits ? std::span<const Variable>(roots)
                                               : std::span<const Variable>());
    auto compiled = std::make_unique<CompiledFunction>(
        named, function, called, link(graph, chosen.link), graph.inputs, std::move(parameters),
        std::move(results), unpack != 0, pack == Py_None ? PyRef() : PyRef::borrow(pack));
    const double tick = Clock::seconds_per_tick();
    compiled->set_making({static_cast<double>(rewritten_at - begin) * tick,
                          static_cast<double>(Clock::now() - rewritten_at) * tick});
    compiled->set_removed(std::move(removed));
    compiled->check_updates(std::move(update_names));
    std::vector<std::pair<Variable, Variable>> updated;
    for (std::size_t k = 0; k < targets.size(); ++k)
      updated.emplace_back(targets[k], graph.updates[k].value);
    compiled->set_origins(graph.outputs, std::move(updated), PyRef::borrow(mode));
    compiled->hold(std::move(*nodes));
    if (observer != Py_None) compiled->set_observer(Observer(observer));
    if (Interruption::waits()) throw PythonError{};  // nothing is compiled any more
    if (chosen.emits) compiled->set_native(compile_when(compile), chosen.plan);
    return PyRef::take(wrap_function(std::move(compiled)));
  });
}

PyObject* rewritten_outputs(PyObject*, PyObject* args) {
  PyObject *outputs, *names;
  if (!PyArg_ParseTuple(args, "OO:rewritten", &outputs, &names)) return nullptr;
  return guard([&] {
    const Rewritten rewritten =
        rewrite({{}, require_variables(outputs, "an output to rewrite"), {}}, parse_names(names));
    PyRef replaced = PyRef::take(PyList_New(0));
    for (const auto& [by, before, after] : rewritten.replaced) {
      PyRef one = PyRef::take(PyTuple_Pack(3, to_text(by).get(), PyRef::take(wrap(before)).get(),
                                           PyRef::take(wrap(after)).get()));
      check(PyList_Append(replaced.get(), one.get()));
    }
    return PyRef::take(PyTuple_Pack(2, wrap_list(rewritten.graph.outputs).get(), replaced.get()));
  });
}

PyMethodDef functions[] = {
    {"link", with_keywords(link_function), METH_VARARGS | METH_KEYWORDS,
     "link(inputs, outputs, updates=None, *, linker='cvm', keep=False, input_specs=None, "
     "output_specs=None, "
     "performs=None, name=None, unpack=False, pack=None, compile='never', fuse=True, "
     "observer=None, rewrites=(), mode=None, c_code=None, watched=None)\n--\n\n"
     "A Function that computes `outputs` from `inputs` and updates shared variables. `watched` are "
     "pairs (shared, value): the shared variable gets the value in calls that compute it."},
    {"rewritten", rewritten_outputs, METH_VARARGS,
     "rewritten(outputs, rewrites)\n--\n\n"
     "The outputs after these rewrites, and for each output of a node that one of them replaced\n"
     "(rewrite, before, after), in topological order."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_link(PyObject* module) { check(PyModule_AddFunctions(module, functions)); }

}  // namespace thunkvm

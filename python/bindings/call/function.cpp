#include "python/bindings/call/function.h"

#include "python/bindings/call/function_regions.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/collection.h"
#include "vm/disassembler.h"

#include <structmember.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace thunkvm {
namespace {

struct FunctionObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  CompiledFunction* function;  // null once the garbage collector took it
  PyObject* attributes;
  PyObject* weak_references;
  std::uint64_t counted;  // for the garbage collector, see collection.h
  std::uint64_t told;     // the watch that was told of the first call since it began
};
PyTypeObject* function_class = nullptr;

FunctionObject* self_of(PyObject* self) { return reinterpret_cast<FunctionObject*>(self); }

[[noreturn]] void throw_collected() {
  throw Error(ErrorKind::Runtime,
              "this function can do nothing any more: the garbage collector took it with the cycle "
              "that it was part of");
}

CompiledFunction& function_of(PyObject* self) {
  if (self_of(self)->function == nullptr) throw_collected();
  return *self_of(self)->function;
}

// Who is told of the first call of each function; each one has a number.
std::uint64_t watch = 0;
PyObject* watcher = nullptr;

void tell_watcher(PyObject* self) {
  self_of(self)->told = watch;
  if (watcher == nullptr) return;
  PyRef tell = PyRef::borrow(watcher);
  PyRef::take(PyObject_CallOneArg(tell.get(), self));
}

[[gnu::cold, gnu::noinline]] bool told_watcher(PyObject* self) {
  return guard([&] {
           tell_watcher(self);
           return self;
         }) != nullptr;
}

PyObject* watch_functions(PyObject*, PyObject* callable) {
  ++watch;
  Py_XSETREF(watcher, callable == Py_None ? nullptr : Py_NewRef(callable));
  Py_RETURN_NONE;
}

PyObject* call_function(PyObject* self, PyObject* const* arguments, std::size_t n,
                        PyObject* keywords) {
  if (self_of(self)->told != watch && !told_watcher(self)) [[unlikely]]
    return nullptr;
  return guard([&] {
    return self_of(self)->function->call(arguments, static_cast<std::size_t>(PyVectorcall_NARGS(n)),
                                         keywords);
  });
}

PyObject* call_collected(PyObject*, PyObject* const*, std::size_t, PyObject*) {
  return guard([]() -> PyObject* { throw_collected(); });
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  FunctionObject* object = self_of(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(object->attributes);
  if (object->function == nullptr) return 0;
  return object->function->traverse(object->counted, visit, arg);
}

int clear(PyObject* self) {
  FunctionObject* object = self_of(self);
  Py_CLEAR(object->attributes);
  object->vectorcall = call_collected;
  delete std::exchange(object->function, nullptr);
  return 0;
}

void destroy(PyObject* self) {
  FunctionObject* object = self_of(self);
  PyObject_GC_UnTrack(self);
  if (object->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  clear(self);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* disassemble_function(PyObject* self, PyObject*) {
  return guard([&] { return to_text(disassemble(*function_of(self).linked().program)); });
}

// How a node runs: "branch" for conditionals, else what its thunk says.
std::vector<std::string> forms(const Program& program) {
  std::vector<std::string> forms(program.n_nodes, "branch");
  for (const Step& step : program.steps)
    if (step.node != kNone)
      forms[step.node] = step.run == run_bound ? program.bound[step.operands.bound].form : "kernel";
  for (const Lazy& lazy : program.lazies)
    if (lazy.node != kNone) forms[lazy.node] = program.bound[lazy.operands.bound].form;
  return forms;
}

PyObject* node_rows(PyObject* self, PyObject*) {
  return guard([&] {
    CompiledFunction& function = function_of(self);
    const Linked& linked = function.linked();
    const std::vector<std::uint64_t> runs = function.node_runs();
    const std::vector<std::string> form = forms(*linked.program);
    PyRef list = PyRef::take(PyList_New(static_cast<Py_ssize_t>(runs.size())));
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Variable& output = linked.nodes()[i];
      const std::string text = linked.program->text->node(static_cast<std::uint32_t>(i)),
                        op = output.node()->op()->name(), origin = output.node()->origin_text();
      PyRef row = PyRef::take(Py_BuildValue(
          "(s#s#s#s#K)", text.data(), static_cast<Py_ssize_t>(text.size()), op.data(),
          static_cast<Py_ssize_t>(op.size()), form[i].data(),
          static_cast<Py_ssize_t>(form[i].size()), origin.data(),
          static_cast<Py_ssize_t>(origin.size()), static_cast<unsigned long long>(runs[i])));
      PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), row.release());
    }
    return list;
  });
}

// What becomes of the emitted code: "off", "waiting", "compiling", "ready", "failed" or "unneeded".
const char* native_state(CompiledFunction& function) {
  const Tier* tier = function.tier_if_made();
  if (tier == nullptr) return function.emits() ? "waiting" : "off";
  switch (tier->state()) {
    case Tier::State::Waiting: return "waiting";
    case Tier::State::Compiling: return "compiling";
    case Tier::State::Ready: return "ready";
    case Tier::State::Unneeded: return "unneeded";
    case Tier::State::Failed: break;
  }
  return "failed";
}

PyObject* node_places(PyObject* self, PyObject*) {
  return guard([&] {
    CompiledFunction& function = function_of(self);
    const Linked& linked = function.linked();
    const std::vector<std::string> form = forms(*linked.program);
    const EmittedCode* code = function.code();
    PyRef list = PyRef::take(PyList_New(static_cast<Py_ssize_t>(form.size())));
    for (std::size_t i = 0; i < form.size(); ++i) {
      NodePlace place;
      if (code == nullptr)
        place.why = form[i] == "branch" ? "" : "the mode emits no C";
      else if (const Tier::State state = function.tier()->state();
               state == Tier::State::Failed || state == Tier::State::Unneeded)
        place.why = function.why_not_compiled();
      else
        place = code->places()[i];
      if (place.form.empty()) place.form = form[i];
      PyRef row = PyRef::take(
          Py_BuildValue("(sss)", place.form.c_str(), place.region.c_str(), place.why.c_str()));
      PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), row.release());
    }
    return list;
  });
}

PyObject* regions(PyObject* self, PyObject*) {
  return guard([&] { return list_regions(*function_of(self).linked().schedule); });
}

// What is recorded: a word for each; `apart`: only of calls that are made with the recording.
PyObject* record(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"times", "events", "memory", "calls", "apart", nullptr};
  int times = 0, events = 0, memory = 0, calls = 1, apart = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$ppppp:_record", const_cast<char**>(names),
                                   &times, &events, &memory, &calls, &apart))
    return nullptr;
  return guard([&] {
    CompiledFunction& function = function_of(self);
    const RecordOptions options{
        .times = times != 0, .events = events != 0, .memory = memory != 0, .calls = calls != 0};
    return PyRef::take(wrap_recording(
        apart != 0 ? function.record_apart(options) : function.record(options), function, self));
  });
}

// (runs of each node, by branch how often it took each arm).
PyObject* counts(PyObject* self, PyObject*) {
  return guard([&] {
    CompiledFunction& function = function_of(self);
    const auto list = [](auto first, auto last) {
      PyRef numbers = PyRef::take(PyList_New(0));
      for (; first != last; ++first)
        check(PyList_Append(numbers.get(), PyRef::take(PyLong_FromUnsignedLongLong(*first)).get()));
      return numbers;
    };
    const std::vector<std::uint64_t> runs = function.node_runs(), counters = function.counters();
    PyRef arms = PyRef::take(PyList_New(0));
    for (const Branch& branch : function.linked().program->branches) {
      const auto first = counters.begin() + branch.first_counter;
      check(PyList_Append(arms.get(), list(first, first + branch.n_arms).get()));
    }
    return PyRef::take(
        Py_BuildValue("(NN)", list(runs.begin(), runs.end()).release(), arms.release()));
  });
}

PyObject* get_nodes(PyObject* self, void*) {
  return guard([&] { return wrap_list(function_of(self).linked().nodes()); });
}

PyObject* c_source(PyObject* self, PyObject*) {
  return guard([&] {
    const EmittedCode* code = function_of(self).code();
    if (code == nullptr)
      throw Error(ErrorKind::Value,
                  "this function's mode emits no C; the modes 'cvm', 'c', 'c|py' and 'c&py' do, "
                  "unless they are made with compile=\"never\".");
    return to_text(code->readable());
  });
}

PyObject* compile_function(PyObject* self, PyObject*) {
  return guard([&] {
    function_of(self).compile();
    return to_text(native_state(function_of(self)));
  });
}

PyObject* get_compiled(PyObject* self, void*) {
  return guard([&] { return to_text(native_state(function_of(self))); });
}

PyObject* get_why_not_compiled(PyObject* self, void*) {
  return guard([&] { return to_text(function_of(self).why_not_compiled()); });
}

PyObject* reset_counters(PyObject* self, PyObject*) {
  return guard([&] {
    function_of(self).reset_counters();
    return PyRef::borrow(Py_None);
  });
}

PyObject* registers_empty(PyObject* self, PyObject*) {
  return guard([&] {
    return PyRef::borrow(function_of(self).pool().registers_empty() ? Py_True : Py_False);
  });
}

PyObject* get_inputs(PyObject* self, void*) {
  return guard([&] { return wrap_list(function_of(self).inputs()); });
}

PyObject* get_outputs(PyObject* self, void*) {
  return guard([&] { return wrap_list(function_of(self).output_variables()); });
}

PyObject* get_updates(PyObject* self, void*) {
  return guard([&] {
    PyRef list = PyRef::take(PyList_New(0));
    for (const auto& [target, value] : function_of(self).update_variables()) {
      PyRef pair = PyRef::take(Py_BuildValue("(NN)", wrap(target), wrap(value)));
      check(PyList_Append(list.get(), pair.get()));
    }
    return list;
  });
}

PyObject* get_mode(PyObject* self, void*) { return function_of(self).mode(); }

PyObject* get_rewrites(PyObject* self, void*) {
  return guard([&] {
    PyRef counts = PyRef::take(PyDict_New());
    for (const auto& [name, count] : function_of(self).removed()) {
      PyRef number = PyRef::take(PyLong_FromUnsignedLong(count));
      check(PyDict_SetItem(counts.get(), to_text(name).get(), number.get()));
    }
    return counts;
  });
}

PyObject* get_name(PyObject* self, void*) {
  return guard([&] {
    const std::string& name = function_of(self).name();
    return to_text(name.empty() ? "function" : name);
  });
}

PyObject* get_shown(PyObject* self, void*) {
  return guard([&] { return to_text(function_of(self).shown()); });
}

PyObject* get_making(PyObject* self, void*) {
  return guard([&] {
    const CompiledFunction::Making& making = function_of(self).making();
    return PyRef::take(Py_BuildValue("{s:d,s:d}", "rewrite", making.rewrite, "link", making.link));
  });
}

PyObject* get_parameters(PyObject* self, void*) {
  return guard([&] {
    const std::vector<Parameter>& parameters = function_of(self).parameters();
    PyRef rows = PyRef::take(PyList_New(0));
    for (const Parameter& parameter : parameters) {
      PyRef name = parameter.keyword ? parameter.keyword : PyRef::borrow(Py_None);
      PyRef value =
          parameter.has_default ? to_python_lent(parameter.default_value) : PyRef::borrow(Py_None);
      PyRef row = PyRef::take(Py_BuildValue(
          "(OOO)", name.get(), parameter.has_default ? Py_True : Py_False, value.get()));
      check(PyList_Append(rows.get(), row.get()));
    }
    return rows;
  });
}

PyObject* get_frames(PyObject* self, void*) {
  return guard([&] { return PyRef::take(PyLong_FromSize_t(function_of(self).pool().size())); });
}

PyObject* get_has_shared(PyObject* self, void*) {
  return guard([&] {
    const Linked& linked = function_of(self).linked();
    const bool any = !linked.shared.empty() || !linked.targets.empty();
    return PyRef::borrow(any ? Py_True : Py_False);
  });
}

PyMethodDef methods[] = {
    {"disassemble", disassemble_function, METH_NOARGS, "The program, one instruction a line."},
    {"_node_rows", node_rows, METH_NOARGS,
     "For each node that may run: (node, Op, form, where it was made, how often it ran)."},
    {"_node_places", node_places, METH_NOARGS,
     "For each node that may run, in the order of `_node_rows`: (form, code, why)."},
    {"_regions", regions, METH_NOARGS,
     "The blocks of the function's schedule, and by node the one that it runs in; see regions.py."},
    {"c_source", c_source, METH_NOARGS,
     "The C that stands for the program, with a comment for each node."},
    {"compile", compile_function, METH_NOARGS,
     "Compiles the emitted code now, if its mode emits any, and says what came of it."},
    {"_registers_empty", registers_empty, METH_NOARGS,
     "Whether no register holds a value, as it has to be between calls."},
    {"_counts", counts, METH_NOARGS,
     "How often each node ran, and each branch took each of its arms."},
    {"_record", with_keywords(record), METH_VARARGS | METH_KEYWORDS,
     "_record(*, times=False, events=False, memory=False, calls=True, apart=False)\n--\n\n"
     "A Recording of the calls from now on."},
    {"reset_counters", reset_counters, METH_NOARGS, "Sets the counts of runs to zero."},
    {nullptr, nullptr, 0, nullptr},
};

PyMethodDef functions[] = {
    {"watch_functions", watch_functions, METH_O,
     "watch_functions(callable)\n--\n\nCalls `callable` with each function that is called, once, "
     "before its first call from now on; None: nobody is told."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef properties[] = {
    {"inputs", get_inputs, nullptr, "The Variables that the arguments stand for.", nullptr},
    {"outputs", get_outputs, nullptr,
     "The Variables that a call computes: after givens and the mode's rewrites, in the order in\n"
     "which the outputs' structure has them.",
     nullptr},
    {"updates", get_updates, nullptr,
     "(shared variable, Variable with its new value) for each update, after givens and rewrites.",
     nullptr},
    {"mode", get_mode, nullptr, "The Mode that the function was made with.", nullptr},
    {"_nodes", get_nodes, nullptr, "Output 0 of each node that may run, as `_node_rows`.", nullptr},
    {"name", get_name, nullptr,
     "The name that it was made with; messages call one without by the line that made it.",
     nullptr},
    {"rewrites", get_rewrites, nullptr,
     "How many nodes fewer each rewrite of the mode left, by its name.", nullptr},
    {"_shown", get_shown, nullptr, "Its name, or the line that made it.", nullptr},
    {"_making", get_making, nullptr, "Seconds that it took to make it, by what was done.", nullptr},
    {"_frames", get_frames, nullptr, "How many calls were in flight at once, at most.", nullptr},
    {"_parameters", get_parameters, nullptr,
     "(name or None, whether it has a default, default) for each input.", nullptr},
    {"_has_shared_variables", get_has_shared, nullptr,
     "Whether it reads or updates shared variables.", nullptr},
    {"compiled", get_compiled, nullptr,
     "What became of the emitted code: 'off', 'waiting', 'compiling', 'ready', 'failed' or\n"
     "'unneeded'.",
     nullptr},
    {"why_not_compiled", get_why_not_compiled, nullptr,
     "Why the emitted code is not compiled, or not yet; empty where it is, or is being compiled.",
     nullptr},
    {"__name__", get_name, nullptr, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(FunctionObject, attributes), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(FunctionObject, weak_references), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_tp_members, members},
    {Py_tp_doc, const_cast<char*>("A linked function: call it with values for its inputs.")},
    {0, nullptr},
};

PyType_Spec spec = {"thunkvm._core.Function", sizeof(FunctionObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                        Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

}  // namespace

void CompiledFunction::hold(PythonNodes nodes) {
  if (!graphs_may_hold_objects) return;  // graphs of built-in Ops cost the collector nothing
  tells_ = true;
  nodes_ = std::move(nodes);
}

int CompiledFunction::traverse(std::uint64_t& counted, visitproc visit, void* arg) {
  Py_VISIT(pack_.get());
  Py_VISIT(mode_.get());
  if (observer_)
    if (const int stop = observer_->traverse(visit, arg); stop != 0) return stop;
  for (const std::shared_ptr<const PythonNode>& node : nodes_) {
    Py_VISIT(node->node.get());
    for (PyObject* object : node->held()) Py_VISIT(object);
  }
  for (const Parameter& parameter : signature_.parameters())
    if (parameter.default_value.is_object()) Py_VISIT(object_of(parameter.default_value));
  if (!tells_) return 0;
  return visit_graph(counted, visit, arg, [&](GraphVisit& graph) {
    for (const Parameter& parameter : signature_.parameters()) graph.type(*parameter.type);
    for (const OutputSpec& output : outputs_) graph.type(*output.type);
    for (const std::shared_ptr<const PythonNode>& node : nodes_) {
      for (const TypeRef& type : node->inputs) graph.type(*type);
      for (const TypeRef& type : node->outputs) graph.type(*type);
    }
    for (const auto& [index, value] : linked_.program->constants) graph.value(value);
    if (last_ != nullptr)  // what an idle frame keeps: constants, and intermediates of `_nogc`
      for (std::uint32_t r = 0; r < linked_.program->n_registers; ++r) graph.value(last_->cell(r));
    for (const Ref<SharedValue>& value : linked_.shared) graph.shared(*value);
    for (const Ref<SharedValue>& value : linked_.targets) graph.shared(*value);
    for (const Variable& input : inputs_) graph.node(input.node());
    for (const Variable& output : output_variables_) graph.node(output.node());
    for (const auto& [target, value] : update_variables_) {
      graph.node(target.node());
      graph.node(value.node());
    }
    linked_.each_variable([&](const Variable& variable) { graph.node(variable.node()); });
  });
}

PyObject* wrap_function(std::unique_ptr<CompiledFunction> function) {
  FunctionObject* object = PyObject_GC_New(FunctionObject, function_class);
  if (object == nullptr) throw PythonError{};
  object->vectorcall = call_function;
  object->function = function.release();
  object->attributes = nullptr;
  object->weak_references = nullptr;
  object->counted = 0;
  object->told = 0;
  PyObject_GC_Track(reinterpret_cast<PyObject*>(object));
  return reinterpret_cast<PyObject*>(object);
}

void init_function(PyObject* module) {
  function_class = add_class(module, spec);
  check(PyModule_AddFunctions(module, functions));
  stop_compiling_at_exit();
}

}  // namespace thunkvm

#include "python/bindings/call/function_object.h"

#include "linkers/codegen/emit/emitted_code.h"
#include "python/bindings/call/function.h"
#include "python/bindings/call/function_rows.h"
#include "python/bindings/call/function_watch.h"
#include "python/bindings/call/recording_object.h"
#include "python/bindings/call/schedule_rows.h"
#include "python/bindings/graph/collection.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/testing.h"
#include "vm/disassembler.h"

#include <structmember.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace thunkvm {
namespace {

struct FunctionObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  PythonFunction* function;  // null once the garbage collector took it
  PyObject* attributes;
  PyObject* weak_references;
  std::uint64_t told;  // the watch that was told of the first call since it began
};
PyTypeObject* function_class = nullptr;

FunctionObject* self_of(PyObject* self) { return reinterpret_cast<FunctionObject*>(self); }

[[noreturn]] void throw_collected() {
  throw Error(ErrorKind::Runtime,
              "this function can do nothing any more: the garbage collector took it with the cycle "
              "that it was part of");
}

PythonFunction& function_of(PyObject* self) {
  if (self_of(self)->function == nullptr) throw_collected();
  return *self_of(self)->function;
}

[[gnu::cold, gnu::noinline]] bool told_watcher(PyObject* self) {
  self_of(self)->told = FunctionWatch::number;
  return FunctionWatch::tell(self);
}

PyObject* call_function(PyObject* self, PyObject* const* arguments, std::size_t n,
                        PyObject* keywords) {
  if (self_of(self)->told != FunctionWatch::number && !told_watcher(self)) [[unlikely]]
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
  return object->function->traverse(self, visit, arg);
}

int clear(PyObject* self) {
  FunctionObject* object = self_of(self);
  leave_holder(self);
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

// The kinds of records: a word for each; `apart`: only of calls that are made with the recording.
PyObject* record(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"times", "events", "memory", "calls",
                                "steps", "apart",  "own",    nullptr};
  int times = 0, events = 0, memory = 0, calls = 1, steps = 0, apart = 0, own = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$ppppppp:_record", const_cast<char**>(names),
                                   &times, &events, &memory, &calls, &steps, &apart, &own))
    return nullptr;
  return guard([&] {
    PythonFunction& function = function_of(self);
    const RecordOptions options{.times = times != 0,
                                .events = events != 0,
                                .memory = memory != 0,
                                .calls = calls != 0,
                                .steps = steps != 0};
    std::shared_ptr<Recording> recording =
        apart != 0 ? function.core().record_apart(options) : function.record(options);
    if (own != 0) function.set_own(recording);
    return PyRef::take(wrap_recording(std::move(recording), function, self));
  });
}

PyObject* own_recording(PyObject* self, PyObject*) {
  return guard([&] {
    PythonFunction& function = function_of(self);
    if (function.own() == nullptr) return PyRef::borrow(Py_None);
    return PyRef::take(wrap_recording(function.own(), function, self));
  });
}

PyObject* rows(PyObject* self, PyObject*) {
  return guard([&] { return node_rows(function_of(self)); });
}

PyObject* node_forms_of(PyObject* self, PyObject*) {
  return guard([&] { return node_form_rows(function_of(self)); });
}

PyObject* counts(PyObject* self, PyObject*) {
  return guard([&] { return node_counts(function_of(self)); });
}

PyObject* schedule(PyObject* self, PyObject*) {
  return guard([&] { return schedule_rows(*function_of(self).linked().schedule); });
}

PyObject* get_nodes(PyObject* self, void*) {
  return guard([&] { return wrap_list(function_of(self).linked().nodes()); });
}

PyObject* c_source(PyObject* self, PyObject*) {
  return guard([&] {
    Compilation& compilation = function_of(self).core().compilation();
    const EmittedCode* code = interruptible([&](Host& host) { return compilation.code(host); });
    if (code == nullptr)
      throw Error(ErrorKind::Value, "this function's mode emits no C; the modes " +
                                        emitting_linkers() +
                                        " do, unless they are made with compile=\"never\".");
    return to_text(code->readable());
  });
}

PyObject* compile_function(PyObject* self, PyObject*) {
  return guard([&] {
    function_of(self).compile();
    return to_text(name(function_of(self).core().compilation().state()));
  });
}

PyObject* get_compiled(PyObject* self, void*) {
  return guard([&] { return to_text(name(function_of(self).core().compilation().state())); });
}

PyObject* get_why_not_compiled(PyObject* self, void*) {
  return guard([&] { return to_text(function_of(self).core().compilation().why_not()); });
}

PyObject* reset_counters(PyObject* self, PyObject*) {
  return guard([&] {
    PythonFunction& function = function_of(self);
    function.core().recordings().reset_counters(function.pool());
    return PyRef::borrow(Py_None);
  });
}

PyObject* get_inputs(PyObject* self, void*) {
  return guard([&] { return wrap_list(function_of(self).core().graph().inputs); });
}

PyObject* get_outputs(PyObject* self, void*) {
  return guard([&] { return wrap_list(function_of(self).core().graph().outputs); });
}

PyObject* get_updates(PyObject* self, void*) {
  return guard([&] {
    PyRef list = PyRef::take(PyList_New(0));
    for (const auto& [target, value] : function_of(self).updates()) {
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
    for (const auto& [name, count] : function_of(self).core().removed()) {
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
  return guard([&] { return to_text(function_of(self).core().name()); });
}

PyObject* get_making(PyObject* self, void*) {
  return guard([&] {
    const Function::Making& making = function_of(self).core().making();
    return PyRef::take(Py_BuildValue("{s:d,s:d,s:d,s:K}", "rewrite", making.rewrite, "link",
                                     making.link, "compile", making.compile, "cache_hits",
                                     static_cast<unsigned long long>(making.cache_hits)));
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

PyObject* get_has_shared(PyObject* self, void*) {
  return guard([&] {
    const Linked& linked = function_of(self).linked();
    const bool any = !linked.shared.empty() || !linked.targets.empty();
    return PyRef::borrow(any ? Py_True : Py_False);
  });
}

PyMethodDef methods[] = {
    {"disassemble", disassemble_function, METH_NOARGS, "The program, one instruction a line."},
    {"_node_rows", rows, METH_NOARGS,
     "For each node that may run: (node, Op, form, where it was made, how often it ran)."},
    {"_node_forms", node_forms_of, METH_NOARGS,
     "For each node that may run, in the order of `_node_rows`: (form, code, why)."},
    {"_schedule", schedule, METH_NOARGS,
     "The blocks of the function's schedule, and what runs in them: a dict; see regions.py."},
    {"c_source", c_source, METH_NOARGS,
     "The C that stands for the program, with a comment for each node."},
    {"compile", compile_function, METH_NOARGS,
     "Compiles the emitted code now, if its mode emits any, and says what came of it."},
    {"_counts", counts, METH_NOARGS,
     "How often each node ran, and each branch took each of its arms."},
    {"_record", with_keywords(record), METH_VARARGS | METH_KEYWORDS,
     "_record(*, times=False, events=False, memory=False, calls=True, apart=False, own=False)\n"
     "--\n\nA Recording of the calls from now on. `own`: the one that `_own_recording` returns."},
    {"_own_recording", own_recording, METH_NOARGS,
     "The Recording of a function that was made with profile=; else None."},
    {"reset_counters", reset_counters, METH_NOARGS, "Sets the counts of runs to zero."},
    {nullptr, nullptr, 0, nullptr},
};

PythonFunction& require_function(PyObject* object) {
  if (!Py_IS_TYPE(object, function_class))
    throw Error(ErrorKind::Type, "a Function is wanted, but this is a " + class_name(object) + ".");
  return function_of(object);
}

PyObject* registers_empty(PyObject*, PyObject* function) {
  return guard([&] {
    const bool empty = require_function(function).pool().registers_empty();
    return PyRef::borrow(empty ? Py_True : Py_False);
  });
}

PyObject* count_frames(PyObject*, PyObject* function) {
  return guard(
      [&] { return PyRef::take(PyLong_FromSize_t(require_function(function).pool().size())); });
}

PyMethodDef testing_functions[] = {
    {"registers_empty", registers_empty, METH_O,
     "registers_empty(function)\n--\n\n"
     "Whether no register of a function holds a value, as it has to be between calls."},
    {"count_frames", count_frames, METH_O,
     "count_frames(function)\n--\n\nHow many calls were in flight at once, at most."},
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

PyObject* wrap_function(std::unique_ptr<PythonFunction> function) {
  FunctionObject* object = PyObject_GC_New(FunctionObject, function_class);
  if (object == nullptr) throw PythonError{};
  object->vectorcall = call_function;
  object->function = function.release();
  object->attributes = nullptr;
  object->weak_references = nullptr;
  object->told = 0;
  auto* result = reinterpret_cast<PyObject*>(object);
  show_holder(result);
  return result;
}

void init_function(PyObject* module) {
  function_class = add_class(module, spec);
  add_holder_class(function_class);
  add_testing_functions(module, testing_functions);
}

}  // namespace thunkvm

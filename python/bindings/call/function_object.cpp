// function_object.cpp: the type Function. By hand for vectorcall and what the garbage collector
// asks; its methods that are not on a call's path are in function_methods.cpp.
#include "python/bindings/call/function_object.h"

#include "python/bindings/call/first_calls.h"
#include "python/bindings/call/function.h"
#include "python/bindings/graph/collection.h"
#include "python/bindings/python/topics.h"

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
  std::uint64_t told;  // the listener that was told of the first call
};

FunctionObject* self_of(PyObject* self) { return reinterpret_cast<FunctionObject*>(self); }

[[noreturn]] void throw_collected() {
  throw Error(ErrorKind::Runtime,
              "this function can do nothing any more: the garbage collector took it with the cycle "
              "that it was part of");
}

[[gnu::cold, gnu::noinline]] bool tell_listener(PyObject* self) {
  self_of(self)->told = FirstCalls::number;
  return FirstCalls::tell(self);
}

PyObject* call_function(PyObject* self, PyObject* const* arguments, std::size_t n,
                        PyObject* keywords) {
  if (self_of(self)->told != FirstCalls::number && !tell_listener(self)) [[unlikely]]
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
  free_object(self);
}

PyGetSetDef properties[] = {
    readable<[](PyObject* self) {
      const std::string& name = function_of(self).name();
      return to_text(name.empty() ? "function" : name);
    }>("__name__"),
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
    {Py_tp_getset, properties},
    {Py_tp_members, members},
    {Py_tp_doc, const_cast<char*>(R"(A linked function: call it with values for its inputs.

`tv.function` makes it.

Examples
--------
>>> x, y = tv.vectors("x", "y")
>>> f = tv.function([x, tv.In(y, value=[1.0, 1.0])], [x + y, x * y])
>>> f([1.0, 2.0])
[array([2., 3.]), array([1., 2.])]
>>> f([1.0, 2.0], y=[0.0, 1.0])
[array([1., 3.]), array([0., 2.])]
>>> [row.op for row in f.node_runs()]
['add', 'mul']
)")},
    {0, nullptr},
};

PyType_Spec spec = {"thunkvm._core.Function", sizeof(FunctionObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                        Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

}  // namespace

PyTypeObject* function_class = nullptr;

bool is_function(PyObject* object) { return Py_IS_TYPE(object, function_class); }

PythonFunction& function_of(PyObject* self) {
  if (self_of(self)->function == nullptr) throw_collected();
  return *self_of(self)->function;
}

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
}

}  // namespace thunkvm

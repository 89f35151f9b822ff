#include "python/bindings/call/modes.h"

#include "linkers/mode.h"

#include <span>
#include <string_view>

namespace thunkvm {
namespace {

PyRef text_list(std::span<const std::string_view> texts) {
  PyRef list = PyRef::take(PyList_New(0));
  for (const std::string_view text : texts) check(PyList_Append(list.get(), to_text(text).get()));
  return list;
}

PyObject* mode_tables(PyObject*, PyObject*) {
  return guard([] {
    PyRef rows = PyRef::take(PyList_New(0)), all = PyRef::take(PyList_New(0)),
          sets = PyRef::take(PyList_New(0)), modes = PyRef::take(PyList_New(0));
    const auto add = [](const PyRef& list, PyObject* row) {
      check(PyList_Append(list.get(), PyRef::take(row).get()));
    };
    for (const LinkerRow& row : linkers()) {
      add(rows, Py_BuildValue("{s:N,s:N,s:N,s:N}", "name", to_text(row.name).release(), "summary",
                              to_text(row.summary).release(), "runs_without_c",
                              PyBool_FromLong(row.runs_without_c), "compared",
                              PyBool_FromLong(row.compared)));
    }
    for (const Feature& feature : features())
      add(all,
          Py_BuildValue("(NNN)", to_text(feature.name).release(),
                        to_text(feature.summary).release(), PyBool_FromLong(feature.rewrites)));
    for (const Optimizer& optimizer : optimizers()) {
      PyRef known = optimizer.name.empty() ? PyRef::borrow(Py_None) : to_text(optimizer.name);
      add(sets, Py_BuildValue("(ON)", known.get(), text_list(optimizer.features).release()));
    }
    for (const NamedMode& mode : named_modes()) {
      const std::string_view fields[] = {mode.name, mode.linker, mode.optimizer};
      add(modes, text_list(fields).release());
    }
    return PyRef::take(Py_BuildValue("{s:O,s:O,s:O,s:O}", "linkers", rows.get(), "features",
                                     all.get(), "optimizers", sets.get(), "modes", modes.get()));
  });
}

PyObject* when_compiled(PyObject*, PyObject* args) {
  const char *linker = nullptr, *when = nullptr;
  if (!PyArg_ParseTuple(args, "sz:when_compiled", &linker, &when)) return nullptr;
  return guard([&] {
    Mode mode{.linker = linker};
    if (when != nullptr) mode.compile = compile_when(when);
    return to_text(name(mode.compiles()));
  });
}

PyMethodDef functions[] = {
    {"mode_tables", mode_tables, METH_NOARGS,
     "mode_tables()\n--\n\n"
     "The tables that modes are made from: of linkers, features, optimizers and named modes."},
    {"when_compiled", when_compiled, METH_VARARGS,
     "when_compiled($module, linker, compile, /)\n--\n\n"
     "When the C of a mode is compiled; raises ValueError for a choice that the linker has not."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_modes(PyObject* module) { check(PyModule_AddFunctions(module, functions)); }

}  // namespace thunkvm

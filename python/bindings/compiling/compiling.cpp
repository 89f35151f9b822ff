#include "python/bindings/compiling/compiling.h"

#include "linkers/compilation.h"
#include "linkers/compiler/compiler.h"
#include "linkers/compiler/toolchain.h"
#include "ops/kernels/nest_threads.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/testing.h"

#include <cmath>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

std::string path_of(PyObject* text) {
  PyRef bytes = PyRef::take(PyUnicode_EncodeFSDefault(text));
  return {PyBytes_AS_STRING(bytes.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get()))};
}

// ---- NativeModule ----

struct NativeModuleObject {
  PyObject_HEAD ModulePtr module;
};

PyTypeObject* native_module_type = nullptr;

const NativeModule& native(PyObject* self) {
  return *reinterpret_cast<NativeModuleObject*>(self)->module;
}

PyRef wrap_module(ModulePtr module) {
  PyRef self = PyRef::take(native_module_type->tp_alloc(native_module_type, 0));
  new (&reinterpret_cast<NativeModuleObject*>(self.get())->module) ModulePtr(std::move(module));
  return self;
}

void module_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<NativeModuleObject*>(self)->module.~shared_ptr();
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* module_symbol(PyObject* self, PyObject* name) {
  return guard([&] {
    const std::string text(text_of(name));
    return PyRef::take(PyLong_FromVoidPtr(native(self).symbol(text.c_str())));
  });
}

PyObject* module_key(PyObject* self, void*) {
  return guard([&] { return to_text(native(self).key()); });
}

PyObject* module_path(PyObject* self, void*) {
  return guard([&] { return path_text(native(self).path()); });
}

PyGetSetDef module_properties[] = {
    {"key", module_key, nullptr, "The SHA-256 of all that the code was made from.", nullptr},
    {"path", module_path, nullptr, "The file that it was loaded from.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef module_methods[] = {
    {"symbol", module_symbol, METH_O,
     "symbol(name)\n--\n\nThe address of a function or object; good while the module lives."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot module_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(module_dealloc)},
    {Py_tp_getset, module_properties},
    {Py_tp_methods, module_methods},
    {Py_tp_doc, const_cast<char*>("Native code, loaded for as long as this lives.")},
    {0, nullptr},
};

PyType_Spec module_spec = {"thunkvm._core.NativeModule", sizeof(NativeModuleObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, module_slots};

// ---- compiling ----

PyRef load(std::span<const ModuleSource> sources, const CompilerSettings& settings) {
  std::vector<ModulePtr> modules =
      interruptible([&](Host& host) { return load_modules(sources, settings, host); });
  PyRef result = PyRef::take(PyList_New(static_cast<Py_ssize_t>(modules.size())));
  for (std::size_t i = 0; i < modules.size(); ++i)
    PyList_SET_ITEM(result.get(), static_cast<Py_ssize_t>(i),
                    wrap_module(std::move(modules[i])).release());
  return result;
}

PyObject* compile_cxx(PyObject*, PyObject* args) {
  PyObject *sources, *command;
  if (!PyArg_ParseTuple(args, "OO:compile_cxx", &sources, &command)) return nullptr;
  return guard([&] {
    PyRef items = PyRef::take(PySequence_Tuple(sources));
    std::vector<ModuleSource> list;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
      PyObject *header, *text, *flags, *left_out, *libraries;
      if (!PyArg_ParseTuple(PyTuple_GET_ITEM(items.get(), i), "OOOOO", &header, &text, &flags,
                            &left_out, &libraries))
        throw PythonError{};
      list.push_back({.text = std::string(text_of(text)),
                      .flags = texts_of(flags, "flags have to be a sequence of str"),
                      .libraries = texts_of(libraries, "libraries have to be a sequence of str"),
                      .left_out = texts_of(left_out, "left_out has to be a sequence of str"),
                      .header = std::string(text_of(header))});
    }
    CompilerSettings settings = default_settings(Language::Cxx);
    if (command != Py_None) settings.command = path_of(command);
    return load(list, settings);
  });
}

PyObject* compile_modules(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"sources", "flags", "libraries", nullptr};
  PyObject *sources, *flags = nullptr, *libraries = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO:compile_modules", const_cast<char**>(names),
                                   &sources, &flags, &libraries))
    return nullptr;
  return guard([&] {
    ModuleSource common;
    if (flags != nullptr) common.flags = texts_of(flags, "flags have to be a sequence of str");
    if (libraries != nullptr)
      common.libraries = texts_of(libraries, "libraries have to be a sequence of str");
    std::vector<ModuleSource> list;
    for (std::string& text : texts_of(sources, "sources have to be a sequence of str")) {
      list.push_back(common);
      list.back().text = std::move(text);
    }
    return load(list, default_settings());
  });
}

PyObject* compiler_version(PyObject*, PyObject* args) {
  int is_cxx = 0;
  if (!PyArg_ParseTuple(args, "|p:compiler_version", &is_cxx)) return nullptr;
  return guard([&] {
    const CompilerSettings settings = default_settings(is_cxx != 0 ? Language::Cxx : Language::C);
    const std::shared_ptr<const Toolchain> toolchain =
        interruptible([&](Host& host) { return find_toolchain(settings, host); });
    if (!toolchain->usable()) throw CompileError(toolchain->fault, toolchain->problem);
    return to_text(toolchain->version());
  });
}

// ---- settings ----

double seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

PyObject* compiler_settings(PyObject*, PyObject*) {
  return guard([] {
    const CompilerSettings now = default_settings();
    PyRef c_command = path_text(now.command), directory = path_text(now.cache_directory);
    PyRef cxx_command = path_text(default_settings(Language::Cxx).command);
    return PyRef::take(Py_BuildValue("{s:O,s:O,s:O,s:K,s:d}", "cc", c_command.get(), "cxx",
                                     cxx_command.get(), "cache_dir", directory.get(), "cache_size",
                                     static_cast<unsigned long long>(now.cache_size),
                                     "compile_timeout", seconds(now.timeout)));
  });
}

PyObject* override_compiler_settings(PyObject*, PyObject* args) {
  PyObject *c_command, *cxx_command, *directory, *size, *timeout;
  if (!PyArg_ParseTuple(args, "OOOOO:override_compiler_settings", &c_command, &cxx_command,
                        &directory, &size, &timeout))
    return nullptr;
  return guard([&] {
    CompilerOverrides overrides;
    const auto command = [](PyObject* given, std::optional<std::string>& override) {
      if (given == Py_None) return;
      override = path_of(given);
      split_command(*override);
    };
    command(c_command, overrides.command);
    command(cxx_command, overrides.cxx_command);
    if (directory != Py_None) overrides.cache_directory = path_of(directory);
    if (size != Py_None) {
      overrides.cache_size = PyLong_AsUnsignedLongLong(size);
      if (PyErr_Occurred() != nullptr) throw PythonError{};
    }
    if (timeout != Py_None) {
      const double given = PyFloat_AsDouble(timeout);
      if (PyErr_Occurred() != nullptr) throw PythonError{};
      overrides.timeout = std::chrono::milliseconds(std::llround(std::ceil(given * 1000.0)));
    }
    set_compiler_overrides(std::move(overrides));
    return PyRef::borrow(Py_None);
  });
}

PyObject* set_threads(PyObject*, PyObject* args) {
  int count, from;
  if (!PyArg_ParseTuple(args, "ii:set_nest_threads", &count, &from)) return nullptr;
  set_nest_threads({count, static_cast<std::uint32_t>(from)});
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"set_nest_threads", set_threads, METH_VARARGS,
     "set_nest_threads(count, size)\n--\n\n"
     "On how many threads fused loops run, and from how many elements on."},
    {"compile_cxx", compile_cxx, METH_VARARGS,
     "compile_cxx(sources, command)\n--\n\n"
     "The modules of C++ sources, each (header, text, flags, left_out, libraries); `command` is "
     "the "
     "compiler's, None for the one that there is. A CompileError has an `index`."},
    {"compiler_version", compiler_version, METH_VARARGS,
     "compiler_version(cxx=False)\n--\n\nThe C or C++ compiler's name and version."},
    {"compiler_settings", compiler_settings, METH_NOARGS,
     "compiler_settings()\n--\n\nHow modules are compiled now, environment included."},
    {"override_compiler_settings", override_compiler_settings, METH_VARARGS,
     "override_compiler_settings(cc, cxx, cache_dir, cache_size, compile_timeout)\n--\n\n"
     "Sets what comes before the environment; None leaves it to that."},
    {nullptr, nullptr, 0, nullptr},
};

PyMethodDef testing_functions[] = {
    {"compile_modules", with_keywords(compile_modules), METH_VARARGS | METH_KEYWORDS,
     "compile_modules(sources, flags=(), libraries=())\n--\n\n"
     "The native modules of C sources: loaded already, from the cache, or compiled in parallel."},
    {nullptr, nullptr, 0, nullptr},
};

PyObject* stop_compiling(PyObject*, PyObject*) {
  PythonHost host;
  Compilation::stop_all(host);
  Py_RETURN_NONE;
}

PyMethodDef stop_method = {
    "stop_compiling", stop_compiling, METH_NOARGS,
    "stop_compiling()\n--\n\nEnd what compiles in the background, and begin nothing new there."};

// Once the interpreter is going, a thread that logs would never end, nor be waited for.
void stop_compiling_at_exit() {
  PyRef stop = PyRef::take(PyCFunction_New(&stop_method, nullptr));
  PyRef atexit = PyRef::take(PyImport_ImportModule("atexit"));
  PyRef::take(PyObject_CallMethod(atexit.get(), "register", "O", stop.get()));
}

}  // namespace

ModulePtr native_module(PyObject* object) {
  if (!Py_IS_TYPE(object, native_module_type))
    throw Error(ErrorKind::Type,
                "a NativeModule is wanted, but this is a " + class_name(object) + ".");
  return reinterpret_cast<NativeModuleObject*>(object)->module;
}

void init_compiling(PyObject* module) {
  native_module_type = add_class(module, module_spec);
  check(PyModule_AddFunctions(module, functions));
  add_testing_functions(module, testing_functions);
  stop_compiling_at_exit();
}

}  // namespace thunkvm

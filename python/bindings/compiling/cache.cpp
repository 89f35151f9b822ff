#include "python/bindings/compiling/cache.h"

#include "linkers/compiler/module_store.h"
#include "linkers/compiler/settings.h"

#include <chrono>

namespace thunkvm {
namespace {

ModuleStore store() {
  const CompilerSettings settings = default_settings();
  return ModuleStore(settings.cache_directory, settings.cache_size);
}

PyObject* cache_list(PyObject*, PyObject*) {
  return guard([] {
    PyRef list = PyRef::take(PyList_New(0));
    for (const StoreEntry& entry : store().list()) {
      const std::chrono::duration<double> used = entry.last_used.time_since_epoch();
      // A source's first line may be anything.
      PyRef description = PyRef::take(PyUnicode_DecodeUTF8(
          entry.description.data(), static_cast<Py_ssize_t>(entry.description.size()), "replace"));
      PyRef item = PyRef::take(Py_BuildValue(
          "(s#OKd)", entry.key.data(), static_cast<Py_ssize_t>(entry.key.size()), description.get(),
          static_cast<unsigned long long>(entry.bytes), used.count()));
      check(PyList_Append(list.get(), item.get()));
    }
    return list;
  });
}

PyObject* cache_clear(PyObject*, PyObject*) {
  return guard([] { return PyRef::take(PyLong_FromSize_t(store().clear())); });
}

PyMethodDef functions[] = {
    {"cache_list", cache_list, METH_NOARGS,
     "cache_list()\n--\n\n(key, description, bytes, time of last use) of each module of the cache, "
     "the latest first."},
    {"cache_clear", cache_clear, METH_NOARGS,
     "cache_clear()\n--\n\nEmpties the cache; returns how many modules were in it."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_cache(PyObject* module) { check(PyModule_AddFunctions(module, functions)); }

}  // namespace thunkvm

#include "python/bindings/values/memory.h"

#include "thunks/memory_pool.h"

namespace thunkvm {
namespace {

PyObject* memory(PyObject*, PyObject*) {
  const PoolStatistics use = MemoryPool::statistics();
  return Py_BuildValue("{s:n,s:n,s:n,s:K}", "in_use", static_cast<Py_ssize_t>(use.in_use), "peak",
                       static_cast<Py_ssize_t>(use.peak), "cached",
                       static_cast<Py_ssize_t>(use.cached), "live_buffers",
                       static_cast<unsigned long long>(use.live_buffers));
}

PyObject* reset_peak_memory(PyObject*, PyObject*) {
  MemoryPool::reset_peak();
  Py_RETURN_NONE;
}

PyObject* trim_memory(PyObject*, PyObject*) {
  MemoryPool::trim();
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"memory", memory, METH_NOARGS,
     "memory()\n--\n\nBytes in use, their peak, bytes that wait to be used again, and live "
     "blocks."},
    {"reset_peak_memory", reset_peak_memory, METH_NOARGS,
     "reset_peak_memory()\n--\n\nLets the peak begin at what is in use now."},
    {"trim_memory", trim_memory, METH_NOARGS,
     "trim_memory()\n--\n\nGives idle memory back to the system."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_memory(PyObject* module) { check(PyModule_AddFunctions(module, functions)); }

}  // namespace thunkvm

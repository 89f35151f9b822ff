// memory.cpp: the memory pool's use and peak, for Python.
#include "python/bindings/arrays/limits.h"
#include "python/bindings/python/pybind.h"
#include "python/bindings/python/topics.h"
#include "thunks/memory_pool.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace thunkvm {
namespace {

// ---- margins around the memory of NumPy's arrays

struct Margins {
  int status;  ///< what the process ends with
};

/// A block is: its size, a margin, the memory that is given out, a margin.
char* block_of(void* memory) { return static_cast<char*>(memory) - 2 * kMargin; }

void* guarded_malloc(void*, std::size_t size) {
  char* const block = static_cast<char*>(std::malloc(size + 3 * kMargin));
  if (block == nullptr) return nullptr;
  std::memcpy(block, &size, sizeof size);
  std::memset(block + kMargin, kMarginByte, kMargin);
  std::memset(block + 2 * kMargin + size, kMarginByte, kMargin);
  // What is read before it is written is something else each time.
  static unsigned fill = 0;
  std::memset(block + 2 * kMargin, static_cast<int>(++fill % 251 + 1), size);
  return block + 2 * kMargin;
}
void* guarded_calloc(void* context, std::size_t n, std::size_t size) {
  void* const memory = guarded_malloc(context, n * size);
  if (memory != nullptr) std::memset(memory, 0, n * size);
  return memory;
}
bool is_margin(const char* bytes) {
  return std::all_of(bytes, bytes + kMargin,
                     [](char byte) { return static_cast<unsigned char>(byte) == kMarginByte; });
}
void guarded_free(void* context, void* memory, std::size_t) {
  if (memory == nullptr) return;
  char* const block = block_of(memory);
  std::size_t size;
  std::memcpy(&size, block, sizeof size);
  if (!is_margin(block + kMargin) || !is_margin(block + 2 * kMargin + size))
    _exit(static_cast<const Margins*>(context)->status);
  std::free(block);
}
void* guarded_realloc(void* context, void* memory, std::size_t size) {
  void* const larger = guarded_malloc(context, size);
  if (larger == nullptr || memory == nullptr) return larger;
  std::size_t before;
  std::memcpy(&before, block_of(memory), sizeof before);
  std::memcpy(larger, memory, std::min(before, size));
  guarded_free(context, memory, before);
  return larger;
}

void guard_array_memory(int status) {
  static Margins margins;
  static PyDataMem_Handler handler = {
      "thunkvm_margins",
      1,
      {&margins, guarded_malloc, guarded_calloc, guarded_realloc, guarded_free}};
  margins.status = status;
  PyRef capsule = PyRef::take(PyCapsule_New(&handler, "mem_handler", nullptr));
  PyRef::take(PyDataMem_SetHandler(capsule.get()));
}

}  // namespace

void init_memory(PyObject* module) {
  Functions(module)
      .def(
          "memory",
          [] {
            const PoolStatistics use = MemoryPool::statistics();
            return std::map<std::string, std::uint64_t>{{"in_use", use.in_use},
                                                        {"peak", use.peak},
                                                        {"cached", use.cached},
                                                        {"live_buffers", use.live_buffers}};
          },
          R"(Bytes in use, their peak, bytes that wait to be used again, and live blocks.

Returns
-------
dict of str to int
    ``in_use``, ``peak``, ``cached`` and ``live_buffers``.

Examples
--------
>>> x = tv.vector("x")
>>> f = tv.function([x], tv.exp(x))
>>> before = tv.memory()["in_use"]
>>> held = f(np.zeros(1000))
>>> tv.memory()["in_use"] - before >= held.nbytes
True
)")
      .def("reset_peak_memory", &MemoryPool::reset_peak,
           R"(Lets the peak of `memory` begin at the bytes in use now.

Examples
--------
>>> x = tv.vector("x")
>>> f = tv.function([x], tv.exp(x).sum())
>>> tv.reset_peak_memory()
>>> before = tv.memory()["peak"]
>>> _ = f(np.zeros(1000))
>>> tv.memory()["peak"] >= before
True
)")
      .def("guard_array_memory", &guard_array_memory, py::arg("status"),
           "From now on the arrays that NumPy makes have margins; where something was written "
           "there, the process ends with this status when the array goes.");
  testing_functions(module).def("trim_memory", &MemoryPool::trim,
                                "Gives idle memory back to the system.");
}

}  // namespace thunkvm

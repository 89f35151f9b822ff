#include "linkers/compiler/module.h"

#include "linkers/compiler/compile_error.h"
#include "linkers/compiler/file.h"

#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

namespace thunkvm {
namespace {

constexpr int kLoad = RTLD_NOW | RTLD_LOCAL;  // what it lacks is missing now, not in a call

/// A path of an open file that no other object was loaded by: the loader tells objects apart by
/// name too, and the descriptor of a file that is closed is given to another one.
std::string path_of(int file, std::uint32_t number) {
  std::string path = "/proc/self";
  for (int bit = 0; bit < 32; ++bit, number >>= 1) path += (number & 1u) != 0 ? "/." : "//";
  return path + "/fd/" + std::to_string(file);
}

std::string loader_error() {
  const char* text = dlerror();
  return text == nullptr ? "the loader gives no reason" : text;
}

}  // namespace

NativeModule::NativeModule(std::string key, std::string_view image, const std::string& path)
    : key_(std::move(key)), path_(path) {
  std::string reason;
  if (!path.empty()) {
    handle_ = dlopen(path.c_str(), kLoad);
    if (handle_ != nullptr) return;
    reason = loader_error();
  }
  const File memory = memory_file("thunkvm", image, true);
  if (memory) {
    static std::atomic<std::uint32_t> count{0};
    const std::uint32_t number = count.fetch_add(1, std::memory_order_relaxed);
    path_ = "memory:" + std::to_string(number);
    handle_ = dlopen(path_of(memory.get(), number).c_str(), kLoad);
    if (handle_ == nullptr) reason = loader_error();
  } else {
    reason = "there is no memory for it: " + error_text(errno);
  }
  if (handle_ == nullptr)
    throw CompileError(CompileFault::NotLoadable,
                       "a compiled module could not be loaded: " + reason + ".", reason);
}

NativeModule::~NativeModule() { dlclose(handle_); }

void* NativeModule::symbol(const char* name) const {
  void* found = dlsym(handle_, name);
  if (found == nullptr)
    throw Error(ErrorKind::Key, "the compiled module " + key_ + " has no symbol '" + name + "'.");
  return found;
}

}  // namespace thunkvm

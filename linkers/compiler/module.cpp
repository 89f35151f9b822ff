#include "linkers/compiler/module.h"

#include "linkers/compiler/compile_error.h"
#include "linkers/compiler/file.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace thunkvm {
namespace {

constexpr int kLoad = RTLD_NOW | RTLD_LOCAL;  // what it lacks is missing now, not in a call

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
  // The loader tells objects apart by name too, so the file stays open for as long as the object is
  // loaded: no other one can get its number.
  File memory = memory_file("thunkvm", image, true);
  if (memory) {
    path_ = "/proc/self/fd/" + std::to_string(memory.get());
    handle_ = dlopen(path_.c_str(), kLoad);
    if (handle_ == nullptr) reason = loader_error();
  } else {
    reason = "there is no memory for it: " + error_text(errno);
  }
  if (handle_ == nullptr)
    throw CompileError(CompileFault::NotLoadable,
                       "a compiled module could not be loaded: " + reason + ".", reason);
  memory_ = memory.release();
}

NativeModule::~NativeModule() {
  if (memory_ < 0) {
    dlclose(handle_);
    return;
  }
  const std::string path = path_;
  dlclose(handle_);
  // A library that it needs may have made it stay; then its name is not free.
  void* still = dlopen(path.c_str(), kLoad | RTLD_NOLOAD);
  if (still == nullptr) {
    close(memory_);
  } else {
    dlclose(still);
  }
}

void* NativeModule::symbol(const char* name) const {
  void* found = dlsym(handle_, name);
  if (found == nullptr)
    throw Error(ErrorKind::Key, "the compiled module " + key_ + " has no symbol '" + name + "'.");
  return found;
}

}  // namespace thunkvm

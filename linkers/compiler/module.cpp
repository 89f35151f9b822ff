#include "linkers/compiler/module.h"

#include "linkers/compiler/compile_error.h"

#include <dlfcn.h>
#include <link.h>

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

NativeModule::NativeModule(std::string key, std::string_view image, const StoredFile& file)
    : key_(std::move(key)), path_(file.path) {
  static std::atomic<std::uint32_t> count{0};
  std::string reason;
  const auto load = [&](const File& open, std::uint32_t number) {
    handle_ = dlopen(path_of(open.get(), number).c_str(), kLoad);
    if (handle_ == nullptr) reason = loader_error();
    return handle_ != nullptr;
  };
  if (file.file && load(file.file, count.fetch_add(1, std::memory_order_relaxed))) return;
  if (const File memory = memory_file("thunkvm", image, true)) {
    const std::uint32_t number = count.fetch_add(1, std::memory_order_relaxed);
    path_ = "memory:" + std::to_string(number);
    if (load(memory, number)) return;
  } else {
    reason = "there is no memory for it: " + error_text(errno);
  }
  throw CompileError(tells_of_shortage(reason) ? CompileFault::Shortage : CompileFault::NotLoadable,
                     "a compiled module could not be loaded: " + reason + ".", reason);
}

NativeModule::~NativeModule() { dlclose(handle_); }

void* NativeModule::find(const char* name) const {
  void* const found = dlsym(handle_, name);
  link_map *own = nullptr, *of_symbol = nullptr;
  Dl_info info;
  const bool is_own =
      found != nullptr && dlinfo(handle_, RTLD_DI_LINKMAP, &own) == 0 &&
      dladdr1(found, &info, reinterpret_cast<void**>(&of_symbol), RTLD_DL_LINKMAP) != 0 &&
      own == of_symbol;
  return is_own ? found : nullptr;
}

void* NativeModule::symbol(const char* name) const {
  if (void* found = find(name)) return found;
  throw Error(ErrorKind::Key, "the compiled module " + key_ + " has no symbol '" + name + "'.");
}

}  // namespace thunkvm

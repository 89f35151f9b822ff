#include "linkers/compiler/module.h"

#include "linkers/compiler/compile_error.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <utility>

namespace thunkvm {
namespace {

constexpr int kLoad = RTLD_NOW | RTLD_LOCAL;  // what it lacks is missing now, not in a call

/// This process's directory, by its number: a debugger opens what was loaded by the same name, and
/// to it /proc/self is another process, whose file of that number may be a pipe to wait for.
std::string process_directory() {
  char number[32];
  const ssize_t length = readlink("/proc/self", number, sizeof number);
  return length <= 0 ? "/proc/self"
                     : "/proc/" + std::string(number, static_cast<std::size_t>(length));
}

/// A path of an open file that no other object was loaded by: the loader tells objects apart by
/// name too, and the descriptor of a file that is closed is given to another one.
std::string path_of(int file, std::uint32_t number) {
  std::string path = process_directory();
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
  const bool is_for_debugger = image.find(".debug_info") != image.npos;
  if (file.file && is_for_debugger) {
    open_ = File(fcntl(file.file.get(), F_DUPFD_CLOEXEC, 0));
    if (open_ && load(open_, count.fetch_add(1, std::memory_order_relaxed))) return;
  }
  if (file.file && load(file.file, count.fetch_add(1, std::memory_order_relaxed))) return;
  if (File memory = memory_file("thunkvm", image, true)) {
    const std::uint32_t number = count.fetch_add(1, std::memory_order_relaxed);
    path_ = "memory:" + std::to_string(number);
    if (load(memory, number)) {
      if (is_for_debugger) open_ = std::move(memory);
      return;
    }
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

// module.h: native code that was loaded into the process.
#pragma once

#include "linkers/compiler/file.h"

#include <string>
#include <string_view>

namespace thunkvm {

/// A shared object, loaded for as long as this lives. An owner of a pointer into it keeps a
/// reference to it. Its symbols are its own: nothing else in the process is bound to them.
/// Immutable, so any thread may use it.
class NativeModule {
 public:
  /// Loads `file`, which is open and holds `image`, even if another file has its path by now. If it
  /// cannot be loaded (the file system is mounted noexec), or there is none, the image is loaded
  /// from memory. The image has to be whole (see shared_object_problem): the loader trusts it.
  /// Throws CompileError: with the loader's reason (NotLoadable), or for want of files or memory
  /// (Shortage).
  NativeModule(std::string key, std::string_view image, const StoredFile& file = {});
  ~NativeModule();
  NativeModule(const NativeModule&) = delete;
  NativeModule& operator=(const NativeModule&) = delete;

  /// The address of a function or object of the module; null if it has none of that name, even if
  /// one of its libraries has.
  void* find(const char* name) const;
  /// As `find`, and never null: throws Error (Key).
  void* symbol(const char* name) const;
  /// As `symbol`, for a function: `module.function<double(double)>("cosine")`.
  template <class Signature>
  Signature* function(const char* name) const {
    return reinterpret_cast<Signature*>(symbol(name));
  }

  /// The SHA-256, in hexadecimal, of all that the code was made from.
  const std::string& key() const { return key_; }
  /// The source of the loaded code: a file, or `memory:N`.
  const std::string& path() const { return path_; }

 private:
  std::string key_;
  std::string path_;
  File open_;  ///< of code that tells a debugger of itself, which reads it by the path of this file
  void* handle_ = nullptr;
};

}  // namespace thunkvm

// module_store.h: the directory that keeps compiled modules from one process to the next.
//
// modules/KEY.so: one file for each module, see sealed_module.h; its time is that of its last use.
//
// compilers/KEY: the answers of each compiler about itself, see toolchain.h.
//
// headers/KEY.h, KEY.h.gch: a header, and the same precompiled, see precompiled.h.
//
// work/: the directory that modules are compiled in.
//
// failed/KEY.c: sources that the compiler rejected.
//
// lock: a byte of it, by key, is locked while that key is compiled.
//
// written: as many bytes as KiB were added since the size of the directory was looked at.
#pragma once

#include "linkers/compiler/file.h"
#include "linkers/compiler/settings.h"
#include "thunks/error.h"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace thunkvm {

/// The directory cannot be used, or not for this. The message names it and the reason.
class StoreError : public Error {
 public:
  explicit StoreError(const std::string& message) : Error(ErrorKind::Runtime, message) {}
};

/// A module as it was found: all of its image, verified, and the file that holds it.
struct StoredModule {
  std::string image;
  StoredFile from;
};

/// The contents of the directory, for people.
struct StoreEntry {
  std::string key;
  std::string description;
  std::uint64_t bytes = 0;
  std::chrono::system_clock::time_point last_used;
};

/// The module cache. Any number of processes and threads use one directory at once, without a lock
/// that all of them share: a file appears whole, under its final name, or not at all. A file that
/// is not whole all the same is removed and made anew. Every file may vanish at any moment.
///
/// The directory is made with mode 0700 if it is not there. One that belongs to somebody else, that
/// others may write to or put another one in the place of (trusted_path.h), or that is a symbolic
/// link, is refused: its files would run. In it, nothing but directories and files of this user is
/// opened, and nothing is waited for.
class ModuleStore {
 public:
  /// Throws StoreError. `owner`: the user that the directory has to belong to, this process's.
  ModuleStore(std::string directory, std::uint64_t capacity);
  ModuleStore(std::string directory, std::uint64_t capacity, uid_t owner);
  ModuleStore(ModuleStore&&) noexcept = default;

  const std::string& directory() const { return directory_; }

  /// The module of a key, used as of now; nullopt if there is none that is whole.
  std::optional<StoredModule> find(const std::string& key) const;
  /// Keeps a module and returns its file; may remove others. Throws StoreError: the directory is
  /// read-only, full, or gone.
  StoredFile insert(const std::string& key, std::string_view image, std::string_view description);

  /// Removes a module that turned out to be of no use.
  void remove(const std::string& key) const;

  /// A small text, such as the answer of a compiler, used as of now; not verified. `name` is a path
  /// within.
  std::optional<std::string> read_text(const std::string& name) const;
  /// Puts one there in one step and returns its path. Throws StoreError.
  std::string write_text(const std::string& name, std::string_view text) const;

  /// True if there is a file of this name; it counts as used now.
  bool touch(const std::string& name) const;
  /// Takes over a file of `work_directory` under a name in an existing folder. False if that fails.
  bool take_over(const std::string& path, const std::string& name) const;

  /// Keeps others from compiling a key, until it is unlocked or the process ends. None if the wait
  /// took too long, was stopped, or the directory knows no locks. Then work may be done twice, and
  /// nothing worse.
  LockedFile lock(const std::string& key, std::chrono::milliseconds patience,
                  std::stop_token stop) const;

  /// The directory to compile in. Removes the files of killed processes there. Throws StoreError.
  std::string work_directory() const;

  /// Most recently used first.
  std::vector<StoreEntry> list() const;
  /// Removes all modules and all else; returns how many modules. Processes that use them keep them.
  std::size_t clear();

 private:
  std::string path_of(const std::string& name) const { return directory_ + "/" + name; }
  /// A directory in it that this user alone may write to; none if there is none.
  File open_folder(const std::string& name) const;
  /// A file in it or in a folder of it, not waited for; none if there is no file of this name.
  File open_file(const std::string& name, int flags) const;
  void make_folder(const std::string& name) const;
  StoredFile write_file(const std::string& name, std::string_view contents) const;
  void trim_after(std::uint64_t written_bytes) const;
  void trim() const;

  std::string directory_;
  std::uint64_t capacity_;
  uid_t owner_;
  File root_;
};

/// The store that the settings name; none if there is to be none, or it cannot be used. The log has
/// a warning then.
std::optional<ModuleStore> open_store(const CompilerSettings& settings);
/// Warns that modules are not kept, and why: once in a process for each reason.
void warn_once(const StoreError& error);

}  // namespace thunkvm

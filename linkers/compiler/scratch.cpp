#include "linkers/compiler/scratch.h"

#include "linkers/compiler/compile_error.h"
#include "linkers/compiler/limits.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace thunkvm {
namespace {

constexpr const char* kName = "/thunkvm-XXXXXX";

// The directory, locked; none where somebody else has it, or has removed it (see errno).
File locked(const std::string& path) {
  File directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status;
  if (!directory || flock(directory.get(), LOCK_EX | LOCK_NB) != 0 ||
      fstat(directory.get(), &status) != 0)
    return {};
  if (status.st_nlink > 0) return directory;
  errno = ENOENT;
  return {};
}

// Removes a directory that we have locked. It needs no other descriptor for the files in it: there
// may be none left.
void remove(const std::string& path, File locked) {
  const int descriptor = locked.release();
  DIR* const directory = fdopendir(descriptor);
  if (directory == nullptr) {
    ::close(descriptor);
    return;
  }
  while (const dirent* entry = readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    std::error_code ignored;  // it is in nobody's way
    if (unlinkat(descriptor, entry->d_name, 0) != 0)
      std::filesystem::remove_all(path + "/" + entry->d_name, ignored);
  }
  rmdir(path.c_str());
  closedir(directory);  // which unlocks it
}

[[noreturn]] void fail(const std::string& parent, int error) {
  const std::string message =
      "no directory to compile in can be made in " + parent + ": " + error_text(error);
  if (is_shortage(error)) throw CompileError(CompileFault::Shortage, message);
  throw Error(ErrorKind::Runtime, message);
}

}  // namespace

Scratch::Scratch(const std::string& parent) {
  for (int left = kScratchTries; !lock_; --left) {
    path_ = parent + kName;
    if (mkdtemp(path_.data()) == nullptr) fail(parent, errno);
    lock_ = locked(path_);
    if (lock_) return;
    const int error = errno;
    if ((error == ENOENT || error == EWOULDBLOCK) && left > 1) continue;
    rmdir(path_.c_str());
    fail(parent, error);
  }
}

Scratch::~Scratch() { remove(path_, std::move(lock_)); }

void Scratch::remove_abandoned(const std::string& parent, std::size_t most) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(parent, ignored)) {
    if (most-- == 0) return;
    const std::string path = entry.path().string();
    if (File lock = locked(path); lock) remove(path, std::move(lock));
  }
}

}  // namespace thunkvm

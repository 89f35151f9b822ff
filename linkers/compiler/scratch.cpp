#include "linkers/compiler/scratch.h"

#include "thunks/error.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace thunkvm {
namespace {

constexpr const char* kName = "/thunkvm-XXXXXX";

// The directory, locked; none where somebody else has it, or has removed it.
File locked(const std::string& path) {
  File directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status;
  const bool is_ours = directory && flock(directory.get(), LOCK_EX | LOCK_NB) == 0 &&
                       fstat(directory.get(), &status) == 0 && status.st_nlink > 0;
  return is_ours ? std::move(directory) : File();
}

void remove(const std::string& path) {
  std::error_code ignored;  // it is in nobody's way
  std::filesystem::remove_all(path, ignored);
}

}  // namespace

Scratch::Scratch(const std::string& parent) {
  // Between the two steps it looks abandoned, and may go; then the next one is made.
  while (!lock_) {
    path_ = parent + kName;
    if (mkdtemp(path_.data()) == nullptr)
      throw Error(ErrorKind::Runtime,
                  "no directory to compile in can be made in " + parent + ": " + error_text(errno));
    lock_ = locked(path_);
  }
}

Scratch::~Scratch() { remove(path_); }

void Scratch::remove_abandoned(const std::string& parent) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(parent, ignored))
    if (const File lock = locked(entry.path().string()); lock) remove(entry.path().string());
}

}  // namespace thunkvm

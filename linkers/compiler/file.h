// file.h: a file descriptor that closes itself, and functions of one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace thunkvm {

/// An open file, directory or pipe; -1 is none.
class File {
 public:
  File() = default;
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~File() { close(); }

  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  int release() { return std::exchange(descriptor_, -1); }
  void close();

 private:
  int descriptor_ = -1;
};

/// An open file, and the path that it was opened by. Another file may have that path by now.
struct StoredFile {
  std::string path;
  File file;
};

/// A file that is locked, in part or whole, by open file description; none is none. It is unlocked
/// explicitly: a process that was forked meanwhile has it open too.
class LockedFile {
 public:
  LockedFile() = default;
  explicit LockedFile(File file) : file_(std::move(file)) {}
  LockedFile(LockedFile&&) noexcept = default;
  LockedFile& operator=(LockedFile&&) noexcept = default;  // swaps
  ~LockedFile() { unlock(); }

  explicit operator bool() const { return static_cast<bool>(file_); }
  void unlock();

 private:
  File file_;
};

/// The contents of a file; nullopt if it cannot be read (see errno).
std::optional<std::string> read_all(int file);
/// Writes all bytes; false if that fails (see errno).
bool write_all(int file, std::string_view bytes);

/// A file in memory that holds `bytes`, positioned at its beginning; none if the system has no room
/// for it (see errno). `executable` ones may be mapped as code.
File memory_file(const char* name, std::string_view bytes, bool executable = false);

/// The error in errno, as text.
std::string error_text(int error);
/// True for an errno that says that the system lacks something that it may have again any moment:
/// descriptors, processes, memory, room on a disk.
bool is_shortage(int error);
/// The same of a program's output.
bool tells_of_shortage(std::string_view text);

}  // namespace thunkvm

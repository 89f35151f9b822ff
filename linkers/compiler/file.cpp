#include "linkers/compiler/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>

#ifndef MFD_EXEC  // Linux 6.3
#define MFD_EXEC 0x0010U
#endif

namespace thunkvm {

void File::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void LockedFile::unlock() {
  if (!file_) return;
  struct flock all{};
  all.l_type = F_UNLCK;
  all.l_whence = SEEK_SET;
  fcntl(file_.get(), F_OFD_SETLK, &all);
  file_.close();
}

std::optional<std::string> read_all(int file) {
  struct stat status;
  if (fstat(file, &status) != 0) return std::nullopt;
  // One byte more than it should have, to see its end without another turn.
  std::string bytes(static_cast<std::size_t>(status.st_size) + 1, '\0');
  std::size_t size = 0;
  while (true) {
    const ssize_t got =
        pread(file, bytes.data() + size, bytes.size() - size, static_cast<off_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size == bytes.size()) bytes.resize(2 * size);
  }
  bytes.resize(size);
  return bytes;
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

File memory_file(const char* name, std::string_view bytes, bool executable) {
  const unsigned flags = MFD_CLOEXEC;
  File file(executable ? memfd_create(name, flags | MFD_EXEC) : -1);
  if (!file) file = File(memfd_create(name, flags));  // older systems do not know MFD_EXEC
  if (file && (!write_all(file.get(), bytes) || lseek(file.get(), 0, SEEK_SET) != 0)) file.close();
  return file;
}

std::string error_text(int error) { return std::generic_category().message(error); }

namespace {
constexpr int kShortages[] = {EMFILE, ENFILE, EAGAIN, ENOMEM, ENOBUFS, ENOSPC, EDQUOT};
}  // namespace

bool is_shortage(int error) {
  return std::find(std::begin(kShortages), std::end(kShortages), error) != std::end(kShortages);
}

bool tells_of_shortage(std::string_view text) {
  return std::any_of(std::begin(kShortages), std::end(kShortages), [&](int error) {
    return text.find(error_text(error)) != std::string_view::npos;
  });
}

}  // namespace thunkvm

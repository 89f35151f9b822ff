#include "linkers/compiler/module_store.h"

#include "linkers/compiler/limits.h"
#include "linkers/compiler/scratch.h"
#include "linkers/compiler/sealed_module.h"
#include "linkers/compiler/trusted_path.h"
#include "thunks/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

namespace thunkvm {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char* kModules = "modules";
constexpr const char* kSuffix = ".so";
constexpr const char* kKeepers[] = {kModules, "compilers", "headers", "failed"};

std::string module_name(const std::string& key) {
  return std::string(kModules) + "/" + key + kSuffix;
}

/// A file that counts for the size of the directory.
struct Kept {
  std::string path;
  struct stat status{};
  bool operator<(const Kept& other) const {  // the longest unused comes first
    const timespec &a = status.st_mtim, &b = other.status.st_mtim;
    return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
  }
};

std::vector<Kept> files_of(const std::string& folder) {
  std::vector<Kept> files;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator(folder, gone)) {
    Kept file{entry.path().string()};
    if (lstat(file.path.c_str(), &file.status) == 0 && S_ISREG(file.status.st_mode))
      files.push_back(std::move(file));
  }
  return files;
}

std::chrono::system_clock::time_point time_of(const struct stat& status) {
  using namespace std::chrono;
  return system_clock::time_point(duration_cast<system_clock::duration>(
      seconds(status.st_mtim.tv_sec) + nanoseconds(status.st_mtim.tv_nsec)));
}

}  // namespace

ModuleStore::ModuleStore(std::string directory, std::uint64_t capacity)
    : ModuleStore(std::move(directory), capacity, geteuid()) {}

ModuleStore::ModuleStore(std::string directory, std::uint64_t capacity, uid_t owner)
    : directory_(fs::absolute(directory).lexically_normal().string()),
      capacity_(capacity),
      owner_(owner) {
  while (directory_.size() > 1 && directory_.ends_with('/')) directory_.pop_back();
  const auto refuse = [&](const std::string& why) {
    throw StoreError("the module cache " + directory_ + " is not used: " + why + ".");
  };
  std::error_code problem;
  fs::create_directories(fs::path(directory_).parent_path(), problem);
  if (mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST)
    refuse("it cannot be made: " + (problem ? problem.message() : error_text(errno)));
  struct stat status;
  if (lstat(directory_.c_str(), &status) == 0 && S_ISLNK(status.st_mode))
    refuse("it is a symbolic link; name the directory itself");
  root_ = File(open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!root_) refuse(error_text(errno));
  if (fstat(root_.get(), &status) != 0) refuse(error_text(errno));
  if (status.st_uid != owner_)
    refuse("it belongs to user " + std::to_string(status.st_uid) + ", this process to user " +
           std::to_string(owner_));
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) refuse("others may write to it; use chmod 700");
  if (const std::string who = who_may_replace(directory_, owner_); !who.empty()) refuse(who);
}

File ModuleStore::open_folder(const std::string& name) const {
  File folder(openat(root_.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status;
  if (!folder || fstat(folder.get(), &status) != 0) return {};
  const bool is_ours = status.st_uid == owner_ && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  return is_ours ? std::move(folder) : File();
}

File ModuleStore::open_file(const std::string& name, int flags) const {
  const std::size_t slash = name.find('/');
  File folder;
  if (slash != std::string::npos && !(folder = open_folder(name.substr(0, slash)))) return {};
  // A pipe or a device is opened too, and closed again: without the flags it would be waited for.
  File file(openat(folder ? folder.get() : root_.get(), name.c_str() + (folder ? slash + 1 : 0),
                   flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600));
  struct stat status;
  const bool is_file =
      file && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == owner_;
  return is_file ? std::move(file) : File();
}

std::optional<StoredModule> ModuleStore::find(const std::string& key) const {
  const std::string name = module_name(key);
  File file = open_file(name, O_RDONLY);
  if (!file) return std::nullopt;
  std::optional<std::string> contents = read_all(file.get());
  if (!contents) return std::nullopt;
  const std::optional<SealedModule> sealed = open_seal(key, *contents);
  if (!sealed) {
    log().debug("{} is damaged, and is compiled again", path_of(name));
    unlinkat(root_.get(), name.c_str(), 0);
    return std::nullopt;
  }
  futimens(file.get(), nullptr);  // the time of its last use; of no matter where it cannot be set
  const std::size_t size = sealed->image.size();
  contents->resize(size);
  return StoredModule{std::move(*contents), {path_of(name), std::move(file)}};
}

StoredFile ModuleStore::insert(const std::string& key, std::string_view image,
                               std::string_view description) {
  const std::string contents = seal(key, image, description);
  if (contents.size() > capacity_)
    throw StoreError("the module cache " + directory_ + " is too small, at " +
                     std::to_string(capacity_) + " bytes, for a module of " +
                     std::to_string(contents.size()) + ".");
  StoredFile written = write_file(module_name(key), contents);
  trim_after(contents.size());
  return written;
}

void ModuleStore::remove(const std::string& key) const {
  unlinkat(root_.get(), module_name(key).c_str(), 0);
}

std::optional<std::string> ModuleStore::read_text(const std::string& name) const {
  const File file = open_file(name, O_RDONLY);
  if (!file) return std::nullopt;
  futimens(file.get(), nullptr);
  return read_all(file.get());
}

std::string ModuleStore::write_text(const std::string& name, std::string_view text) const {
  std::string path = write_file(name, text).path;
  trim_after(text.size());
  return path;
}

bool ModuleStore::touch(const std::string& name) const {
  const File file = open_file(name, O_RDONLY);
  if (file) futimens(file.get(), nullptr);
  return static_cast<bool>(file);
}

bool ModuleStore::take_over(const std::string& path, const std::string& name) const {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::uint64_t>(status.st_size) > capacity_ / 2 ||
      renameat(AT_FDCWD, path.c_str(), root_.get(), name.c_str()) != 0)
    return false;
  trim_after(static_cast<std::uint64_t>(status.st_size));
  return true;
}

void ModuleStore::make_folder(const std::string& name) const {
  if (mkdirat(root_.get(), name.c_str(), 0700) != 0 && errno != EEXIST)
    throw StoreError("nothing can be written to the module cache " + directory_ + ": " +
                     error_text(errno) + ".");
  if (!open_folder(name))
    throw StoreError("the module cache " + directory_ +
                     " could not be written to: " + path_of(name) +
                     " is no directory that this user alone may write to" + "; remove it.");
}

StoredFile ModuleStore::write_file(const std::string& name, std::string_view contents) const {
  const auto fail = [&](const std::string& why) {
    throw StoreError("the module cache " + directory_ + " could not be written to: " + why + ".");
  };
  make_folder(name.substr(0, name.find('/')));
  // Written beside, under a name that nobody looks for, and then renamed.
  std::optional<Scratch> scratch;
  try {
    scratch.emplace(work_directory());
  } catch (const StoreError&) {
    throw;
  } catch (const Error& error) {
    fail(error.what());
  }
  const std::string beside = scratch->path() + "/new";
  File file(open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file || !write_all(file.get(), contents)) fail(error_text(errno));
  if (renameat(AT_FDCWD, beside.c_str(), root_.get(), name.c_str()) != 0) fail(error_text(errno));
  return {path_of(name), std::move(file)};
}

std::string ModuleStore::work_directory() const {
  make_folder("work");
  const std::string work = path_of("work");
  Scratch::remove_abandoned(work, kMostAbandoned);
  return work;
}

LockedFile ModuleStore::lock(const std::string& key, milliseconds patience,
                             std::stop_token stop) const {
  File file = open_file("lock", O_RDWR | O_CREAT);
  if (!file) return {};
  // One byte for each key. Open file description locks go with the file, so with a killed process
  // too, and hold between threads.
  std::uint64_t position = 0;
  std::from_chars(key.data(), key.data() + 15, position, 16);
  struct flock byte{};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = static_cast<off_t>(position);
  byte.l_len = 1;
  // Asked for again and again rather than waited for: a wait could neither end nor be ended.
  const Clock::time_point deadline = Clock::now() + patience;
  for (milliseconds pause{1};; pause = std::min(2 * pause, milliseconds{16})) {
    if (fcntl(file.get(), F_OFD_SETLK, &byte) == 0) return LockedFile(std::move(file));
    if (errno != EAGAIN && errno != EACCES && errno != EINTR) return {};
    if (Clock::now() > deadline || stop.stop_requested()) return {};
    std::this_thread::sleep_for(pause);
  }
}

void ModuleStore::trim_after(std::uint64_t written_bytes) const {
  const File written = open_file("written", O_WRONLY | O_CREAT | O_APPEND);
  if (!written) {  // something else has its name: then nobody counts
    trim();
    return;
  }
  struct stat status;
  const std::string added(static_cast<std::size_t>(written_bytes / 1024 + 1), '.');
  if (!write_all(written.get(), added) || fstat(written.get(), &status) != 0) return;
  // Looking at every file is put off until a good part of what fits was added.
  if (static_cast<std::uint64_t>(status.st_size) * 1024 < capacity_ / 16) return;
  if (ftruncate(written.get(), 0) != 0) log().debug("{}/written cannot be emptied", directory_);
  trim();
}

void ModuleStore::trim() const {
  std::vector<Kept> files;
  for (const char* folder : kKeepers)
    if (open_folder(folder))
      for (Kept& file : files_of(path_of(folder))) files.push_back(std::move(file));
  std::uint64_t bytes = 0;
  for (const Kept& file : files) bytes += static_cast<std::uint64_t>(file.status.st_size);
  std::sort(files.begin(), files.end());
  // What is added before the next look has to fit too.
  const std::uint64_t most = capacity_ - capacity_ / 16;
  for (std::size_t i = 0; i < files.size() && bytes > most; ++i) {
    unlink(files[i].path.c_str());
    bytes -= static_cast<std::uint64_t>(files[i].status.st_size);
  }
}

std::vector<StoreEntry> ModuleStore::list() const {
  std::vector<Kept> files;
  if (open_folder(kModules)) files = files_of(path_of(kModules));
  std::sort(files.rbegin(), files.rend());
  std::vector<StoreEntry> entries;
  for (const Kept& kept : files) {
    const fs::path path(kept.path);
    const File file = open_file(module_name(path.stem().string()), O_RDONLY);
    entries.push_back({path.stem().string(), file ? description_of(file.get()) : std::string(),
                       static_cast<std::uint64_t>(kept.status.st_size), time_of(kept.status)});
  }
  return entries;
}

std::size_t ModuleStore::clear() {
  std::size_t modules = 0;
  for (const char* folder : kKeepers)
    if (open_folder(folder))
      for (const Kept& file : files_of(path_of(folder)))
        modules += unlink(file.path.c_str()) == 0 && folder == kModules;
  unlinkat(root_.get(), "written", 0);
  if (open_folder("work")) Scratch::remove_abandoned(path_of("work"), std::size_t(-1));
  return modules;
}

void warn_once(const StoreError& error) {
  static std::mutex lock;
  static auto* said = new std::set<std::string>;
  const std::lock_guard guard(lock);
  if (said->insert(error.what()).second)
    log().warn("{} Compiled modules are not kept.", error.what());
}

std::optional<ModuleStore> open_store(const CompilerSettings& settings) {
  if (settings.cache_size == 0 || settings.cache_directory.empty()) return std::nullopt;
  try {
    return ModuleStore(settings.cache_directory, settings.cache_size);
  } catch (const StoreError& error) {
    warn_once(error);
    return std::nullopt;
  }
}

}  // namespace thunkvm

#include "linkers/runner/npz.h"

#include "ops/files/npy.h"
#include "ops/files/zip_archive.h"
#include "thunks/error.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace thunkvm {
namespace {

constexpr std::string_view kEnding = ".npy";

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::Value, path + " " + reason);
}

}  // namespace

NamedArrays read_npz(const std::string& path) {
  NamedArrays arrays;
  try {
    const ZipArchive file(bytes_of_file(path));
    for (std::string name : file.names()) {
      const std::string bytes = file.member(name);
      if (std::string_view(name).ends_with(kEnding)) name.resize(name.size() - kEnding.size());
      try {
        arrays.emplace_back(name, array_of_npy(bytes));
      } catch (const Error& error) {
        throw Error(error.kind(), "'" + name + "': " + error.what());
      }
    }
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(path)) throw;
    throw Error(error.kind(), path + ": " + error.what());
  }
  return arrays;
}

void write_npz(const std::string& path, const NamedArrays& arrays) {
  std::vector<std::pair<std::string, std::string>> members;
  for (const auto& [name, array] : arrays)
    members.emplace_back(name + std::string(kEnding), npy_of(array));
  const std::string bytes = zip_of(members, false);
  const std::string beside = path + "." + std::to_string(getpid()) + ".part";
  std::ofstream file(beside, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  std::error_code failed;
  if (file) std::filesystem::rename(beside, path, failed);
  if (file && !failed) return;
  const std::string reason = failed ? failed.message() : std::strerror(errno);
  std::filesystem::remove(beside, failed);
  fail(path, "cannot be written: " + reason);
}

}  // namespace thunkvm

// zip_archive.h: zip files in memory: their members, read, and written.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thunkvm {

/// All that a file holds. Throws Error(Value) with the path and the reason.
std::string bytes_of_file(const std::string& path);

/// The members of a zip file.
class ZipArchive {
 public:
  /// Throws GraphFileError if the bytes are no zip file, or its directory is damaged.
  explicit ZipArchive(std::string bytes);
  ~ZipArchive();
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  /// The names, in the file's order.
  const std::vector<std::string>& names() const;
  /// The bytes of a member. Throws GraphFileError if it is not there, or is damaged.
  std::string member(const std::string& name) const;

 private:
  struct Opened;
  Opened* opened_;
};

/// A zip file of (name, bytes), compressed if asked. Equal members are equal bytes.
std::string zip_of(const std::vector<std::pair<std::string, std::string>>& members,
                   bool is_compressed);

}  // namespace thunkvm

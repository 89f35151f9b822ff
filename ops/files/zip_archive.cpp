#include "ops/files/zip_archive.h"

#include "ops/descriptions/graph_file_error.h"
#include "thunks/error.h"

#include <minizip/unzip.h>
#include <minizip/zip.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <unordered_map>

namespace thunkvm {
namespace {

constexpr std::size_t kChunk = 1 << 20;  // bytes that are inflated at once
constexpr std::size_t kMostName = 1 << 10;

/// A file in memory, for minizip: `opaque` is it.
struct MemoryFile {
  std::string bytes;
  std::size_t at = 0;

  static MemoryFile& of(voidpf file) { return *static_cast<MemoryFile*>(file); }
  static voidpf open(voidpf opaque, const void*, int) {
    of(opaque).at = 0;
    return opaque;
  }
  static uLong read(voidpf, voidpf file, void* to, uLong size) {
    MemoryFile& self = of(file);
    const std::size_t n = std::min<std::size_t>(size, self.bytes.size() - self.at);
    std::memcpy(to, self.bytes.data() + self.at, n);
    self.at += n;
    return n;
  }
  static uLong write(voidpf, voidpf file, const void* from, uLong size) {
    MemoryFile& self = of(file);
    self.bytes.resize(std::max(self.bytes.size(), self.at + size));
    std::memcpy(self.bytes.data() + self.at, from, size);
    self.at += size;
    return size;
  }
  static ZPOS64_T tell(voidpf, voidpf file) { return of(file).at; }
  static long seek(voidpf, voidpf file, ZPOS64_T offset, int origin) {
    MemoryFile& self = of(file);
    const std::size_t from = origin == ZLIB_FILEFUNC_SEEK_SET   ? 0
                             : origin == ZLIB_FILEFUNC_SEEK_CUR ? self.at
                                                                : self.bytes.size();
    if (offset > self.bytes.size() - from) return -1;
    self.at = from + offset;
    return 0;
  }
  static int close(voidpf, voidpf) { return 0; }
  static int error(voidpf, voidpf) { return 0; }

  zlib_filefunc64_def functions() {
    return {&open, &read, &write, &tell, &seek, &close, &error, this};
  }
};

/// Where the directory of an archive ends; one of no members begins with it.
constexpr char kEnd[] = "PK\5\6";

[[noreturn]] void damaged(const std::string& place) { throw GraphFileError(place + " is damaged"); }

}  // namespace

std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad())
    throw Error(ErrorKind::Value, path + " cannot be read: " + std::strerror(errno));
  return bytes;
}

struct ZipArchive::Opened {
  explicit Opened(std::string bytes) : file{std::move(bytes)} {
    if (file.bytes.starts_with(kEnd)) return;  // which minizip takes for damaged
    zlib_filefunc64_def functions = file.functions();
    zip = unzOpen2_64("", &functions);
    if (zip == nullptr) throw GraphFileError("it is no zip file, or damaged");
    try {
      read_directory();
    } catch (...) {
      unzClose(zip);
      throw;
    }
  }
  ~Opened() {
    if (zip != nullptr) unzClose(zip);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  // Once: minizip walks over all members to find one.
  void read_directory() {
    int status = unzGoToFirstFile(zip);
    for (; status == UNZ_OK; status = unzGoToNextFile(zip)) {
      std::string name(kMostName, '\0');
      unz_file_info64 about{};
      unz64_file_pos position{};
      if (unzGetCurrentFileInfo64(zip, &about, name.data(), name.size(), nullptr, 0, nullptr, 0) !=
              UNZ_OK ||
          about.size_filename > name.size() || unzGetFilePos64(zip, &position) != UNZ_OK)
        damaged("its directory");
      name.resize(about.size_filename);
      positions.emplace(name, position);
      names.push_back(std::move(name));
    }
    if (status != UNZ_END_OF_LIST_OF_FILE) damaged("its directory");
  }

  MemoryFile file;
  unzFile zip = nullptr;
  std::vector<std::string> names;
  std::unordered_map<std::string, unz64_file_pos> positions;
};

ZipArchive::ZipArchive(std::string bytes) : opened_(new Opened(std::move(bytes))) {}
ZipArchive::~ZipArchive() { delete opened_; }

const std::vector<std::string>& ZipArchive::names() const { return opened_->names; }

std::string ZipArchive::member(const std::string& name) const {
  const unzFile zip = opened_->zip;
  const auto found = opened_->positions.find(name);
  if (found == opened_->positions.end()) throw GraphFileError("it has no member '" + name + "'");
  if (unzGoToFilePos64(zip, &found->second) != UNZ_OK) damaged("its member '" + name + "'");
  unz_file_info64 about{};
  if (unzGetCurrentFileInfo64(zip, &about, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK ||
      unzOpenCurrentFile(zip) != UNZ_OK)
    damaged("its member '" + name + "'");
  std::string bytes;
  int n = 0;
  do {  // as far as it goes: the size that it says may be as wrong as all else
    const std::size_t size = bytes.size();
    bytes.resize(size + std::min<std::uint64_t>(kChunk, about.uncompressed_size - size + 1));
    n = unzReadCurrentFile(zip, bytes.data() + size, static_cast<unsigned>(bytes.size() - size));
    bytes.resize(size + static_cast<std::size_t>(std::max(n, 0)));
  } while (n > 0 && bytes.size() <= about.uncompressed_size);
  const bool is_whole = n == 0 && bytes.size() == about.uncompressed_size;
  if (unzCloseCurrentFile(zip) != UNZ_OK || !is_whole) damaged("its member '" + name + "'");
  return bytes;
}

std::string zip_of(const std::vector<std::pair<std::string, std::string>>& members,
                   bool is_compressed) {
  MemoryFile file;
  zlib_filefunc64_def functions = file.functions();
  const zipFile zip = zipOpen2_64("", APPEND_STATUS_CREATE, nullptr, &functions);
  zip_fileinfo about{};
  about.dosDate = (1 << 21) | (1 << 16);  // 1980-01-01: equal members are equal bytes
  bool is_written = zip != nullptr;
  for (const auto& [name, bytes] : members) {
    is_written = is_written &&
                 zipOpenNewFileInZip64(zip, name.c_str(), &about, nullptr, 0, nullptr, 0, nullptr,
                                       is_compressed ? Z_DEFLATED : 0, Z_DEFAULT_COMPRESSION,
                                       bytes.size() > 0xffffffffu) == ZIP_OK;
    for (std::size_t at = 0; is_written && at < bytes.size(); at += kChunk) {
      const std::size_t n = std::min(kChunk, bytes.size() - at);
      is_written = zipWriteInFileInZip(zip, bytes.data() + at, static_cast<unsigned>(n)) == ZIP_OK;
    }
    is_written = is_written && zipCloseFileInZip(zip) == ZIP_OK;
  }
  if (zip != nullptr) is_written = zipClose(zip, nullptr) == ZIP_OK && is_written;
  if (!is_written) throw GraphFileError("a zip file of its members cannot be made");
  return std::move(file.bytes);
}

}  // namespace thunkvm

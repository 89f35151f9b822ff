#include "linkers/compiler/sealed_module.h"

#include "linkers/compiler/digest.h"
#include "linkers/compiler/limits.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace thunkvm {
namespace {

struct Seal {
  char magic[8];
  std::uint32_t version;
  std::uint32_t description_size;
  std::uint64_t image_size;
  Digest digest;
};
static_assert(sizeof(Seal) == 56, "written as it is in memory: the key names the architecture");

constexpr std::string_view kMagic = "thunkvm\n";
constexpr std::uint32_t kVersion = 1;

Seal make_seal(std::string_view key, std::string_view image, std::string_view description) {
  Seal seal{.magic = {},
            .version = kVersion,
            .description_size = static_cast<std::uint32_t>(description.size()),
            .image_size = image.size(),
            .digest = sha256_of_fields({key, image, description})};
  kMagic.copy(seal.magic, kMagic.size());
  return seal;
}

bool is_plausible(const Seal& seal, std::uint64_t file_size) {
  return std::string_view(seal.magic, kMagic.size()) == kMagic && seal.version == kVersion &&
         seal.description_size <= kLongestDescription &&
         seal.image_size == file_size - sizeof seal - seal.description_size;
}

}  // namespace

std::string seal(std::string_view key, std::string_view image, std::string_view description) {
  description = description.substr(0, kLongestDescription);
  const Seal seal = make_seal(key, image, description);
  std::string contents;
  contents.reserve(image.size() + description.size() + sizeof seal);
  contents.append(image).append(description);
  contents.append(reinterpret_cast<const char*>(&seal), sizeof seal);
  return contents;
}

std::optional<SealedModule> open_seal(std::string_view key, std::string_view contents) {
  Seal seal;
  if (contents.size() < sizeof seal) return std::nullopt;
  std::memcpy(&seal, contents.data() + contents.size() - sizeof seal, sizeof seal);
  if (!is_plausible(seal, contents.size())) return std::nullopt;
  const SealedModule module{contents.substr(0, seal.image_size),
                            contents.substr(seal.image_size, seal.description_size)};
  if (sha256_of_fields({key, module.image, module.description}) != seal.digest) return std::nullopt;
  return module;
}

std::string description_of(int file) {
  struct stat status;
  Seal seal;
  if (fstat(file, &status) != 0 || status.st_size < static_cast<off_t>(sizeof seal)) return {};
  const off_t begin = status.st_size - static_cast<off_t>(sizeof seal);
  if (pread(file, &seal, sizeof seal, begin) != static_cast<ssize_t>(sizeof seal) ||
      !is_plausible(seal, static_cast<std::uint64_t>(status.st_size)))
    return {};
  std::string description(seal.description_size, '\0');
  const ssize_t got = pread(file, description.data(), description.size(),
                            begin - static_cast<off_t>(description.size()));
  description.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return description;
}

}  // namespace thunkvm

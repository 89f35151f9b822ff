#include "linkers/compiler/shared_object.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <optional>

namespace thunkvm {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);

template <class T>
std::optional<T> read(std::string_view image, std::uint64_t at) {
  T result;
  if (at > image.size() || sizeof result > image.size() - at) return std::nullopt;
  std::memcpy(&result, image.data() + at, sizeof result);
  return result;
}

/// The header of the library that this code is in: what a module has to agree with.
Header own_header() {
  Dl_info info{};
  Header header{};
  if (dladdr(reinterpret_cast<const void*>(&shared_object_problem), &info) != 0)
    std::memcpy(&header, info.dli_fbase, sizeof header);
  return header;
}

std::string architecture(const Header& header) {
  return "machine " + std::to_string(header.e_machine) + ", class " +
         std::to_string(header.e_ident[EI_CLASS]);
}

}  // namespace

std::string shared_object_problem(std::string_view image) {
  const auto header = read<Header>(image, 0);
  if (!header) return "it is too short";
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return "it is no ELF file";
  static const Header own = own_header();
  if (header->e_ident[EI_CLASS] != own.e_ident[EI_CLASS] ||
      header->e_ident[EI_DATA] != own.e_ident[EI_DATA] || header->e_machine != own.e_machine)
    return "it is for another architecture (ELF " + architecture(*header) + "; this process is " +
           architecture(own) + ")";
  if (header->e_type != ET_DYN || header->e_phentsize != sizeof(Segment))
    return "it is no shared object";
  if (header->e_phoff > image.size()) return "it is cut off";
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const auto segment = read<Segment>(image, header->e_phoff + i * sizeof(Segment));
    if (!segment || segment->p_offset > image.size() ||
        segment->p_filesz > image.size() - segment->p_offset)
      return "it is cut off";
  }
  return "";
}

}  // namespace thunkvm

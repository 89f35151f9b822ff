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
using Section = ElfW(Shdr);

template <class T>
std::optional<T> read(std::string_view image, std::uint64_t at) {
  T result;
  if (at > image.size() || sizeof result > image.size() - at) return std::nullopt;
  std::memcpy(&result, image.data() + at, sizeof result);
  return result;
}

/// Row `i` of a table of T, which is not at the end of 64 bits.
template <class T>
std::optional<T> row(std::string_view image, std::uint64_t table, unsigned i) {
  if (table > image.size()) return std::nullopt;
  return read<T>(image, table + std::uint64_t{i} * sizeof(T));
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
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const auto segment = row<Segment>(image, header->e_phoff, i);
    if (!segment || segment->p_offset > image.size() ||
        segment->p_filesz > image.size() - segment->p_offset)
      return "it is cut off";
  }
  return "";
}

bool has_section(std::string_view image, std::string_view name) {
  const auto header = read<Header>(image, 0);
  if (!header) return false;
  const auto names = row<Section>(image, header->e_shoff, header->e_shstrndx);
  if (!names) return false;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto section = row<Section>(image, header->e_shoff, i);
    if (!section || names->sh_offset > image.size()) return false;
    const std::uint64_t at = names->sh_offset + section->sh_name;
    if (at < image.size() && image.substr(at).starts_with(name) &&
        image.substr(at + name.size()).starts_with('\0'))
      return true;
  }
  return false;
}

}  // namespace thunkvm

// elf.cpp: what is looked at before the loader may see a file.
#include "linkers/compiler/module.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstring>

namespace thunkvm {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);

// The header of the library that this code is in: what a module has to agree with.
Header own_header() {
  Dl_info info{};
  Header header{};
  if (dladdr(reinterpret_cast<const void*>(&elf_problem), &info) != 0)
    std::memcpy(&header, info.dli_fbase, sizeof header);
  return header;
}

}  // namespace

std::string elf_problem(std::string_view image) {
  Header header;
  if (image.size() < sizeof header) return "it is too short";
  std::memcpy(&header, image.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "it is no ELF file";

  static const Header own = own_header();
  if (header.e_ident[EI_CLASS] != own.e_ident[EI_CLASS] ||
      header.e_ident[EI_DATA] != own.e_ident[EI_DATA] || header.e_machine != own.e_machine)
    return "it is for another architecture (ELF machine " + std::to_string(header.e_machine) +
           ", class " + std::to_string(header.e_ident[EI_CLASS]) + "; this process is machine " +
           std::to_string(own.e_machine) + ", class " + std::to_string(own.e_ident[EI_CLASS]) + ")";
  if (header.e_type != ET_DYN) return "it is no shared object";

  const std::uint64_t size = image.size();
  const std::uint64_t table = std::uint64_t{header.e_phnum} * sizeof(Segment);
  if (header.e_phentsize != sizeof(Segment) || header.e_phoff > size ||
      table > size - header.e_phoff)
    return "its table of segments is not whole";
  bool has_dynamic = false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Segment segment;
    std::memcpy(&segment, image.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    has_dynamic |= segment.p_type == PT_DYNAMIC;
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
      return "it is cut off";
  }
  return has_dynamic ? "" : "it has no dynamic section";
}

}  // namespace thunkvm

#include "linkers/compiler/elf_image.h"

namespace thunkvm {
namespace {

constexpr Address kPage = 4096;

}  // namespace

ElfImage::ElfImage(std::string_view image) : image_(image) {
  const auto header = in_file<Header>(0);
  const std::uint64_t table = std::uint64_t{header.e_phnum} * sizeof(Segment);
  require(header.e_phentsize == sizeof(Segment) && header.e_phoff <= image_.size() &&
              table <= image_.size() - header.e_phoff,
          "its table of segments is not whole");
  std::vector<Segment> others;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment = in_file<Segment>(header.e_phoff + i * sizeof(Segment));
    require(
        segment.p_offset <= image_.size() && segment.p_filesz <= image_.size() - segment.p_offset,
        "it is cut off");
    if (segment.p_type == PT_LOAD)
      add_loaded(segment);
    else
      others.push_back(segment);
  }
  for (const Segment& segment : others) check_other(segment);
  require(dynamic_.p_filesz != 0, "it has no dynamic section");
}

void ElfImage::add_loaded(const Segment& segment) {
  const Address end = loaded_.empty() ? 0 : loaded_.back().p_vaddr + loaded_.back().p_memsz;
  const bool fits = segment.p_vaddr >= end && segment.p_vaddr < kMostImage &&
                    segment.p_memsz < kMostImage && segment.p_filesz <= segment.p_memsz &&
                    (segment.p_vaddr - segment.p_offset) % kPage == 0 &&
                    segment.p_align <= kMostImage;
  require(fits, "its segments do not fit together");
  require((segment.p_flags & PF_R) != 0 && (segment.p_flags & (PF_W | PF_X)) != (PF_W | PF_X),
          "one of its segments can be written to and run, or cannot be read");
  loaded_.push_back(segment);
}

void ElfImage::check_other(const Segment& segment) {
  require(segment.p_type != PT_TLS && segment.p_type != PT_INTERP, "it is no module of C alone");
  const bool is_written = segment.p_type == PT_DYNAMIC || segment.p_type == PT_GNU_RELRO;
  const bool is_read = segment.p_type == PT_PHDR || segment.p_type == PT_NOTE ||
                       segment.p_type == PT_GNU_PROPERTY || segment.p_type == PT_GNU_EH_FRAME;
  if (!is_written && !is_read) return;
  const unsigned flags = is_written ? PF_R | PF_W : PF_R;
  const bool is_rounded = segment.p_type == PT_GNU_RELRO;  // to where pages end
  const Segment* in = find(segment.p_vaddr, is_rounded ? 0 : segment.p_memsz, flags, true);
  require(!is_rounded || (in != nullptr && segment.p_memsz <= in->p_memsz + kPage),
          "its segments do not fit together");
  require(in != nullptr && segment.p_offset - in->p_offset == segment.p_vaddr - in->p_vaddr &&
              segment.p_filesz <= segment.p_memsz,
          "its segments do not fit together");
  if (segment.p_type != PT_DYNAMIC) return;
  require(dynamic_.p_filesz == 0, "it has two dynamic sections");
  dynamic_ = segment;
}

bool has_section(std::string_view image, std::string_view name) try {
  const ElfImage file(image);
  const auto header = file.in_file<Header>(0);
  const auto section = [&](unsigned i) {
    return file.in_file<Section>(header.e_shoff + i * sizeof(Section));
  };
  const std::uint64_t names = section(header.e_shstrndx).sh_offset;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const std::uint64_t at = names + section(i).sh_name;
    if (at < image.size() && image.substr(at).starts_with(name) &&
        image.substr(at + name.size()).starts_with('\0'))
      return true;
  }
  return false;
} catch (const Problem&) {
  return false;
}

}  // namespace thunkvm

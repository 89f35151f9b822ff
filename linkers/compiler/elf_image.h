// elf_image.h: the bytes of an ELF file, as the loader will lay them out.
#pragma once

#include "linkers/compiler/limits.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace thunkvm {

using Address = ElfW(Addr);
using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Section = ElfW(Shdr);
using Symbol = ElfW(Sym);

/// Why a file is refused: "its segments do not fit together".
struct Problem {
  std::string text;
};

inline void require(bool holds, const char* otherwise) {
  if (!holds) throw Problem{otherwise};
}

/// The segments of a shared object. The constructor throws a Problem where they lie outside of the
/// file or of each other's order, or where there is not just one dynamic section; what is read
/// later is within them.
class ElfImage {
 public:
  explicit ElfImage(std::string_view image);

  const Segment& dynamic() const { return dynamic_; }
  const char* data() const { return image_.data(); }

  template <class T>
  T in_file(std::uint64_t offset) const {
    T result;
    require(offset <= image_.size() && sizeof result <= image_.size() - offset, "it is cut off");
    std::memcpy(&result, image_.data() + offset, sizeof result);
    return result;
  }
  /// The loaded segment that has all of these bytes, in the file too unless `zeros` will do, and
  /// all of these flags; null where there is none.
  const Segment* find(Address at, std::uint64_t size, unsigned flags, bool zeros = false) const {
    for (const Segment& s : loaded_)
      if (const std::uint64_t has = zeros ? s.p_memsz : s.p_filesz;
          at >= s.p_vaddr && at - s.p_vaddr <= has && size <= has - (at - s.p_vaddr) &&
          (s.p_flags & flags) == flags)
        return &s;
    return nullptr;
  }
  template <class T>
  T at(Address address) const {
    const Segment* segment = find(address, sizeof(T), PF_R);
    require(segment != nullptr, "it refers to what lies outside of it");
    return in_file<T>(address - segment->p_vaddr + segment->p_offset);
  }
  void require_table(Address address, std::uint64_t count, std::uint64_t size) const {
    require(count <= kMostImage && find(address, count * size, PF_R) != nullptr,
            "one of its tables lies outside of it");
  }

 private:
  void add_loaded(const Segment& segment);
  /// Those that are parts of the ones that are loaded.
  void check_other(const Segment& segment);

  std::string_view image_;
  std::vector<Segment> loaded_;
  Segment dynamic_{};
};

/// Whether a shared object has a section of this name. It has none where its table of sections is
/// not whole: the loader reads none.
bool has_section(std::string_view image, std::string_view name);

}  // namespace thunkvm

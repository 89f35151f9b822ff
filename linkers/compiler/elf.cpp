// elf.cpp: the checks of a file before the loader may see it.
//
// The loader believes what a shared object says of itself, and follows it wherever it leads. So
// all that it follows is followed here first, within bounds: segments, the dynamic section, names,
// the hash table, symbols, versions and relocations. What the code itself does is not looked at.
#include "linkers/compiler/elf_image.h"
#include "linkers/compiler/module.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

namespace thunkvm {
namespace {

// The header of the library that this code is in: what a module has to agree with.
Header own_header() {
  Dl_info info{};
  Header header{};
  if (dladdr(reinterpret_cast<const void*>(&elf_problem), &info) != 0)
    std::memcpy(&header, info.dli_fbase, sizeof header);
  return header;
}

// What the relocations of a module of ours do; none of them calls code or reads thread storage.
enum class Relocates { Symbol, Base, Nothing };

Relocates kind_of(std::uint32_t type) {
#if defined(__x86_64__)
  switch (type) {
    case R_X86_64_64:
    case R_X86_64_GLOB_DAT:
    case R_X86_64_JUMP_SLOT: return Relocates::Symbol;
    case R_X86_64_RELATIVE: return Relocates::Base;
    case R_X86_64_NONE: return Relocates::Nothing;
    default: break;
  }
#elif defined(__aarch64__)
  switch (type) {
    case R_AARCH64_ABS64:
    case R_AARCH64_GLOB_DAT:
    case R_AARCH64_JUMP_SLOT: return Relocates::Symbol;
    case R_AARCH64_RELATIVE: return Relocates::Base;
    case R_AARCH64_NONE: return Relocates::Nothing;
    default: break;
  }
#else
  static_cast<void>(type);
  return Relocates::Symbol;
#endif
  throw Problem{"it has a relocation of a kind that no C of ours needs"};
}

std::uint32_t symbol_of(std::uint64_t info) {
  return static_cast<std::uint32_t>(sizeof(Address) == 8 ? info >> 32 : info >> 8);
}
std::uint32_t type_of(std::uint64_t info) {
  return static_cast<std::uint32_t>(sizeof(Address) == 8 ? info : info & 0xff);
}

class SharedObject {
 public:
  explicit SharedObject(std::string_view image) : image_(image) {}

  void check() {
    read_dynamic();
    check_names();
    count_symbols();
    check_symbols();
    check_versions();
    check_start_and_end();
    check_relocations<ElfW(Rela)>(DT_RELA, DT_RELASZ, DT_RELAENT, DT_RELACOUNT);
    check_relocations<ElfW(Rel)>(DT_REL, DT_RELSZ, DT_RELENT, DT_RELCOUNT);
    check_calls();
    require(!value(kPackedRelocations), "its relocations are packed");
  }

 private:
  static constexpr std::int64_t kPackedRelocations = 36;  // DT_RELR of glibc 2.36

  // ---- the dynamic section ----

  void read_dynamic() {
    for (std::uint64_t at = 0;; at += sizeof(ElfW(Dyn))) {
      require(at + sizeof(ElfW(Dyn)) <= image_.dynamic().p_filesz,
              "its dynamic section has no end");
      const auto entry = image_.in_file<ElfW(Dyn)>(image_.dynamic().p_offset + at);
      if (entry.d_tag == DT_NULL) return;
      if (entry.d_tag == DT_NEEDED)
        needed_.push_back(entry.d_un.d_val);
      else
        require(values_.emplace(entry.d_tag, entry.d_un.d_val).second,
                "its dynamic section says something twice");
    }
  }
  std::optional<std::uint64_t> value(std::int64_t tag) const {
    const auto found = values_.find(tag);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }
  std::uint64_t needs(std::int64_t tag) const {
    const std::optional<std::uint64_t> found = value(tag);
    require(found.has_value(), "its dynamic section is not whole");
    return *found;
  }

  // ---- names and symbols ----

  void check_names() {
    names_ = needs(DT_STRTAB);
    names_size_ = needs(DT_STRSZ);
    image_.require_table(names_, names_size_, 1);
    require(names_size_ > 0 && image_.at<char>(names_ + names_size_ - 1) == 0,
            "its names have no end");
    for (const std::uint64_t library : needed_) require_name(library);
    for (const std::int64_t tag : {DT_SONAME, DT_RPATH, DT_RUNPATH})
      if (const auto name = value(tag)) require_name(*name);
    require(!value(DT_AUXILIARY) && !value(DT_FILTER), "it stands for another shared object");
  }
  void require_name(std::uint64_t name) const {
    require(name < names_size_, "one of its names lies outside of it");
  }
  std::string_view name_at(std::uint64_t name) const {
    require_name(name);
    const Segment& segment = *image_.find(names_, names_size_, PF_R);
    return image_.data() + (names_ - segment.p_vaddr + segment.p_offset) + name;
  }

  // The number of symbols is said by the hash table alone.
  void count_symbols() {
    if (const auto old = value(DT_HASH)) {
      const auto n_buckets = image_.at<std::uint32_t>(*old);
      n_symbols_ = image_.at<std::uint32_t>(*old + 4);
      require(n_buckets > 0, "its hash table is none");
      image_.require_table(*old + 8, std::uint64_t{n_buckets} + n_symbols_, 4);
      // A way through it that goes round in a circle would have no end.
      std::vector<bool> seen(n_symbols_, false);
      for (std::uint32_t i = 0; i < n_buckets; ++i)
        for (auto s = image_.at<std::uint32_t>(*old + 8 + 4 * Address{i}); s != 0;
             s = image_.at<std::uint32_t>(*old + 8 + 4 * (Address{n_buckets} + s))) {
          require(s < n_symbols_ && !seen[s], "its hash table is none");
          seen[s] = true;
        }
    }
    if (const auto table = value(DT_GNU_HASH)) count_hashed(*table);
    require(value(DT_HASH) || value(DT_GNU_HASH), "it has no hash table");
  }
  void count_hashed(Address table) {
    const auto n_buckets = image_.at<std::uint32_t>(table),
               first = image_.at<std::uint32_t>(table + 4),
               n_filter = image_.at<std::uint32_t>(table + 8),
               shift = image_.at<std::uint32_t>(table + 12);
    require(n_buckets > 0 && n_filter > 0 && (n_filter & (n_filter - 1)) == 0 && shift < 32,
            "its hash table is none");
    const Address buckets = table + 16 + Address{n_filter} * sizeof(Address);
    const Address chains = buckets + Address{n_buckets} * 4;
    image_.require_table(table + 16, Address{n_filter} * sizeof(Address) + Address{n_buckets} * 4,
                         1);
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < n_buckets; ++i) {
      const auto begin = image_.at<std::uint32_t>(buckets + 4 * Address{i});
      require(begin == 0 || begin >= first, "its hash table is none");
      last = std::max(last, begin);
    }
    if (last != 0)
      while ((image_.at<std::uint32_t>(chains + 4 * (Address{last} - first)) & 1) == 0) ++last;
    n_symbols_ = std::max(n_symbols_, last == 0 ? first : last + 1);
  }

  Symbol symbol(std::uint32_t index) const {
    require(index < n_symbols_, "a relocation is about a symbol that it has not got");
    return image_.at<Symbol>(symbols_ + Address{index} * sizeof(Symbol));
  }
  void check_symbols() {
    symbols_ = needs(DT_SYMTAB);
    require(needs(DT_SYMENT) == sizeof(Symbol), "its symbols have another size");
    image_.require_table(symbols_, n_symbols_, sizeof(Symbol));
    for (std::uint32_t i = 0; i < n_symbols_; ++i) {
      const Symbol s = symbol(i);
      const unsigned type = s.st_info & 0xf, binding = s.st_info >> 4;
      require_name(s.st_name);
      require(type <= STT_SECTION && binding <= STB_WEAK, "it has a symbol of a kind unknown to C");
      if (s.st_shndx == SHN_UNDEF || s.st_shndx == SHN_ABS) continue;
      const bool is_code = type == STT_FUNC;
      require(image_.find(s.st_value, is_code ? 1 : 0, is_code ? PF_X : 0, true) != nullptr,
              "one of its symbols lies outside of it");
    }
  }

  // ---- versions of symbols ----

  void check_versions() {
    const bool some = value(DT_VERNEED) || value(DT_VERDEF);
    require(some == value(DT_VERSYM).has_value(), "its dynamic section is not whole");
    if (!some) return;
    std::uint32_t most = 1;
    if (const auto needed = value(DT_VERNEED))
      each_entry<ElfW(Verneed)>(*needed, needs(DT_VERNEEDNUM), [&](Address at_entry) {
        most = std::max(most, check_needed_version(at_entry));
      });
    if (const auto defined = value(DT_VERDEF))
      each_entry<ElfW(Verdef)>(*defined, needs(DT_VERDEFNUM), [&](Address at_entry) {
        const auto version = image_.at<ElfW(Verdef)>(at_entry);
        require(version.vd_version == 1 && version.vd_cnt > 0, "its versions are not whole");
        require_name(image_.at<ElfW(Verdaux)>(at_entry + version.vd_aux).vda_name);
        most = std::max(most, std::uint32_t{version.vd_ndx} & 0x7fffu);
      });
    const Address of_symbols = needs(DT_VERSYM);
    for (std::uint32_t i = 0; i < n_symbols_; ++i)
      require((image_.at<std::uint16_t>(of_symbols + 2 * Address{i}) & 0x7fffu) <= most,
              "a symbol has a version that it has not got");
  }
  // The highest number of those that it needs of a library.
  std::uint32_t check_needed_version(Address at_entry) const {
    const auto library = image_.at<ElfW(Verneed)>(at_entry);
    const std::string_view name = name_at(library.vn_file);
    require(library.vn_version == 1 &&
                std::ranges::any_of(needed_, [&](auto other) { return name_at(other) == name; }),
            "it needs versions of a library that it does not need");
    std::uint32_t most = 0;
    each_entry<ElfW(Vernaux)>(at_entry + library.vn_aux, library.vn_cnt, [&](Address at_version) {
      const auto version = image_.at<ElfW(Vernaux)>(at_version);
      require_name(version.vna_name);
      most = std::max(most, std::uint32_t{version.vna_other} & 0x7fffu);
    });
    return most;
  }
  // A list whose entries say how far it is to the next one. The loader counts those of some lists,
  // and goes on in others until the distance is 0.
  template <class Entry, class Visit>
  void each_entry(Address entry, std::uint64_t count, const Visit& visit) const {
    for (std::uint64_t left = count;;) {
      visit(entry);
      const auto here = image_.at<Entry>(entry);
      std::uint64_t next;
      if constexpr (requires { here.vn_next; })
        next = here.vn_next;
      else if constexpr (requires { here.vd_next; })
        next = here.vd_next;
      else
        next = here.vna_next;
      require((next == 0) == (left == 1), "its versions are not whole");
      if (--left == 0) return;
      entry += next;
    }
  }

  // ---- what the loader calls and changes ----

  void check_start_and_end() const {
    for (const std::int64_t tag : {DT_INIT, DT_FINI})
      if (const auto function = value(tag))
        require(image_.find(*function, 1, PF_X) != nullptr,
                "what it runs at first is no code of its own");
    for (const auto& [tag, size] : {std::pair{DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
                                    {DT_FINI_ARRAY, DT_FINI_ARRAYSZ},
                                    {DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ}}) {
      require(value(tag).has_value() == value(size).has_value(),
              "its dynamic section is not whole");
      if (const auto functions = value(tag)) image_.require_table(*functions, needs(size), 1);
    }
    if (const auto table = value(DT_PLTGOT))
      require(image_.find(*table, 3 * sizeof(Address), PF_W, true) != nullptr,
              "one of its tables lies outside of it");
  }

  template <class Relocation>
  void check_relocations(std::int64_t table, std::int64_t size, std::int64_t each,
                         std::int64_t relative) const {
    require(value(table).has_value() == value(size).has_value() &&
                value(table).has_value() == value(each).has_value(),
            "its dynamic section is not whole");
    if (!value(table)) return;
    require(needs(each) == sizeof(Relocation), "its relocations have another size");
    const std::uint64_t n_relative = value(relative).value_or(0);
    require(check_list<Relocation>(*value(table), needs(size), n_relative) >= n_relative,
            "its relocations are fewer than it says");
  }
  // Those of the functions that it calls.
  void check_calls() const {
    require(value(DT_JMPREL).has_value() == value(DT_PLTRELSZ).has_value() &&
                value(DT_JMPREL).has_value() == value(DT_PLTREL).has_value(),
            "its dynamic section is not whole");
    if (!value(DT_JMPREL)) return;
    constexpr std::uint64_t kind = sizeof(Address) == 8 ? DT_RELA : DT_REL;
    require(needs(DT_PLTREL) == kind, "its relocations have another size");
    if constexpr (kind == DT_RELA)
      check_list<ElfW(Rela)>(needs(DT_JMPREL), needs(DT_PLTRELSZ), 0);
    else
      check_list<ElfW(Rel)>(needs(DT_JMPREL), needs(DT_PLTRELSZ), 0);
  }

  template <class Relocation>
  std::uint64_t check_list(Address table, std::uint64_t bytes, std::uint64_t n_relative) const {
    const std::uint64_t n = bytes / sizeof(Relocation);
    require(bytes % sizeof(Relocation) == 0, "its relocations are not whole");
    image_.require_table(table, n, sizeof(Relocation));
    for (std::uint64_t i = 0; i < n; ++i) {
      const auto relocation = image_.at<Relocation>(table + i * sizeof(Relocation));
      const Relocates kind = kind_of(type_of(relocation.r_info));
      require(i >= n_relative || kind == Relocates::Base, "its relocations are out of order");
      if (kind == Relocates::Nothing) continue;
      const Address to = relocation.r_offset;
      const bool in_dynamic = to + sizeof(Address) > image_.dynamic().p_vaddr &&
                              to < image_.dynamic().p_vaddr + image_.dynamic().p_memsz;
      require(to % sizeof(Address) == 0 && !in_dynamic &&
                  image_.find(to, sizeof(Address), PF_W, true) != nullptr,
              "one of its relocations changes what it may not");
      if (kind == Relocates::Symbol) symbol(symbol_of(relocation.r_info));
      if constexpr (requires { relocation.r_addend; })
        if (kind == Relocates::Base)
          require(image_.find(static_cast<Address>(relocation.r_addend), 0, 0, true) != nullptr,
                  "one of its relocations points outside of it");
    }
    return n;
  }

  const ElfImage image_;
  std::map<std::int64_t, std::uint64_t> values_;  // of the dynamic section, by tag
  std::vector<std::uint64_t> needed_;             // names of libraries
  Address names_ = 0, symbols_ = 0;
  std::uint64_t names_size_ = 0;
  std::uint32_t n_symbols_ = 0;
};

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
  try {
    SharedObject(image).check();
  } catch (const Problem& problem) {
    return problem.text;
  }
  return "";
}

}  // namespace thunkvm

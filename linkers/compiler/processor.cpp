#include "linkers/compiler/processor.h"

#include <array>
#include <cstdint>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#else
#include <sys/auxv.h>
#endif

namespace thunkvm {
namespace {

void add(std::string& text, std::uint64_t word) { text += std::to_string(word) + ' '; }

}  // namespace

#if defined(__x86_64__) || defined(__i386__)

std::string processor_fingerprint() {
  std::string text;
  std::array<unsigned, 4> r{};  // eax, ebx, ecx, edx
  struct Leaf {
    unsigned leaf, subleaf;
    std::array<bool, 4> fixed;  // the others differ from core to core, or from moment to moment
  };
  static constexpr Leaf leaves[] = {
      {0, 0, {true, true, true, true}},             // maker
      {1, 0, {true, false, true, true}},            // model and features
      {7, 0, {true, true, true, true}},             // features
      {7, 1, {true, true, true, true}},             // features
      {0x80000001, 0, {false, false, true, true}},  // features
  };
  for (const Leaf& leaf : leaves) {
    if (__get_cpuid_count(leaf.leaf, leaf.subleaf, r.data(), &r[1], &r[2], &r[3]) == 0) continue;
    for (std::size_t i = 0; i < r.size(); ++i)
      if (leaf.fixed[i]) add(text, r[i]);
  }
  // Which registers the system saves; without that their features are of no use.
  if (__get_cpuid(1, r.data(), &r[1], &r[2], &r[3]) != 0 && (r[2] & bit_OSXSAVE) != 0) {
    std::uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    add(text, low);
    add(text, high);
  }
  return text;
}

#else

std::string processor_fingerprint() {
  std::string text;
  add(text, getauxval(AT_HWCAP));
  add(text, getauxval(AT_HWCAP2));
  if (const auto* platform = reinterpret_cast<const char*>(getauxval(AT_PLATFORM)))
    text += platform;
  return text;
}

#endif

}  // namespace thunkvm

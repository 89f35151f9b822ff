// visit_bytes.h: elements that are moved, and looked at by nobody: their size is all that matters.
#pragma once

#include <cstdint>

namespace thunkvm {

/// An element of 16 bytes.
struct WideItem {
  std::uint64_t low, high;
};

/// Calls f with a zero of a plain type of so many bytes: 1, 2, 4, 8 or 16.
template <class F>
void visit_bytes(std::int64_t item_size, F&& f) {
  switch (item_size) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    case 8: return f(std::uint64_t{});
    default: return f(WideItem{});
  }
}

}  // namespace thunkvm

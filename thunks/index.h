// index.h: indices of different kinds, as types of their own.
#pragma once

#include <cstdint>

namespace thunkvm {

/// An index of one kind: a function that takes it refuses a number, and the index of another kind.
/// It is a number where a number is wanted, to look into a list or to be printed. As it begins, it
/// is the index of nothing, UINT32_MAX. 4 bytes.
template <class Kind>
class Index {
 public:
  constexpr Index() = default;
  constexpr explicit Index(std::uint32_t value) : value_(value) {}
  constexpr operator std::uint32_t() const { return value_; }  // NOLINT: a number is what it is
  constexpr Index& operator++() {
    ++value_;
    return *this;
  }

 private:
  std::uint32_t value_ = UINT32_MAX;
};

}  // namespace thunkvm

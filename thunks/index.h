// index.h: indices of different kinds, as types of their own.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <utility>
#include <vector>

namespace thunkvm {

/// The index of nothing, of any kind: UINT32_MAX as a number.
struct NoIndex {
  constexpr operator std::uint32_t() const { return UINT32_MAX; }  // NOLINT: a number is what it is
};
inline constexpr NoIndex kNone;

/// An index of one kind: a function that takes it refuses a number, and the index of another kind.
/// It is a number where a number is wanted, to look into a list or to be printed. As it begins, it
/// is the index of nothing. 4 bytes.
template <class Kind>
class Index {
 public:
  using difference_type = std::ptrdiff_t;  // so that std::views::iota counts in it

  constexpr Index() = default;
  constexpr Index(NoIndex) {}  // NOLINT: nothing is of every kind
  constexpr explicit Index(std::integral auto value) : value_(static_cast<std::uint32_t>(value)) {}
  constexpr operator std::uint32_t() const { return value_; }  // NOLINT: a number is what it is
  constexpr Index& operator++() {
    ++value_;
    return *this;
  }
  constexpr Index operator++(int) {
    const Index before = *this;
    ++value_;
    return before;
  }
  constexpr Index& operator--() {
    --value_;
    return *this;
  }
  constexpr Index operator--(int) {
    const Index before = *this;
    --value_;
    return before;
  }
  friend constexpr Index operator+(Index index, std::integral auto distance) {
    return Index(index.value_ + distance);
  }
  friend constexpr Index operator-(Index index, std::integral auto distance) {
    return Index(index.value_ - distance);
  }

 private:
  std::uint32_t value_ = UINT32_MAX;
};

/// Indices of two kinds have no order, and are never the same.
template <class A, class B>
  requires(!std::same_as<A, B>)
bool operator==(Index<A>, Index<B>) = delete;
template <class A, class B>
  requires(!std::same_as<A, B>)
void operator<=>(Index<A>, Index<B>) = delete;

/// A vector that is indexed by indices of one kind alone.
template <class I, class T>
class IndexedVector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  IndexedVector() = default;
  explicit IndexedVector(std::vector<T> items) : std::vector<T>(std::move(items)) {}

  decltype(auto) operator[](I index) { return std::vector<T>::operator[](index); }
  decltype(auto) operator[](I index) const { return std::vector<T>::operator[](index); }
  /// The index behind the last one.
  I end_index() const { return I(this->size()); }
  /// All indices, in order.
  auto indices() const { return std::views::iota(I(0), end_index()); }
};

}  // namespace thunkvm

template <class Kind>
struct std::hash<thunkvm::Index<Kind>> {
  std::size_t operator()(thunkvm::Index<Kind> index) const noexcept { return index; }
};

// indexing.h: basic indices: integers, slices, new axes and an ellipsis, as NumPy has them.
//
// Attribute `index` of subtensor, set_subtensor and inc_subtensor is a list of strings, one for
// each item of x[...], which is read once, when the Op is made:
//
//   "3" "-1"                   an integer
//   "2:" ":-1" "::2" "1:5:2"   a slice; what is left out is as in Python
//   "?"                        the next input
//   "?:" "0:?" "?:?:-1"        a slice; "?" is the next input, in the order written
//   "newaxis"                  an axis of length 1
//   "..."                      as many full slices as there is room for
//
// So x[i, ..., 2:n] is index=["?", "...", "2:?"] with the further inputs i and n, which are 0-d
// integers.
#pragma once

#include "ops/graph/array_op.h"
#include "ops/graph/extents.h"
#include "ops/kernels/view.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace thunkvm {

/// An integer of an index: left out, written down, or an input.
struct IndexNumber {
  enum class From : std::uint8_t { Absent, Literal, Input } from = From::Absent;
  std::int64_t value = 0;  ///< the literal, or which of the further inputs (0: the first)

  bool is_input() const { return from == From::Input; }
  friend bool operator==(const IndexNumber&, const IndexNumber&) = default;
};

struct IndexItem {
  enum class Kind : std::uint8_t { Integer, Slice, NewAxis, Ellipsis, Array } kind = Kind::Slice;
  /// Those of a Slice; an Integer or an Array is its start.
  IndexNumber start = {}, stop = {}, step = {};

  /// The further inputs that it takes, in their order.
  std::vector<std::size_t> inputs() const;
  /// As it is written in an attribute.
  std::string text() const;
  friend bool operator==(const IndexItem&, const IndexItem&) = default;
};
using IndexItems = std::vector<IndexItem>;

/// Reads the items of an index, "[]" among them, which is the next input, an array. Throws
/// Error(Value) for a text that is none; `op` is for the message.
IndexItems parse_index(const std::string& op, const std::vector<std::string>& texts);
/// The attribute that `parse_index` reads as these.
std::vector<std::string> index_texts(const IndexItems& items);

/// A basic index, checked against the number of axes: no ellipsis is left, and every axis has its
/// item.
class BasicIndex {
 public:
  /// Throws Error(Value) for an array, Error(Index) for too many items; `op` is for the messages.
  BasicIndex(std::string op, const IndexItems& items, int ndim);

  const std::string& op() const { return op_; }
  const IndexItems& items() const { return items_; }
  /// How many further inputs it takes.
  int n_inputs() const { return n_inputs_; }
  int result_ndim() const;
  /// True if it picks one element.
  bool is_element() const { return result_ndim() == 0; }

  /// Finds the indexed part of an array. Throws Error(Index) in NumPy's words for an integer out of
  /// bounds, Error(Value) for a step of zero.
  void find(const Layout& x, std::span<const std::int64_t> inputs, View& part) const;

  /// The lengths of the result of an array with these, and the values of the inputs.
  Extents extents(const Extents& x, std::span<const Variable> inputs) const;

  /// The elements of a vector of this length that it picks; nothing if they are not known, or the
  /// result has more than one axis.
  std::optional<std::vector<std::int64_t>> picked(std::int64_t length) const;

  /// The lengths of the result as far as they follow from those of the array (-1: unknown) and the
  /// known inputs.
  std::vector<std::int64_t> known_lengths(
      std::span<const std::int64_t> shape,
      std::span<const std::optional<std::int64_t>> inputs) const;

 private:
  std::string op_;
  IndexItems items_;
  int n_inputs_ = 0;
};

/// How many elements of an axis a slice picks. Throws Error(Value) for a step of zero.
std::int64_t slice_length(std::int64_t length, std::optional<std::int64_t> start,
                          std::optional<std::int64_t> stop, std::int64_t step);

/// Adds to an element: bools by `or`, integers wrapping around.
template <class T>
void add_to(T& element, T more) {
  if constexpr (std::is_same_v<T, bool>)
    element = element || more;
  else if constexpr (std::is_same_v<T, Half>)
    element = Half(static_cast<float>(element) + static_cast<float>(more));
  else if constexpr (std::is_integral_v<T>)
    element =
        static_cast<T>(static_cast<std::uint64_t>(element) + static_cast<std::uint64_t>(more));
  else
    element += more;
}

/// The value that is put into a part of x, in the dtype of x. Throws Error(Type), as `op`, if that
/// loses more than the digits of an integer in a float; Error(Value) if it cannot broadcast to the
/// part.
Variable value_for_part(const std::string& op, const Variable& value, const Variable& x,
                        const StaticShape& part);

}  // namespace thunkvm

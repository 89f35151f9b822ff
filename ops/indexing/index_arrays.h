// index_arrays.h: indices with arrays among their items, arrays of integers and masks, as NumPy has
// them.
//
// Items are written as in indexing.h, and "[]" stands for the next input, an array. One of integers
// takes one axis; a mask, which is of bools, takes as many as it has, none of them too, and stands
// for the positions where it is true. All arrays are broadcast together, and so many axes are in
// the result where the first of them was; in front, where a slice, a new axis or an ellipsis is
// between two of the arrays and integers.
#pragma once

#include "ops/indexing/indexing.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace thunkvm {

/// The places of the elements that an index with arrays picks: element b of the arrays and element
/// r of the rest of the axes is at part.data + offsets[b] + (r's position in `rest`).
struct PickedElements {
  View part;                              ///< the part that integers and slices leave
  std::vector<std::int64_t> rest, steps;  ///< the axes of it that no array takes
  std::vector<std::int64_t> picked;       ///< the shape of the arrays together
  Array offsets;                          ///< int64, in C order, in bytes; nobody else has it
  std::size_t n_before = 0;               ///< how many of the rest come before `picked`

  std::vector<std::int64_t> shape() const;
};

/// An index with arrays, checked against the number of axes and the types of its inputs.
class ArrayIndex {
 public:
  /// `inputs` are those of the items, in their order. Throws Error(Type) if they do not fit the
  /// items, and as BasicIndex does.
  ArrayIndex(const std::string& op, const IndexItems& items, int ndim,
             std::span<const Variable> inputs);

  const std::string& op() const { return basic_.op(); }
  /// How many axes of the result no array takes, and how many of them come before the arrays'.
  int n_rest() const { return static_cast<int>(rest_.size()); }
  int n_before() const { return n_before_; }
  /// True if the axes of the arrays are in front, since another item is between them.
  bool separated() const { return separated_; }
  /// How many axes the arrays have together.
  int n_picked() const { return n_picked_; }
  /// True if a position may be picked twice.
  bool may_repeat() const;

  /// The elements of an array that it picks. Each number of an input is read once. Throws
  /// Error(Index) in NumPy's words.
  PickedElements find(const Activation& activation, const Operands& operands, int first,
                      const Layout& x) const;
  /// The lengths of the result of an array with these, and of the inputs of the items.
  Extents extents(const Extents& x, std::span<const Variable> inputs,
                  std::span<const Extents> input_shapes) const;
  /// The shape of the result, as far as it is known.
  StaticShape known_shape(const StaticShape& x, std::span<const Variable> inputs) const;

 private:
  struct IndexArray {
    int input;   ///< among those of the items
    int axis;    ///< of what the integers and slices leave
    int of_x;    ///< the same axis of the array that is indexed
    int n_axes;  ///< how many it takes
    bool is_mask;
  };
  Array positions(Host& host, const IndexArray& array, const Array& given, const View& part) const;
  void turn_into_offsets(Host& host, const IndexArray& array, const Array& positions,
                         const View& part) const;

  BasicIndex basic_;
  std::vector<int> integers_;  ///< the inputs that are integers of `basic_`
  std::vector<IndexArray> arrays_;
  std::vector<int> rest_;
  int n_before_ = 0, n_picked_ = 0;
  bool separated_ = false;
};

}  // namespace thunkvm

// index_map.h: nodes that compute no elements, but say how they are found: lengths, broadcasts,
// slices and pads; and what picks one element.
//
// A loop over elements need not run such a node to use what it says: it reads the part of an array
// where it is, and a number again and again. What the node would check the loop checks when it has
// the lengths; where they do not fit, the node's kernel runs as any other, and says so.
#pragma once

#include "ops/kernels/view.h"

#include <cstdint>
#include <vector>

namespace thunkvm {

class Apply;

/// Which element of an axis: a number that is known, or what is in an input, a 0-d int64. Negative
/// ones count from the end.
struct AxisIndex {
  int input = -1;  ///< -1: `number`
  std::int64_t number = 0;
};

struct IndexMap {
  enum class Kind : std::uint8_t {
    ShapeOf,    ///< an int64 vector: the lengths of input `value`
    Broadcast,  ///< input `value`, broadcast to the lengths in input `lengths`
    Identity,   ///< input `value` itself, if it has the lengths in input `lengths`
    Slice,      ///< the part of input `value` that `find` finds; of a 0-d one, its one element
    Pad,        ///< input 0, but for the part of it that `find` finds: input `value`, broadcast
    Element,    ///< one element of input 0, as a number, or an Error(Index): where, `indices` says
  };
  Kind kind = Kind::Slice;
  std::uint8_t value = 0, lengths = 0;
  FindView find = nullptr;  ///< what it finds follows from the layout and the Op alone
  std::vector<AxisIndex> (*indices)(const Apply& node) = nullptr;  ///< by axis of input 0

  /// The conditions under which a loop over elements does without running the node.
  struct Rule {
    bool in_memory = false;   ///< `value` is an array, or a slice of one, that others compute
    bool may_be_one = true;   ///< `value` may be a number, or the slice of one
    bool may_be_pad = false;  ///< `value` may be padded itself
    bool fills = false;       ///< input 0 is one number, broadcast
    enum class Axes : std::uint8_t { All, Any, OfValue } axes = Axes::All;  ///< the loop's
  };
  /// True if input `lengths` says which shape the value is to have.
  constexpr bool is_given_lengths() const {
    return kind == Kind::Broadcast || kind == Kind::Identity;
  }
  constexpr Rule rule() const {
    switch (kind) {
      case Kind::ShapeOf:
        return {.may_be_one = false, .may_be_pad = true, .axes = Rule::Axes::OfValue};
      case Kind::Broadcast: return {};
      case Kind::Identity: return {.may_be_one = false};
      case Kind::Slice: return {.in_memory = true, .axes = Rule::Axes::Any};
      case Kind::Pad: return {.in_memory = true, .fills = true};
      case Kind::Element: break;  // a loop never does
    }
    return {};
  }
};

}  // namespace thunkvm

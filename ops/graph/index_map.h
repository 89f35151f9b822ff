// index_map.h: nodes that compute no elements, but say how they are found: lengths, broadcasts,
// slices and pads; and nodes that pick one element.
//
// A nest need not run such a node: it reads the part of an array where it is, and a number again
// and again. It checks lengths in place of the node. If they do not fit, the node's kernel runs as
// any other, and raises the error.
#pragma once

#include "ops/kernels/view.h"

#include <cstdint>
#include <vector>

namespace thunkvm {

class Apply;

/// The index of an element along an axis: a known number, or the value of an input, a 0-d int64.
/// Negative ones count from the end.
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
    Element,    ///< one element of input 0, at `indices`, as a number; or an Error(Index)
  };
  Kind kind = Kind::Slice;
  std::uint8_t value = 0, lengths = 0;
  FindView find = nullptr;  ///< its result follows from the layout and the Op alone
  std::vector<AxisIndex> (*indices)(const Apply& node) = nullptr;  ///< by axis of input 0

  /// The properties of a kind. Code that puts nests together asks for these, and for no kind by its
  /// name.
  struct Rule {
    // What the node computes:
    bool is_lengths = false;        ///< lengths, which a nest compares and never computes with
    bool is_part = false;           ///< a part of `value` in its memory
    bool is_value = false;          ///< `value` itself: computing that computes this
    bool is_given_lengths = false;  ///< a value of the shape that is in input `lengths`
    // The conditions under which a nest does without running it:
    bool in_memory = false;   ///< `value` is an array, or a part of one, that other code computes
    bool may_be_one = true;   ///< `value` may be a number, or the part of one
    bool may_be_pad = false;  ///< `value` may be padded itself
    bool pads = false;        ///< input 0 is one number, in the shape of the output
    enum class Axes : std::uint8_t { All, Any, OfValue } axes = Axes::All;  ///< the nest's
  };
  constexpr Rule rule() const {
    switch (kind) {
      case Kind::ShapeOf:
        return {.is_lengths = true,
                .may_be_one = false,
                .may_be_pad = true,
                .axes = Rule::Axes::OfValue};
      case Kind::Broadcast: return {.is_given_lengths = true};
      case Kind::Identity: return {.is_value = true, .is_given_lengths = true, .may_be_one = false};
      case Kind::Slice: return {.is_part = true, .in_memory = true, .axes = Rule::Axes::Any};
      case Kind::Pad: return {.in_memory = true, .pads = true};
      case Kind::Element: break;  // a nest never does
    }
    return {};
  }
};

}  // namespace thunkvm

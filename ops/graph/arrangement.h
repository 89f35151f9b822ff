// arrangement.h: nodes that compute no elements, but say where elements lie: lengths, repetitions,
// parts, and places in something larger; and what picks one element.
//
// A loop over elements need not run such a node to use what it says: it reads the part of an array
// where it is, and repeats a number by reading it again. Whether that is right is seen when the
// lengths are there; where it is not, the node's kernel runs as any other.
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

struct Arrangement {
  enum class Kind : std::uint8_t {
    Lengths,  ///< an int64 vector: the lengths of input 0
    Repeat,   ///< input `value`, broadcast to the lengths in input `lengths`
    Same,     ///< input `value` itself, if it has the lengths in input `lengths`
    View,     ///< the part of input 0 that `find` finds; a part of a 0-d input is its one element
    Place,    ///< input 0, but for the part of it that `find` finds: that is input 1, broadcast
    Element,  ///< one element of input 0, as a number, or an Error(Index): where, `indices` says
  };
  Kind kind = Kind::View;
  std::uint8_t value = 0, lengths = 0;
  FindView find = nullptr;  ///< what it finds follows from the layout and the Op alone
  std::vector<AxisIndex> (*indices)(const Apply& node) = nullptr;  ///< by axis of input 0
};

}  // namespace thunkvm

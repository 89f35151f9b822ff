// body_contents.h: the registers and lazy thunks that belong to one memo or input body: let go
// where it failed and the call goes on.
#pragma once

#include "vm/program.h"

#include <cstdint>
#include <span>
#include <vector>

namespace thunkvm {

/// A memo body, or an input body of a lazy thunk.
struct Body {
  std::uint32_t lazy = kNone;  ///< kNone: a memo body
  std::uint32_t index = 0;     ///< of the memo, or of the input
};

/// The registers that are written, and the lazy thunks that are entered, only while control is in a
/// certain memo or input body. Nobody else may demand them. Constants, outputs, updates and what
/// the caller gives belong to none.
///
/// Made in near-linear time, for the first such body of a frame that fails while somebody goes on
/// without it. It is made from the program alone, by who needs whom: the schedule of mode `py` does
/// not say which block a memo body is within.
class BodyContents {
 public:
  explicit BodyContents(const Program& program);

  std::span<const std::uint32_t> registers(Body body) const {
    return within(registers_, first_register_, body);
  }
  std::span<const std::uint32_t> lazies(Body body) const {
    return within(lazies_, first_lazy_, body);
  }

 private:
  std::uint32_t entry(Body body) const {
    return body.lazy == kNone ? 1 + body.index : first_input_[body.lazy] + body.index;
  }
  std::span<const std::uint32_t> within(const std::vector<std::uint32_t>& all,
                                        const std::vector<std::uint32_t>& first, Body body) const {
    const std::uint32_t at = position_[entry(body)], end = at + size_[entry(body)];
    return {all.data() + first[at], first[end] - first[at]};
  }

  std::vector<std::uint32_t> first_input_;  // by lazy thunk: the entry of its input 0
  std::vector<std::uint32_t> position_,
      size_;  // by entry, in an order where those within follow it
  // By position, and one more: where what is written or entered there begins.
  std::vector<std::uint32_t> registers_, first_register_, lazies_, first_lazy_;
};

}  // namespace thunkvm

// drawing.h: boxes, frames around boxes, and arrows, as text in DOT, the language of Graphviz.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm {

/// A picture of a graph. Attributes are those of Graphviz; their values are written as they are,
/// line ends among them, so that no text can end its quotes.
struct Drawing {
  using Attributes = std::vector<std::pair<std::string, std::string>>;
  static constexpr std::uint32_t kNoFrame = 0xffffffffu;

  struct Frame {
    std::uint32_t around = kNoFrame;  ///< a frame before it in the list
    Attributes attributes = {};
  };
  struct Box {
    std::uint32_t frame = kNoFrame;  ///< the innermost one around it
    Attributes attributes = {};
  };
  struct Arrow {
    std::uint32_t from, to;  ///< boxes
    Attributes attributes = {};
  };

  Attributes every_box = {};
  std::vector<Frame> frames = {};
  std::vector<Box> boxes = {};
  std::vector<Arrow> arrows = {};
};

/// The drawing in DOT: frames are clusters, which come first and list their boxes. Throws
/// Error(Index) for a frame or a box that does not exist. Linear, without recursion.
std::string to_dot(const Drawing& drawing);

}  // namespace thunkvm

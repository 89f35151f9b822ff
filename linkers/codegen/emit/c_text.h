// c_text.h: emitted C, line by line: code, and annotations for people between its lines.
//
// Only the host's threads may ask for names, and they do when somebody reads the text. Other
// threads write it. So an annotation holds nodes and registers, and their names come in later.
#pragma once

#include "vm/program.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace thunkvm {

/// Words, and behind them the name of a node, or the role of a register (empty for a value in
/// between).
struct Remark {
  std::string words;
  ProgramNode node{};
  std::uint32_t reg = kNone;
};
using Annotation = std::vector<Remark>;

/// The name of a node, and the role of a register: empty for a value in between.
struct Names {
  std::function<std::string(ProgramNode)> node;
  std::function<std::string(std::uint32_t)> reg;
};

/// Texts and integers, one behind the other, at the end of a text.
template <class... Parts>
void join_to(std::string& text, const Parts&... parts) {
  const auto add = [&](const auto& part) {
    if constexpr (std::is_convertible_v<decltype(part), std::uint32_t>)  // an Index too
      text += std::to_string(part);
    else
      text += part;
  };
  (add(parts), ...);
}
template <class... Parts>
std::string join(const Parts&... parts) {
  std::string text;
  join_to(text, parts...);
  return text;
}

/// Lines of C, each as deep as the blocks that are open. A line is given in parts (`join`).
class CText {
 public:
  CText() = default;
  explicit CText(std::size_t depth) : depth_(depth) {}

  template <class... Parts>
  void line(const Parts&... parts) {
    join_to(code_.append(2 * depth_, ' '), parts..., "\n");
  }
  /// A line that opens a block, and one that closes it.
  template <class... Parts>
  void open(const Parts&... parts) {
    line(parts...);
    ++depth_;
  }
  void close(const std::string& code = "}") {
    --depth_;
    line(code);
  }
  /// A line that closes a block and opens one: "} else {".
  void indent() { ++depth_; }
  /// Lines as they are.
  void verbatim(const std::string& text) { code_ += text; }
  template <class... Parts>
  void label(const Parts&... parts) {
    join_to(code_, " ", parts..., ":;\n");
  }
  void append(CText other);

  /// The code below belongs to this node.
  void node(ProgramNode node) { locations_.push_back({code_.size(), depth_, node, {}}); }
  /// A comment for people; none if there are no notes.
  void annotate(Annotation annotation);

  /// The code that is compiled: without annotations.
  const std::string& code() const { return code_; }
  /// All of it.
  std::string readable(const Names& names) const;
  /// The node of a line of the code (the first one is 1); kNone: none.
  ProgramNode node_of(std::size_t line) const;

 private:
  struct Location {
    std::size_t at;  ///< in the code, in front of a line
    std::size_t depth;
    ProgramNode node;  ///< of the code here; kNone: an annotation's place
    Annotation annotation;
  };

  std::size_t depth_ = 0;
  std::string code_;
  std::vector<Location> locations_;  // in order
};

}  // namespace thunkvm

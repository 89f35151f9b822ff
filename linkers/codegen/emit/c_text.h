// c_text.h: emitted C, line by line: code, and annotations for people between its lines.
//
// Names are the host's, and may be asked for on its threads alone, when somebody reads the text. It
// is written on others: an annotation has nodes and registers where it will say their names.
#pragma once

#include "vm/program.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace thunkvm {

/// Words, and behind them the name of a node or what a register is.
struct Remark {
  std::string words;
  std::uint32_t node = kNone, reg = kNone;
};
using Annotation = std::vector<Remark>;

/// What names there are.
struct Names {
  std::function<std::string(std::uint32_t)> node, reg;
};

/// Lines of C, each as deep as the blocks that are open.
class CText {
 public:
  CText() = default;
  explicit CText(std::size_t depth) : depth_(depth) {}

  void line(const std::string& code) { (code_.append(2 * depth_, ' ') += code) += '\n'; }
  /// A line that opens a block, and one that closes it; both at once, as an else.
  void open(const std::string& code);
  void close(const std::string& code = "}");
  void reopen(const std::string& code);
  /// Lines as they are.
  void verbatim(const std::string& text) { code_ += text; }
  void label(const std::string& name) { code_ += " " + name + ":;\n"; }
  void append(const CText& other);

  /// The code below it is of this node.
  void node(std::uint32_t node) {
    locations_.push_back({code_.size(), depth_, true, {{"", node}}});
  }
  /// Anything else that people may want to know; nothing for nothing.
  void note(Annotation annotation);

  /// What is compiled: without annotations.
  const std::string& code() const { return code_; }
  /// All of it.
  std::string readable(const Names& names) const;
  /// The node that a line of the code is of, counted from 1; kNone: none.
  std::uint32_t node_of(std::size_t line) const;

 private:
  struct Location {
    std::size_t at;  ///< in the code, in front of a line
    std::size_t depth;
    bool is_node;
    Annotation annotation;
  };

  std::size_t depth_ = 0;
  std::string code_;
  std::vector<Location> locations_;  // in order
};

}  // namespace thunkvm

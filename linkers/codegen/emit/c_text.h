// c_text.h: emitted C, line by line: code, and annotations for people.
//
// Names are the host's, and may be asked for on its threads alone, when somebody reads the text. It
// is written on others: what stands in an annotation for a name is a mark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace thunkvm {

/// The marks, in annotations, for the name of a node and for what a register is.
std::string node_mark(std::uint32_t node);
std::string register_mark(std::uint32_t reg);

/// What they stand for.
struct Names {
  std::function<std::string(std::uint32_t)> node, reg;
};

/// Lines of C, each as deep as the blocks that are open.
class CText {
 public:
  CText() = default;
  explicit CText(std::size_t depth) : depth_(depth) {}

  void line(const std::string& code) { (text_.append(2 * depth_, ' ') += code) += '\n'; }
  /// A line that opens a block, and one that closes it; both at once, as an else.
  void open(const std::string& code);
  void close(const std::string& code = "}");
  void reopen(const std::string& code);
  /// Lines as they are.
  void verbatim(const std::string& text) { text_ += text; }
  void label(const std::string& name) { text_ += " " + name + ":;\n"; }

  /// The code below it is of this node.
  void node(std::uint32_t node) { line(node_mark(node)); }
  /// Anything else that people may want to know; nothing for nothing.
  void note(const std::string& annotation);
  void append(const CText& other) { text_ += other.text_; }

  /// What is compiled: without annotations.
  std::string code() const;
  /// All of it.
  std::string readable(const Names& names) const;
  /// The node that a line of the code is of, counted from 1; kNone: none.
  std::uint32_t node_of(std::size_t line) const;

 private:
  std::size_t depth_ = 0;
  std::string text_;
};

}  // namespace thunkvm

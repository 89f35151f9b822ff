// c_text.h: emitted C, line by line: code, and annotations for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm {

/// What stands in an annotation for the name of a node, or for what a register is: names are the
/// host's, and may be asked for on its threads alone, when somebody reads the text. It is written
/// on others.
struct Named {
  enum class Kind : std::uint8_t { Node, Register };
  Kind kind;
  std::uint32_t index;
};
using Names = std::function<std::string(Named)>;

/// Text with names in it, in their order: "needs ", node 3.
class Annotation {
 public:
  Annotation() = default;
  Annotation(std::string text) { add(std::move(text)); }  // NOLINT: text is one
  Annotation& add(std::string text) {
    if (!text.empty()) parts_.push_back({std::move(text), {}, false});
    return *this;
  }
  Annotation& add(Named named) {
    parts_.push_back({{}, named, true});
    return *this;
  }
  bool empty() const { return parts_.empty(); }
  std::string text(const Names& names) const;

 private:
  struct Part {
    std::string text;
    Named named;
    bool is_named;
  };
  std::vector<Part> parts_;
};

/// Nodes of annotations, and the lines of the code that they stand before.
using NodeLines = std::vector<std::pair<std::size_t, std::uint32_t>>;

/// Lines of C, each as deep as the blocks that are open.
class CText {
 public:
  CText() = default;
  explicit CText(std::size_t depth) : depth_(depth) {}

  void line(std::string code) { add(Kind::Code, std::move(code)); }
  /// A line that goes on with the one before it.
  void more(std::string code);
  /// A line that opens a block, and one that closes it; both at once, as an else.
  void open(std::string code);
  void close(std::string code = "}");
  void reopen(std::string code);
  /// Lines as they are.
  void verbatim(std::string text) { lines_.push_back({Kind::Code, 0, std::move(text), {}, 0}); }
  void label(const std::string& name);

  /// The code below it is of this node.
  void node(std::uint32_t node);
  /// Anything else that people may want to know; nothing for nothing.
  void note(Annotation annotation);
  void append(CText other);

  /// What is compiled: without annotations, of which `nodes` gets those of nodes.
  std::string code(NodeLines* nodes = nullptr) const;
  /// All of it.
  std::string readable(const Names& names) const;

 private:
  enum class Kind : std::uint8_t { Code, Node, Note };
  struct Line {
    Kind kind;
    std::size_t indent;
    std::string text;
    Annotation annotation;
    std::uint32_t node;
  };
  void add(Kind kind, std::string text);

  std::size_t depth_ = 0;
  std::vector<Line> lines_;
};

}  // namespace thunkvm

#include "linkers/codegen/plan/c_text.h"

#include <algorithm>

namespace thunkvm {
namespace {

/// The text as a comment on one line, whatever it is.
std::string on_one_line(std::string text) {
  for (std::size_t i = 0; (i = text.find("*/", i)) != std::string::npos;) text[i] = '+';
  std::replace(text.begin(), text.end(), '\n', ' ');
  return "/* " + text + " */\n";
}

/// The text as comments that end lines, on as many as it needs.
std::string on_lines(const std::string& indent, const std::string& text) {
  constexpr std::size_t kLine = 90;
  std::string lines;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.size();
    if (const std::size_t space = text.rfind(' ', begin + kLine);
        end - begin > kLine && space != std::string::npos && space > begin)
      end = space;
    std::string line = text.substr(begin, end - begin);
    std::replace(line.begin(), line.end(), '\n', ' ');
    std::replace(line.begin(), line.end(), '\\', '/');  // at the end it would go on
    (((lines += indent) += "// ") += line) += "\n";
    begin = end + 1;
  }
  return lines;
}

}  // namespace

std::string Annotation::text(const Names& names) const {
  std::string result;
  for (const Part& part : parts_) result += part.is_named ? names(part.named) : part.text;
  return result;
}

void CText::add(Kind kind, std::string text) {
  lines_.push_back({kind, 2 * depth_, std::move(text) + "\n", {}, 0});
}

void CText::more(std::string code) {
  line(std::move(code));
  lines_.back().indent += 4;
}

void CText::open(std::string code) {
  line(std::move(code));
  ++depth_;
}

void CText::close(std::string code) {
  --depth_;
  line(std::move(code));
}

void CText::reopen(std::string code) {
  close(std::move(code));
  ++depth_;
}

void CText::label(const std::string& name) {
  line(name + ":;");
  lines_.back().indent = 1;
}

void CText::node(std::uint32_t node) {
  add(Kind::Node, {});
  lines_.back().node = node;
}

void CText::note(Annotation annotation) {
  if (annotation.empty()) return;
  add(Kind::Note, {});
  lines_.back().annotation = std::move(annotation);
}

void CText::append(CText other) {
  for (Line& line : other.lines_) lines_.push_back(std::move(line));
}

std::string CText::code(NodeLines* nodes) const {
  std::string result;
  std::size_t n_lines = 0;
  for (const Line& line : lines_) {
    if (line.kind == Kind::Code) {
      result.append(line.indent, ' ') += line.text;
      n_lines += static_cast<std::size_t>(std::count(line.text.begin(), line.text.end(), '\n'));
    } else if (line.kind == Kind::Node && nodes != nullptr) {
      nodes->emplace_back(n_lines + 1, line.node);
    }
  }
  return result;
}

std::string CText::readable(const Names& names) const {
  std::string result;
  for (const Line& line : lines_) {
    const std::string indent(line.indent, ' ');
    switch (line.kind) {
      case Kind::Code: (result += indent) += line.text; break;
      case Kind::Node:
        (result += indent) += on_one_line(names({Named::Kind::Node, line.node}));
        break;
      case Kind::Note: result += on_lines(indent, line.annotation.text(names)); break;
    }
  }
  return result;
}

}  // namespace thunkvm

#include "linkers/codegen/emit/c_text.h"

#include <algorithm>

namespace thunkvm {
namespace {

std::string with_names(const Annotation& annotation, const Names& names) {
  std::string text;
  for (const auto& [words, node, reg] : annotation) {
    const std::string role = reg == kNone ? "" : names.reg(reg);
    if (reg != kNone && role.empty()) continue;
    if (reg != kNone && !text.empty()) text += "; ";
    text += words + (node == kNone ? role : names.node(node));
  }
  return text;
}

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

void CText::append(const CText& other) {
  for (const Location& location : other.locations_)
    (locations_.emplace_back(location)).at += code_.size();
  code_ += other.code_;
}

void CText::note(Annotation annotation) {
  if (!annotation.empty())
    locations_.push_back({code_.size(), depth_, false, std::move(annotation)});
}

std::string CText::readable(const Names& names) const {
  std::string result;
  std::size_t from = 0;
  for (const Location& location : locations_) {
    result.append(code_, from, location.at - from);
    from = location.at;
    const std::string indent(2 * location.depth, ' '),
        text = with_names(location.annotation, names);
    result += location.is_node ? indent + on_one_line(text) : on_lines(indent, text);
  }
  return result.append(code_, from);
}

std::uint32_t CText::node_of(std::size_t line) const {
  std::size_t begin = 0;
  for (; line > 1 && begin < code_.size(); --line) begin = code_.find('\n', begin) + 1;
  std::uint32_t node = kNone;
  for (const Location& location : locations_)
    if (location.is_node && location.at <= begin) node = location.annotation[0].node;
  return node;
}

}  // namespace thunkvm

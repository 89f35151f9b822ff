#include "linkers/codegen/emit/c_text.h"

#include <algorithm>
#include <utility>

namespace thunkvm {
namespace {

/// What it says: nothing of registers that are nothing in particular.
std::string words_of(const Annotation& annotation, const Names& names) {
  std::string text;
  for (const auto& [words, node, reg] : annotation) {
    const std::string name = node != kNone ? names.node(node) : reg != kNone ? names.reg(reg) : "";
    if (reg == kNone || !name.empty()) text += words + name;
  }
  return text;
}

/// A comment on one line, whatever names there are.
std::string comment(std::string text, bool is_node) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (!is_node) std::replace(text.begin(), text.end(), '\\', '/');  // a line would go on
  for (std::size_t i = 0; is_node && (i = text.find("*/", i)) != std::string::npos;) text[i] = '+';
  return (is_node ? "/* " + text + " */" : "// " + text) + "\n";
}

}  // namespace

void CText::append(CText other) {
  for (Location& location : other.locations_)
    locations_.emplace_back(std::move(location)).at += code_.size();
  code_ += other.code_;
}

void CText::annotate(Annotation annotation) {
  if (!annotation.empty())
    locations_.push_back({code_.size(), depth_, kNone, std::move(annotation)});
}

std::string CText::readable(const Names& names) const {
  std::string result;
  std::size_t from = 0;
  for (const Location& location : locations_) {
    result.append(code_, from, location.at - from);
    from = location.at;
    const bool is_node = location.node != kNone;
    std::string text = is_node ? names.node(location.node) : words_of(location.annotation, names);
    if (text.empty()) continue;
    result.append(2 * location.depth, ' ') += comment(std::move(text), is_node);
  }
  return result.append(code_, from);
}

ProgramNode CText::node_of(std::size_t line) const {
  std::size_t begin = 0;
  for (; line > 1 && begin < code_.size(); --line) begin = code_.find('\n', begin) + 1;
  ProgramNode node;
  for (const Location& location : locations_)
    if (location.node != kNone && location.at <= begin) node = location.node;
  return node;
}

}  // namespace thunkvm

// c_text.cpp: an annotation is a line of its own, and begins with a character that C has not.
#include "linkers/codegen/emit/c_text.h"

#include "vm/program.h"

#include <algorithm>
#include <string_view>

namespace thunkvm {
namespace {

/// What lines of annotations begin with. A mark is one of the latter two, an index, and a ';'.
enum Mark : char { kNote = 1, kNode = 2, kRegister = 3 };

std::string mark(Mark mark, std::uint32_t index) {
  return static_cast<char>(mark) + std::to_string(index) + ";";
}
std::uint32_t index_in(std::string_view mark) {
  return static_cast<std::uint32_t>(std::stoul(std::string(mark.substr(1, mark.find(';') - 1))));
}

/// Calls visit(indent, line) for each line, without its indent and end.
template <class Visit>
void each_line(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::size_t indent = std::min(text.find_first_not_of(' '), end);
    visit(indent, text.substr(indent, end - indent));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool is_mark(char c) { return c >= kNote && c <= kRegister; }
bool is_code(std::string_view line) { return line.empty() || !is_mark(line[0]); }

std::string with_names(std::string_view line, const Names& names) {
  std::string result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!is_mark(line[i])) {
      result += line[i];
      continue;
    }
    result += (line[i] == kNode ? names.node : names.reg)(index_in(line.substr(i)));
    i = line.find(';', i);
  }
  return result;
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

std::string node_mark(std::uint32_t node) { return mark(kNode, node); }
std::string register_mark(std::uint32_t reg) { return mark(kRegister, reg); }

void CText::open(const std::string& code) {
  line(code);
  ++depth_;
}

void CText::close(const std::string& code) {
  --depth_;
  line(code);
}

void CText::reopen(const std::string& code) {
  close(code);
  ++depth_;
}

void CText::note(const std::string& annotation) {
  if (!annotation.empty()) line(static_cast<char>(kNote) + annotation);
}

std::string CText::code() const {
  std::string result;
  each_line(text_, [&](std::size_t indent, std::string_view line) {
    if (is_code(line)) (result.append(indent, ' ') += line) += '\n';
  });
  return result;
}

std::string CText::readable(const Names& names) const {
  std::string result;
  each_line(text_, [&](std::size_t indent, std::string_view line) {
    const std::string space(indent, ' ');
    if (is_code(line))
      ((result += space) += line) += '\n';
    else if (line[0] == kNode)
      (result += space) += on_one_line(with_names(line, names));
    else
      result += on_lines(space, with_names(line.substr(1), names));
  });
  return result;
}

std::uint32_t CText::node_of(std::size_t line) const {
  std::uint32_t node = kNone;
  std::size_t lines = 0;
  each_line(text_, [&](std::size_t, std::string_view text) {
    if (is_code(text))
      ++lines;
    else if (text[0] == kNode && lines < line)
      node = index_in(text);
  });
  return node;
}

}  // namespace thunkvm

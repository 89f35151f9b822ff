#include "linkers/codegen/plan/c_text.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace thunkvm {
namespace {

/// The functions of libm that templates may call, for f64, and how many arguments they take. Those
/// of f32 have an f at the end.
const std::map<std::string_view, int>& libm() {
  static const std::map<std::string_view, int> arguments = {
      {"acos", 1},
      {"acosh", 1},
      {"asin", 1},
      {"asinh", 1},
      {"atan", 1},
      {"atan2", 2},
      {"atanh", 1},
      {"cbrt", 1},
      {"cos", 1},
      {"cosh", 1},
      {"erf", 1},
      {"erfc", 1},
      {"exp", 1},
      {"exp2", 1},
      {"expm1", 1},
      {"fmod", 2},
      {"hypot", 2},
      {"log", 1},
      {"log10", 1},
      {"log1p", 1},
      {"log2", 1},
      {"pow", 2},
      {"sin", 1},
      {"sinh", 1},
      {"tan", 1},
      {"tanh", 1},
      // What users' expressions call; our own name the instruction.
      {"ceil", 1},
      {"copysign", 2},
      {"fabs", 1},
      {"floor", 1},
      {"fmax", 2},
      {"fmin", 2},
      {"rint", 1},
      {"round", 1},
      {"sqrt", 1},
      {"trunc", 1}};
  return arguments;
}

std::string_view without_f(std::string_view name) {
  return libm().contains(name) || !name.ends_with('f') ? name : name.substr(0, name.size() - 1);
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

std::string libm_prototype(const std::string& name) {
  const std::string_view base = without_f(name);
  const std::string type = base == name ? "f64" : "f32";
  return "__attribute__((const)) " + type + " " + name + "(" + type +
         (libm().at(base) == 2 ? ", " + type : "") + ");\n";
}

void find_calls(std::string_view text, std::set<std::string>& calls) {
  for (std::size_t open = text.find('('); open != std::string_view::npos;
       open = text.find('(', open + 1)) {
    std::size_t first = open;
    while (first > 0 && (std::isalnum(static_cast<unsigned char>(text[first - 1])) != 0 ||
                         text[first - 1] == '_'))
      --first;
    const std::string_view word = text.substr(first, open - first);
    if (libm().contains(without_f(word))) calls.emplace(word);
  }
}

}  // namespace thunkvm

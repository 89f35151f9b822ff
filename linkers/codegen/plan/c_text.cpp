#include "linkers/codegen/plan/c_text.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
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

// A mark is one of these characters, its kind, a number, and another one of them.
constexpr char kMark = '\x01', kNode = 'n', kRegister = 'r';

std::string mark(char kind, std::uint32_t number) {
  return kMark + (kind + std::to_string(number)) + kMark;
}

std::uint32_t number_in(std::string_view mark) {
  return static_cast<std::uint32_t>(std::strtoul(mark.data() + 2, nullptr, 10));
}

std::string named(std::string_view text, const MarkedTexts& names) {
  std::string result;
  for (std::size_t at; (at = text.find(kMark)) != text.npos;) {
    const std::size_t end = text.find(kMark, at + 1);
    const std::uint32_t number = number_in(text.substr(at));
    result += text.substr(0, at);
    result += text[at + 1] == kNode ? names.node(number) : names.of_register(number);
    text.remove_prefix(end + 1);
  }
  return result += text;
}

// "  /* text */", whatever the text is.
std::string on_one_line(std::string text) {
  const std::size_t begin = text.find("/*") + 2, end = text.rfind("*/");
  for (std::size_t i = begin; (i = text.find("*/", i)) < end;) text[i] = '+';
  std::replace(text.begin(), text.end() - 1, '\n', ' ');
  return text;
}

// A note of text that ends a line, on as many as it needs.
std::string on_lines(std::string_view indent, const std::string& text) {
  constexpr std::size_t kLine = 90;
  std::string lines;
  const std::size_t size = text.size() - 1;
  for (std::size_t begin = 0; begin < size;) {
    std::size_t end = size;
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
std::string register_mark(std::uint32_t index) { return mark(kRegister, index); }

std::string comment(std::uint32_t node) { return "  /* " + node_mark(node) + " */\n"; }
std::string note(const std::string& text) { return text.empty() ? text : "  // " + text + "\n"; }

std::string with_names(const std::string& text, const MarkedTexts& names) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = text.find('\n', i) + 1;
    const std::string_view line = std::string_view(text).substr(i, end - i);
    i = end;
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    if (first < 2 || !(line.substr(first).starts_with("// ") || line.find(kMark) != line.npos))
      result += line;
    else if (line[first + 1] == '/')
      result += on_lines(line.substr(0, first), named(line.substr(first + 3), names));
    else
      result += on_one_line(named(line, names));
  }
  return result;
}

std::string without_comments(const std::string& text, Comments* comments) {
  std::string result;
  std::size_t n_lines = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = text.find('\n', i) + 1;
    const std::string_view line = std::string_view(text).substr(i, end - i);
    i = end;
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    const bool is_node = first >= 2 && line.substr(first).starts_with("/* ");
    const bool is_note = first >= 2 && line.substr(first).starts_with("// ");
    if (!is_node && !is_note) {
      result += line;
      ++n_lines;
    } else if (is_node && comments != nullptr) {
      comments->emplace_back(n_lines + 1, number_in(line.substr(first + 3)));
    }
  }
  return result;
}

std::string wrapped(const std::string& list) {
  constexpr std::size_t kLine = 80;
  std::string result;
  std::size_t column = 0;
  for (std::size_t begin = 0; begin < list.size();) {
    std::size_t end = list.find("}, {", begin);
    end = end == std::string::npos ? list.size() : end + 3;
    if (column != 0 && column + (end - begin) > kLine) {
      result.back() = '\n';  // the space after a comma
      column = 0;
    }
    result += list.substr(begin, end - begin);
    column += end - begin;
    begin = end;
  }
  return result;
}

std::string indented(const std::string& text, const std::set<std::uint32_t>& gotos) {
  std::string result;
  std::size_t depth = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = text.find('\n', i) + 1;
    const std::size_t first = text.find_first_not_of(' ', i);
    const std::string_view line = std::string_view(text).substr(first, end - first);
    i = end;
    if (line.starts_with('L')) {
      if (gotos.contains(static_cast<std::uint32_t>(std::strtoul(line.data() + 1, nullptr, 10))))
        result += " " + std::string(line);
      continue;
    }
    if (line.starts_with('}')) --depth;
    const std::size_t goes_on = line.starts_with("{.") ? 4 : 0;
    result += std::string(2 * depth + goes_on, ' ') + std::string(line);
    if (line.ends_with("{\n")) ++depth;
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

// c_text.h: emitted C as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thunkvm {

/// What stands in a text for the name of a node, and for what a register is. Names are the host's
/// and may be asked for on its threads alone, when somebody reads the text; it is written on
/// others.
std::string node_mark(std::uint32_t node);
std::string register_mark(std::uint32_t index);
/// The texts that marks stand for.
struct MarkedTexts {
  std::function<std::string(std::uint32_t node)> node;
  std::function<std::string(std::uint32_t index)> of_register;
};
/// The text with names for its marks, and with long notes on several lines.
std::string with_names(const std::string& text, const MarkedTexts& names);

/// A line that says more to people than to the compiler, which does not get it: the node that the
/// code below it is of.
std::string comment(std::uint32_t node);
/// The same of anything else; nothing for nothing.
std::string note(const std::string& text);
/// Nodes of comments, and the lines that they stand before in the text without them.
using Comments = std::vector<std::pair<std::size_t, std::uint32_t>>;
/// The text without its notes and comments, of which the latter go to `comments`.
std::string without_comments(const std::string& text, Comments* comments = nullptr);

/// A list "{...}, {...}" of items, several lines of it where one would be long.
std::string wrapped(const std::string& list);
/// Lines as deep as their braces, without the labels that no goto names.
std::string indented(const std::string& text, const std::set<std::uint32_t>& gotos);
/// The declaration of a function of libm that `find_calls` found, as a line.
std::string libm_prototype(const std::string& name);
/// Adds the functions of libm that a text calls.
void find_calls(std::string_view text, std::set<std::string>& calls);

}  // namespace thunkvm

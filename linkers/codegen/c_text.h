// c_text.h: emitted C as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thunkvm {

/// A line that says more to people than to the compiler, which does not get it: the node that the
/// code below it is of.
std::string comment(std::string text);
/// The same of anything else, on one line or several.
std::string note(const std::string& text);
/// Comments, and the lines that they stand before in the text without them.
using Comments = std::vector<std::pair<std::size_t, std::string>>;
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

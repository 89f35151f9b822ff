// c_text.h: emitted C as text.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace thunkvm {

/// A list "{...}, {...}" of items, several lines of it where one would be long.
std::string wrapped(const std::string& list);
/// Lines as deep as their braces, without the labels that no goto names.
std::string indented(const std::string& text, const std::set<std::uint32_t>& gotos);
/// The declaration of a function of libm that `find_calls` found, as a line.
std::string libm_prototype(const std::string& name);
/// Adds the functions of libm that a text calls.
void find_calls(std::string_view text, std::set<std::string>& calls);

}  // namespace thunkvm

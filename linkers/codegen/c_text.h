// c_text.h: emitted C as text.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace thunkvm {

/// Lines as deep as their braces, without the labels that no goto names.
std::string indented(const std::string& text, const std::set<std::uint32_t>& gotos);
/// Adds the functions of libm that a text calls.
void find_calls(std::string_view text, std::set<std::string>& calls);

}  // namespace thunkvm

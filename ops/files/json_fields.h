// json_fields.h: the fields of JSON objects, of the kinds that they have to be.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace thunkvm {

// All throw GraphFileError that names the field where it is missing or of another kind.

/// The JSON of a text. Throws GraphFileError with the place of what is none.
nlohmann::json json_of_text(const std::string& text);
/// `value`, which is `what` in the error.
const nlohmann::json& json_of_kind(const nlohmann::json& value, nlohmann::json::value_t kind,
                                   const std::string& what);
const nlohmann::json& member_of(const nlohmann::json& row, const char* key);
const nlohmann::json& list_at(const nlohmann::json& row, const char* key);
std::string text_at(const nlohmann::json& row, const char* key);
std::vector<std::string> texts_at(const nlohmann::json& row, const char* key);
std::vector<std::string> texts_of(const nlohmann::json& list, const std::string& what);
/// A whole number that an int64 holds.
std::int64_t integer_of(const nlohmann::json& value);
/// " (mul)" of a row whose `type` is a text; else "".
std::string named_type(const nlohmann::json& row);

}  // namespace thunkvm

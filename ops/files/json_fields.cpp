#include "ops/files/json_fields.h"

#include "ops/descriptions/graph_file_error.h"

#include <limits>

namespace thunkvm {

using nlohmann::json;

json json_of_text(const std::string& text) {
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    throw GraphFileError(printable(error.what()));
  }
}

const json& json_of_kind(const json& value, json::value_t kind, const std::string& what) {
  if (value.type() != kind)
    throw GraphFileError(what + " is a " + value.type_name() + ", not a " + json(kind).type_name());
  return value;
}

const json& member_of(const json& row, const char* key) {
  const auto found = row.find(key);
  if (found == row.end()) throw GraphFileError(std::string("'") + key + "' is missing");
  return *found;
}

const json& list_at(const json& row, const char* key) {
  return json_of_kind(member_of(row, key), json::value_t::array, std::string("'") + key + "'");
}

std::string text_at(const json& row, const char* key) {
  return json_of_kind(member_of(row, key), json::value_t::string, std::string("'") + key + "'")
      .get<std::string>();
}

std::vector<std::string> texts_of(const json& list, const std::string& what) {
  std::vector<std::string> texts;
  for (const json& text : json_of_kind(list, json::value_t::array, what))
    texts.push_back(
        json_of_kind(text, json::value_t::string, "a name in " + what).get<std::string>());
  return texts;
}

std::vector<std::string> texts_at(const json& row, const char* key) {
  return texts_of(member_of(row, key), std::string("'") + key + "'");
}

std::int64_t integer_of(const json& value) {
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() >
          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw GraphFileError("the number " + value.dump() + " is too large");
  return value.get<std::int64_t>();
}

std::string named_type(const json& row) {
  if (!row.is_object() || !row.contains("type") || !row["type"].is_string()) return "";
  return " (" + row["type"].get<std::string>() + ")";
}

}  // namespace thunkvm

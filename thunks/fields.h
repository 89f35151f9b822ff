// fields.h: rows of tables, whose fields are declared once: with names, units and documentation.
//
// What shows a row is made from its declaration: the conversion to Python, the NamedTuple there,
// the columns of profiles, their file format and their documentation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace thunkvm {

/// The field of two rows about one thing, when they become one row.
enum class Merging : std::uint8_t {
  ByHand,    ///< by the code that merges the rows
  Added,     ///< the sum
  Greatest,  ///< the greater one
};

template <class Row, class T>
struct Field {
  constexpr Field(T Row::* member, const char* name, const char* unit, const char* doc,
                  Merging merging = Merging::ByHand)
      : member(member), name(name), unit(unit), doc(doc), merging(merging) {}

  T Row::* member;
  const char* name;  ///< in Python
  const char* unit;  ///< "s" or "bytes"; empty: none
  const char* doc;   ///< a sentence
  Merging merging;
};

/// The declaration of a row. A specialisation has `name` and `doc`, of its class in Python, and
/// `fields`, a tuple of Field.
template <class Row>
struct Fields;

template <class Row>
concept HasFields = requires { Fields<Row>::fields; };

/// Calls `visit` with each field, in order.
template <HasFields Row, class Visit>
constexpr void for_each_field(const Visit& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, Fields<Row>::fields);
}

/// Merges each field that is not merged by hand.
template <HasFields Row>
constexpr void merge_fields(Row& into, const Row& other) {
  for_each_field<Row>([&](const auto& field) {
    auto& value = into.*field.member;
    if (field.merging == Merging::Added) value += other.*field.member;
    if (field.merging == Merging::Greatest) value = std::max(value, other.*field.member);
  });
}

}  // namespace thunkvm

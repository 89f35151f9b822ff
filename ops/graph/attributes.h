// attributes.h: the parameters of an Op: named values of a few plain types.
#pragma once

#include "ops/graph/variable.h"
#include "thunks/counted.h"
#include "thunks/dtype.h"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace thunkvm {

/// A graph as an attribute: what an Op does, over leaves of its own. Immutable once it is one.
class InnerGraph : public Counted {
 public:
  virtual std::vector<Variable> inputs() const = 0;   ///< free variables
  virtual std::vector<Variable> outputs() const = 0;  ///< they read constants and the inputs
};

/// The value of an attribute; monostate is None.
using AttrValue = std::variant<std::monostate, bool, std::int64_t, double, std::string, DType,
                               std::vector<std::int64_t>, std::vector<double>,
                               std::vector<std::string>, Ref<const InnerGraph>>;
std::string text(const AttrValue& value);

/// Attribute values by name.
class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<const std::string, AttrValue>> values)
      : values_(values) {}
  void set(const std::string& name, AttrValue value) { values_[name] = std::move(value); }
  bool has(const std::string& name) const;  ///< present and not None
  template <class T>
  const T& get(const std::string& name) const {
    return std::get<T>(values_.at(name));
  }
  template <class T>
  std::optional<T> find(const std::string& name) const {
    return has(name) ? std::optional<T>(get<T>(name)) : std::nullopt;
  }
  const std::map<std::string, AttrValue>& values() const { return values_; }
  friend bool operator==(const Attributes&, const Attributes&) = default;

 private:
  std::map<std::string, AttrValue> values_;
};

}  // namespace thunkvm

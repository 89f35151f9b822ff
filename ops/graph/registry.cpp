#include "ops/graph/registry.h"

#include "thunks/error.h"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <unordered_map>

namespace thunkvm {
namespace {

struct Entry {
  OpProto proto;
  OpRegistry::Creator creator;
  Ref<const Op> plain;  // the Op with default attributes, once somebody asked for it
  bool is_unique = true;
};

struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const {
    return std::hash<std::string_view>{}(name);
  }
};

// Made on first use: Ops register from static initialisers in any order. Never destroyed, for the
// same reason.
std::unordered_map<std::string, Entry, NameHash, std::equal_to<>>& table() {
  static auto* entries = new std::unordered_map<std::string, Entry, NameHash, std::equal_to<>>;
  return *entries;
}

// The name nearest by edits; "" where none is near.
std::string nearest_name(std::string_view name, std::span<const std::string> names) {
  const auto distance = [&](std::string_view other) {  // Levenshtein's
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= name.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i);
      for (std::size_t j = 1; j <= other.size(); ++j) {
        const std::size_t replaced = diagonal + (name[i - 1] == other[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
      }
    }
    return row.back();
  };
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& other : names) {
    const std::size_t d = distance(other);
    if (d < best_distance || (d == best_distance && other < best)) {
      best_distance = d;
      best = other;
    }
  }
  return best;
}

std::string joined(std::span<const std::string> names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

Entry& entry(std::string_view name) {
  auto found = table().find(name);
  if (found != table().end() && !found->second.is_unique)
    throw Error(ErrorKind::Key, "two Ops are registered as '" + std::string(name) +
                                    "': call one of them otherwise, names are unique");
  if (found != table().end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, unused] : table()) names.push_back(known);
  throw Error(ErrorKind::Key, "there is no Op called '" + std::string(name) + "'" +
                                  suggestion("; did you mean", name, names));
}

bool has_type(const AttrValue& value, AttrType type) {
  switch (type) {
    case AttrType::Bool: return std::holds_alternative<bool>(value);
    case AttrType::Int: return std::holds_alternative<std::int64_t>(value);
    case AttrType::Float: return std::holds_alternative<double>(value);
    case AttrType::String: return std::holds_alternative<std::string>(value);
    case AttrType::DType: return std::holds_alternative<DType>(value);
    case AttrType::Ints: return std::holds_alternative<std::vector<std::int64_t>>(value);
    case AttrType::Floats: return std::holds_alternative<std::vector<double>>(value);
    case AttrType::Strings: return std::holds_alternative<std::vector<std::string>>(value);
    case AttrType::Graph: return std::holds_alternative<Ref<const InnerGraph>>(value);
  }
  return false;
}

// A value where another numeric type is wanted: an int is a fine float, one number a fine list.
AttrValue coerce(const AttrValue& value, AttrType type) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) {
    if (type == AttrType::Float) return static_cast<double>(*i);
    if (type == AttrType::Ints) return std::vector<std::int64_t>{*i};
    if (type == AttrType::Bool && (*i == 0 || *i == 1)) return *i == 1;
  }
  if (const auto* s = std::get_if<std::string>(&value); s != nullptr && type == AttrType::DType)
    if (const auto dtype = dtype_from_name(*s)) return *dtype;
  if (const auto* v = std::get_if<std::vector<std::int64_t>>(&value)) {
    if (type == AttrType::Floats) return std::vector<double>(v->begin(), v->end());
    // An empty list has no element type of its own.
    if (v->empty() && type == AttrType::Strings) return std::vector<std::string>{};
  }
  return value;
}

std::vector<double> numbers(const AttrValue& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return {static_cast<double>(*i)};
  if (const auto* d = std::get_if<double>(&value)) return {*d};
  if (const auto* v = std::get_if<std::vector<std::int64_t>>(&value)) return {v->begin(), v->end()};
  if (const auto* v = std::get_if<std::vector<double>>(&value)) return *v;
  return {};
}

// NaN is in no range.
bool in_range(const AttrProto& attr, double n) {
  return (!attr.minimum || n >= *attr.minimum) && (!attr.maximum || n <= *attr.maximum) &&
         (!attr.above || n > *attr.above);
}

std::string number_text(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

// "at least 0 and at most 1".
std::string range_text(const AttrProto& attr) {
  std::string words;
  const auto add = [&](const char* rule, const std::optional<double>& bound) {
    if (bound) words += (words.empty() ? "" : " and ") + (rule + number_text(*bound));
  };
  add("greater than ", attr.above);
  add("at least ", attr.minimum);
  add("at most ", attr.maximum);
  return words;
}

template <class T>
std::string list_text(const std::vector<T>& values,
                      const std::function<std::string(const T&)>& one) {
  std::string result = "[";
  for (std::size_t i = 0; i < values.size(); ++i) result += (i == 0 ? "" : ", ") + one(values[i]);
  return result + "]";
}

}  // namespace

std::string_view name(AttrType type) {
  switch (type) {
    case AttrType::Bool: return "bool";
    case AttrType::Int: return "int";
    case AttrType::Float: return "float";
    case AttrType::String: return "str";
    case AttrType::DType: return "dtype";
    case AttrType::Ints: return "list of ints";
    case AttrType::Floats: return "list of floats";
    case AttrType::Strings: return "list of strings";
    case AttrType::Graph: return "graph";
  }
  return "?";
}

std::string text(const AttrValue& value) {
  return std::visit(
      []<class T>(const T& v) -> std::string {
        if constexpr (std::is_same_v<T, std::monostate>)
          return "None";
        else if constexpr (std::is_same_v<T, bool>)
          return v ? "True" : "False";
        else if constexpr (std::is_same_v<T, std::int64_t>)
          return std::to_string(v);
        else if constexpr (std::is_same_v<T, double>)
          return number_text(v);
        else if constexpr (std::is_same_v<T, std::string>)
          return "'" + v + "'";
        else if constexpr (std::is_same_v<T, Ref<const InnerGraph>>)
          return "a graph";
        else if constexpr (std::is_same_v<T, DType>)
          return std::string(thunkvm::name(v));
        else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>)
          return list_text<std::int64_t>(v,
                                         [](const std::int64_t& i) { return std::to_string(i); });
        else if constexpr (std::is_same_v<T, std::vector<double>>)
          return list_text<double>(v, [](const double& d) { return number_text(d); });
        else
          return list_text<std::string>(v, [](const std::string& s) { return "'" + s + "'"; });
      },
      value);
}

bool Attributes::has(const std::string& name) const {
  const auto found = values_.find(name);
  return found != values_.end() && !std::holds_alternative<std::monostate>(found->second);
}

AttrProto& AttrProto::by_default(AttrValue value) {
  required = false;
  default_value = std::move(value);
  return *this;
}
AttrProto& AttrProto::at_least(double value) {
  minimum = value;
  return *this;
}
AttrProto& AttrProto::at_most(double value) {
  maximum = value;
  return *this;
}
AttrProto& AttrProto::greater_than(double value) {
  above = value;
  return *this;
}
AttrProto& AttrProto::in_enum(std::vector<AttrValue> values) {
  allowed = std::move(values);
  return *this;
}
AttrProto& AttrProto::checked_by(std::string (*checker)(const AttrValue&)) {
  checkers.push_back(checker);
  return *this;
}

AttrValue AttrProto::check(const AttrValue& given, const std::string& prefix) const {
  AttrValue value = coerce(given, type);
  const auto refuse = [&](ErrorKind kind, const std::string& rule) {
    throw Error(kind, prefix + "attribute '" + name + "' = " + text(value) + ", but " + rule);
  };
  if (!has_type(value, type))
    refuse(ErrorKind::Type, "it has to be a " + std::string(thunkvm::name(type)));
  for (const double n : numbers(value))
    if (!in_range(*this, n)) refuse(ErrorKind::Value, "it has to be " + range_text(*this));
  if (!allowed.empty() && std::ranges::find(allowed, value) == allowed.end()) {
    std::string words;
    for (const AttrValue& v : allowed) words += (words.empty() ? "" : ", ") + text(v);
    refuse(ErrorKind::Value, "it has to be one of " + words);
  }
  for (const auto checker : checkers)
    if (const std::string rule = checker(value); !rule.empty()) refuse(ErrorKind::Value, rule);
  return value;
}

const AttrProto* OpProto::attr(std::string_view name) const {
  const auto found =
      std::find_if(attrs.begin(), attrs.end(), [&](const AttrProto& a) { return a.name == name; });
  return found == attrs.end() ? nullptr : &*found;
}

std::string OpProto::input_names() const {
  std::string names;
  for (const VarProto& input : inputs)
    names += (names.empty() ? "" : ", ") + std::string(input.variadic ? "*" : "") + input.name;
  return names;
}

Attributes OpProto::check(const Attributes& given) const {
  const std::string prefix = "[" + name + "] ";
  for (const auto& [key, value] : given.values()) {
    if (attr(key) != nullptr) continue;
    std::vector<std::string> names;
    for (const AttrProto& a : attrs) names.push_back(a.name);
    throw Error(ErrorKind::Type,
                prefix + "has no attribute '" + key + "'" +
                    suggestion("; did you mean", key, names) +
                    (names.empty() ? " (it has none)" : " (it has: " + joined(names) + ")"));
  }
  Attributes checked;
  for (const AttrProto& a : attrs) {
    const auto found = given.values().find(a.name);
    if (found == given.values().end() || std::holds_alternative<std::monostate>(found->second)) {
      if (a.required)
        throw Error(ErrorKind::Type, prefix + "needs the attribute '" + a.name + "': " + a.comment);
      if (found != given.values().end() && !std::holds_alternative<std::monostate>(a.default_value))
        throw Error(ErrorKind::Type, prefix + "attribute '" + a.name +
                                         "' cannot be None; it is a " +
                                         std::string(thunkvm::name(a.type)) + ", " +
                                         text(a.default_value) + " by default");
      checked.set(a.name, a.default_value);
      continue;
    }
    checked.set(a.name, a.check(found->second, prefix));
  }
  return checked;
}

void OpRegistry::add(OpProto proto, Creator creator) {
  const std::string key = proto.name;
  // Called before main, where nobody could catch an error: who asks for the name gets it.
  const auto [entry, is_new] =
      table().emplace(key, Entry{std::move(proto), std::move(creator), {}});
  entry->second.is_unique = is_new;
}

std::vector<const OpProto*> OpRegistry::protos() {
  std::vector<const OpProto*> all;
  for (const auto& [name, e] : table()) all.push_back(&e.proto);
  std::sort(all.begin(), all.end(),
            [](const OpProto* a, const OpProto* b) { return a->name < b->name; });
  return all;
}

const OpProto& OpRegistry::proto(std::string_view name) { return entry(name).proto; }

Ref<const Op> OpRegistry::create(std::string_view name, const Attributes& attrs) {
  Entry& e = entry(name);
  if (attrs.values().empty() && e.plain) return e.plain;
  Attributes checked = e.proto.check(attrs);
  const Ref<Op> op = e.creator(checked);
  if (op->attributes().values().empty()) op->set_attributes(std::move(checked));
  op->set_proto(e.proto);
  if (attrs.values().empty()) e.plain = op;
  return op;
}

namespace {

void check_count(const OpProto& proto, std::size_t n) {
  std::size_t n_required = 0;
  bool is_variadic = false;
  for (const VarProto& input : proto.inputs) {
    n_required += input.variadic || input.is_optional ? 0 : 1;
    is_variadic |= input.variadic;
  }
  if (n >= n_required && (is_variadic || n <= proto.inputs.size())) return;
  throw Error(ErrorKind::Type, "[" + proto.name + "] takes the inputs (" + proto.input_names() +
                                   "), not " + std::to_string(n) + " of them");
}

}  // namespace

std::vector<Variable> apply_op(std::string_view name, std::span<const Variable> inputs,
                               const Attributes& attrs) {
  const Ref<const Op> op = OpRegistry::create(name, attrs);
  check_count(OpRegistry::proto(name), inputs.size());
  return op->call(inputs);
}

Variable call_op(std::string_view name, std::span<const Variable> inputs, const Attributes& attrs) {
  return std::move(apply_op(name, inputs, attrs).front());
}

Variable call_op(std::string_view name, std::initializer_list<Variable> inputs,
                 const Attributes& attrs) {
  return call_op(name, std::span<const Variable>(inputs.begin(), inputs.size()), attrs);
}

std::string suggestion(std::string_view words, std::string_view name,
                       std::span<const std::string> names) {
  const std::string nearest = nearest_name(name, names);
  return nearest.empty() ? "" : std::string(words) + " '" + nearest + "'?";
}

std::string choices(std::string_view name, std::span<const std::string> names) {
  return joined(names) + "." + suggestion(" Did you mean", name, names);
}

}  // namespace thunkvm

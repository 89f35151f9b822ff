#include "ops/graph/type.h"

#include "thunks/error.h"
#include "thunks/lengths.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace thunkvm {

std::string format_static_shape(const StaticShape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i != 0) text += ", ";
    text += shape[i] == kUnknownLength ? "?" : std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

namespace {

struct Key {
  DType dtype;
  StaticShape shape;
  friend bool operator==(const Key&, const Key&) = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::size_t hash = static_cast<std::size_t>(key.dtype) + 0x9e3779b97f4a7c15ull;
    for (std::int64_t length : key.shape)
      hash = (hash ^ static_cast<std::size_t>(length)) * 0x100000001b3ull + (hash >> 29);
    return hash;
  }
};
// The live tensor types; an entry goes with its type.
std::unordered_map<Key, const TensorType*, KeyHash>& interned() {
  static auto* table = new std::unordered_map<Key, const TensorType*, KeyHash>;
  return *table;
}

// Throws where no array has such a shape.
void check_shape(DType dtype, const StaticShape& shape) {
  if (shape.size() > kMaxDims)
    throw Error(ErrorKind::Value, "an array has at most " + std::to_string(kMaxDims) +
                                      " dimensions; " + std::to_string(shape.size()) +
                                      " were asked for");
  StaticShape known;
  std::ranges::copy_if(shape, std::back_inserter(known),
                       [](std::int64_t length) { return length != kUnknownLength; });
  if (product_of_lengths(known, static_cast<std::int64_t>(item_size(dtype)))) return;
  const bool negative = std::ranges::any_of(known, [](std::int64_t length) { return length < 0; });
  throw Error(ErrorKind::Value, "an array of shape " + format_static_shape(shape) + " and dtype " +
                                    std::string(name(dtype)) +
                                    (negative ? " has a negative length: lengths are 0 or more"
                                              : " is larger than the address space"));
}

}  // namespace

Cell Type::copy(const Cell& value) const {
  if (!value.is_array()) return value;
  return Cell::of_array(value.array().copy());
}

Ref<const TensorType> TensorType::of(DType dtype, const StaticShape& shape) {
  // A scalar type for each dtype is kept: they are asked for with every node.
  if (shape.empty()) {
    static const auto* scalars = [] {
      auto* all = new std::vector<Ref<const TensorType>>;
      for (int i = 0; i <= static_cast<int>(DType::Object); ++i) {
        const auto dtype = static_cast<DType>(i);
        all->emplace_back(
            interned().emplace(Key{dtype, {}}, new TensorType(dtype, {})).first->second);
      }
      return all;
    }();
    return (*scalars)[static_cast<std::size_t>(dtype)];
  }
  Key key{dtype, shape};
  if (const auto known = interned().find(key); known != interned().end()) return known->second;
  check_shape(dtype, shape);
  const Ref<const TensorType> made = new TensorType(dtype, shape);
  interned().emplace(std::move(key), made.get());
  return made;
}

Ref<const TensorType> TensorType::of_ndim(DType dtype, int ndim) {
  return of(dtype, StaticShape(static_cast<std::size_t>(ndim), kUnknownLength));
}

TensorType::~TensorType() { interned().erase(Key{dtype_, shape_}); }

std::string TensorType::text() const {
  static const char* const kNames[] = {"scalar", "vector", "matrix"};
  const std::string what = ndim() < 3 ? kNames[ndim()] : "tensor" + std::to_string(ndim());
  return what + " " + std::string(name(dtype_)) +
         (ndim() == 0 ? "" : " " + format_static_shape(shape_));
}

TypeRef GenericType::instance() {
  static const auto* type = new TypeRef(new GenericType);
  return *type;
}

StaticShape broadcast_static(const std::string& op, const StaticShape& a, const StaticShape& b) {
  const StaticShape& longer = a.size() >= b.size() ? a : b;
  const StaticShape& shorter = a.size() >= b.size() ? b : a;
  StaticShape result = longer;
  const std::size_t offset = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    const std::int64_t x = longer[offset + i], y = shorter[i];
    std::int64_t& length = result[offset + i];
    if (x == y || y == 1) continue;
    if (x == 1)
      length = y;
    else if (x == kUnknownLength)
      length = y;  // y is known and not 1: the unknown one must be 1 or y
    else if (y != kUnknownLength)
      throw Error(ErrorKind::Value, "[" + op +
                                        "] operands could not be broadcast together with shapes " +
                                        format_static_shape(a) + " " + format_static_shape(b));
  }
  return result;
}

}  // namespace thunkvm

// merge.cpp: equal nodes become one (global value numbering, by hashing).
//
// A merged node is demanded exactly where one of those that it stands for was, and demands what
// each of them would have. Conditionals are no exception: each output is a demand of its own, and
// forces the same selector and the same arm's value in all of them.
#include "ops/rewrites/rewrite.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <unordered_map>
#include <variant>

namespace thunkvm {
namespace {

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}
std::uint64_t mix(std::uint64_t hash, const void* pointer) {
  return mix(hash, std::bit_cast<std::uint64_t>(pointer));
}

std::uint64_t hash_of(const AttrValue& value) {
  return std::visit(
      []<class T>(const T& v) -> std::uint64_t {
        if constexpr (std::is_same_v<T, std::monostate>) {
          return 0;
        } else if constexpr (std::is_same_v<T, Ref<const InnerGraph>>) {
          return mix(0, v.get());
        } else if constexpr (std::is_same_v<T, DType>) {
          return static_cast<std::uint64_t>(v);
        } else if constexpr (requires { v.begin(); } && !std::is_same_v<T, std::string>) {
          std::uint64_t hash = v.size();
          for (const auto& element : v)
            hash = mix(hash, std::hash<std::decay_t<decltype(element)>>{}(element));
          return hash;
        } else {
          return std::hash<T>{}(v);
        }
      },
      value);
}

/// Whether nodes of the Op have no effect but their outputs, which depend on their inputs alone.
bool is_mergeable(const Op& op) {
  const bool decides = op.proto() != nullptr && op.conditional() != nullptr;
  return decides || (op.is_plain() && op.destroy_map().empty());
}

bool equal_ops(const Op& a, const Op& b) {
  return a.proto() == b.proto() && a.attributes() == b.attributes();
}

std::uint64_t hash_of(const Op& op) {
  std::uint64_t hash = typeid(op).hash_code();
  for (const auto& [name, value] : op.attributes().values()) hash = mix(hash, hash_of(value));
  return hash;
}

/// The bytes of a number, or of an array in C order; nothing for anything else.
std::optional<std::string_view> bytes_of(const Cell& cell) {
  if (!cell.is_scalar() && !cell.is_array()) return std::nullopt;
  std::size_t size = item_size(cell.dtype());
  if (cell.is_array()) {
    if (!cell.body()->contiguous) return std::nullopt;
    for (std::int64_t length : Dims(cell.body()->dims, cell.body()->ndim))
      size *= static_cast<std::size_t>(length);
  }
  return std::string_view(static_cast<const char*>(cell.address()), size);
}

bool equal_constants(const Variable& a, const Variable& b) {
  if (&a.type() != &b.type() || a.weak() != b.weak()) return false;
  const Cell &x = a.constant_value(), &y = b.constant_value();
  if (x.tag() != y.tag() || x.dtype() != y.dtype()) return false;
  if (x.is_array() && !std::ranges::equal(Dims(x.body()->dims, x.body()->ndim),
                                          Dims(y.body()->dims, y.body()->ndim)))
    return false;
  const auto bytes = bytes_of(x);
  return bytes && bytes == bytes_of(y);
}

/// Objects by content: the first of equal ones stands for all. Asked by address, of objects that
/// outlive it.
template <class T, class Hash, class Equal>
class Representatives {
 public:
  const T* of(const T& object) {
    if (&object == last_) return last_found_;
    last_ = &object;
    const auto [known, is_new] = known_.try_emplace(&object, &object);
    if (is_new) {
      const std::uint64_t hash = Hash{}(object);
      const auto [first, end] = by_content_.equal_range(hash);
      for (auto it = first; it != end && known->second == &object; ++it)
        if (Equal{}(*it->second, object)) known->second = it->second;
      if (known->second == &object) by_content_.emplace(hash, &object);
    }
    return last_found_ = known->second;
  }

 private:
  std::unordered_map<const T*, const T*> known_;
  std::unordered_multimap<std::uint64_t, const T*> by_content_;
  const T* last_ = nullptr;
  const T* last_found_ = nullptr;
};

struct OpHash {
  std::uint64_t operator()(const Op& op) const { return hash_of(op); }
};
struct OpEqual {
  bool operator()(const Op& a, const Op& b) const { return equal_ops(a, b); }
};
Variable value_of(const Apply& leaf) { return {const_cast<Apply*>(&leaf), 0}; }
struct ConstantHash {
  std::uint64_t operator()(const Apply& leaf) const {
    const auto bytes = bytes_of(value_of(leaf).constant_value());
    return bytes ? std::hash<std::string_view>{}(*bytes) : 0;
  }
};
struct ConstantEqual {
  bool operator()(const Apply& a, const Apply& b) const {
    return equal_constants(value_of(a), value_of(b));
  }
};

class Merge final : public Rewrite {
 public:
  std::string_view name() const override { return "merge"; }
  bool drops_demand() const override { return false; }

  Variable replacement(const Candidate& candidate) override {
    if (!is_mergeable(*candidate.node.op())) return {};
    Apply* const equal = slots_.empty() ? nullptr : slot(candidate, hash(candidate)).node;
    return equal == nullptr || equal == &candidate.node ? Variable() : Variable(equal, 0);
  }

  void kept(Apply& node) override {
    if (!is_mergeable(*node.op())) return;
    if (2 * (n_ + 1) > slots_.size()) grow();
    const Candidate candidate{node, node.inputs()};
    const std::uint64_t h = hash(candidate);
    Slot& found = slot(candidate, h);
    if (found.node != nullptr) return;
    found = {h, &node};
    ++n_;
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;
    Apply* node = nullptr;
  };

  // A leaf that stands for all equal constants, else the variable's own node.
  const Apply* source(const Variable& v) {
    return v.leaf() == Leaf::Constant ? constants_.of(*v.node()) : v.node();
  }

  std::uint64_t hash(const Candidate& candidate) {
    std::uint64_t h = mix(candidate.inputs.size(), ops_.of(*candidate.node.op()));
    for (const Variable& input : candidate.inputs) h = mix(h + input.index(), source(input));
    return h;
  }

  bool equal(Apply& known, const Candidate& candidate) {
    if (&known == &candidate.node) return true;
    if (known.n_inputs() != candidate.inputs.size() ||
        known.n_outputs() != candidate.node.n_outputs() ||
        ops_.of(*known.op()) != ops_.of(*candidate.node.op()))
      return false;
    for (std::uint32_t i = 0; i < known.n_inputs(); ++i) {
      const Variable &a = known.input(static_cast<int>(i)), &b = candidate.inputs[i];
      if (a.index() != b.index() || source(a) != source(b)) return false;
    }
    for (std::uint32_t j = 0; j < known.n_outputs(); ++j)
      if (&known.output_type(j) != &candidate.node.output_type(j)) return false;
    return true;
  }

  // The slot of the equal node, or where it would be: linear probing.
  Slot& slot(const Candidate& candidate, std::uint64_t h) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = h & mask;
    while (slots_[at].node != nullptr &&
           (slots_[at].hash != h || !equal(*slots_[at].node, candidate)))
      at = (at + 1) & mask;
    return slots_[at];
  }

  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(64, 2 * slots_.size()));
    std::swap(old, slots_);
    for (const Slot& entry : old) {
      if (entry.node == nullptr) continue;
      std::size_t at = entry.hash & (slots_.size() - 1);
      while (slots_[at].node != nullptr) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = entry;
    }
  }

  Representatives<Op, OpHash, OpEqual> ops_;
  Representatives<Apply, ConstantHash, ConstantEqual> constants_;
  std::vector<Slot> slots_;
  std::size_t n_ = 0;
};

}  // namespace

std::unique_ptr<Rewrite> merge_rewrite() { return std::make_unique<Merge>(); }

}  // namespace thunkvm

// variable.h: the symbolic graph: variables, and the Apply nodes that compute them.
//
// Ownership points one way: a Variable holds its node, a node holds its inputs. Outputs live inside
// their node, so there is no cycle. A chain of any length is released without recursion.
#pragma once

#include "ops/graph/type.h"
#include "thunks/cell.h"
#include "thunks/counted.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thunkvm {

class Apply;
class Op;
class SharedValue;

/// The kinds of nodes without an Op. Shared is a shared variable.
enum class Leaf : std::uint8_t { None, Input, Constant, Shared };

/// The place in the user's code that made a node: an opaque code object of the host, and an offset
/// in it. It becomes text only when somebody asks.
struct Origin {
  void* code = nullptr;
  std::int32_t offset = 0;
};

/// The host's functions that keep, drop, capture and print origins. All null: none are kept.
struct OriginHooks {
  Origin (*capture)() noexcept = nullptr;  ///< of the code that runs now; takes a hold on `code`
  void (*hold)(void* code) noexcept = nullptr;  ///< one more hold
  void (*drop)(void* code) noexcept = nullptr;
  std::string (*text)(const Origin&) = nullptr;  ///< "fit.py:12 in step"
};
void set_origin_hooks(OriginHooks hooks);

/// While it lives, nodes that this thread makes have the origin of `node`: they stand for it.
/// Scopes nest.
class OriginOf {
 public:
  explicit OriginOf(const Apply& node);
  ~OriginOf();
  OriginOf(const OriginOf&) = delete;
  OriginOf& operator=(const OriginOf&) = delete;

 private:
  const Origin* outer_;
};

/// A handle on one output of a node (a leaf has one). Counted; may be null. Compares by identity.
class Variable {
 public:
  Variable() = default;
  Variable(Apply* node, std::uint32_t index);
  Variable(const Variable& other);
  Variable(Variable&& other) noexcept : node_(other.node_), index_(other.index_) {
    other.node_ = nullptr;
  }
  Variable& operator=(Variable other) noexcept {
    std::swap(node_, other.node_);
    std::swap(index_, other.index_);
    return *this;
  }
  ~Variable();

  /// A free variable.
  static Variable input(TypeRef type, std::string_view name = {});
  /// A known value. `weak`: it stands for a Python number, whose dtype yields to others' (NEP 50).
  static Variable constant(Cell value, TypeRef type, bool weak = false);
  /// A numeric constant; its type is the value's dtype and exact shape.
  static Variable constant(Cell value, bool weak = false);
  template <class T>
  static Variable number(T value) {
    return constant(Cell::of(value));
  }
  static Variable shared(Ref<SharedValue> value, std::string_view name = {});

  explicit operator bool() const { return node_ != nullptr; }
  friend bool operator==(const Variable& a, const Variable& b) {
    return a.node_ == b.node_ && a.index_ == b.index_;
  }
  Apply* node() const { return node_; }
  std::uint32_t index() const { return index_; }
  const Type& type() const;
  TypeRef type_ref() const;
  /// The tensor type; throws Error(Type) that names the variable if it is not a tensor.
  const TensorType& tensor() const;
  DType dtype() const { return tensor().dtype(); }
  int ndim() const { return tensor().ndim(); }
  const StaticShape& static_shape() const { return tensor().shape(); }

  bool is_leaf() const;
  Leaf leaf() const;
  bool is_constant() const { return leaf() == Leaf::Constant; }
  bool weak() const;                   ///< a constant that stands for a Python number
  const Cell& constant_value() const;  ///< of a constant
  SharedValue& shared_value() const;   ///< of a shared variable

  std::string_view name() const;
  void set_name(std::string_view name) const;
  /// The name, or a description: "x", "add.0", "constant 2.0".
  std::string text() const;
  /// The host's object for this variable, if there is one now; borrowed. The host clears it when
  /// that object goes.
  void*& handle() const;

 private:
  friend class Apply;
  Apply* node_ = nullptr;
  std::uint32_t index_ = 0;
};

/// For maps keyed by variables.
struct VariableHash {
  std::size_t operator()(const Variable& v) const {
    return std::hash<const void*>{}(v.node()) * 31 + v.index();
  }
};

/// One application of an Op to inputs, or a leaf (no Op, no inputs, one output). Walks write
/// nothing to it (node_table.h).
class Apply {
 public:
  /// The least distance between the addresses of two nodes with outputs.
  static constexpr std::size_t kMinBytes = 64;

  /// A node with `types.size()` outputs; the origin is captured here. Returned with no reference:
  /// hold an output.
  static Apply* make(Ref<const Op> op, std::span<const Variable> inputs,
                     std::span<const TypeRef> types);
  /// The usual case: one output.
  static Variable make1(const Op& op, std::span<const Variable> inputs, TypeRef type);

  /// The node with other inputs of the same types, without asking its Op for outputs. Its outputs
  /// keep their types and names, and it keeps its origin.
  static Apply* copy(const Apply& node, std::span<const Variable> inputs);

  const Op* op() const { return op_.get(); }
  std::span<const Variable> inputs() const { return {input_slots(), n_inputs_}; }
  const Variable& input(int i) const { return input_slots()[i]; }
  std::uint32_t n_inputs() const { return n_inputs_; }
  std::uint32_t n_outputs() const { return n_outputs_; }
  Variable output(std::uint32_t j) { return {this, j}; }
  const Type& output_type(std::uint32_t j) const { return *output_slots()[j].type; }
  std::vector<Variable> outputs();
  Leaf leaf() const { return leaf_; }
  std::string origin_text() const;

  void retain() { ++references_; }
  void release();
  std::uint32_t references() const { return references_; }

 private:
  friend class OriginOf;
  friend class Variable;
  struct Output {
    TypeRef type;
    std::string* name = nullptr;
    void* handle = nullptr;
  };
  /// The value of a constant or a shared variable.
  struct LeafValue {
    Cell constant;
    Ref<SharedValue> shared;
  };
  Apply() = default;
  ~Apply() = default;
  static Apply* allocate(Leaf leaf, std::uint32_t n_inputs, std::uint32_t n_outputs);
  static void destroy(Apply* node);

  Apply* next_dead_ = nullptr;  // of nodes that die together
  std::uint32_t references_ = 0;
  std::uint32_t n_inputs_ = 0;
  std::uint32_t n_outputs_ = 0;
  Leaf leaf_ = Leaf::None;
  bool weak_ = false;
  Ref<const Op> op_;
  Origin origin_;

  // A node is one block: this, its outputs, then its inputs; a leaf's value where inputs would be.
  // A graph has many of them, and their cost is the memory that they touch.
  Output* output_slots() const { return reinterpret_cast<Output*>(const_cast<Apply*>(this) + 1); }
  Variable* input_slots() const { return reinterpret_cast<Variable*>(output_slots() + n_outputs_); }
  LeafValue* leaf_value() const {
    return reinterpret_cast<LeafValue*>(output_slots() + n_outputs_);
  }
};

/// The value behind a shared variable. Every function that uses it sees the same one.
class SharedValue : public Counted {
 public:
  SharedValue(TypeRef type, Cell value) : type_(std::move(type)), value_(std::move(value)) {}
  const Type& type() const { return *type_; }
  TypeRef type_ref() const { return type_; }
  /// The value now; taken under the lock under which updates are committed.
  Cell get() const;
  void set(Cell value);
  /// Reads several at one moment.
  static void snapshot(std::span<SharedValue* const> shared, std::span<Cell> values);
  /// Changes several at one moment; the old values come back in `values`, to be dropped outside the
  /// lock.
  static void commit(std::span<SharedValue* const> shared, std::span<Cell> values) noexcept;

 private:
  TypeRef type_;
  Cell value_;
};

}  // namespace thunkvm

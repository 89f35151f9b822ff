#include "ops/variable.h"

#include "ops/op.h"
#include "thunks/error.h"

#include <mutex>
#include <new>
#include <utility>

namespace thunkvm {
namespace {

OriginHooks origin_hooks;
std::mutex shared_values;  // under it all shared values are read and committed

constexpr std::size_t kOutputOffset(std::uint32_t n_inputs) { return sizeof(Apply) + n_inputs * sizeof(Variable); }

std::string number_text(const Cell& cell) {
  if (cell.is_object()) return "an object";
  if (cell.is_array()) return std::string(name(cell.dtype())) + " " + format_shape(cell.body() == nullptr ? Dims{} : cell.array().shape());
  return visit_dtype(cell.dtype(), "constant", [&]<class T>(std::type_identity<T>) -> std::string {
    if constexpr (std::is_same_v<T, Half>)
      return std::to_string(static_cast<float>(cell.get<T>()));
    else if constexpr (std::is_same_v<T, bool>)
      return cell.get<T>() ? "True" : "False";
    else if constexpr (std::is_arithmetic_v<T>)
      return std::to_string(cell.get<T>());
    else
      return std::to_string(cell.get<T>().real()) + "+" + std::to_string(cell.get<T>().imag()) + "j";
  });
}

}  // namespace

void set_origin_hooks(OriginHooks hooks) { origin_hooks = hooks; }

// ---- Variable

Variable::Variable(Apply* node, std::uint32_t index) : node_(node), index_(index) {
  if (node_ != nullptr) node_->retain();
}
Variable::Variable(const Variable& other) : Variable(other.node_, other.index_) {}
Variable::~Variable() {
  if (node_ != nullptr) node_->release();
}

Variable Variable::input(TypeRef type, std::string_view name) {
  Apply* node = Apply::allocate(0, 1);
  node->leaf_ = Leaf::Input;
  node->outputs_[0].type = std::move(type);
  Variable variable(node, 0);
  if (!name.empty()) variable.set_name(name);
  return variable;
}

Variable Variable::constant(Cell value, TypeRef type, bool weak) {
  Apply* node = Apply::allocate(0, 1);
  node->leaf_ = Leaf::Constant;
  node->weak_ = weak;
  node->outputs_[0].type = std::move(type);
  node->value_ = std::move(value);
  return {node, 0};
}

Variable Variable::constant(Cell value, bool weak) {
  StaticShape shape;
  if (value.is_array()) {
    const Array array = value.array();
    shape.assign(array.shape().begin(), array.shape().end());
  }
  TypeRef type = TensorType::of(value.dtype(), shape);
  return constant(std::move(value), std::move(type), weak);
}

Variable Variable::shared(Ref<SharedValue> value, std::string_view name) {
  Apply* node = Apply::allocate(0, 1);
  node->leaf_ = Leaf::Shared;
  node->outputs_[0].type = value->type_ref();
  node->shared_ = std::move(value);
  Variable variable(node, 0);
  if (!name.empty()) variable.set_name(name);
  return variable;
}

const Type& Variable::type() const { return *node_->outputs_[index_].type; }
TypeRef Variable::type_ref() const { return node_->outputs_[index_].type; }

const TensorType& Variable::tensor() const {
  const TensorType* tensor = type().tensor();
  if (tensor == nullptr)
    throw Error(ErrorKind::Type, text() + " is of type " + type().text() + ", not a tensor; only tensors can be computed with");
  return *tensor;
}

bool Variable::is_leaf() const { return node_->leaf_ != Leaf::None; }
Leaf Variable::leaf() const { return node_->leaf_; }
bool Variable::weak() const { return node_->weak_; }
const Cell& Variable::constant_value() const { return node_->value_; }
SharedValue& Variable::shared_value() const { return *node_->shared_; }

std::string_view Variable::name() const {
  const std::string* name = node_->outputs_[index_].name;
  return name == nullptr ? std::string_view() : std::string_view(*name);
}

void Variable::set_name(std::string_view name) const {
  std::string*& slot = node_->outputs_[index_].name;
  delete std::exchange(slot, name.empty() ? nullptr : new std::string(name));
}

std::string Variable::text() const {
  if (!name().empty()) return std::string(name());
  if (is_constant()) return "constant " + number_text(constant_value());
  if (leaf() == Leaf::Shared) return "a shared variable";
  if (leaf() == Leaf::Input) return "an unnamed " + type().text();
  return node_->op()->name() + "." + std::to_string(index_);
}

void*& Variable::handle() const { return node_->outputs_[index_].handle; }

// ---- Apply

Apply* Apply::allocate(std::uint32_t n_inputs, std::uint32_t n_outputs) {
  // One block: the node, its inputs, its outputs.
  void* block = ::operator new(kOutputOffset(n_inputs) + n_outputs * sizeof(Output));
  Apply* node = new (block) Apply;
  char* start = static_cast<char*>(block);
  node->n_inputs_ = n_inputs;
  node->n_outputs_ = n_outputs;
  node->inputs_ = reinterpret_cast<Variable*>(start + sizeof(Apply));
  node->outputs_ = reinterpret_cast<Output*>(start + kOutputOffset(n_inputs));
  for (std::uint32_t i = 0; i < n_inputs; ++i) new (node->inputs_ + i) Variable;
  for (std::uint32_t j = 0; j < n_outputs; ++j) new (node->outputs_ + j) Output;
  return node;
}

Apply* Apply::make(Ref<const Op> op, std::span<const Variable> inputs, std::span<const TypeRef> types) {
  Apply* node = allocate(static_cast<std::uint32_t>(inputs.size()), static_cast<std::uint32_t>(types.size()));
  node->op_ = std::move(op);
  for (std::size_t i = 0; i < inputs.size(); ++i) node->inputs_[i] = inputs[i];
  for (std::size_t j = 0; j < types.size(); ++j) node->outputs_[j].type = types[j];
  if (origin_hooks.capture != nullptr) node->origin_ = origin_hooks.capture();
  return node;
}

Variable Apply::make1(const Op& op, std::span<const Variable> inputs, TypeRef type) {
  return {make(Ref<const Op>(&op), inputs, std::span(&type, 1)), 0};
}

std::vector<Variable> Apply::outputs() {
  std::vector<Variable> all;
  all.reserve(n_outputs_);
  for (std::uint32_t j = 0; j < n_outputs_; ++j) all.emplace_back(this, j);
  return all;
}

std::string Apply::origin_text() const {
  return origin_.code == nullptr || origin_hooks.text == nullptr ? std::string() : origin_hooks.text(origin_);
}

void Apply::release() {
  if (--references_ == 0) destroy(this);
}

// Nodes that die with this one are chained through `mark`, so that a chain of any length needs no stack.
void Apply::destroy(Apply* node) {
  node->mark = 0;
  Apply* dead = node;
  while (dead != nullptr) {
    Apply* current = dead;
    dead = reinterpret_cast<Apply*>(current->mark);
    for (std::uint32_t i = 0; i < current->n_inputs_; ++i) {
      Apply* input = std::exchange(current->inputs_[i].node_, nullptr);
      if (input != nullptr && --input->references_ == 0) {
        input->mark = reinterpret_cast<std::uint64_t>(dead);
        dead = input;
      }
    }
    for (std::uint32_t j = 0; j < current->n_outputs_; ++j) {
      delete current->outputs_[j].name;
      current->outputs_[j].~Output();
    }
    if (current->origin_.code != nullptr) origin_hooks.drop(current->origin_.code);
    current->~Apply();
    ::operator delete(current);
  }
}

// ---- SharedValue

Cell SharedValue::get() const {
  std::lock_guard lock(shared_values);
  return value_;
}

void SharedValue::set(Cell value) {
  {
    std::lock_guard lock(shared_values);
    std::swap(value_, value);
  }
  // The old value goes here, outside the lock: letting it go may run code of the host.
}

void SharedValue::snapshot(std::span<SharedValue* const> shared, std::span<Cell> values) {
  if (shared.empty()) return;
  std::lock_guard lock(shared_values);
  for (std::size_t i = 0; i < shared.size(); ++i) values[i] = shared[i]->value_;
}

void SharedValue::commit(std::span<SharedValue* const> shared, std::span<Cell> values) noexcept {
  if (shared.empty()) return;
  std::lock_guard lock(shared_values);
  for (std::size_t i = 0; i < shared.size(); ++i) std::swap(shared[i]->value_, values[i]);
}

}  // namespace thunkvm

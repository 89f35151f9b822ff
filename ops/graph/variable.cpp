#include "ops/graph/variable.h"

#include "ops/graph/op.h"
#include "thunks/error.h"
#include "thunks/read_only.h"

#include <mutex>
#include <new>
#include <utility>

namespace thunkvm {
namespace {

OriginHooks origin_hooks;
thread_local const Origin* given_origin = nullptr;  // by the innermost OriginOf
std::mutex commit_lock;  // under it the values of all shared variables are read and committed

Origin new_origin() {
  if (given_origin == nullptr) return origin_hooks.capture();
  if (given_origin->code != nullptr) origin_hooks.hold(given_origin->code);
  return *given_origin;
}

std::string number_text(const Cell& cell) {
  if (cell.is_object()) return "an object";
  if (cell.is_array())
    return std::string(name(cell.dtype())) + " " +
           format_shape(cell.body() == nullptr ? Dims{} : cell.array().shape());
  return visit_dtype(cell.dtype(), "constant", [&]<class T>(std::type_identity<T>) -> std::string {
    if constexpr (std::is_same_v<T, Half>)
      return std::to_string(static_cast<float>(cell.get<T>()));
    else if constexpr (std::is_same_v<T, bool>)
      return cell.get<T>() ? "True" : "False";
    else if constexpr (std::is_arithmetic_v<T>)
      return std::to_string(cell.get<T>());
    else
      return std::to_string(cell.get<T>().real()) + "+" + std::to_string(cell.get<T>().imag()) +
             "j";
  });
}

}  // namespace

void set_origin_hooks(OriginHooks hooks) { origin_hooks = hooks; }

OriginOf::OriginOf(const Apply& node) : outer_(std::exchange(given_origin, &node.origin_)) {}
OriginOf::~OriginOf() { given_origin = outer_; }

// ---- Variable

Variable::Variable(Apply* node, std::uint32_t index) : node_(node), index_(index) {
  if (node_ != nullptr) node_->retain();
}
Variable::Variable(const Variable& other) : Variable(other.node_, other.index_) {}
Variable::~Variable() {
  if (node_ != nullptr) node_->release();
}

Variable Variable::input(TypeRef type, std::string_view name) {
  Apply* node = Apply::allocate(Leaf::Input, 0, 1);
  node->output_slots()[0].type = std::move(type);
  Variable variable(node, 0);
  if (!name.empty()) variable.set_name(name);
  return variable;
}

Variable Variable::constant(Cell value, TypeRef type, bool weak) {
  Apply* node = Apply::allocate(Leaf::Constant, 0, 1);
  node->weak_ = weak;
  node->output_slots()[0].type = std::move(type);
  if (value.is_array()) value = Cell::of_array(read_only(value.take_array()));
  node->leaf_value()->constant = std::move(value);
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
  Apply* node = Apply::allocate(Leaf::Shared, 0, 1);
  node->output_slots()[0].type = value->type_ref();
  node->leaf_value()->shared = std::move(value);
  Variable variable(node, 0);
  if (!name.empty()) variable.set_name(name);
  return variable;
}

const Type& Variable::type() const { return *node_->output_slots()[index_].type; }
TypeRef Variable::type_ref() const { return node_->output_slots()[index_].type; }

const TensorType& Variable::tensor() const {
  const TensorType* tensor = type().tensor();
  if (tensor == nullptr)
    throw Error(ErrorKind::Type, text() + " is of type " + type().text() +
                                     ", not a tensor; only tensors can be computed with");
  return *tensor;
}

bool Variable::is_leaf() const { return node_->leaf_ != Leaf::None; }
Leaf Variable::leaf() const { return node_->leaf_; }
bool Variable::weak() const { return node_->weak_; }
const Cell& Variable::constant_value() const { return node_->leaf_value()->constant; }
SharedValue& Variable::shared_value() const { return *node_->leaf_value()->shared; }

std::string_view Variable::name() const {
  const std::string* name = node_->output_slots()[index_].name;
  return name == nullptr ? std::string_view() : std::string_view(*name);
}

void Variable::set_name(std::string_view name) const {
  std::string*& slot = node_->output_slots()[index_].name;
  delete std::exchange(slot, name.empty() ? nullptr : new std::string(name));
}

std::string Variable::text() const {
  if (!name().empty()) return std::string(name());
  if (is_constant()) return "constant " + number_text(constant_value());
  if (leaf() == Leaf::Shared) return "a shared variable";
  if (leaf() == Leaf::Input) return "an unnamed " + type().text();
  return node_->op()->name() + "." + std::to_string(index_);
}

void*& Variable::handle() const { return node_->output_slots()[index_].handle; }

// ---- Apply

Apply* Apply::allocate(Leaf leaf, std::uint32_t n_inputs, std::uint32_t n_outputs) {
  static_assert(sizeof(Apply) + sizeof(Output) >= kMinBytes);
  const std::size_t tail = leaf == Leaf::None ? n_inputs * sizeof(Variable) : sizeof(LeafValue);
  Apply* node = new (::operator new(sizeof(Apply) + n_outputs * sizeof(Output) + tail)) Apply;
  node->leaf_ = leaf;
  node->n_inputs_ = n_inputs;
  node->n_outputs_ = n_outputs;
  for (std::uint32_t j = 0; j < n_outputs; ++j) new (node->output_slots() + j) Output;
  for (std::uint32_t i = 0; i < n_inputs; ++i) new (node->input_slots() + i) Variable;
  if (leaf != Leaf::None) new (node->leaf_value()) LeafValue;
  return node;
}

Apply* Apply::make(Ref<const Op> op, std::span<const Variable> inputs,
                   std::span<const TypeRef> types) {
  Apply* node = allocate(Leaf::None, static_cast<std::uint32_t>(inputs.size()),
                         static_cast<std::uint32_t>(types.size()));
  node->op_ = std::move(op);
  for (std::size_t i = 0; i < inputs.size(); ++i) node->input_slots()[i] = inputs[i];
  for (std::size_t j = 0; j < types.size(); ++j) node->output_slots()[j].type = types[j];
  if (origin_hooks.capture != nullptr) node->origin_ = new_origin();
  return node;
}

Apply* Apply::copy(const Apply& node, std::span<const Variable> inputs) {
  Apply* copy = allocate(Leaf::None, node.n_inputs_, node.n_outputs_);
  copy->op_ = node.op_;
  for (std::size_t i = 0; i < inputs.size(); ++i) copy->input_slots()[i] = inputs[i];
  for (std::uint32_t j = 0; j < node.n_outputs_; ++j) {
    const Output& output = node.output_slots()[j];
    copy->output_slots()[j].type = output.type;
    if (output.name != nullptr) copy->output_slots()[j].name = new std::string(*output.name);
  }
  copy->origin_ = node.origin_;
  if (copy->origin_.code != nullptr) origin_hooks.hold(copy->origin_.code);
  return copy;
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
  return origin_.code == nullptr || origin_hooks.text == nullptr ? std::string()
                                                                 : origin_hooks.text(origin_);
}

void Apply::release() {
  if (--references_ == 0) destroy(this);
}

// Nodes that die with this one are chained, so that a chain of any length needs no stack.
void Apply::destroy(Apply* node) {
  Apply* dead = node;
  while (dead != nullptr) {
    Apply* current = dead;
    dead = current->next_dead_;
    for (std::uint32_t i = 0; i < current->n_inputs_; ++i) {
      Apply* input = std::exchange(current->input_slots()[i].node_, nullptr);
      if (input != nullptr && --input->references_ == 0) {
        input->next_dead_ = dead;
        dead = input;
      }
    }
    for (std::uint32_t j = 0; j < current->n_outputs_; ++j) {
      delete current->output_slots()[j].name;
      current->output_slots()[j].~Output();
    }
    if (current->leaf_ != Leaf::None) current->leaf_value()->~LeafValue();
    if (current->origin_.code != nullptr) origin_hooks.drop(current->origin_.code);
    current->~Apply();
    ::operator delete(current);
  }
}

// ---- SharedValue

Cell SharedValue::get() const {
  std::lock_guard lock(commit_lock);
  return value_;
}

void SharedValue::set(Cell value) {
  {
    std::lock_guard lock(commit_lock);
    std::swap(value_, value);
  }
  // The old value goes here, outside the lock: letting it go may run code of the host.
}

void SharedValue::snapshot(std::span<SharedValue* const> shared, std::span<Cell> values) {
  if (shared.empty()) return;
  std::lock_guard lock(commit_lock);
  for (std::size_t i = 0; i < shared.size(); ++i) values[i] = shared[i]->value_;
}

void SharedValue::commit(std::span<SharedValue* const> shared, std::span<Cell> values) noexcept {
  if (shared.empty()) return;
  std::lock_guard lock(commit_lock);
  for (std::size_t i = 0; i < shared.size(); ++i) std::swap(shared[i]->value_, values[i]);
}

}  // namespace thunkvm

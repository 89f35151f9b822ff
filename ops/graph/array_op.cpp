// array_op.cpp: the checks and graph pieces that Ops over whole arrays share.
#include "ops/graph/array_op.h"

#include "ops/graph/index_map.h"
#include "ops/graph/limits.h"
#include "thunks/cast.h"

#include <algorithm>
#include <array>

namespace thunkvm {

namespace {

KnownInteger known_length(const Variable& x, std::size_t axis) {
  const std::int64_t length = x.static_shape()[axis];
  return length < 0 ? KnownInteger{} : KnownInteger{length};
}

KnownInteger known_size(const Variable& x) {
  std::int64_t size = 1;
  for (const std::int64_t length : x.static_shape()) {
    if (length < 0) return {};
    size *= length;
  }
  return size;
}

/// The number of elements, which is known without their values.
std::optional<std::vector<KnownInteger>> known_count(const Variable& integers) {
  const StaticShape& shape = integers.static_shape();
  if (shape.empty()) return std::vector<KnownInteger>(1);
  if (shape.size() != 1 || shape[0] < 0) return std::nullopt;
  return std::vector<KnownInteger>(static_cast<std::size_t>(shape[0]));
}

std::optional<std::vector<KnownInteger>> known_at_depth(const Variable& integers, int depth) {
  if (integers.ndim() > 1 || !is_integral(integers.dtype())) return std::nullopt;
  if (integers.is_constant()) {
    const Array values = cast_array(integers.constant_value().to_array(), DType::Int64);
    const std::int64_t* first = values.data_as<std::int64_t>();
    return std::vector<KnownInteger>(first, first + values.size());
  }
  const Apply& node = *integers.node();
  if (node.op() == nullptr || depth == 0) return known_count(integers);
  const auto sources = node.op()->integers(node);
  if (!sources) return known_count(integers);
  // Elements of one input follow each other.
  std::vector<KnownInteger> known;
  std::optional<std::vector<KnownInteger>> elements;
  std::uint32_t elements_of = 0;
  for (const IntegerSource& source : *sources) {
    const auto at = static_cast<std::size_t>(source.at);
    const auto input = [&]() -> const Variable& {
      return node.input(static_cast<int>(source.input));
    };
    switch (source.kind) {
      case IntegerSource::Kind::Number: known.emplace_back(source.at); break;
      case IntegerSource::Kind::Length: known.push_back(known_length(input(), at)); break;
      case IntegerSource::Kind::Size: known.push_back(known_size(input())); break;
      case IntegerSource::Kind::Element:
        if (!elements || elements_of != source.input) {
          elements = known_at_depth(input(), depth - 1);
          elements_of = source.input;
        }
        known.push_back(elements ? (*elements)[at] : KnownInteger{});
    }
  }
  return known;
}

}  // namespace

std::string ArrayOp::text() const {
  std::string shown;
  for (const auto& [key, value] : attributes().values()) {
    if (std::holds_alternative<std::monostate>(value)) continue;
    if (!shown.empty()) shown += ", ";
    shown += key + "=" + thunkvm::text(value);
  }
  return shown.empty() ? name_ : name_ + "{" + shown + "}";
}

void ArrayOp::fail(ErrorKind kind, const std::string& message) const {
  throw Error(kind, "[" + name_ + "] " + message);
}

void ArrayOp::expect_inputs(std::span<const Variable> inputs, std::size_t count) const {
  expect_inputs(inputs, count, count);
}

void ArrayOp::expect_inputs(std::span<const Variable> inputs, std::size_t at_least,
                            std::size_t at_most) const {
  if (inputs.size() < at_least || inputs.size() > at_most) {
    std::string wanted = std::to_string(at_least);
    if (at_most == SIZE_MAX) wanted = "at least " + wanted;
    if (at_most != SIZE_MAX && at_most != at_least) wanted += " to " + std::to_string(at_most);
    fail(ErrorKind::Type, "takes " + wanted + " inputs, but got " + std::to_string(inputs.size()));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]) fail(ErrorKind::Type, "input " + std::to_string(i) + " is missing");
    const TensorType* tensor = inputs[i].type().tensor();
    if (tensor == nullptr || tensor->dtype() == DType::Object)
      fail(ErrorKind::Type, "input " + std::to_string(i) + " (" + inputs[i].text() +
                                ") is of type " + inputs[i].type().text() +
                                ", but must be a tensor of numbers");
  }
}

Variable ArrayOp::integer_vector(const Variable& input, const char* what) const {
  if (input.ndim() != 1 || !is_integral(input.dtype()) || input.dtype() == DType::Bool) {
    // An empty list has no integers to show its dtype with.
    if (input.is_constant() && input.ndim() == 1 && input.static_shape()[0] == 0)
      return constant_vector({});
    fail(ErrorKind::Type, std::string(what) + " must be a vector of integers, but " + input.text() +
                              " is a " + input.type().text());
  }
  return cast(input, DType::Int64);
}

Variable ArrayOp::integer_scalar(const Variable& input, const char* what) const {
  if (input.ndim() != 0 || !is_integral(input.dtype()) || input.dtype() == DType::Bool)
    fail(ErrorKind::Type, std::string(what) + " must be a 0-d integer, but " + input.text() +
                              " is a " + input.type().text());
  return cast(input, DType::Int64);
}

std::vector<Variable> ArrayOp::batch_in_common(std::span<const Variable> inputs,
                                               const std::vector<bool>& batched) const {
  std::vector<Variable> common;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    common.push_back(batched[i] ? common_to_batch(inputs[i]) : inputs[i]);
    if (!common.back())
      fail(ErrorKind::NotImplemented, "cannot be batched over input " + std::to_string(i) + " (" +
                                          inputs[i].text() +
                                          "): every example could have another length");
  }
  return {repeat_batch(call(common)[0], batch_length(inputs, batched))};
}

int ArrayOp::normalize_axis(std::int64_t axis, int ndim) const {
  if (axis < -ndim || axis >= ndim) {
    std::string hint = ndim == 0
                           ? "a 0-d array has no axes"
                           : "use " + std::to_string(-ndim) + " to " + std::to_string(ndim - 1);
    fail(ErrorKind::Value, "axis " + std::to_string(axis) +
                               " is out of bounds for array of dimension " + std::to_string(ndim) +
                               ": " + hint);
  }
  return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

std::vector<int> ArrayOp::normalize_axes(const std::vector<std::int64_t>& axes, int ndim) const {
  std::vector<int> normal;
  for (std::int64_t axis : axes) {
    const int a = normalize_axis(axis, ndim);
    if (std::find(normal.begin(), normal.end(), a) != normal.end())
      fail(ErrorKind::Value, "duplicate value in 'axis': " + thunkvm::text(AttrValue(axes)) +
                                 " names axis " + std::to_string(a) +
                                 " twice; name each axis once");
    normal.push_back(a);
  }
  return normal;
}

int ArrayOp::ndim_of_shape(const Variable& shape) const {
  const std::int64_t known = shape.static_shape()[0];
  const auto declared = attributes().find<std::int64_t>("ndim");
  if (!declared && known < 0)
    fail(ErrorKind::Value, "the length of the shape " + shape.text() +
                               " is not known: give the number of axes as `ndim`");
  if (declared && known >= 0 && *declared != known)
    fail(ErrorKind::Value, "the shape " + shape.text() + " has " + std::to_string(known) +
                               " lengths, but ndim is " + std::to_string(*declared));
  return static_cast<int>(declared ? *declared : known);
}

std::optional<std::vector<KnownInteger>> known_integers(const Variable& integers) {
  return known_at_depth(integers, kKnownIntegers);
}

StaticShape known_shape(const Variable& shape, int ndim) {
  StaticShape lengths(static_cast<std::size_t>(ndim), kUnknownLength);
  const auto known = known_integers(shape);
  if (!known || known->size() != lengths.size()) return lengths;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if ((*known)[i] && *(*known)[i] >= 0) lengths[i] = *(*known)[i];
  return lengths;
}

std::vector<std::int64_t> read_integers(const Activation& activation, const Operands& operands,
                                        int i) {
  const Array values = input_array(activation, operands, i).as_contiguous();
  const std::int64_t* first = values.data_as<std::int64_t>();
  return {first, first + values.size()};
}

Variable constant_vector(std::span<const std::int64_t> values) {
  const std::int64_t length = static_cast<std::int64_t>(values.size());
  Array array = Array::allocate(DType::Int64, Dims(&length, 1));
  std::copy(values.begin(), values.end(), array.data_as<std::int64_t>());
  return Variable::constant(Cell::of_array(std::move(array)));
}

Variable length_of(const Variable& x, int axis) {
  const std::int64_t known = x.static_shape()[static_cast<std::size_t>(axis)];
  if (known >= 0) return Variable::number(known);
  static std::array<Ref<const Op>, kMaxDims> ops;  // by axis: they are made all the time
  Ref<const Op>& op = ops[static_cast<std::size_t>(axis)];
  if (op == nullptr) op = OpRegistry::create("length", {{"axis", std::int64_t{axis}}});
  return std::move(op->call(std::span(&x, 1)).front());
}

Variable count_along(const Variable& x, std::span<const int> axes) {
  std::int64_t known = 1;
  Variable unknown;
  for (int axis : axes) {
    const std::int64_t length = x.static_shape()[static_cast<std::size_t>(axis)];
    if (length >= 0)
      known *= length;
    else
      unknown = unknown ? mul(unknown, length_of(x, axis)) : length_of(x, axis);
  }
  if (!unknown) return Variable::number(known);
  return known == 1 ? unknown : mul(unknown, Variable::number(known));
}

DType common_dtype(std::span<const Variable> inputs) {
  std::optional<DType> strong;
  for (const Variable& input : inputs)
    if (!input.weak()) strong = strong ? promote(*strong, input.dtype()) : input.dtype();
  if (strong) {
    for (const Variable& input : inputs)
      if (input.weak()) strong = promote_weak(*strong, kind(input.dtype()));
    return *strong;
  }
  DType weak = inputs[0].dtype();
  for (const Variable& input : inputs) weak = promote(weak, input.dtype());
  return weak;
}

Variable cast_now(const Variable& x, DType dtype) {
  if (x.dtype() == dtype && !(x.is_constant() && x.weak())) return x;
  if (!x.is_constant()) return cast(x, dtype);
  return Variable::constant(x.weak() && x.ndim() == 0 ? cast_weak(x.constant_value(), dtype)
                                                      : cast_cell(x.constant_value(), dtype));
}

Variable prepend_length(const Variable& length, const Variable& shape) {
  const auto known_length = known_integers(length);
  const auto known = known_integers(shape);
  if (known && (*known_length)[0] &&
      std::all_of(known->begin(), known->end(),
                  [](const KnownInteger& k) { return k.has_value(); })) {
    std::vector<std::int64_t> all{*(*known_length)[0]};
    for (const KnownInteger& k : *known) all.push_back(*k);
    return constant_vector(all);
  }
  return call_op("concatenate", {expand_dims(length, {0}), shape}, {{"axis", std::int64_t{0}}});
}

Variable common_to_batch(const Variable& x) {
  const Apply* node = x.node();
  const IndexMap* found = node->op() == nullptr ? nullptr : node->op()->index_map(*node);
  if (found == nullptr || !found->rule().is_given_lengths) return {};
  const Variable& repeated = node->input(found->value);
  return repeated.ndim() == x.ndim() - 1 ? repeated : Variable();
}

Variable unbatched_shape(const Variable& shape, bool batched) {
  if (!batched) return shape;
  const Variable common = common_to_batch(shape);
  // Examples of one batch have one shape, so that every row is the same.
  return common ? common : subtensor(shape, {"0"});
}

Variable batch_length(std::span<const Variable> inputs, const std::vector<bool>& batched) {
  Variable length;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!batched[i]) continue;
    if (inputs[i].static_shape()[0] >= 0) return length_of(inputs[i], 0);
    if (!length) length = length_of(inputs[i], 0);
  }
  return length;
}

std::vector<Variable> batch_all(std::span<const Variable> inputs,
                                const std::vector<bool>& batched) {
  std::vector<Variable> all(inputs.begin(), inputs.end());
  Variable length;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (batched[i]) continue;
    if (!length) length = batch_length(inputs, batched);
    all[i] = repeat_batch(all[i], length);
  }
  return all;
}

std::vector<std::int64_t> shift_axes(std::span<const int> axes, int by) {
  std::vector<std::int64_t> shifted;
  for (int axis : axes) shifted.push_back(axis + by);
  return shifted;
}

std::vector<std::int64_t> axis_range(int first, int last) {
  std::vector<std::int64_t> axes;
  for (int axis = first; axis < last; ++axis) axes.push_back(axis);
  return axes;
}

Variable subtensor(const Variable& x, const std::vector<std::string>& index) {
  return call_op("subtensor", {x}, {{"index", index}});
}

}  // namespace thunkvm

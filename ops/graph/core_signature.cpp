#include "ops/graph/core_signature.h"

#include "ops/graph/functions.h"
#include "ops/graph/registry.h"
#include "thunks/error.h"
#include "thunks/strided.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace thunkvm {
namespace {

/// The axes of a stack of cores.
template <class Shape>
auto stack_of(const Shape& shape, std::size_t n_core) {
  return std::vector<std::decay_t<decltype(shape[0])>>(
      shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(n_core));
}

std::string_view cut(std::string_view& text, char at) {
  const std::size_t end = std::min(text.find(at), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

}  // namespace

CoreSignature::CoreSignature(std::string_view text) {
  std::string_view rest = text;
  std::string_view of_arrays = cut(rest, '|');
  text_ = of_arrays;
  const std::size_t arrow = of_arrays.find("->");
  if (arrow == of_arrays.npos) throw std::logic_error("no -> in the signature " + text_);
  inputs_ = cores(of_arrays.substr(0, arrow));
  outputs_ = cores(of_arrays.substr(arrow + 2));
  while (!rest.empty()) {  // "k=min(m,n)"
    std::string_view rule = cut(rest, ';');
    Derived& derived = derived_.emplace_back();
    derived.length = length(cut(rule, '='));
    rule.remove_prefix(std::string_view("min(").size());
    derived.smaller_of[0] = length(cut(rule, ','));
    derived.smaller_of[1] = length(cut(rule, ')'));
  }
}

std::size_t CoreSignature::length(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end())
    throw std::logic_error("no length " + std::string(name) + " in the signature " + text_);
  return static_cast<std::size_t>(found - names_.begin());
}

std::size_t CoreSignature::number(std::string_view name) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
  names_.emplace_back(name);
  return names_.size() - 1;
}

std::vector<CoreSignature::Core> CoreSignature::cores(std::string_view text) {
  std::vector<Core> list;
  while (!text.empty()) {
    cut(text, '(');
    std::string_view names = cut(text, ')');
    Core& core = list.emplace_back();
    while (!names.empty()) core.push_back(number(cut(names, ',')));
  }
  return list;
}

void CoreSignature::misfit(const OpProto& op, std::size_t input, std::size_t axis,
                           std::int64_t length, const Seen& other, const std::string& shown) const {
  const Core& core = inputs_[input];
  if (core.size() == 2 && core[0] == core[1] && other.input == input)
    throw Error(ErrorKind::LinAlg,
                "[" + op.name + "] Last 2 dimensions of the array must be square, but " + shown);
  throw Error(ErrorKind::Value, "[" + op.name + "] Input operand " + std::to_string(input) +
                                    " has a mismatch in its core dimension " +
                                    std::to_string(axis) + ", with gufunc signature " + text_ +
                                    " (size " + std::to_string(length) + " is different from " +
                                    std::to_string(other.length) + "): " + shown);
}

std::vector<StaticShape> CoreSignature::static_shapes(const OpProto& op,
                                                      std::span<const Variable> inputs) const {
  std::vector<Seen> lengths(names_.size());
  StaticShape batch;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Core& core = inputs_[i];
    const StaticShape& shape = inputs[i].static_shape();
    const auto shown = [&] { return op.inputs[i].name + " is a " + inputs[i].type().text(); };
    if (shape.size() < core.size())
      throw Error(core.size() == 2 ? ErrorKind::LinAlg : ErrorKind::Value,
                  "[" + op.name + "] " + std::to_string(shape.size()) +
                      "-dimensional array given. Array must be at least " +
                      (core.size() == 2 ? "two" : "one") + "-dimensional: " + shown());
    for (std::size_t axis = 0; axis < core.size(); ++axis) {
      const std::int64_t length = shape[shape.size() - core.size() + axis];
      Seen& known = lengths[core[axis]];
      if (length >= 0 && known.length >= 0 && length != known.length)
        misfit(op, i, axis, length, known, shown());
      if (length >= 0) known = {length, i};
    }
    batch = broadcast_static(op.name, batch, stack_of(shape, core.size()));
  }
  for (const Derived& derived : derived_) {
    const auto [a, b] = derived.smaller_of;
    if (lengths[a].length >= 0 && lengths[b].length >= 0)
      lengths[derived.length].length = std::min(lengths[a].length, lengths[b].length);
  }
  std::vector<StaticShape> shapes;
  for (const Core& core : outputs_) {
    StaticShape& shape = shapes.emplace_back(batch);
    for (const std::size_t length : core) shape.push_back(lengths[length].length);
  }
  return shapes;
}

std::vector<Extents> CoreSignature::extents(std::span<const Extents> inputs) const {
  Extents lengths(names_.size());
  std::vector<Extents> stacks;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Core& core = inputs_[i];
    stacks.push_back(stack_of(inputs[i], core.size()));
    for (std::size_t axis = 0; axis < core.size(); ++axis) {
      Variable& length = lengths[core[axis]];
      const Variable& here = inputs[i][inputs[i].size() - core.size() + axis];
      if (!length || !known_extent(length)) length = length && !known_extent(here) ? length : here;
    }
  }
  for (const Derived& derived : derived_)
    lengths[derived.length] =
        smaller_of(lengths[derived.smaller_of[0]], lengths[derived.smaller_of[1]]);
  const Extents batch = stacks.size() == 1 ? stacks[0] : broadcast_extents(stacks);
  std::vector<Extents> outputs;
  for (const Core& core : outputs_) {
    Extents& shape = outputs.emplace_back(batch);
    for (const std::size_t length : core) shape.push_back(lengths[length]);
  }
  return outputs;
}

CoreSignature::Shapes CoreSignature::shapes(const OpProto& op, std::span<const Dims> inputs) const {
  Shapes shapes{std::vector<std::int64_t>(names_.size(), kUnknownLength), {}};
  std::vector<Dims> stacks;
  std::vector<std::size_t> seen_in(names_.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Core& core = inputs_[i];
    const Dims shape = inputs[i];
    stacks.push_back(shape.first(shape.size() - core.size()));
    for (std::size_t axis = 0; axis < core.size(); ++axis) {
      const std::int64_t length = shape[stacks.back().size() + axis];
      std::int64_t& known = shapes.lengths[core[axis]];
      if (known >= 0 && length != known) {
        std::string shown;
        for (std::size_t k = 0; k < inputs.size(); ++k)
          shown += (k == 0 ? "" : ", ") + op.inputs[k].name + (k == 0 ? " has shape " : " ") +
                   format_shape(inputs[k]);
        misfit(op, i, axis, length, {known, seen_in[core[axis]]}, shown);
      }
      known = length;
      seen_in[core[axis]] = i;
    }
  }
  for (const Derived& derived : derived_)
    shapes.lengths[derived.length] =
        std::min(shapes.lengths[derived.smaller_of[0]], shapes.lengths[derived.smaller_of[1]]);
  shapes.batch = broadcast_shapes(stacks, op.name.c_str());
  return shapes;
}

std::vector<std::int64_t> CoreSignature::output_shape(std::size_t output,
                                                      const Shapes& shapes) const {
  std::vector<std::int64_t> shape = shapes.batch;
  for (const std::size_t length : outputs_[output]) shape.push_back(shapes.lengths[length]);
  return shape;
}

std::vector<Variable> CoreSignature::batched_inputs(Apply& node, std::span<const Variable> inputs,
                                                    const std::vector<bool>& batched) const {
  int n_stack = 0;
  const auto stack_axes = [&](std::size_t i) {
    return node.input(static_cast<int>(i)).ndim() - static_cast<int>(inputs_[i].size());
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) n_stack = std::max(n_stack, stack_axes(i));
  std::vector<Variable> aligned(inputs.begin(), inputs.end());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const int missing = n_stack - stack_axes(i);
    if (!batched[i] || missing == 0) continue;
    Axes axes;
    for (int axis = 1; axis <= missing; ++axis) axes.push_back(axis);
    aligned[i] = expand_dims(aligned[i], axes);
  }
  return aligned;
}

}  // namespace thunkvm

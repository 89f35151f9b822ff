#include "ops/graph/shape_facts.h"

#include "ops/graph/index_map.h"
#include "thunks/error.h"

namespace thunkvm {

namespace {

bool has_axes(const Apply& node) {
  for (std::uint32_t j = 0; j < node.n_outputs(); ++j)
    if (const TensorType* type = node.output_type(j).tensor(); type != nullptr && type->ndim() > 0)
      return true;
  return false;
}
bool is_known(const Apply& node) {
  for (std::uint32_t j = 0; j < node.n_outputs(); ++j)
    if (!has_known_lengths(node.output_type(j))) return false;
  return true;
}

}  // namespace

void ShapeInference::add(Apply& node) {
  if (!has_axes(node)) return;
  if (const Shape* const shape = shape_of_all_operands(node)) {
    facts_.shape_of_.emplace(ShapeFacts::Key{&node, 0}, shape);
    return;
  }
  const std::vector<Extents> inferred = ask_rule(node);
  for (std::uint32_t j = 0; j < node.n_outputs(); ++j) {
    const Variable output = node.output(j);
    if (inferred.empty() || output.type().tensor() == nullptr) {
      note(output, extents_of(output));
      continue;
    }
    Extents extents;
    for (const std::int64_t length : output.static_shape())
      extents.push_back(length != kUnknownLength
                            ? extent(length)
                            : representative(inferred[j][extents.size()], node));
    note(output, extents);
  }
  note_given(node);
}

/// Nothing where there is no rule, or no need of one; nor where it fails: then nothing is known.
std::vector<Extents> ShapeInference::ask_rule(Apply& node) {
  if (!node.op()->is_plain() || is_known(node)) return {};
  std::vector<Extents> inputs;
  for (const Variable& input : node.inputs()) inputs.push_back(extents_for(input));
  try {
    return node.op()->infer_shape(node, inputs);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::Interrupted) throw;
    return {};
  }
}

void ShapeInference::note_given(Apply& node) {
  const IndexMap* const map = node.op()->index_map(node);
  if (map == nullptr || !map->rule().is_given_lengths) return;
  const Variable& lengths = node.input(map->lengths);
  const std::int64_t ndim = node.output_type(0).tensor()->ndim();
  if (lengths.ndim() != 1 || lengths.static_shape()[0] != ndim) return;
  Shape& given = facts_.given_[&node];
  for (const Variable& each : elements_of(lengths, ndim))
    given.push_back(number(representative(each, node)));
}

/// The one shape of all arrays that an elementwise node reads, which then is its own: most nodes
/// are so. Else null.
const ShapeFacts::Shape* ShapeInference::shape_of_all_operands(const Apply& node) {
  if (node.op()->element_code(node) == nullptr) return nullptr;
  const Shape* shape = nullptr;
  for (const Variable& input : node.inputs()) {
    const TensorType* const type = input.type().tensor();
    if (type == nullptr || type->ndim() == 0) continue;
    const Shape& other = shape_for(input);
    if (shape != nullptr && *shape != other) return nullptr;
    shape = &other;
  }
  const auto ndim = static_cast<std::size_t>(node.output_type(0).tensor()->ndim());
  return shape != nullptr && shape->size() == ndim ? shape : nullptr;
}

const ShapeFacts::Shape& ShapeInference::shape_for(const Variable& v) {
  const auto found = facts_.shape_of_.find({v.node(), v.index()});
  return found != facts_.shape_of_.end() ? *found->second : note(v, extents_of(v));
}
Extents ShapeInference::extents_for(const Variable& v) {
  Extents extents;
  for (const Length length : shape_for(v)) extents.push_back(extents_[length]);
  return extents;
}

const ShapeFacts::Shape& ShapeInference::note(const Variable& v, const Extents& extents) {
  Shape& shape = facts_.shapes_.emplace_back();
  for (const Variable& each : extents) shape.push_back(number(each));
  facts_.shape_of_[{v.node(), v.index()}] = &shape;
  return shape;
}

/// The one Variable that stands for this length: an array's is what that was found to have.
Variable ShapeInference::representative(const Variable& extent, const Apply& node) {
  const AxisOf of = axis_of(extent);
  if (of.array && of.array.node() != &node)
    return extents_[shape_for(of.array)[static_cast<std::size_t>(of.axis)]];
  return distinct_(extent);
}

ShapeFacts::Length ShapeInference::number(const Variable& extent) {
  const auto known = known_extent(extent);
  const auto next = static_cast<Length>(facts_.known_.size());
  const Length found = known ? constants_.try_emplace(*known, next).first->second
                             : computed_.try_emplace(extent, next).first->second;
  if (found == next) {
    facts_.known_.push_back(known.value_or(kUnknownLength));
    extents_.push_back(extent);
  }
  return found;
}

ShapeFacts::ShapeFacts(std::span<const Variable> nodes) {
  ShapeInference inference(*this);
  for (const Variable& first : nodes) inference.add(*first.node());
}

std::span<const ShapeFacts::Length> ShapeFacts::shape(const Apply& node,
                                                      std::uint32_t output) const {
  const auto found = shape_of_.find({&node, output});
  if (found == shape_of_.end()) return {};
  return *found->second;
}

std::span<const ShapeFacts::Length> ShapeFacts::given(const Apply& node) const {
  const auto found = given_.find(&node);
  if (found == given_.end()) return {};
  return found->second;
}

ShapeFacts::Verdict ShapeFacts::compare(std::span<const Length> a,
                                        std::span<const Length> b) const {
  if (a.empty() || b.empty()) return Verdict::Unknown;
  if (a.size() != b.size()) return Verdict::Different;
  bool same = true;
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    if (a[axis] == b[axis]) continue;
    same = false;
    if (known_[a[axis]] != kUnknownLength && known_[b[axis]] != kUnknownLength)
      return Verdict::Different;
  }
  return same ? Verdict::Same : Verdict::Unknown;
}

std::vector<ShapeFacts::Length> ShapeFacts::both(std::span<const Length> a,
                                                 std::span<const Length> b) const {
  if (a.empty()) return {b.begin(), b.end()};
  std::vector<Length> together(a.begin(), a.end());
  for (std::size_t axis = 0; axis < b.size(); ++axis)
    if (known_[b[axis]] != kUnknownLength) together[axis] = b[axis];
  return together;
}

}  // namespace thunkvm

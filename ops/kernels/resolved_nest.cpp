#include "ops/kernels/resolved_nest.h"

#include "ops/kernels/row_tile.h"
#include "ops/kernels/rows_in_place.h"
#include "thunks/lengths.h"

#include <algorithm>

namespace thunkvm {
namespace {

/// The parts of an instance's memory behind its head.
struct Parts {
  explicit Parts(const Nest& nest)
      : inputs(nest.n_inputs),
        axes((1 + inputs + nest.fills.size()) * static_cast<std::size_t>(nest.ndim)),
        reductions(nest.reductions.size()),
        lengths(3 * static_cast<std::size_t>(nest.ndim)) {}

  std::size_t bytes() const {
    return sizeof(ResolvedNest) + inputs * sizeof(OperandMap) + axes * sizeof(Axis) +
           reductions * sizeof(std::size_t) + lengths * sizeof(std::int64_t);
  }

  std::size_t inputs, axes, reductions, lengths;
};

}  // namespace

bool broadcasts(Dims from, Dims to) {
  if (from.size() > to.size()) return false;
  const Dims last = to.last(from.size());
  for (std::size_t axis = 0; axis < from.size(); ++axis)
    if (from[axis] != last[axis] && from[axis] != 1) return false;
  return true;
}

std::size_t ResolvedNest::bytes(const Nest& nest) { return Parts(nest).bytes(); }

std::uint64_t ResolvedNest::bytes_moved(const Nest& nest) const {
  using Kind = OperandMap::Kind;
  std::int64_t bytes = 0;
  for (std::size_t k = 0; k < nest.n_inputs; ++k) {
    const OperandMap& map = inputs[k];
    std::int64_t elements = map.kind == Kind::Identity ? size : 1;
    if (map.kind == Kind::Strided || map.kind == Kind::Pad)
      for (const Axis& axis : map.axes)
        if (axis.stride != 0) elements *= axis.length;
    bytes += elements * nest.item_sizes[k];
  }
  for (std::size_t j = 0; j < nest.n_outputs; ++j)
    bytes += size * nest.item_sizes[nest.n_inputs + j];
  return static_cast<std::uint64_t>(bytes);
}

Resolution::Resolution(const Nest& nest, ResolvedNest& instance)
    : nest_(nest),
      instance_(instance),
      ndim_(static_cast<std::size_t>(nest.ndim)),
      reduced_(nest.reduced) {
  const Parts parts(nest);
  instance = {};
  instance.inputs = reinterpret_cast<OperandMap*>(&instance + 1);
  axes_ = reinterpret_cast<Axis*>(instance.inputs + parts.inputs);
  instance.state_bytes = reinterpret_cast<std::size_t*>(axes_ + parts.axes);
  shape_ = reinterpret_cast<std::int64_t*>(instance.state_bytes + parts.reductions);
}

NestAxes Resolution::broadcast_to(Dims to, const Layout& from) {
  Axis* const axes = axes_;
  axes_ += broadcast_axes(from.shape(), from.strides, to, axes);
  return {axes, axes_};
}

void Resolution::map(const Layout& operand, bool has_lanes) {
  using Kind = OperandMap::Kind;
  const std::uint64_t bit = std::uint64_t{1} << next_;
  OperandMap& map = instance_.inputs[next_] = {};
  map.axes = broadcast_to(dims(), operand);
  if (map.axes.size() > 1)
    map.kind = Kind::Strided;
  else if (map.axes.size() == 1 && map.axes.front().stride != nest_.item_sizes[next_])
    map.kind = map.axes.front().stride == 0 ? Kind::Broadcast : Kind::Strided;
  if (map.kind != Kind::Identity)
    instance_.gathered |= bit;
  else if (!has_lanes)
    instance_.ends |= bit;
  ++next_;
}

bool Resolution::pad(const Layout& operand, const View& part, const char* origin) {
  if (!broadcasts(operand.shape(), part.shape())) return false;
  OperandMap& map = instance_.inputs[next_] = {};
  Axis* const pad_axes = axes_;
  for (int axis = 0; axis < part.ndim; ++axis) {
    if (part.lengths[axis] == 1) continue;
    if (part.lengths[axis] > 1 && part.strides[axis] <= 0) return false;
    *axes_++ = {part.lengths[axis], part.strides[axis]};
  }
  map.kind = OperandMap::Kind::Pad;
  map.pad_before = part.data - origin;
  map.pad_axes = {pad_axes, axes_};
  map.axes = broadcast_to(part.shape(), operand);
  instance_.gathered |= std::uint64_t{1} << next_++;
  return true;
}

void Resolution::finish() {
  instance_.shape = dims();
  const std::int64_t size = product_of_lengths(dims()).value_or(0);
  find_result_shapes();
  IterationTiles& tiles = instance_.tiles = IterationTiles(dims(), reduced_, axes_);
  lay_out_states();
  instance_.is_block = size <= kNestBlock && (nest_.reductions.empty() ||
                                              (tiles.are_sequences() && tiles.count() == size));
  if (!instance_.is_block && (nest_.reductions.empty() || tiles.are_in_order())) find_row_tiles();
  instance_.is_in_place = reads_in_place();
  instance_.scratch = instance_.gathered;
  for (std::size_t k = nest_.n_inputs + nest_.n_outputs; k < nest_.n_operands(); ++k)
    instance_.scratch |= std::uint64_t{1} << k;
  instance_.size = size;
}

bool Resolution::reads_in_place() const {
  if (nest_.body != nullptr || !nest_.element_functions.empty() || instance_.is_block) return false;
  return std::ranges::all_of(nest_.reductions, [&](const Nest::Reduction& reduction) {
    return RowsInPlace::can_read(instance_.inputs[reduction.operand],
                                 nest_.item_sizes[reduction.operand], instance_.tiles.n_inner());
  });
}

void Resolution::find_row_tiles() {
  for (std::size_t i = 0; i < nest_.n_inputs; ++i)
    if (OperandMap& map = instance_.inputs[i]; map.kind == OperandMap::Kind::Strided)
      map.rows_at_once = RowTile::rows_at_once(map.axes, nest_.item_sizes[i]);
}

void Resolution::find_result_shapes() {
  std::int64_t* const kept = shape_ + ndim_;
  std::int64_t* const as_ones = kept + ndim_;
  std::size_t n = 0;
  for (std::size_t axis = 0; axis < ndim_; ++axis) {
    const bool reduced = has_axis(reduced_, axis);
    as_ones[axis] = reduced ? 1 : shape_[axis];
    if (!reduced) kept[n++] = shape_[axis];
  }
  instance_.kept = {kept, n};
  instance_.kept_as_ones = {as_ones, ndim_};
}

void Resolution::lay_out_states() {
  for (std::size_t f = 0; f < nest_.reductions.size(); ++f) {
    const std::size_t bytes = instance_.tiles.state_bytes(*nest_.reductions[f].kernel);
    instance_.state_bytes[f] = (bytes + 15) / 16 * 16;
    instance_.states_bytes +=
        instance_.state_bytes[f] * static_cast<std::size_t>(instance_.tiles.outer_at_once());
  }
}

}  // namespace thunkvm

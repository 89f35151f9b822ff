#include "linkers/codegen/runtime/loop_instance.h"

#include "linkers/codegen/runtime/call_memory.h"
#include "linkers/codegen/runtime/loop_scratch.h"
#include "ops/kernels/array_kernel.h"
#include "thunks/lengths.h"

#include <algorithm>

namespace thunkvm {
namespace {

/// True if a value of lengths `from` can be broadcast to `to`.
bool broadcasts(Dims from, Dims to) {
  if (from.size() > to.size()) return false;
  const Dims last = to.last(from.size());
  for (std::size_t axis = 0; axis < from.size(); ++axis)
    if (from[axis] != last[axis] && from[axis] != 1) return false;
  return true;
}

/// Makes `shape` what it and `from` broadcast to. False if they do not.
bool broadcast(Dims from, std::int64_t* shape, int ndim) {
  std::int64_t* const last = shape + (ndim - static_cast<int>(from.size()));
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    if (from[axis] == last[axis] || from[axis] == 1) continue;
    if (last[axis] != 1) return false;
    last[axis] = from[axis];
  }
  return true;
}

/// The lengths in a register that are to be those of the loop; null where they are too many.
const ArrayBody* given_lengths(const LoopNest& nest, const NativeCall& call, std::uint32_t reg) {
  const ArrayBody* const lengths = call.cells[reg].body();
  return lengths->ndim == 1 && lengths->dims[0] == nest.ndim ? lengths : nullptr;
}
std::int64_t length_in(const ArrayBody& lengths, int axis) {
  return *reinterpret_cast<const std::int64_t*>(lengths.data + axis * lengths.dims[1]);
}

/// A source as an instance knows it: lengths and strides follow.
struct SourceKey {
  std::uint32_t reg, slot;
  std::int64_t version;  ///< of the lengths of a value in a slot; 0: it is an array
  std::int64_t n_dims;

  static constexpr std::size_t words(int ndim) {
    return sizeof(SourceKey) / sizeof(std::int64_t) + 2 * static_cast<std::size_t>(ndim);
  }
};

/// The parts of an instance's memory behind its head.
struct Parts {
  explicit Parts(const LoopNest& nest) {
    const auto n = static_cast<std::size_t>(nest.ndim);
    for (const LoopNest::Source& source : nest.sources) key += SourceKey::words(source.ndim);
    lengths = 3 * n;
    reductions = nest.reductions.size();
    inputs = nest.inputs.size();
    axes = n;
    for (const LoopNest::Input& input : nest.inputs) axes += input.pad ? 2 * n : n;
  }
  std::size_t bytes() const {
    return sizeof(LoopInstance) + inputs * sizeof(OperandMap) + axes * sizeof(Axis) +
           reductions * sizeof(std::size_t) + (lengths + key) * sizeof(std::int64_t);
  }

  std::size_t inputs = 0, axes = 0, reductions = 0, lengths = 0, key = 0;
};

class Resolution {
 public:
  Resolution(const LoopNest& nest, const LoopLayouts& layouts, LoopInstance& instance)
      : nest_(nest),
        layouts_(layouts),
        instance_(instance),
        next_slice_(LoopScratch::of_thread().slices(nest.n_slices)) {
    const Parts parts(nest);
    instance.inputs = reinterpret_cast<OperandMap*>(&instance + 1);
    axes_ = reinterpret_cast<Axis*>(instance.inputs + parts.inputs);
    instance.state_bytes = reinterpret_cast<std::size_t*>(axes_ + parts.axes);
    shape_ = reinterpret_cast<std::int64_t*>(instance.state_bytes + parts.reductions);
    instance.key = shape_ + parts.lengths;
  }

  bool run() {
    for (std::size_t i = 0; i < nest_.sources.size(); ++i) locate(i);
    if (!find_shape()) return false;
    instance_.shape = shape();
    const std::int64_t size = product_of_lengths(shape()).value_or(0);
    if (size == 0 || size > kMostLoopElements) return false;
    for (std::size_t i = 0; i < nest_.inputs.size(); ++i)
      if (!map(i, size)) return false;
    if (!std::ranges::all_of(nest_.shaping, [&](std::uint64_t from) { return gives_shape(from); }))
      return false;
    find_result_shapes();
    instance_.tiles = IterationTiles(shape(), nest_.reduced, axes_);
    lay_out_states();
    instance_.is_block = size <= kLoopBlock &&
                         (nest_.reductions.empty() ||
                          (instance_.tiles.are_sequences() && instance_.tiles.count() == size));
    keep_key();
    instance_.size = size;
    return true;
  }

 private:
  Dims shape() const { return {shape_, static_cast<std::size_t>(nest_.ndim)}; }
  Dims shape_of(std::size_t input) const {
    const std::uint32_t source = nest_.inputs[input].source;
    return source == kNone ? Dims{} : located_[source].shape();
  }

  void locate(std::size_t i) {
    Layout& layout = located_[i] = layouts_.source(i);
    for (const LoopNest::Slice& slice : nest_.sources[i].slices)
      layout = find(slice, layout).layout();
  }
  const View& find(const LoopNest::Slice& slice, const Layout& of) {
    View& part = *next_slice_++;
    part.ndim = 0;
    slice.find(layouts_.activation(), nest_.members.steps[slice.member].operands, of, part);
    return part;
  }

  // ---- the iteration space ----

  bool find_shape() {
    return nest_.alike.empty() && nest_.lengths.empty() ? take_broadcast_shape()
                                                        : take_given_shape();
  }

  /// The shape that members say the loop has: all have to say the same.
  bool take_given_shape() {
    bool known = false;
    const auto agrees = [&](int axis, std::int64_t length) {
      if (!known) shape_[axis] = length;
      return shape_[axis] == length;
    };
    for (const std::uint32_t source : nest_.alike) {
      const Layout& array = located_[source];
      if (array.ndim != nest_.ndim) return false;
      for (int axis = 0; axis < nest_.ndim; ++axis)
        if (!agrees(axis, array.lengths[axis])) return false;
      known = true;
    }
    for (std::size_t i = 0; i < nest_.lengths.size(); ++i) {
      const std::vector<std::int64_t>& given = layouts_.given(i);
      if (given.empty()) return false;
      for (int axis = 0; axis < nest_.ndim; ++axis)
        if (!agrees(axis, given[static_cast<std::size_t>(axis)])) return false;
      known = true;
    }
    for (std::size_t i = 0; i < nest_.inputs.size(); ++i)
      if (!nest_.inputs[i].pad && !broadcasts(shape_of(i), shape())) return false;
    return true;
  }

  bool take_broadcast_shape() {
    std::fill_n(shape_, nest_.ndim, 1);
    for (std::size_t i = 0; i < nest_.inputs.size(); ++i)
      if (!nest_.inputs[i].pad && !broadcast(shape_of(i), shape_, nest_.ndim)) return false;
    return true;
  }

  /// True if these inputs, broadcast together, have the loop's shape.
  bool gives_shape(std::uint64_t inputs) const {
    std::int64_t own[kMaxDims];
    std::fill_n(own, nest_.ndim, 1);
    for (std::size_t i = 0; i < nest_.inputs.size(); ++i)
      if (((inputs >> i) & 1u) != 0) broadcast(shape_of(i), own, nest_.ndim);
    return same_lengths({own, static_cast<std::size_t>(nest_.ndim)}, shape());
  }

  void find_result_shapes() {
    std::int64_t* const kept = shape_ + nest_.ndim;
    std::int64_t* const as_ones = kept + nest_.ndim;
    std::size_t n = 0;
    for (int axis = 0; axis < nest_.ndim; ++axis) {
      const bool reduced = ((nest_.reduced >> axis) & 1u) != 0;
      as_ones[axis] = reduced ? 1 : shape_[axis];
      if (!reduced) kept[n++] = shape_[axis];
    }
    instance_.kept = {kept, n};
    instance_.kept_as_ones = {as_ones, static_cast<std::size_t>(nest_.ndim)};
  }

  // ---- index maps ----

  Axes broadcast_to(Dims to, const Layout& from) {
    Axis* const axes = axes_;
    axes_ += broadcast_axes(from.shape(), from.strides, to, axes);
    return {axes, axes_};
  }

  /// False if an input is not met in the order of the loop.
  bool map(std::size_t i, std::int64_t size) {
    const LoopNest::Input& input = nest_.inputs[i];
    OperandMap& map = instance_.inputs[i] = {};
    Layout operand{nullptr, 0, nullptr, nullptr};
    if (input.source != kNone) {
      operand = located_[input.source];
      map.source = input.source;
      map.offset = operand.data - layouts_.source(input.source).data;
      map.has_lanes =
          layouts_.source(input.source).version != 0 && nest_.sources[input.source].slices.empty();
    }
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (input.pad) {
      if (!pad(i, operand, size)) return false;
      (map.kind == OperandMap::Kind::Surrounded ? instance_.surrounded : instance_.gathered) |= bit;
      return true;
    }
    map.axes = broadcast_to(shape(), operand);
    map.kind = lies_side_by_side(map, i)                              ? OperandMap::Kind::Identity
               : map.axes.size() == 1 && map.axes.front().stride == 0 ? OperandMap::Kind::Broadcast
                                                                      : OperandMap::Kind::Strided;
    if (map.kind != OperandMap::Kind::Identity)
      instance_.gathered |= bit;
    else if (!map.has_lanes)
      instance_.ends |= bit;
    return true;
  }

  bool lies_side_by_side(const OperandMap& map, std::size_t i) const {
    return map.axes.empty() ||
           (map.axes.size() == 1 && map.axes.front().stride == nest_.item_sizes[i]);
  }

  bool pad(std::size_t i, const Layout& operand, std::int64_t size) {
    OperandMap& map = instance_.inputs[i];
    std::int64_t strides[kMaxDims];
    for (std::int64_t axis = nest_.ndim, stride = 1; axis-- > 0; stride *= shape_[axis])
      strides[axis] = stride;
    char origin = 0;
    const View& part = find(nest_.inputs[i].pad->slice, {&origin, nest_.ndim, shape_, strides});
    if (!broadcasts(operand.shape(), part.shape())) return false;
    Axis* const pad_axes = axes_;
    for (int axis = 0; axis < part.ndim; ++axis) {
      if (part.lengths[axis] == 1) continue;
      if (part.lengths[axis] > 1 && part.strides[axis] <= 0)
        return false;  // what goes backwards is not met in order
      *axes_++ = {part.lengths[axis], part.strides[axis]};
    }
    map.pad_before = part.data - &origin;
    if (map.source == kNone)
      map.offset = static_cast<std::int64_t>(nest_.inputs[i].pad->value * sizeof(NumberBits));
    map.pad_axes = {pad_axes, axes_};
    map.axes = broadcast_to(part.shape(), operand);
    map.kind = has_room_around(i, map, size) ? OperandMap::Kind::Surrounded : OperandMap::Kind::Pad;
    return true;
  }

  /// True if all lanes of the loop fit around a value in a slot, which the nest pads once.
  bool has_room_around(std::size_t i, const OperandMap& map, std::int64_t size) const {
    const Axes axes = map.pad_axes;
    if (!map.has_lanes || size > kLoopBlock || !lies_side_by_side(map, i) || axes.size() > 1 ||
        (axes.size() == 1 && (axes.front().stride != 1 || axes.front().length == 0)))
      return false;
    const auto same = [&](const LoopNest::Input& other) {
      return other.pad && other.source == nest_.inputs[i].source;
    };
    const std::int64_t n = axes.empty() ? 1 : axes.front().length;
    const std::int64_t behind = whole_lanes(size) - map.pad_before - n;
    const std::int64_t bytes = nest_.item_sizes[i];
    return map.pad_before * bytes <= static_cast<std::int64_t>(kTemporaryFront) &&
           behind * bytes <= static_cast<std::int64_t>(kArrayPadding) &&
           std::ranges::count_if(nest_.inputs, same) == 1;
  }

  void lay_out_states() {
    for (std::size_t f = 0; f < nest_.reductions.size(); ++f) {
      const std::size_t bytes = instance_.tiles.state_bytes(*nest_.reductions[f].kernel);
      instance_.state_bytes[f] = (bytes + 15) / 16 * 16;
      instance_.states_bytes +=
          instance_.state_bytes[f] * static_cast<std::size_t>(instance_.tiles.outer_at_once());
    }
  }

  bool is_part_of_another(std::size_t i) const {
    return std::ranges::any_of(std::span(nest_.sources).first(i), [&](const auto& other) {
      return other.reg == nest_.sources[i].reg;
    });
  }
  void keep_key() {
    std::int64_t* key = instance_.key;
    for (std::size_t i = 0; i < nest_.sources.size(); ++i) {
      const LoopNest::Source& source = nest_.sources[i];
      const LoopLayouts::SourceLayout& layout = layouts_.source(i);
      // Several parts of one array are compared once.
      const int ndim = is_part_of_another(i) ? 0 : source.ndim;
      *reinterpret_cast<SourceKey*>(key) = {source.reg, source.slot, layout.version, 2 * ndim};
      std::int64_t* const dims = key + SourceKey::words(0);
      std::copy_n(layout.lengths, ndim, dims);
      std::copy_n(layout.strides, ndim, dims + ndim);
      key += SourceKey::words(ndim);
    }
  }

  const LoopNest& nest_;
  const LoopLayouts& layouts_;
  LoopInstance& instance_;
  View* next_slice_;
  Axis* axes_;           // the next free ones
  std::int64_t* shape_;  // and lengths of results
  Layout located_[kLoopOperands];
};

}  // namespace

LoopLayouts::LoopLayouts(const LoopNest& nest, const NativeCall& call)
    : activation_(*call.activation) {
  const CallMemory memory(call);
  SourceLayout* next = sources_;
  for (const LoopNest::Source& source : nest.sources) {
    SourceLayout& layout = *next++;
    if (source.slot != kNone) {
      const Temporary& value = memory[source.slot];
      if (value.data != nullptr) {
        layout = {{value.data, source.ndim, value.lengths, value.strides},
                  static_cast<std::int64_t>(value.version)};
        continue;
      }
    }
    layout = {Layout::of(*call.cells[source.reg].body()), 0};
  }
  for (const std::uint32_t reg : nest.lengths) {
    std::vector<std::int64_t>& given = given_.emplace_back();
    if (const ArrayBody* const lengths = given_lengths(nest, call, reg))
      for (int axis = 0; axis < nest.ndim; ++axis) given.push_back(length_in(*lengths, axis));
  }
}

std::size_t LoopInstance::bytes(const LoopNest& nest) { return Parts(nest).bytes(); }

bool LoopInstance::fits(const LoopNest& nest, const NativeCall& call, char** data) const {
  if (size == 0) return false;
  const CallMemory memory(call);
  std::int64_t different = 0;
  const std::int64_t* next = key;
  for (std::size_t n = nest.sources.size(); n-- > 0;) {
    const SourceKey& kept = *reinterpret_cast<const SourceKey*>(next);
    next += SourceKey::words(0);
    if (kept.slot != kNone && memory[kept.slot].data != nullptr) {
      const Temporary& value = memory[kept.slot];
      different |= static_cast<std::int64_t>(value.version) ^ kept.version;
      *data++ = value.data;
    } else {
      const ArrayBody& array = *call.cells[kept.reg].body();
      different |= kept.version;
      for (std::int64_t k = 0; k < kept.n_dims; ++k) different |= array.dims[k] ^ next[k];
      *data++ = array.data;
    }
    next += kept.n_dims;
  }
  if (different != 0) return false;
  for (const std::uint32_t reg : nest.lengths) {
    const ArrayBody* const lengths = given_lengths(nest, call, reg);
    if (lengths == nullptr) return false;
    for (int axis = 0; axis < nest.ndim; ++axis)
      if (length_in(*lengths, axis) != shape[static_cast<std::size_t>(axis)]) return false;
  }
  return true;
}

bool resolve(const LoopNest& nest, const LoopLayouts& layouts, LoopInstance& instance) {
  instance = {};
  return Resolution(nest, layouts, instance).run();
}

}  // namespace thunkvm

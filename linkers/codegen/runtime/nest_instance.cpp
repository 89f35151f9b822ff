#include "linkers/codegen/runtime/nest_instance.h"

#include "linkers/codegen/runtime/call_memory.h"
#include "linkers/codegen/runtime/limits.h"
#include "ops/kernels/array_kernel.h"
#include "thunks/lengths.h"
#include "thunks/strided.h"

#include <algorithm>

namespace thunkvm {
namespace {

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

/// The lengths in a register that are to be those of the nest; null where they are too many.
const ArrayBody* given_lengths(const FusedNest& fused, const NativeCall& call, std::uint32_t reg) {
  const ArrayBody* const lengths = call.cells[reg].body();
  return lengths->ndim == 1 && lengths->dims[0] == fused.nest.ndim ? lengths : nullptr;
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

class NestResolution {
 public:
  NestResolution(const FusedNest& fused, const NestLayouts& layouts, NestInstance& instance)
      : fused_(fused),
        layouts_(layouts),
        instance_(instance),
        nest_(fused.nest, instance.resolved) {
    char* const parts =
        reinterpret_cast<char*>(&instance.resolved) + ResolvedNest::bytes(fused.nest);
    instance.locations = reinterpret_cast<NestInstance::Location*>(parts);
    instance.surrounded =
        reinterpret_cast<NestInstance::Surrounded*>(instance.locations + fused.inputs.size());
    instance.key = reinterpret_cast<std::int64_t*>(instance.surrounded + fused.inputs.size());
  }

  bool run() {
    std::size_t n_slices = fused_.inputs.size();
    for (const FusedNest::Source& source : fused_.sources) n_slices += source.slices.size();
    slices_.reserve(n_slices);
    for (std::size_t i = 0; i < fused_.sources.size(); ++i) locate(i);
    if (!find_shape()) return false;
    const std::int64_t size = product_of_lengths(nest_.dims()).value_or(0);
    if (size == 0 || size > kMostNestElements) return false;
    for (std::size_t i = 0; i < fused_.inputs.size(); ++i)
      if (!map(i, size)) return false;
    if (!std::ranges::all_of(fused_.own_spaces,
                             [&](std::uint64_t from) { return gives_shape(from); }))
      return false;
    keep_key();
    nest_.finish();
    return true;
  }

 private:
  int ndim() const { return fused_.nest.ndim; }
  Dims shape_of(std::size_t input) const {
    const std::uint32_t source = fused_.inputs[input].source;
    return source == kNone ? Dims{} : located_[source].shape();
  }

  void locate(std::size_t i) {
    Layout& layout = located_[i] = layouts_.source(i);
    for (const FusedNest::Slice& slice : fused_.sources[i].slices)
      layout = find(slice, layout).layout();
  }
  const View& find(const FusedNest::Slice& slice, const Layout& of) {
    View& part = slices_.emplace_back();
    slice.find(layouts_.activation(), fused_.members.steps[slice.member].operands, of, part);
    return part;
  }

  // ---- the iteration space ----

  bool find_shape() {
    return fused_.alike.empty() && fused_.lengths.empty() ? take_broadcast_shape()
                                                          : take_given_shape();
  }

  /// The shape that members say the nest has: all have to say the same.
  bool take_given_shape() {
    bool known = false;
    const auto agrees = [&](int axis, std::int64_t length) {
      if (!known) nest_.shape()[axis] = length;
      return nest_.shape()[axis] == length;
    };
    for (const std::uint32_t source : fused_.alike) {
      const Layout& array = located_[source];
      if (array.ndim != ndim()) return false;
      for (int axis = 0; axis < ndim(); ++axis)
        if (!agrees(axis, array.lengths[axis])) return false;
      known = true;
    }
    for (std::size_t i = 0; i < fused_.lengths.size(); ++i) {
      const std::vector<std::int64_t>& given = layouts_.given(i);
      if (given.empty()) return false;
      for (int axis = 0; axis < ndim(); ++axis)
        if (!agrees(axis, given[static_cast<std::size_t>(axis)])) return false;
      known = true;
    }
    for (std::size_t i = 0; i < fused_.inputs.size(); ++i)
      if (!fused_.inputs[i].pad && !broadcasts(shape_of(i), nest_.dims())) return false;
    return true;
  }

  bool take_broadcast_shape() {
    std::fill_n(nest_.shape(), ndim(), 1);
    for (std::size_t i = 0; i < fused_.inputs.size(); ++i)
      if (!fused_.inputs[i].pad && !broadcast(shape_of(i), nest_.shape(), ndim())) return false;
    return true;
  }

  /// True if these inputs, broadcast together, have the nest's shape.
  bool gives_shape(std::uint64_t inputs) const {
    std::int64_t own[kMaxDims];
    std::fill_n(own, ndim(), 1);
    for (std::size_t i = 0; i < fused_.inputs.size(); ++i)
      if (((inputs >> i) & 1u) != 0) broadcast(shape_of(i), own, ndim());
    return same_lengths({own, static_cast<std::size_t>(ndim())}, nest_.dims());
  }

  // ---- index maps ----

  /// False if an input is not met in the order of the nest.
  bool map(std::size_t i, std::int64_t size) {
    const FusedNest::Input& input = fused_.inputs[i];
    NestInstance::Location& location = instance_.locations[i] = {fused_.sources.size(), 0};
    Layout operand{nullptr, 0, nullptr, nullptr};
    bool has_lanes = false;  // as temporaries have
    if (input.source != kNone) {
      const NestLayouts::SourceLayout& source = layouts_.source(input.source);
      operand = located_[input.source];
      location = {input.source, operand.data - source.data};
      has_lanes = source.version != 0 && fused_.sources[input.source].slices.empty();
    } else if (input.pad) {
      location.offset = static_cast<std::int64_t>(input.pad->value * sizeof(NumberBits));
    }
    if (!input.pad) {
      nest_.map(operand, has_lanes);
      return true;
    }
    std::int64_t strides[kMaxDims];
    fill_dense_strides(Dims(nest_.shape(), ndim()), 1, strides);
    char origin = 0;
    const View& part = find(input.pad->slice, {&origin, ndim(), nest_.shape(), strides});
    if (has_lanes && surround(i, operand, part, part.data - &origin, size)) return true;
    return nest_.pad(operand, part, &origin);
  }

  /// Has the numbers written around a value in a slot, which the fused pads once, and all lanes of
  /// the nest fit there. False: they do not.
  bool surround(std::size_t i, const Layout& operand, const View& part, std::int64_t before,
                std::int64_t size) {
    const std::int64_t n = product_of_lengths(part.shape()).value_or(0);
    const std::int64_t bytes = fused_.nest.item_sizes[i];
    const std::int64_t behind = whole_lanes(size) - before - n;
    const auto same = [&](const FusedNest::Input& other) {
      return other.pad && other.source == fused_.inputs[i].source;
    };
    if (size > kNestBlock || n == 0 || !same_lengths(operand.shape(), part.shape()) ||
        !is_one_stretch(part) || before * bytes > static_cast<std::int64_t>(kTemporaryFront) ||
        behind * bytes > static_cast<std::int64_t>(kArrayPadding) ||
        std::ranges::count_if(fused_.inputs, same) != 1)
      return false;
    instance_.surrounded[instance_.n_surrounded++] = {
        static_cast<std::uint32_t>(i), fused_.nest.fills[i], bytes, before, before + n, size};
    instance_.locations[i].offset -= before * bytes;
    std::int64_t in_order[kMaxDims];
    fill_dense_strides(Dims(nest_.shape(), ndim()), bytes, in_order);
    nest_.map({operand.data, ndim(), nest_.shape(), in_order}, true);
    return true;
  }
  /// True if the elements of a part follow each other in the nest.
  static bool is_one_stretch(const View& part) {
    std::int64_t stride = 1;
    for (int axis = part.ndim; axis-- > 0; stride *= part.lengths[axis])
      if (part.lengths[axis] != 1 && part.strides[axis] != stride) return false;
    return true;
  }

  bool is_part_of_another(std::size_t i) const {
    return std::ranges::any_of(std::span(fused_.sources).first(i), [&](const auto& other) {
      return other.reg == fused_.sources[i].reg;
    });
  }
  void keep_key() {
    std::int64_t* key = instance_.key;
    for (std::size_t i = 0; i < fused_.sources.size(); ++i) {
      const FusedNest::Source& source = fused_.sources[i];
      const NestLayouts::SourceLayout& layout = layouts_.source(i);
      // Several parts of one array are compared once.
      const int ndim = is_part_of_another(i) ? 0 : source.ndim;
      *reinterpret_cast<SourceKey*>(key) = {source.reg, source.slot, layout.version, 2 * ndim};
      std::int64_t* const dims = key + SourceKey::words(0);
      std::copy_n(layout.lengths, ndim, dims);
      std::copy_n(layout.strides, ndim, dims + ndim);
      key += SourceKey::words(ndim);
    }
  }

  const FusedNest& fused_;
  const NestLayouts& layouts_;
  NestInstance& instance_;
  Resolution nest_;
  std::vector<View> slices_;  // reserved: layouts refer to them
  Layout located_[kNestOperands];
};

}  // namespace

NestLayouts::NestLayouts(const FusedNest& fused, const NativeCall& call)
    : activation_(*call.activation) {
  const CallMemory memory(call);
  SourceLayout* next = sources_;
  for (const FusedNest::Source& source : fused.sources) {
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
  for (const std::uint32_t reg : fused.lengths) {
    std::vector<std::int64_t>& given = given_.emplace_back();
    if (const ArrayBody* const lengths = given_lengths(fused, call, reg))
      for (int axis = 0; axis < fused.nest.ndim; ++axis) given.push_back(length_in(*lengths, axis));
  }
}

std::size_t NestInstance::bytes(const FusedNest& fused) {
  std::size_t key = 0;
  for (const FusedNest::Source& source : fused.sources) key += SourceKey::words(source.ndim);
  return sizeof(NestInstance) - sizeof(ResolvedNest) + ResolvedNest::bytes(fused.nest) +
         fused.inputs.size() * (sizeof(Location) + sizeof(Surrounded)) + key * sizeof(std::int64_t);
}

bool NestInstance::fits(const FusedNest& fused, const NativeCall& call, char** data) const {
  if (resolved.size == 0) return false;
  const CallMemory memory(call);
  std::int64_t different = 0;
  const std::int64_t* next = key;
  for (std::size_t n = fused.sources.size(); n-- > 0;) {
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
  for (const std::uint32_t reg : fused.lengths) {
    const ArrayBody* const lengths = given_lengths(fused, call, reg);
    if (lengths == nullptr) return false;
    for (int axis = 0; axis < fused.nest.ndim; ++axis)
      if (length_in(*lengths, axis) != resolved.shape[static_cast<std::size_t>(axis)]) return false;
  }
  return true;
}

bool resolve(const FusedNest& fused, const NestLayouts& layouts, NestInstance& instance) {
  instance = {};
  return NestResolution(fused, layouts, instance).run();
}

}  // namespace thunkvm

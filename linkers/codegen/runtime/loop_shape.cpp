#include "linkers/codegen/runtime/loop_shape.h"

#include "ops/kernels/array_kernel.h"
#include "thunks/lengths.h"

#include <algorithm>

namespace thunkvm {
namespace {

// More than any memory has room for: the members refuse it, in their own words.
constexpr std::int64_t kMostElements = std::int64_t{1} << 48;

bool lies_side_by_side(const Layout& view, std::int64_t item_size) {
  std::int64_t expected = item_size;
  for (int axis = view.ndim; axis-- > 0;) {
    if (view.lengths[axis] != 1 && view.strides[axis] != expected) return false;
    expected *= view.lengths[axis];
  }
  return true;
}

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

char origin = 0;

}  // namespace

char* const LoopShape::kOrigin = &origin;

void LoopShape::locate(const FusedLoop::Source& source, LoopOperand& operand) {
  operand = whole_of(source, call_);
  if (source.parts.empty()) [[likely]]
    return;
  for (const FusedLoop::Finder& finder : source.parts) {
    View& part = *next_part_++;
    part.ndim = 0;
    finder.find(*call_.activation, loop_.members.steps[finder.member].operands, operand, part);
    static_cast<Layout&>(operand) = part.layout();
  }
  operand.contiguous =
      lies_side_by_side(operand, static_cast<std::int64_t>(item_size(source.dtype)));
  operand.padded = false;
}

bool LoopShape::find() {
  const std::size_t n = loop_.inputs.size();
  LoopOperand* next = located_;
  for (const FusedLoop::Source& source : loop_.sources) locate(source, *next++);
  for (std::size_t i = 0; i < n; ++i) {
    const FusedLoop::Input& input = loop_.inputs[i];
    if (input.source == kNone) {
      char* const number =
          reinterpret_cast<char*>(const_cast<NumberBits*>(numbers_ + input.placement->value));
      *next = {{number, 0, nullptr, nullptr}, true, false};
      inputs_[i] = next++;
    } else {
      inputs_[i] = &located_[input.source];
    }
  }
  if (!take_shape() || !has_elements()) return false;
  for (std::size_t i = 0; loop_.places && i < n; ++i)
    if (loop_.inputs[i].placement && !find_place(i)) return false;
  return std::ranges::all_of(loop_.shaping,
                             [&](std::uint64_t inputs) { return gives_shape(inputs); });
}

bool LoopShape::take_shape() {
  const bool given = !loop_.alike.empty() || !loop_.lengths.empty();
  if (!given && take_common_shape()) [[likely]]
    return true;
  if (!(given ? take_given_shape() : take_broadcast_shape())) return false;
  for (std::size_t i = 0; i < loop_.inputs.size(); ++i)
    if (!loop_.inputs[i].placement) alike_ |= std::uint64_t{has_loop_shape(*inputs_[i])} << i;
  return true;
}

bool LoopShape::has_elements() {
  size_ = product_of_lengths(shape()).value_or(0);
  return size_ != 0 && size_ <= kMostElements;
}

/// The shape of all inputs, where it is one.
bool LoopShape::take_common_shape() {
  const std::size_t n = loop_.inputs.size();
  if (n == 0 || inputs_[0]->ndim != loop_.ndim) return false;
  for (int axis = 0; axis < loop_.ndim; ++axis) shape_[axis] = inputs_[0]->lengths[axis];
  for (std::size_t i = 1; i < n; ++i)
    if (!has_loop_shape(*inputs_[i])) return false;
  alike_ = ~std::uint64_t{0};
  return true;
}

/// True if these inputs, broadcast together, have the loop's shape.
bool LoopShape::gives_shape(std::uint64_t inputs) const {
  if ((inputs & alike_) != 0) return true;
  std::int64_t own[kMaxDims];
  std::fill_n(own, loop_.ndim, 1);
  for (std::size_t i = 0; i < loop_.inputs.size(); ++i)
    if (((inputs >> i) & 1u) != 0) broadcast(inputs_[i]->shape(), own, loop_.ndim);
  return same_lengths({own, static_cast<std::size_t>(loop_.ndim)}, shape());
}

/// The shape that members say the loop has: all have to say the same.
bool LoopShape::take_given_shape() {
  bool known = false;
  for (const std::uint32_t source : loop_.alike) {
    const LoopOperand& array = located_[source];
    if (!known) {
      if (array.ndim != loop_.ndim) return false;
      for (int axis = 0; axis < loop_.ndim; ++axis) shape_[axis] = array.lengths[axis];
      known = true;
    } else if (!has_loop_shape(array)) {
      return false;
    }
  }
  for (const std::uint32_t reg : loop_.lengths) {
    const ArrayBody& lengths = *call_.cells[reg].body();
    if (lengths.ndim != 1 || lengths.dims[0] != loop_.ndim) return false;
    for (int axis = 0; axis < loop_.ndim; ++axis) {
      const std::int64_t length =
          *reinterpret_cast<const std::int64_t*>(lengths.data + axis * lengths.dims[1]);
      if (known && shape_[axis] != length) return false;
      shape_[axis] = length;
    }
    known = true;
  }
  for (std::size_t i = 0; i < loop_.inputs.size(); ++i)
    if (!loop_.inputs[i].placement && !broadcasts(inputs_[i]->shape(), shape())) return false;
  return true;
}

bool LoopShape::take_broadcast_shape() {
  for (int axis = 0; axis < loop_.ndim; ++axis) shape_[axis] = 1;
  for (std::size_t i = 0; i < loop_.inputs.size(); ++i)
    if (!broadcast(inputs_[i]->shape(), shape_, loop_.ndim)) return false;
  return true;
}

bool LoopShape::find_place(std::size_t i) {
  const FusedLoop::Finder& part = loop_.inputs[i].placement->part;
  View& all = *next_part_++;
  View& place = *next_part_++;
  all.data = kOrigin;
  all.ndim = loop_.ndim;
  std::int64_t stride = 1;
  for (int axis = loop_.ndim; axis-- > 0;) {
    all.lengths[axis] = shape_[axis];
    all.strides[axis] = stride;
    stride *= shape_[axis];
  }
  place.ndim = 0;
  part.find(*call_.activation, loop_.members.steps[part.member].operands, all.layout(), place);
  places_[i] = &place;
  for (int axis = 0; axis < place.ndim; ++axis)  // what goes backwards is not met in order
    if (place.strides[axis] <= 0 && place.lengths[axis] > 1) return false;
  return broadcasts(inputs_[i]->shape(), place.shape());
}

}  // namespace thunkvm

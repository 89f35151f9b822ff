#include "linkers/user_code/input_guard.h"

#include "ops/kernels/gathered_blocks.h"
#include "thunks/error.h"

#include <algorithm>
#include <cstring>

namespace thunkvm {
namespace {

bool checking = false;

/// Calls `f(position, element, copied)` for each element that differs, in C order, until it says
/// false. Needs no memory: values are put back where there is none, too.
template <class F>
void each_changed(const Array& array, const Array& copy, F&& f) {
  const std::size_t item = item_size(copy.dtype());
  Axis axes[kMaxDims];
  const int n = broadcast_axes(array.shape(), array.strides().data(), array.shape(), axes);
  const char* copied = copy.data();
  Position at;
  at.begin({axes, static_cast<std::size_t>(n)});
  for (std::int64_t k = 0; at.left() > 0; ++k, at.advance(1), copied += item)
    if (char* const element = array.data() + at.distance();
        std::memcmp(element, copied, item) != 0 && !f(k, element, copied))
      return;
}

/// The position of the first element that differs; none: the size.
std::int64_t first_changed(const Array& array, const Array& copy) {
  std::int64_t first = copy.size();
  if (array.contiguous() && std::memcmp(array.data(), copy.data(), copy.bytes()) == 0) return first;
  each_changed(array, copy, [&](std::int64_t position, char*, const char*) {
    first = position;
    return false;
  });
  return first;
}

/// "(1, 2)": the index of the element at a position in C order.
std::string index_of(std::int64_t position, Dims shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = position % shape[axis];
    position /= shape[axis];
  }
  return format_shape(index);
}

}  // namespace

InputGuard::InputGuard(const std::string& op, std::span<const std::uint32_t> destroyed,
                       const Activation& activation, const Operands& operands)
    : InputGuard(op, destroyed) {
  for (int i = 0; i < operands.n_inputs; ++i) keep(i, activation.input(operands, i));
}

void InputGuard::keep(int input, const Cell& cell) {
  const bool declared = std::ranges::binary_search(destroyed_, static_cast<std::uint32_t>(input));
  if (!declared && cell.is_array()) kept_.push_back({input, cell.array(), cell.array().copy()});
}

InputGuard::~InputGuard() {
  for (const Kept& kept : kept_)
    each_changed(kept.array, kept.copy, [&](std::int64_t, char* element, const char* copied) {
      std::memcpy(element, copied, item_size(kept.copy.dtype()));
      return true;
    });
}

void InputGuard::check() {
  for (const Kept& kept : kept_) {
    const std::int64_t position = first_changed(kept.array, kept.copy);
    if (position == kept.copy.size()) continue;
    const std::string i = std::to_string(kept.input);
    throw Error(ErrorKind::Value,
                op_ + " wrote to its input " + i + ", at element " +
                    index_of(position, kept.copy.shape()) +
                    ", which its destroy_map does not name; the value was put back. Say "
                    "destroy_map = {0: [" +
                    i + "]} if output 0 is made in its memory, or work on a copy.");
  }
  kept_.clear();  // nothing to put back
}

void check_inputs_of_new_nodes(bool check) { checking = check; }
bool checks_inputs_of_new_nodes() { return checking; }

}  // namespace thunkvm

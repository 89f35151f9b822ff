#include "linkers/user_code/input_guard.h"

#include "thunks/error.h"

#include <algorithm>
#include <cstring>

namespace thunkvm {
namespace {

bool checking = false;

/// The position, in C order, of the first element that differs; none: the size.
std::int64_t first_changed(const Array& array, const Array& copy) {
  const Array now = array.as_contiguous();
  const std::size_t item = item_size(copy.dtype());
  if (std::memcmp(now.data(), copy.data(), copy.bytes()) == 0) return copy.size();
  std::int64_t k = 0;
  while (std::memcmp(now.data() + static_cast<std::size_t>(k) * item,
                     copy.data() + static_cast<std::size_t>(k) * item, item) == 0)
    ++k;
  return k;
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
    : op_(op) {
  for (int i = 0; i < operands.n_inputs; ++i) {
    const Cell& cell = activation.input(operands, i);
    const bool declared =
        std::binary_search(destroyed.begin(), destroyed.end(), static_cast<std::uint32_t>(i));
    if (declared || !cell.is_array()) continue;
    kept_.push_back({i, cell.array(), cell.array().copy()});
  }
}

InputGuard::~InputGuard() {
  for (const Kept& kept : kept_)
    if (first_changed(kept.array, kept.copy) != kept.copy.size())
      copy_elements(kept.copy, kept.array);
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

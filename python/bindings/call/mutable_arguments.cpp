#include "python/bindings/call/mutable_arguments.h"

#include "python/bindings/arrays/argument_memory.h"
#include "python/bindings/arrays/ndarray.h"
#include "python/bindings/graph/value.h"

#include <cstdint>
#include <utility>

namespace thunkvm {

void give_mutable_arguments(Call& call, const Program& program) {
  for (const std::uint32_t i : program.mutable_inputs) {
    Cell& cell = call.argument(i);
    if (!cell.is_array() || cell.body()->ndim == 0) continue;
    const ArrayBody& body = *cell.body();
    // Nobody else holds what was converted.
    if (!body.is_owner_itself || !body.buffer->writable() || body.buffer->exclusive()) continue;
    if (call.is_apart(i))
      cell.set_array(borrow_mutable(static_cast<PyArrayObject*>(body.buffer->owner()), body.dtype));
  }
}

bool is_own(const Cell& cell) {
  if (!exclusive(cell)) return false;
  return !cell.is_array() || !cell.body()->buffer->foreign() || !is_in_argument(*cell.body());
}

Cell make_own(Cell cell, const Type& type) {
  return is_own(cell) ? std::move(cell) : copy_value(cell, type);
}

}  // namespace thunkvm

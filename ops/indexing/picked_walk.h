// picked_walk.h: the way from the elements that an index with arrays picks to an array that holds
// them in C order, or back.
#pragma once

#include "ops/indexing/index_arrays.h"
#include "ops/kernels/stretches.h"
#include "thunks/strided.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace thunkvm {

/// The treatment of an element on the way: it is read, replaced, or added to.
enum class Access : std::uint8_t { Get, Set, Inc };

template <class T, Access kAccess>
void access(T& element, T& dense) {
  if constexpr (kAccess == Access::Get)
    dense = element;
  else if constexpr (kAccess == Access::Set)
    element = dense;
  else
    add_to(element, dense);
}

/// Moves between the elements that were found, in memory that begins at `elements`, and an array in
/// C order of their shape. An element that is picked twice is met in the order of the arrays.
/// Throws Error(Interrupted) if the host ends it.
template <class T, Access kAccess>
void walk(Host& host, const PickedElements& found, char* elements, const Array& dense) {
  constexpr std::int64_t kItem = sizeof(T);
  std::vector<std::int64_t> across(dense.strides().begin(), dense.strides().end());
  const auto first = across.begin() + static_cast<std::ptrdiff_t>(found.n_before);
  across.erase(first, first + static_cast<std::ptrdiff_t>(found.picked.size()));
  std::int64_t step = kItem;  // from one that is picked to the next, in `dense`
  for (std::size_t axis = found.n_before; axis < found.rest.size(); ++axis)
    step *= found.rest[axis];
  const std::int64_t n_picked = found.offsets.size();
  const std::int64_t* offsets = found.offsets.data_as<std::int64_t>();
  LongWork work(host, dense.size());
  StridedWalk(found.rest, std::array{StridedWalk::Operand{elements, found.rest, found.steps},
                                     StridedWalk::Operand{dense.data(), found.rest, across}})
      .run([&](char* const* p, const std::int64_t* s, std::int64_t n) {
        if (n > 1 && s[0] == kItem && s[1] == kItem) {  // whole runs
          work.in_parts(n_picked, n, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t b = begin; b < end; ++b) {
              T* element = reinterpret_cast<T*>(p[0] + offsets[b]);
              T* to = reinterpret_cast<T*>(p[1] + b * step);
              for (std::int64_t i = 0; i < n; ++i) access<T, kAccess>(element[i], to[i]);
            }
          });
          return;
        }
        for (std::int64_t i = 0; i < n; ++i) {
          char* const element = p[0] + i * s[0];
          char* const to = p[1] + i * s[1];
          work.in_parts(n_picked, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t b = begin; b < end; ++b)
              access<T, kAccess>(*reinterpret_cast<T*>(element + offsets[b]),
                                 *reinterpret_cast<T*>(to + b * step));
          });
        }
      });
}

}  // namespace thunkvm

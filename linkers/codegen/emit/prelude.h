// prelude.h: what every emitted module starts with: the types of its code, and the table of
// services that it may call. An emitted module includes no header.
#pragma once

#include "linkers/codegen/runtime/loop_nest.h"

#include <string>

namespace thunkvm {

/// The services, in the order in which `kPrelude` declares them.
struct NativeServices {
  int (*run)(NativeCall* call, std::uint32_t steps);
  int (*loop)(NativeCall* call, std::uint32_t loop, const NumberBits* numbers, NumberBits* results);
  std::uint32_t (*arm)(NativeCall* call, std::uint32_t branch);
  std::uint32_t (*arm_of)(NativeCall* call, std::uint32_t branch, NumberBits number,
                          std::uint32_t meta);
  int (*begin_memo)(NativeCall* call, std::uint32_t memo);
  std::uint32_t (*fail_memo)(NativeCall* call, std::uint32_t memo);
  void (*move)(Cell* to, Cell* from, int take);
  void (*clear)(Cell* cell);
  int (*before)(NativeCall* call, std::uint32_t step);
  int (*after)(NativeCall* call, std::uint32_t step);
};
extern const NativeServices kNativeServices;

extern const char* const kPrelude;

/// What the second word of a scalar cell of this dtype is called in emitted code: "TV_F64".
std::string cell_meta_name(DType dtype);

}  // namespace thunkvm

// decoding.h: how a selector's value picks an arm.
#pragma once

#include <cstdint>

namespace thunkvm {

enum class Decoding : std::uint8_t {
  Truth,  ///< two arms: arm 0 if the value is false (zero), arm 1 if it is true; NaN is an error
  Index,  ///< arm i for the value i in [0, n); anything else is an error
  IndexOrDefault,  ///< arm i for the value i in [0, n-1); anything else takes the last arm
};

}  // namespace thunkvm

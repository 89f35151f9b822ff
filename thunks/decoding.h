// decoding.h: how a selector's value picks an arm.
#pragma once

#include "thunks/words.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace thunkvm {

enum class Decoding : std::uint8_t {
  Truth,  ///< two arms: arm 0 if the value is false (zero), arm 1 if it is true; NaN is an error
  Index,  ///< arm i for the value i in [0, n); anything else is an error
  IndexOrDefault,  ///< arm i for the value i in [0, n-1); anything else takes the last arm
};

template <>
struct Words<Decoding> {
  static constexpr const char* name = "Decoding";
  static constexpr std::array words{"truth", "index", "index_or_default"};
};

/// The name by which users know an arm: "then", "case 2".
inline std::string arm_name(Decoding decoding, std::size_t n_arms, std::size_t arm) {
  if (decoding == Decoding::Truth) return arm == 1 ? "then" : "else";
  if (decoding == Decoding::IndexOrDefault && arm + 1 == n_arms) return "default";
  return "case " + std::to_string(arm);
}
/// The same of the test of a loop.
inline std::string loop_arm_name(std::size_t arm) { return arm == 1 ? "step" : "end"; }

}  // namespace thunkvm

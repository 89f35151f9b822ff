// limits.h: when a gradient's sums are written down whole, and why.
#pragma once

#include <cstdint>

namespace thunkvm {

/// A conditional of so many arms is written down whole even where one arm alone holds something.
/// With more, a sum names only the arms that hold something, so that all the sums of a switch whose
/// cases have parameters of their own are no larger than the switch: linked with its gradients, one
/// of 64 cases takes 22 us a case where all are whole and 13 us so, though 1.3 us a call become
/// 2.0 us. One of 8 takes 34 us a case and 0.32 us a call where all are whole, else 35 us and 0.41
/// us.
inline constexpr std::uint32_t kFewArms = 8;

}  // namespace thunkvm

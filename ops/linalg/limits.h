// limits.h: which products are worth a call of BLAS, and why.
#pragma once

#include <cstdint>

namespace thunkvm {

/// Multiply-adds up to which a plain loop takes the time of a call of BLAS, or less. Products of
/// 4 by 4, 5 by 5, 6 by 6 and 8 by 8 take 0.36, 0.35, 0.39 and 0.53 us by a loop, and 0.38, 0.38,
/// 0.35 and 0.37 us by BLAS; of two vectors of 128 0.36 and 0.37 us, of 500 0.58 and 0.42 us.
inline constexpr std::int64_t kPlainProduct = 1 << 9;

}  // namespace thunkvm

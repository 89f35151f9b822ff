// pcg64.h: NumPy's bit generator PCG64, as the state that a graph hands on (M. E. O'Neill, PCG: a
// family of simple fast space-efficient statistically good algorithms for random number generation,
// 2014: a 128-bit linear congruential generator with the output function XSL-RR).
#pragma once

#include <cstdint>

namespace thunkvm {

/// The words of a state in a graph, a uint64 vector: both halves of the position in the stream
/// (the upper one first), both halves of the stream's increment, and, since a draw of 32 bits takes
/// the lower half of 64, a flag and the upper half that is left. NumPy's `bit_generator.state` has
/// the same numbers.
inline constexpr std::int64_t kStateWords = 6;

/// A stream of random bits. Not thread-safe: one draw has it.
class Pcg64 {
 public:
  explicit Pcg64(const std::uint64_t* words)
      : state_(wide(words[0], words[1])),
        increment_(wide(words[2], words[3])),
        has_half_(words[4] != 0),
        half_(static_cast<std::uint32_t>(words[5])) {}

  /// From 256 bits, as NumPy seeds it from a SeedSequence: where it begins, and its increment.
  static Pcg64 seeded(const std::uint64_t* seed) {
    const std::uint64_t nowhere[kStateWords] = {};
    Pcg64 made(nowhere);
    made.increment_ = wide(seed[2], seed[3]) << 1 | 1;
    made.next64();
    made.state_ += wide(seed[0], seed[1]);
    made.next64();
    return made;
  }

  void write(std::uint64_t* words) const {
    words[0] = static_cast<std::uint64_t>(state_ >> 64);
    words[1] = static_cast<std::uint64_t>(state_);
    words[2] = static_cast<std::uint64_t>(increment_ >> 64);
    words[3] = static_cast<std::uint64_t>(increment_);
    words[4] = has_half_ ? 1 : 0;
    words[5] = half_;
  }

  std::uint64_t next64() {
    state_ = state_ * kMultiplier + increment_;
    const auto mixed =
        static_cast<std::uint64_t>(state_ >> 64) ^ static_cast<std::uint64_t>(state_);
    const auto turn = static_cast<unsigned>(state_ >> 122);
    return mixed >> turn | mixed << (-turn & 63);
  }

  std::uint32_t next32() {
    if (has_half_) {
      has_half_ = false;
      return half_;
    }
    const std::uint64_t both = next64();
    has_half_ = true;
    half_ = static_cast<std::uint32_t>(both >> 32);
    return static_cast<std::uint32_t>(both);
  }

  /// From 0 to 1, which is not one of them: a multiple of 2^-53.
  double next_double() { return static_cast<double>(next64() >> 11) * 0x1p-53; }
  /// The same, a multiple of 2^-24.
  float next_float() { return static_cast<float>(next32() >> 8) * 0x1p-24F; }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr Wide wide(std::uint64_t high, std::uint64_t low) {
    return static_cast<Wide>(high) << 64 | low;
  }
  static constexpr Wide kMultiplier =
      static_cast<Wide>(2549297995355413924ULL) << 64 | 4865540595714422341ULL;

  Wide state_, increment_;
  bool has_half_;
  std::uint32_t half_;
};

}  // namespace thunkvm

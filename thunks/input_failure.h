// input_failure.h: thunks that may go on where computing an input failed.
//
// What failed in a call stays failed: who demands it again is given the same failure. A lazy thunk
// whose input failed may deal with that, and then the call goes on; otherwise the failure is passed
// on to whoever waits for the thunk, and at last to the caller.
#pragma once

#include "thunks/thunk.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace thunkvm {

/// The outcome of a demand of a memo body, or of a lazy thunk's input, in a call. 0: there was
/// none.
inline constexpr std::uint8_t kComputed = 1;  // or being computed
inline constexpr std::uint8_t kFailed = 2;

/// An input that could not be computed.
struct InputFailure {
  std::uint32_t input;
  Failure failure;
};

/// The failures of one thunk's inputs in one call.
class InputFailures {
 public:
  void add(std::uint32_t input, Failure failure) { all_.push_back({input, std::move(failure)}); }
  /// Null for an input that did not fail.
  const Failure* of(std::uint32_t input) const {
    const auto found = std::find_if(all_.begin(), all_.end(),
                                    [&](const InputFailure& f) { return f.input == input; });
    return found == all_.end() ? nullptr : &found->failure;
  }
  /// The one that this error is; null where it is none of them.
  const Failure* with(const std::exception_ptr& error) const {
    const auto found = std::find_if(
        all_.begin(), all_.end(), [&](const InputFailure& f) { return f.failure.error == error; });
    return found == all_.end() ? nullptr : &found->failure;
  }
  void clear() noexcept { all_.clear(); }

 private:
  std::vector<InputFailure> all_;
};

/// The second base of a lazy BoundThunk that may go on where computing an input failed.
class FailureHandler {
 public:
  virtual ~FailureHandler() = default;
  /// In place of `BoundThunk::enter`, after computing an input that it requested failed; those that
  /// it requested after that one have not been computed. It may set outputs and request inputs, as
  /// when it is entered; if it requests this one, it is told again. Done: it has dealt with the
  /// failure; Failed: it has not, with the failure that it notes in the activation.
  virtual Status raised(LazyCall& call, int input, const Failure& failure) = 0;
};

/// Whether a failure ends the call, and no thunk is told of it: ErrorKind::Interrupted.
bool is_final(const Failure& failure) noexcept;

}  // namespace thunkvm

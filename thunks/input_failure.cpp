#include "thunks/input_failure.h"

namespace thunkvm {

bool is_final(const Failure& failure) noexcept {
  try {
    std::rethrow_exception(failure.error);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::Interrupted;
  } catch (...) {
    return false;
  }
}

}  // namespace thunkvm

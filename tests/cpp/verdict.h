// verdict.h: what the verifier says of a program that a test wrote.
#pragma once

#include "tests/cpp/assembler.h"
#include "thunks/demand.h"
#include "vm/verify/verifier.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace thunkvm::testing {

/// The message of the error that `verify` throws, or "valid".
inline std::string verdict(const std::shared_ptr<Program>& program) {
  try {
    verify(*program);
    return "valid";
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::Runtime);
    return error.what();
  }
}

/// Holds a verdict against a part of the expected message, and prints it where they differ.
#define CHECK_VERDICT(program, part)              \
  do {                                            \
    const std::string message = verdict(program); \
    CAPTURE(message);                             \
    CHECK(has(message, part));                    \
  } while (false)

/// A lazy thunk whose output is its first input.
inline ThunkCode pass_on() {
  return straight_line([](Demand& demand) { demand.set_output(0, demand.force(0)); });
}

}  // namespace thunkvm::testing

// body_contents.h: the registers and lazy thunks of one body, which are emptied if it fails and the
// call goes on.
#pragma once

#include <cstdint>
#include <span>

namespace thunkvm {

/// The registers that are written, and the lazy thunks that are entered, only while control is in a
/// certain body (Program::bodies). No other code may demand them. Constants, outputs, updates,
/// arguments and shared values belong to no body.
///
/// The maker of a program gives it its contents (linkers/schedule/body_contents.h). The frames of a
/// program share them, on all threads. Returned spans live as long as this object. It is asked only
/// if such a body failed and the call goes on without it.
class BodyContents {
 public:
  virtual ~BodyContents() = default;
  virtual std::span<const std::uint32_t> registers(std::uint32_t body) const = 0;
  virtual std::span<const std::uint32_t> lazies(std::uint32_t body) const = 0;
};

}  // namespace thunkvm

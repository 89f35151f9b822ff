// body_contents.h: the registers and lazy thunks that belong to one body: let go where it failed
// and the call goes on.
#pragma once

#include <cstdint>
#include <span>

namespace thunkvm {

/// The registers that are written, and the lazy thunks that are entered, only while control is in a
/// certain body (Program::bodies). Nobody else may demand them. Constants, outputs, updates and
/// what the caller gives belong to none.
///
/// Who makes a program knows where its bodies are, and gives it this
/// (linkers/schedule/body_contents.h). The frames of a program share it, on all threads; what it
/// returns stays for as long as it does. Asked only where such a body failed and somebody goes on
/// without it.
class BodyContents {
 public:
  virtual ~BodyContents() = default;
  virtual std::span<const std::uint32_t> registers(std::uint32_t body) const = 0;
  virtual std::span<const std::uint32_t> lazies(std::uint32_t body) const = 0;
};

}  // namespace thunkvm

// native.cpp: what emitted code asks of the machine while it runs.
#include "vm/native.h"

#include "vm/interpreter.h"

namespace thunkvm {

void NativeSupport::begin_memo(Frame& frame, std::uint32_t memo) {
  frame.done_[memo] = 1;
  frame.done_list_.push_back(memo);
}

void NativeSupport::fail(Frame& frame, std::uint32_t node) { Interpreter::fail_at(frame, node); }

void NativeSupport::note_not_reached(Frame& frame, std::uint32_t first, std::uint32_t end) {
  if (first != end) ++frame.not_reached_[{first, end}];
}

bool NativeSupport::poll(Frame& frame) { return Interpreter::poll(frame) == Status::Done; }

}  // namespace thunkvm

#include "vm/requests.h"

#include "vm/limits.h"

#include <string>
#include <vector>

namespace thunkvm {

namespace {

/// "the lazy thunk of pick.3", for messages.
std::string lazy_thunk(const Program& program, const Lazy& lazy) {
  std::string text = "the lazy thunk";
  if (program.text != nullptr && lazy.node != kNone) text += " of " + program.text->node(lazy.node);
  return text;
}

}  // namespace

Status Requests::refuse_input(Frame& frame, std::uint32_t index, std::int64_t input) {
  const Lazy& lazy = frame.program_->lazies[index];
  const int n = lazy.operands.n_inputs;
  return frame.activation_.fail(
      ErrorKind::Index,
      lazy_thunk(*frame.program_, lazy) + " asked for input " + std::to_string(input) +
          ", but it has " + std::to_string(n) + " input" + (n == 1 ? "" : "s") +
          (n == 0 ? "" : ": it may ask for an index from 0 to " + std::to_string(n - 1)));
}

Status Requests::refuse_nesting(Frame& frame, std::uint32_t index) {
  const Program& program = *frame.program_;
  return frame.activation_.fail(
      ErrorKind::Runtime, lazy_thunk(program, program.lazies[index]) + " cannot go on: more than " +
                              std::to_string(kMaxNesting) +
                              " lazy thunks wait for each other on the native stack; use "
                              "ForceBy::Fiber, which keeps them off it");
}

Status Requests::queue(Frame& frame, std::uint32_t index, std::uint32_t output) {
  const Lazy& lazy = frame.program_->lazies[index];
  LazyState& state = frame.lazies_[index];
  Activation& activation = frame.activation_;
  const std::int64_t n = lazy.operands.n_inputs;
  if (state.requested.empty())
    return activation.fail(
        ErrorKind::Runtime,
        lazy_thunk(*frame.program_, lazy) + " finished without the demanded output " +
            std::to_string(output) +
            ": it has to compute it, or to return the inputs that it needs for it");
  for (const std::int64_t input : state.requested) {
    if (input < 0 || input >= n) return refuse_input(frame, index, input);
    if (frame.done_[lazy.first_body + input] == kComputed)
      return activation.fail(ErrorKind::Runtime,
                             lazy_thunk(*frame.program_, lazy) + " asked again for input " +
                                 std::to_string(input) +
                                 ", which it got: it has to use it, or to ask for another one");
  }
  // The next one is the last of `waiting`: at a Return it is popped.
  for (auto input = state.requested.rbegin(); input != state.requested.rend(); ++input)
    state.waiting.push_back(lazy.first_body + static_cast<std::uint32_t>(*input));
  // An input that stands in the list twice is computed once, where it stands first: the latest in
  // `waiting`.
  if (state.waiting.size() > 1) {
    std::vector<bool> seen(static_cast<std::size_t>(n));
    const auto repeated = [&](std::uint32_t body) {
      const bool again = seen[body - lazy.first_body];
      seen[body - lazy.first_body] = true;
      return again;
    };
    auto kept = state.waiting.end();
    for (auto body = state.waiting.end(); body != state.waiting.begin();)
      if (!repeated(*--body)) *--kept = *body;
    state.waiting.erase(state.waiting.begin(), kept);
  }
  return Status::Done;
}

}  // namespace thunkvm

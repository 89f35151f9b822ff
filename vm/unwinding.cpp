#include "vm/unwinding.h"

#include "vm/frame.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace thunkvm {

[[gnu::cold]] Status Unwinding::fail_at(Frame& frame, std::uint32_t node) {
  Failure& failure = frame.activation_.failure;
  if (!failure.error)
    frame.activation_.fail(
        ErrorKind::Runtime,
        "the thunk failed without an error: use Activation::fail or Activation::fail_current");
  if (failure.node == kNone) failure.node = node;
  return Status::Failed;
}

[[gnu::cold]] Status Unwinding::fail_again(Frame& frame, std::uint32_t memo) {
  frame.activation_.failure = frame.failed_memos_.at(memo);
  return Status::Failed;
}

[[gnu::cold]] Status Unwinding::fail_lazy(Frame& frame, std::uint32_t index) {
  LazyState& state = frame.lazies_[index];
  Activation& activation = frame.activation_;
  if (const Failure* of_input = state.failures.with(activation.failure.error))
    activation.failure = *of_input;
  fail_at(frame, frame.program_->lazies[index].node);
  state.failure = activation.failure;
  frame.release(index);
  return Status::Failed;
}

[[gnu::cold]] Status Unwinding::raise(Frame& frame, std::uint32_t index, LazyCall& call) {
  LazyState& state = frame.lazies_[index];
  Activation& activation = frame.activation_;
  const std::uint32_t input = std::exchange(state.raising, kNone);
  const Failure failure = *state.failures.of(input);
  auto* const handler =
      dynamic_cast<FailureHandler*>(activation.bound[frame.program_->lazies[index].operands.bound]);
  if (handler != nullptr) return handler->raised(call, static_cast<int>(input), failure);
  activation.failure = failure;
  return Status::Failed;
}

[[gnu::cold]] std::uint32_t Unwinding::wind_down(Frame& frame, std::size_t base) {
  std::vector<Resume>& resumes = frame.resumes_;
  const bool may_go_on =
      frame.nesting_ != 0 || std::any_of(resumes.rbegin(), resumes.rend(),
                                         [](const Resume& resume) { return resume.lazy != kNone; });
  if (!may_go_on || is_final(frame.activation_.failure)) return kNone;
  while (resumes.size() > base) {
    const Resume resume = resumes.back();
    resumes.pop_back();
    if (resume.lazy == kNone) {
      frame.fail_memo(resume.memo);
      continue;
    }
    LazyState& state = frame.lazies_[resume.lazy];
    state.raising = state.waiting.back();
    state.waiting.clear();
    frame.fail_input(resume.lazy, state.raising);
    frame.activation_.failure = Failure{};
    return resume.pc;
  }
  return kNone;
}

}  // namespace thunkvm

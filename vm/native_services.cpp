#include "vm/native_services.h"

#include "vm/frame.h"
#include "vm/recorder.h"
#include "vm/selector.h"

#include <utility>

namespace thunkvm {
namespace {

int run(NativeCall* call, std::uint32_t index) {
  return run_native_step(*call, call->code->calls[index], 0) ? 0 : 1;
}

std::uint32_t arm(NativeCall* call, std::uint32_t index, const Cell* selector) {
  const Branch& branch = call->frame->program().branches[index];
  try {
    return decode_selector(*selector, branch.decoding, branch.n_arms);
  } catch (...) {
    call->activation->fail_current();
  }
  // It may be a variable of the emitted code: the error's notes ask for its register.
  Cell& reg = call->cells[branch.selector];
  if (&reg != selector) reg = *selector;
  NativeSupport::fail(*call->frame, branch.node);
  return kNone;
}

std::uint32_t fail_memo(NativeCall* call, std::uint32_t memo) {
  NativeSupport::fail_memo(*call->frame, memo);
  return kNone;
}

void move(Cell* to, Cell* from, int take) {
  if (take != 0)
    *to = std::move(*from);
  else
    *to = *from;
}

void clear(Cell* cell) { cell->clear(); }

/// 1 where a step of the machine has failed, 0 where the call goes on.
template <auto run, class I = std::uint32_t>
int fails(NativeCall* call, std::uint32_t index) {
  return run(*call->frame, I(index)) ? 0 : 1;
}

void lap(NativeCall* call, std::uint32_t site) { call->recorder->lap(site); }
void took(NativeCall* call, std::uint32_t branch, std::uint32_t arm) {
  call->recorder->took(branch, arm);
}
void enter_body(NativeCall* call, std::uint32_t memo, std::uint32_t pc) {
  call->recorder->call_body(Pc(pc));
  call->recorder->demanded(memo, Pc(pc));
}
void begin_loop(NativeCall* call, std::uint32_t loop) {
  NativeSupport::begin_loop(*call->frame, loop);
}
void leave_body(NativeCall* call) { call->recorder->return_from_body(); }

}  // namespace

NativeServices native_services(NativeServices::Nest nest) {
  return {.run = &run,
          .nest = nest,
          .arm = &arm,
          .begin_memo = &fails<&NativeSupport::begin_memo>,
          .fail_memo = &fail_memo,
          .move = &move,
          .clear = &clear,
          .before = &fails<&NativeSupport::before, StepIndex>,
          .after = &fails<&NativeSupport::after, StepIndex>,
          .lap = &lap,
          .took = &took,
          .enter_body = &enter_body,
          .leave_body = &leave_body,
          .begin_loop = &begin_loop,
          .poll = &fails<&NativeSupport::poll_after>};
}

}  // namespace thunkvm

#include "linkers/codegen/loop_folds.h"

#include "ops/fold_loops.h"

#include <algorithm>
#include <cstring>

namespace thunkvm {
namespace {

std::int64_t bytes_of(DType dtype) { return static_cast<std::int64_t>(item_size(dtype)); }

std::size_t sequence_bytes(const BlockFold& fold) { return fold.state_bytes; }

std::size_t rounded(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

/// One sequence that comes in runs of any length, cut into the blocks of a fold, whose state has
/// behind it what is left of the last run.
class SequenceInRuns {
 public:
  static std::size_t bytes(const BlockFold& fold) {
    return rounded(fold.state_bytes) + sizeof(Held) + kFoldBlock * item_size(fold.in);
  }

  SequenceInRuns(const BlockFold& fold, char* state)
      : fold_(fold),
        state_(state),
        held_(*reinterpret_cast<Held*>(state + rounded(fold.state_bytes))) {}

  void start() {
    fold_.start(state_);
    held_.n = 0;
  }
  void add(const char* run, std::int64_t n) {
    if (held_.n > 0) {
      const std::int64_t more = std::min<std::int64_t>(n, kFoldBlock - held_.n);
      hold(run, more);
      if (held_.n < kFoldBlock) return;
      fold_.add(state_, elements(), kFoldBlock);
      held_.n = 0;
      run += more * bytes_of(fold_.in);
      n -= more;
    }
    const std::int64_t rest = n % kFoldBlock;
    if (n != rest) fold_.add(state_, run, n - rest);
    hold(run + (n - rest) * bytes_of(fold_.in), rest);
  }
  void finish(std::int64_t count, char* result) {
    if (held_.n > 0) fold_.add(state_, elements(), held_.n);
    fold_.finish(state_, count, result);
  }

 private:
  struct alignas(16) Held {
    std::int64_t n;
  };

  char* elements() { return reinterpret_cast<char*>(&held_ + 1); }
  void hold(const char* run, std::int64_t n) {
    std::memcpy(elements() + held_.n * bytes_of(fold_.in), run,
                static_cast<std::size_t>(n * bytes_of(fold_.in)));
    held_.n += n;
  }

  const BlockFold& fold_;
  char* state_;
  Held& held_;
};

}  // namespace

/// Finds where the states lie, n of each fold, one after the other; the bytes of all of them.
template <class Bytes>
std::size_t LoopFolds::lay_out(Bytes bytes_of_state, int n) {
  std::size_t bytes = 0;
  for (std::size_t f = 0; f < loop_.folds.size(); ++f) {
    offsets_[f] = bytes;
    strides_[f] = rounded(bytes_of_state(*loop_.folds[f].fold));
    bytes += strides_[f] * static_cast<std::size_t>(n);
  }
  return bytes;
}

// ---- sequences ----

void LoopFolds::start_states() {
  for (std::size_t f = 0; f < loop_.folds.size(); ++f) loop_.folds[f].fold->start(state(f));
}
void LoopFolds::finish_states(std::int64_t at) {
  for (std::size_t f = 0; f < loop_.folds.size(); ++f)
    loop_.folds[f].fold->finish(state(f), results_.panels().count(), results_.fold_result(f, at));
}

void LoopFolds::start(LoopScratch& scratch, std::int64_t element) {
  states_ = scratch.states(lay_out(sequence_bytes));
  at_ = element / results_.panels().count();
  left_ = results_.panels().count();
  start_states();
}

void LoopFolds::add(const char* const* values, std::int64_t n) {
  for (std::int64_t done = 0; done < n;) {
    const std::int64_t m = std::min(n - done, left_);
    for (std::size_t f = 0; f < loop_.folds.size(); ++f) {
      const BlockFold& fold = *loop_.folds[f].fold;
      fold.add(state(f), values[f] + done * bytes_of(fold.in), m);
    }
    done += m;
    left_ -= m;
    if (left_ > 0) continue;
    finish_states(at_++);
    left_ = results_.panels().count();
    start_states();
  }
}

// ---- panels ----

/// Calls `f(fold, state, panel)` for each state.
template <class F>
void LoopFolds::each_panel(F f) const {
  for (std::size_t k = 0; k < loop_.folds.size(); ++k) {
    char* at = states_ + offsets_[k];
    for (int panel = 0; panel < n_panels_; ++panel, at += strides_[k]) f(k, at, panel);
  }
}

void LoopFolds::start_panels(LoopScratch& scratch, int n, int width) {
  n_panels_ = n;
  width_ = width;
  const auto panel_bytes = [&](const BlockFold& fold) {
    return width == 1 ? SequenceInRuns::bytes(fold)
                      : fold.rows.state_bytes(width, results_.panels().count());
  };
  states_ = scratch.states(lay_out(panel_bytes, n));
  each_panel([&](std::size_t f, char* state, int) {
    const BlockFold& fold = *loop_.folds[f].fold;
    if (width == 1)
      SequenceInRuns(fold, state).start();
    else
      fold.rows.start(state, width);
  });
}

void LoopFolds::add_rows(const char* const* values, std::int64_t first, std::int64_t n) {
  each_panel([&](std::size_t f, char* state, int panel) {
    const BlockFold& fold = *loop_.folds[f].fold;
    const char* const rows = values[f] + (first + panel * n * width_) * bytes_of(fold.in);
    if (width_ == 1)
      SequenceInRuns(fold, state).add(rows, n);
    else
      fold.rows.add(state, rows, n);
  });
}

void LoopFolds::finish_panels(std::int64_t at) {
  const std::int64_t count = results_.panels().count();
  each_panel([&](std::size_t f, char* state, int panel) {
    const BlockFold& fold = *loop_.folds[f].fold;
    char* const results = results_.fold_result(f, at + panel * width_);
    if (width_ == 1)
      SequenceInRuns(fold, state).finish(count, results);
    else
      fold.rows.finish(state, count, results);
  });
}

// ---- pieces of one sequence ----

bool LoopFolds::has_pieces(const FusedLoop& loop) {
  return std::ranges::all_of(
      loop.folds, [](const FusedLoop::Fold& fold) { return fold.fold->append != nullptr; });
}

std::size_t LoopFolds::piece_bytes() { return lay_out(sequence_bytes); }

void LoopFolds::start_piece(char* states) {
  resume_piece(states);
  start_states();
}
void LoopFolds::resume_piece(char* states) {
  states_ = states;
  lay_out(sequence_bytes);
}

void LoopFolds::add_to_piece(const char* const* values, std::int64_t n) {
  for (std::size_t f = 0; f < loop_.folds.size(); ++f)
    loop_.folds[f].fold->add(state(f), values[f], n);
}

void LoopFolds::append_piece(const LoopFolds& next) {
  for (std::size_t f = 0; f < loop_.folds.size(); ++f)
    loop_.folds[f].fold->append(state(f), next.state(f));
}

void LoopFolds::finish_pieces() { finish_states(0); }

}  // namespace thunkvm

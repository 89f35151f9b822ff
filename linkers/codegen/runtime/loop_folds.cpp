#include "linkers/codegen/runtime/loop_folds.h"

#include <algorithm>

namespace thunkvm {
namespace {

std::int64_t bytes_of(DType dtype) { return static_cast<std::int64_t>(item_size(dtype)); }

std::size_t sequence_bytes(const BlockFold& fold) { return fold.state_bytes; }

std::size_t rounded(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

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

/// Calls `f(fold, rows, state, panel)` for each state.
template <class F>
void LoopFolds::each_panel(F f) const {
  for (std::size_t k = 0; k < loop_.folds.size(); ++k) {
    const RowFold& rows = loop_.folds[k].fold->rows_of(width_);
    char* at = states_ + offsets_[k];
    for (int panel = 0; panel < n_panels_; ++panel, at += strides_[k]) f(k, rows, at, panel);
  }
}

void LoopFolds::start_panels(LoopScratch& scratch, int n, int width) {
  n_panels_ = n;
  width_ = width;
  const auto panel_bytes = [&](const BlockFold& fold) {
    return fold.rows_of(width).state_bytes(width, results_.panels().count());
  };
  states_ = scratch.states(lay_out(panel_bytes, n));
  each_panel([&](std::size_t, const RowFold& rows, void* state, int) { rows.start(state, width); });
}

void LoopFolds::add_rows(const char* const* values, std::int64_t first, std::int64_t n) {
  each_panel([&](std::size_t f, const RowFold& rows, void* state, int panel) {
    const std::int64_t element = first + panel * n * width_;
    rows.add(state, values[f] + element * bytes_of(loop_.folds[f].fold->in), n);
  });
}

void LoopFolds::finish_panels(std::int64_t at) {
  const std::int64_t count = results_.panels().count();
  each_panel([&](std::size_t f, const RowFold& rows, void* state, int panel) {
    rows.finish(state, count, results_.fold_result(f, at + panel * width_));
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

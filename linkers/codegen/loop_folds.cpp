#include "linkers/codegen/loop_folds.h"

#include <algorithm>

namespace thunkvm {
namespace {

std::int64_t bytes_of(DType dtype) { return static_cast<std::int64_t>(item_size(dtype)); }

std::size_t sequence_bytes(const BlockFold& fold) { return fold.state_bytes; }

}  // namespace

/// Finds where the states lie, one after the other; the bytes of all of them.
template <class Bytes>
std::size_t LoopFolds::lay_out(Bytes bytes_of_state) {
  std::size_t bytes = 0;
  for (std::size_t f = 0; f < loop_.folds.size(); ++f) {
    offsets_[f] = bytes;
    bytes += (bytes_of_state(*loop_.folds[f].fold) + 15) / 16 * 16;
  }
  return bytes;
}

// ---- sequences ----

void LoopFolds::start_states() {
  for (std::size_t f = 0; f < loop_.folds.size(); ++f) loop_.folds[f].fold->start(state(f));
}
void LoopFolds::finish_states(std::int64_t at) {
  for (std::size_t f = 0; f < loop_.folds.size(); ++f)
    loop_.folds[f].fold->finish(state(f), results_.count(), results_.fold_result(f, at));
}

void LoopFolds::start(LoopScratch& scratch, std::int64_t element) {
  states_ = scratch.states(lay_out(sequence_bytes));
  at_ = element / results_.count();
  left_ = results_.count();
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
    left_ = results_.count();
    start_states();
  }
}

// ---- panels ----

void LoopFolds::start_panel(LoopScratch& scratch, int width) {
  states_ = scratch.states(lay_out(
      [&](const BlockFold& fold) { return fold.rows.state_bytes(width, results_.count()); }));
  for (std::size_t f = 0; f < loop_.folds.size(); ++f)
    loop_.folds[f].fold->rows.start(state(f), width);
}

void LoopFolds::add_rows(const char* const* values, std::int64_t n) {
  for (std::size_t f = 0; f < loop_.folds.size(); ++f)
    loop_.folds[f].fold->rows.add(state(f), values[f], n);
}

void LoopFolds::finish_panel(std::int64_t at) {
  for (std::size_t f = 0; f < loop_.folds.size(); ++f)
    loop_.folds[f].fold->rows.finish(state(f), results_.count(), results_.fold_result(f, at));
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

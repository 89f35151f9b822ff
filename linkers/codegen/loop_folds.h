// loop_folds.h: the folds of a fused loop, as far as one thread has come with them.
#pragma once

#include "linkers/codegen/loop_results.h"

namespace thunkvm {

/// Used for sequences, which lie one after the other, where there is one column:
///
///   folds.start(scratch, 0);
///   folds.add(values, n);                          // as often as there are blocks
///
/// for panels of columns side by side, from their first row to their last, where there are several:
///
///   folds.start_panel(scratch, width);
///   folds.add_rows(values, n);                     // as often as there are blocks
///   folds.finish_panel(at);
///
/// `values`: where the elements of each fold lie.
class LoopFolds {
 public:
  LoopFolds(const FusedLoop& loop, const LoopResults& results) : loop_(loop), results_(results) {}

  /// Begins with element `element` of the loop, which is the first one of a sequence.
  void start(LoopScratch& scratch, std::int64_t element);
  /// Folds n more elements, and writes the result of each sequence that ends among them.
  void add(const char* const* values, std::int64_t n);

  void start_panel(LoopScratch& scratch, int width);
  void add_rows(const char* const* values, std::int64_t n);
  /// Result `at` is that of the first column.
  void finish_panel(std::int64_t at);

  // One sequence in pieces of kPiece elements, which are folded anywhere and then put together.
  static constexpr std::int64_t kPiece = 1 << 14;
  /// False if a fold takes its elements strictly in order.
  static bool has_pieces(const FusedLoop& loop);
  std::size_t piece_bytes();
  /// In memory of the caller, aligned to 16.
  void start_piece(char* states);
  void add_to_piece(const char* const* values, std::int64_t n);
  /// Goes on with the first piece, or with one to append.
  void resume_piece(char* states);
  void append_piece(const LoopFolds& next);
  /// Of all pieces together: writes the result.
  void finish_pieces();

 private:
  void* state(std::size_t f) const { return states_ + offsets_[f]; }
  template <class Bytes>
  std::size_t lay_out(Bytes bytes_of);
  void start_states();
  void finish_states(std::int64_t at);

  const FusedLoop& loop_;
  const LoopResults& results_;
  std::int64_t at_ = 0;    ///< the result of the sequence that is folded
  std::int64_t left_ = 0;  ///< its elements that are still to come
  char* states_ = nullptr;
  std::size_t offsets_[kLoopOperands];  ///< by fold
};

}  // namespace thunkvm

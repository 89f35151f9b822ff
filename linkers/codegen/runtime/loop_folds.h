// loop_folds.h: the folds of a fused loop, as far as one thread has come with them.
#pragma once

#include "linkers/codegen/runtime/loop_results.h"

namespace thunkvm {

/// Used for sequences, where these lie one after the other:
///
///   folds.start(scratch, 0);
///   folds.add(values, n);                          // as often as there are blocks
///
/// for n panels of columns side by side, each from its first row to its last, where they are not:
///
///   folds.start_panels(scratch, n, width);
///   folds.add_rows(values, first, rows);           // as often as there are blocks
///   folds.finish_panels(at);
///
/// `values`: where the elements of each fold lie.
class LoopFolds {
 public:
  LoopFolds(const FusedLoop& loop, const LoopResults& results) : loop_(loop), results_(results) {}

  /// Begins with element `element` of the loop, which is the first one of a sequence.
  void start(LoopScratch& scratch, std::int64_t element);
  /// Folds n more elements, and writes the result of each sequence that ends among them.
  void add(const char* const* values, std::int64_t n);

  void start_panels(LoopScratch& scratch, int n, int width);
  /// Folds so many more rows of each panel, which begin with element `first` of `values`: those of
  /// the first panel, then those of the next.
  void add_rows(const char* const* values, std::int64_t first, std::int64_t rows);
  /// Result `at` is that of the first column of the first panel.
  void finish_panels(std::int64_t at);

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
  std::size_t lay_out(Bytes bytes_of, int n = 1);
  template <class F>
  void each_panel(F f) const;
  void start_states();
  void finish_states(std::int64_t at);

  const FusedLoop& loop_;
  const LoopResults& results_;
  std::int64_t at_ = 0;    ///< the result of the sequence that is folded
  std::int64_t left_ = 0;  ///< its elements that are still to come
  char* states_ = nullptr;
  std::size_t offsets_[kLoopOperands];  ///< by fold: where its first state is
  std::size_t strides_[kLoopOperands];  ///< by fold: from one state to the next
  int n_panels_ = 0, width_ = 0;
};

}  // namespace thunkvm

#include "linkers/codegen/fused_loop.h"

#include "linkers/codegen/call_memory.h"
#include "linkers/codegen/loop_folds.h"
#include "linkers/codegen/loop_results.h"
#include "linkers/codegen/loop_shape.h"
#include "linkers/codegen/loop_threads.h"
#include "linkers/codegen/small_loop.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>

namespace thunkvm {

// One run of a loop: its shape and where its operands are.
class FusedLoop::Run {
 public:
  Run(const FusedLoop& loop, NativeCall& call, const NumberBits* numbers)
      : loop_(loop),
        call_(call),
        numbers_(numbers),
        scratch_(LoopScratch::of_thread()),
        shape_(loop, call, numbers, scratch_.parts(loop.n_parts)) {}

  const LoopShape& shape() const { return shape_; }

  /// False if the members cannot run as one pass.
  bool find_shape() {
    try {
      return shape_.find() && !(loop_.places && shape_.columns() > kLoopBlock);
    } catch (const Error&) {
      return false;  // a member has no part of its input: it says so itself
    }
  }

  void compute(NumberBits* results) {
    size_ = shape_.size();
    results_.emplace(loop_, call_, shape_.shape(), size_);
    results_->measure();
    if (!loop_.computes()) return;
    find_operands();
    if (!loop_.folds.empty()) results_->make_folds(results);
    {
      const HostLeave leave(*call_.activation->host, size_ * loop_.cost);
      if (results_->columns() > 1)
        compute_panels();
      else if (threads() > 1 && !loop_.folds.empty() && results_->count() == size_ &&
               LoopFolds::has_pieces(loop_))
        compute_pieces();
      else
        compute_in_order();
    }
    if (size_ * loop_.cost >= kWorthLeaving) call_.activation->poll = true;
  }

 private:
  void find_operands() {
    const std::size_t n_inputs = loop_.inputs.size();
    n_ = n_inputs + loop_.outputs.size() + loop_.folds.size();
    item_sizes_ = loop_.item_sizes.data();
    std::size_t k = 0;
    for (; k < n_inputs; ++k) {
      const bool whole = shape_.is_whole(k);
      direct_[k] = whole ? shape_.input(k).data : nullptr;
      ends_ |= std::uint64_t{whole && !shape_.input(k).padded} << k;
    }
    for (std::size_t j = 0; j < loop_.outputs.size(); ++j) {
      const LoopResults::Memory memory = results_->make_output(j, true);
      ends_ |= std::uint64_t{!memory.padded} << k;
      direct_[k++] = memory.data;
    }
    while (k < n_) direct_[k++] = nullptr;
  }

  // How many threads the loop runs on. Which one computes an element makes no difference to a bit.
  int threads() const {
    const LoopThreads threads = loop_threads();
    return size_ >= threads.from && !loop_.places ? threads.count : 1;
  }

  // Calls `f(scratch, first, end)` for shares of n things, each on a thread.
  template <class F>
  void share_out(std::int64_t n, F&& f) {
    const int n_threads = threads();
    if (n_threads == 1) [[likely]]
      return f(scratch_, std::int64_t{0}, n);
    const std::int64_t share = (n + n_threads - 1) / n_threads;
    std::atomic<bool> no_memory = false;
    run_on_threads(n_threads, [&](int thread) {
      const std::int64_t first = thread * share, end = std::min(n, first + share);
      try {
        if (first < end) f(LoopScratch::of_thread(), first, end);
      } catch (const std::bad_alloc&) {
        no_memory = true;
      }
    });
    if (no_memory) throw std::bad_alloc();
  }

  // What one thread computes blocks in.
  class Lane {
   public:
    Lane(const Run& run, LoopScratch& memory, std::int64_t start) : run_(run) {
      const std::vector<Input>& inputs = run.loop_.inputs;
      scratch_ = memory.blocks(run.n_);
      bool packs = false;
      for (std::size_t i = 0; i < inputs.size(); ++i) packs |= run.direct_[i] == nullptr;
      if (!packs) return;
      packers_ = memory.packers(inputs.size());
      if (run.loop_.places) placers_ = memory.placers(inputs.size());
      move_to(start);
    }

    /// The next block begins at this element. Only before the first block, where inputs are placed.
    void move_to(std::int64_t start) {
      if (packers_ == nullptr) return;
      const std::vector<Input>& inputs = run_.loop_.inputs;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (run_.direct_[i] != nullptr) continue;
        const LoopOperand& input = run_.shape_.input(i);
        const int bytes = static_cast<int>(run_.item_sizes_[i]);
        if (!inputs[i].placement) {
          packers_[i].begin(input.data, bytes, input.shape(), input.strides, run_.shape_.shape(),
                            start);
          continue;
        }
        const View& place = run_.shape_.place(i);
        packers_[i].begin(input.data, bytes, input.shape(), input.strides, place.shape(), 0);
        placers_[i].begin(&packers_[i], place, place.data - LoopShape::kOrigin, bytes,
                          run_.numbers_[inputs[i].placement->fill]);
      }
    }

    /// Computes elements [start, start + n), where the last block ended.
    void block(std::int64_t start, std::int64_t n) {
      const std::int64_t rest = n % kLoopLanes;
      // Behind the end there may be room to compute what nobody looks at: for whole lanes, counted
      // from the loop's first element.
      const bool at_end = start + n == run_.size_ &&
                          start + n - rest + kLoopLanes <= whole_lanes(run_.size_);
      const bool goes_on = rest != 0 && run_.ends_ == 0 && at_end;
      const std::int64_t whole = n - rest + (goes_on ? kLoopLanes : 0);
      pack(n, rest);
      if (whole != 0) {
        for (std::size_t k = 0; k < run_.n_; ++k)
          blocks_[k] = run_.direct_[k] != nullptr ? run_.direct_[k] + start * run_.item_sizes_[k]
                                                  : scratch(k);
        compute(whole);
      }
      if (rest != 0 && !goes_on) tail_of_block(start + whole, whole, rest, at_end);
    }

    char* scratch(std::size_t operand) const {
      return scratch_ + static_cast<std::int64_t>(operand) * LoopScratch::kOperandBytes;
    }

   private:
    char* tail(std::size_t operand) const { return scratch(operand) + LoopScratch::kBlockBytes; }

    void compute(std::int64_t n) {
      run_.loop_.body(blocks_, run_.numbers_, run_.loop_.element_loops.data(), n);
    }

    void pack(std::int64_t n, std::int64_t rest) {
      for (std::size_t i = 0; i < run_.loop_.inputs.size(); ++i) {
        if (run_.direct_[i] != nullptr) continue;
        if (run_.loop_.inputs[i].placement)
          placers_[i].next(scratch(i), n);
        else
          packers_[i].next(scratch(i), n);
        if (rest != 0) fill_lanes(scratch(i) + n * run_.item_sizes_[i], rest, run_.item_sizes_[i]);
      }
    }

    /// The elements from `start` on, which are `rest`; in scratch they follow `whole` others.
    void tail_of_block(std::int64_t start, std::int64_t whole, std::int64_t rest, bool at_end) {
      const std::size_t n_inputs = run_.loop_.inputs.size();
      std::uint64_t copied = 0;
      for (std::size_t k = 0; k < run_.n_; ++k) {
        const std::int64_t bytes = run_.item_sizes_[k];
        char* const direct = run_.direct_[k];
        if (direct == nullptr) {
          blocks_[k] = scratch(k) + whole * bytes;
        } else if (at_end && ((run_.ends_ >> k) & 1u) == 0) {
          blocks_[k] = direct + start * bytes;
        } else {
          copied |= std::uint64_t{1} << k;
          blocks_[k] = tail(k);
          if (k >= n_inputs) continue;
          copy_lanes(tail(k), direct + start * bytes, rest, bytes);
        }
      }
      compute(kLoopLanes);
      for (std::size_t k = n_inputs; k < n_inputs + run_.loop_.outputs.size(); ++k)
        if (((copied >> k) & 1u) != 0)
          std::memcpy(run_.direct_[k] + start * run_.item_sizes_[k], tail(k),
                      static_cast<std::size_t>(rest * run_.item_sizes_[k]));
    }

    const Run& run_;
    char* blocks_[kLoopOperands];
    char* scratch_;
    Packer* packers_ = nullptr;  ///< by input
    Placer* placers_ = nullptr;  ///< the same
  };

  // Computes a block, and finds what is folded of it.
  void compute_block(Lane& lane, std::int64_t start, std::int64_t n, const char** folded) {
    lane.block(start, n);
    for (std::size_t f = 0; f < loop_.folds.size(); ++f) {
      const std::size_t k = loop_.folds[f].operand;
      folded[f] = direct_[k] != nullptr ? direct_[k] + start * item_sizes_[k] : lane.scratch(k);
    }
  }

  // Blocks, or sequences that are folded, one after the other.
  void compute_in_order() {
    const std::int64_t unit = loop_.folds.empty() ? kLoopBlock : results_->count();
    share_out((size_ + unit - 1) / unit,
              [&](LoopScratch& scratch, std::int64_t first, std::int64_t end) {
                compute_stretch(scratch, first * unit, std::min(end * unit, size_));
              });
  }

  void compute_stretch(LoopScratch& scratch, std::int64_t first, std::int64_t end) {
    Lane lane(*this, scratch, first);
    LoopFolds folds(loop_, *results_);
    const char* folded[kLoopOperands];
    if (!loop_.folds.empty()) folds.start(scratch, first);
    // A sequence that is folded starts with a block of its own; short ones come several at a time.
    const std::int64_t row = loop_.folds.empty() ? end - first : results_->count();
    const std::int64_t stride = row > kLoopBlock ? kLoopBlock : kLoopBlock / row * row;
    const std::int64_t stretch = row > kLoopBlock ? row : end - first;
    for (; first < end; first += stretch)
      for (std::int64_t start = first; start < first + stretch; start += stride) {
        const std::int64_t n = std::min(stride, first + stretch - start);
        compute_block(lane, start, n, folded);
        if (!loop_.folds.empty()) folds.add(folded, n);
      }
  }

  // One sequence that is folded, in pieces that threads share.
  void compute_pieces() {
    constexpr std::int64_t kPiece = LoopFolds::kPiece;
    LoopFolds all(loop_, *results_), next(loop_, *results_);
    const std::size_t bytes = all.piece_bytes();
    const std::int64_t n_pieces = (size_ + kPiece - 1) / kPiece;
    std::vector<std::max_align_t> memory(
        static_cast<std::size_t>(n_pieces) * bytes / sizeof(std::max_align_t) + 1);
    const auto states = [&](std::int64_t piece) {
      return reinterpret_cast<char*>(memory.data()) + static_cast<std::size_t>(piece) * bytes;
    };
    share_out(n_pieces, [&](LoopScratch& scratch, std::int64_t first, std::int64_t end) {
      Lane lane(*this, scratch, first * kPiece);
      LoopFolds folds(loop_, *results_);
      const char* folded[kLoopOperands];
      for (; first < end; ++first) {
        folds.start_piece(states(first));
        const std::int64_t piece_end = std::min((first + 1) * kPiece, size_);
        for (std::int64_t start = first * kPiece; start < piece_end; start += kLoopBlock) {
          const std::int64_t n = std::min<std::int64_t>(kLoopBlock, piece_end - start);
          compute_block(lane, start, n, folded);
          folds.add_to_piece(folded, n);
        }
      }
    });
    all.resume_piece(states(0));
    for (std::int64_t piece = 1; piece < n_pieces; ++piece) {
      next.resume_piece(states(piece));
      all.append_piece(next);
    }
    all.finish_pieces();
  }

  // Columns that are folded, a panel of them at a time.
  void compute_panels() {
    const std::int64_t columns = results_->columns();
    const std::int64_t width = std::min<std::int64_t>(columns, kLoopBlock);
    const std::int64_t in_matrix = (columns + width - 1) / width;
    share_out(size_ / (results_->count() * columns) * in_matrix,
              [&](LoopScratch& scratch, std::int64_t first, std::int64_t end) {
                Lane lane(*this, scratch, first / in_matrix * results_->count() * columns);
                for (; first < end; ++first)
                  compute_panel(lane, scratch, first / in_matrix, first % in_matrix * width);
              });
  }

  // Row by row, or several rows at once where they are short.
  void compute_panel(Lane& lane, LoopScratch& scratch, std::int64_t matrix, std::int64_t column) {
    const std::int64_t columns = results_->columns(), count = results_->count();
    const std::int64_t width = std::min<std::int64_t>(columns - column, kLoopBlock);
    const bool whole = width == columns;
    const std::int64_t fitting = whole ? std::max<std::int64_t>(kLoopBlock / columns, 1) : 1;
    const std::int64_t at_once = fitting < kLoopLanes ? fitting : fitting / kLoopLanes * kLoopLanes;
    LoopFolds folds(loop_, *results_);
    const char* folded[kLoopOperands];
    folds.start_panel(scratch, static_cast<int>(width));
    for (std::int64_t row = 0; row < count; row += at_once) {
      const std::int64_t rows = std::min(at_once, count - row);
      const std::int64_t start = (matrix * count + row) * columns + column;
      if (!whole) lane.move_to(start);
      compute_block(lane, start, rows * width, folded);
      folds.add_rows(folded, rows);
    }
    folds.finish_panel(matrix * columns + column);
  }

  const FusedLoop& loop_;
  NativeCall& call_;
  const NumberBits* numbers_;
  LoopScratch& scratch_;
  LoopShape shape_;
  std::int64_t size_ = 0;
  std::uint64_t ends_ = 0;  ///< bit k: there is no room for all lanes behind whole operand k
  // By operand: inputs, outputs, folds.
  std::size_t n_ = 0;
  char* direct_[kLoopOperands];  ///< the memory of a whole one; null: it goes through scratch
  const std::int64_t* item_sizes_ = nullptr;
  std::optional<LoopResults> results_;
};

bool FusedLoop::run(NativeCall& call, const NumberBits* numbers, NumberBits* results) const {
  try {
    if (run_once(call, numbers, results)) {
      if (!call.activation->poll || NativeSupport::poll(*call.frame)) return true;
      note_after(call, members);
      return false;
    }
    move_temporaries(call);
  } catch (...) {  // no memory
    call.activation->fail_current();
    NativeSupport::fail(*call.frame, members.steps.front().node);
    note_after(call, members);
    return false;
  }
  return run_members(call, numbers, results);
}

/// As one pass. False if the members cannot run so.
bool FusedLoop::run_once(NativeCall& call, const NumberBits* numbers, NumberBits* results) const {
  SmallLoop small(*this, call);
  if (small.holds()) {
    small.run(numbers, results);
    return true;
  }
  Run run(*this, call, numbers);
  if (!run.find_shape()) return false;
  small.keep(run.shape());
  run.compute(results);
  return true;
}

void FusedLoop::move_temporaries(NativeCall& call) const {
  const CallMemory memory(call);
  for (const Source& source : temporaries)
    if (source.measured)
      memory.move_lengths_to(call.cells[source.reg], source.temporary, source.dtype, source.ndim);
    else
      memory.move_to(call.cells[source.reg], source.temporary, source.dtype, source.ndim);
  for (const Output& output : outputs)
    if (output.temporary != kNone) memory[output.temporary].data = nullptr;
  for (const std::uint32_t slot : measured) memory[slot].data = nullptr;
}

bool FusedLoop::run_members(NativeCall& call, const NumberBits* given, NumberBits* results) const {
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (numbers[k].local) store_number(call.cells[numbers[k].reg], given[k], numbers[k].dtype);
  for (std::size_t i = 0; i < members.steps.size(); ++i)
    if (!run_native_step(call, members, i)) return false;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    Cell& cell = call.cells[folds[f].reg];
    if (!cell.is_scalar()) continue;
    results[f] = 0;
    std::memcpy(&results[f], cell.address(), item_size(folds[f].fold->out));
    cell.clear();
  }
  for (const Number& number : numbers)
    if (number.local) call.cells[number.reg].clear();
  for (const std::uint32_t reg : internal) call.cells[reg].clear();
  return true;
}

}  // namespace thunkvm

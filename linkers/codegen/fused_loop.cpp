#include "linkers/codegen/fused_loop.h"

#include "linkers/codegen/call_memory.h"
#include "linkers/codegen/loop_results.h"
#include "linkers/codegen/loop_shape.h"
#include "linkers/codegen/loop_threads.h"
#include "linkers/codegen/small_loop.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

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
    find_operands();
    if (!loop_.folds.empty()) results_->make_folds(results);
    {
      const HostLeave leave(*call_.activation->host, size_ * loop_.cost);
      const LoopThreads threads = loop_threads();
      if (threads.count > 1 && size_ >= threads.from && loop_.folds.empty() && !loop_.places)
          [[unlikely]]
        compute_on_threads(threads.count);
      else if (results_->columns() > 1)
        compute_panels();
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

  template <class F>
  void for_each_block(F&& f) {
    // A sequence that is folded starts with a block of its own; short ones come several at a time.
    if (size_ <= kLoopBlock) return f(0, size_);
    const std::int64_t row = loop_.folds.empty() ? size_ : results_->count();
    const std::int64_t stride = row > kLoopBlock ? kLoopBlock : kLoopBlock / row * row;
    const std::int64_t stretch = row > kLoopBlock ? row : size_;
    for (std::int64_t first = 0; first < size_; first += stretch)
      for (std::int64_t start = first; start < first + stretch; start += stride)
        f(start, std::min(stride, first + stretch - start));
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
      // Behind the end there may be room to compute what nobody looks at.
      const bool at_end = start + n == run_.size_;
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
          std::memcpy(tail(k), direct + start * bytes, static_cast<std::size_t>(rest * bytes));
          fill_lanes(tail(k) + rest * bytes, rest, bytes);
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

  // Blocks one after the other; what is folded is folded in between.
  void compute_in_order() {
    if (!loop_.folds.empty()) results_->start_folds(scratch_);
    Lane lane(*this, scratch_, 0);
    for_each_block([&](std::int64_t start, std::int64_t n) {
      lane.block(start, n);
      for (std::size_t f = 0; f < loop_.folds.size(); ++f)
        results_->fold(f, folded(f, lane, start), start, n);
    });
  }

  // The elements that fold f folds of the block that was computed last.
  const char* folded(std::size_t f, const Lane& lane, std::int64_t start) const {
    const std::size_t k = loop_.folds[f].operand;
    return direct_[k] != nullptr ? direct_[k] + start * item_sizes_[k] : lane.scratch(k);
  }

  // Columns that are folded, some of them at a time: row by row, or several rows where they are
  // short.
  void compute_panels() {
    const std::int64_t columns = results_->columns(), count = results_->count();
    const std::int64_t width = std::min<std::int64_t>(columns, kLoopBlock);
    const bool whole = width == columns;
    const std::int64_t fitting = whole ? std::max<std::int64_t>(kLoopBlock / columns, 1) : 1;
    const std::int64_t at_once = fitting < kLoopLanes ? fitting : fitting / kLoopLanes * kLoopLanes;
    Lane lane(*this, scratch_, 0);
    for (std::int64_t matrix = 0; matrix < size_; matrix += count * columns)
      for (std::int64_t column = 0; column < columns; column += width) {
        const std::int64_t w = std::min(width, columns - column);
        results_->start_panel(scratch_, static_cast<int>(w));
        for (std::int64_t row = 0; row < count; row += at_once) {
          const std::int64_t rows = std::min(at_once, count - row);
          const std::int64_t start = matrix + row * columns + column;
          if (!whole) lane.move_to(start);
          lane.block(start, rows * w);
          for (std::size_t f = 0; f < loop_.folds.size(); ++f)
            results_->fold_rows(f, folded(f, lane, start), rows);
        }
        results_->finish_panel(matrix / count + column);
      }
  }

  // Each thread computes blocks that follow each other. Which ones makes no difference to a bit.
  void compute_on_threads(int threads) {
    const std::int64_t blocks = (size_ + kLoopBlock - 1) / kLoopBlock;
    const std::int64_t share = (blocks + threads - 1) / threads * kLoopBlock;
    run_on_threads(threads, [&](int thread) {
      const std::int64_t first = thread * share, end = std::min(size_, first + share);
      if (first >= end) return;
      Lane lane(*this, LoopScratch::of_thread(), first);
      for (std::int64_t start = first; start < end; start += kLoopBlock)
        lane.block(start, std::min<std::int64_t>(kLoopBlock, end - start));
    });
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
    memory.move_to(call.cells[source.reg], source.temporary, source.dtype, source.ndim);
  for (const Output& output : outputs)
    if (output.temporary != kNone) memory[output.temporary].data = nullptr;
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

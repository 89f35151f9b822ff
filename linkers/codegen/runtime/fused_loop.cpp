#include "linkers/codegen/runtime/fused_loop.h"

#include "linkers/codegen/runtime/call_memory.h"
#include "linkers/codegen/runtime/loop_blocks.h"
#include "linkers/codegen/runtime/loop_folds.h"
#include "linkers/codegen/runtime/loop_results.h"
#include "linkers/codegen/runtime/loop_shape.h"
#include "linkers/codegen/runtime/loop_threads.h"
#include "linkers/codegen/runtime/small_loop.h"

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
        scratch_(LoopScratch::of_thread()),
        shape_(loop, call, numbers, scratch_.parts(loop.n_parts)),
        operands_(loop, shape_, numbers) {}

  const LoopShape& shape() const { return shape_; }

  /// False if the members cannot run as one pass.
  bool find_shape() {
    try {
      return shape_.find();
    } catch (const Error&) {
      return false;  // a member has no part of its input: it says so itself
    }
  }

  void compute(NumberBits* results) {
    results_.emplace(loop_, call_, shape_.shape(), size());
    results_->measure();
    if (!loop_.computes()) return;
    find_operands();
    if (!loop_.folds.empty()) results_->make_folds(results);
    {
      const HostLeave leave(*call_.activation->host, size() * loop_.cost);
      if (loop_.folds.empty())
        compute_in_order();
      else if (!results_->panels().are_sequences())
        compute_panels();
      else if (threads() > 1 && results_->panels().count() == size() &&
               LoopFolds::has_pieces(loop_))
        compute_pieces();
      else
        compute_in_order();
    }
    if (size() * loop_.cost >= kWorthLeaving) call_.activation->poll = true;
  }

 private:
  void find_operands() {
    const std::size_t n_inputs = loop_.inputs.size();
    operands_.n = n_inputs + loop_.outputs.size() + loop_.folds.size();
    std::size_t k = 0;
    for (; k < n_inputs; ++k) {
      const bool whole = shape_.is_whole(k);
      operands_.direct[k] = whole ? shape_.input(k).data : nullptr;
      operands_.ends |= std::uint64_t{whole && !shape_.input(k).padded} << k;
    }
    for (std::size_t j = 0; j < loop_.outputs.size(); ++j) {
      const LoopResults::Memory memory = results_->make_output(j, true);
      operands_.ends |= std::uint64_t{!memory.padded} << k;
      operands_.direct[k++] = memory.data;
    }
    while (k < operands_.n) operands_.direct[k++] = nullptr;
  }

  std::int64_t size() const { return shape_.size(); }

  // How many threads the loop runs on. Which one computes an element makes no difference to a bit.
  int threads() const {
    const LoopThreads threads = loop_threads();
    return size() >= threads.from ? threads.count : 1;
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

  // Computes a block, and finds what is folded of it.
  void compute_block(LoopBlocks& blocks, std::int64_t start, std::int64_t n, const char** folded) {
    blocks.compute(start, n);
    for (std::size_t f = 0; f < loop_.folds.size(); ++f)
      folded[f] = blocks.at(loop_.folds[f].operand, start);
  }

  // Blocks, or sequences that are folded, one after the other.
  void compute_in_order() {
    const std::int64_t unit = loop_.folds.empty() ? kLoopBlock : results_->panels().count();
    share_out((size() + unit - 1) / unit,
              [&](LoopScratch& scratch, std::int64_t first, std::int64_t end) {
                compute_stretch(scratch, first * unit, std::min(end * unit, size()));
              });
  }

  void compute_stretch(LoopScratch& scratch, std::int64_t first, std::int64_t end) {
    LoopBlocks blocks(operands_, scratch);
    LoopFolds folds(loop_, *results_);
    const char* folded[kLoopOperands];
    if (!loop_.folds.empty()) folds.start(scratch, first);
    // A sequence that is folded starts with a block of its own; short ones come several at a time.
    const std::int64_t row = loop_.folds.empty() ? end - first : results_->panels().count();
    const std::int64_t stride = row > kLoopBlock ? kLoopBlock : kLoopBlock / row * row;
    const std::int64_t stretch = row > kLoopBlock ? row : end - first;
    for (; first < end; first += stretch)
      for (std::int64_t start = first; start < first + stretch; start += stride) {
        const std::int64_t n = std::min(stride, first + stretch - start);
        compute_block(blocks, start, n, folded);
        if (!loop_.folds.empty()) folds.add(folded, n);
      }
  }

  // One sequence that is folded, in pieces that threads share.
  void compute_pieces() {
    constexpr std::int64_t kPiece = LoopFolds::kPiece;
    LoopFolds all(loop_, *results_), next(loop_, *results_);
    const std::size_t bytes = all.piece_bytes();
    const std::int64_t n_pieces = (size() + kPiece - 1) / kPiece;
    std::vector<std::max_align_t> memory(
        static_cast<std::size_t>(n_pieces) * bytes / sizeof(std::max_align_t) + 1);
    const auto states = [&](std::int64_t piece) {
      return reinterpret_cast<char*>(memory.data()) + static_cast<std::size_t>(piece) * bytes;
    };
    share_out(n_pieces, [&](LoopScratch& scratch, std::int64_t first, std::int64_t end) {
      LoopBlocks blocks(operands_, scratch);
      LoopFolds folds(loop_, *results_);
      const char* folded[kLoopOperands];
      for (; first < end; ++first) {
        folds.start_piece(states(first));
        const std::int64_t piece_end = std::min((first + 1) * kPiece, size());
        for (std::int64_t start = first * kPiece; start < piece_end; start += kLoopBlock) {
          const std::int64_t n = std::min<std::int64_t>(kLoopBlock, piece_end - start);
          compute_block(blocks, start, n, folded);
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

  // What is folded at once of a group: some of its panels, or some of the columns of one.
  struct Tile {
    std::int64_t group, panel, n, column, width;
  };

  // Columns that are folded, a tile of them at a time.
  void compute_panels() {
    const FoldPanels& panels = results_->panels();
    const std::int64_t columns = panels.columns(),
                       width = std::min<std::int64_t>(columns, kLoopBlock);
    const std::int64_t at_once =
        std::clamp<std::int64_t>(kLoopBlock / (panels.rows() * columns), 1, panels.panels());
    const std::int64_t tiles = (columns + width - 1) / width;
    const std::int64_t in_group = (panels.panels() + at_once - 1) / at_once * tiles;
    const auto tile = [&](std::int64_t index) {
      const std::int64_t panel = index % in_group / tiles * at_once;
      const std::int64_t column = index % tiles * width;
      return Tile{index / in_group, panel, std::min(at_once, panels.panels() - panel), column,
                  std::min(width, columns - column)};
    };
    share_out(panels.groups() * in_group,
              [&](LoopScratch& scratch, std::int64_t first, std::int64_t end) {
                LoopBlocks blocks(operands_, scratch);
                for (; first < end; ++first) compute_tile(blocks, scratch, tile(first));
              });
  }

  // The element that a visit of a tile begins with.
  std::int64_t start_of(const Tile& tile, std::int64_t visit) const {
    const FoldPanels& panels = results_->panels();
    return panels.start(tile.group, visit) + tile.panel * panels.rows() * panels.columns() +
           tile.column;
  }

  // Row by row, or several rows, or visits, at once where they are short.
  void compute_tile(LoopBlocks& blocks, LoopScratch& scratch, const Tile& tile) {
    const FoldPanels& panels = results_->panels();
    const std::int64_t columns = panels.columns();
    const bool whole = tile.width == columns;
    const std::int64_t fitting = whole ? std::max<std::int64_t>(kLoopBlock / columns, 1) : 1;
    const std::int64_t at_once = fitting < kLoopLanes ? fitting : fitting / kLoopLanes * kLoopLanes;
    const std::int64_t in_visit = tile.n * panels.rows() * tile.width;
    const std::int64_t most_visits =
        whole && tile.n == panels.panels() ? std::max<std::int64_t>(kLoopBlock / in_visit, 1) : 1;
    LoopFolds folds(loop_, *results_);
    const char* folded[kLoopOperands];
    folds.start_panels(scratch, static_cast<int>(tile.n), static_cast<int>(tile.width));
    for (std::int64_t visit = 0; visit < panels.visits();) {
      const std::int64_t n_visits = std::min(most_visits, panels.adjacent_visits(visit));
      for (std::int64_t row = 0; row < panels.rows(); row += at_once) {
        const std::int64_t rows = std::min(at_once, panels.rows() - row);
        const std::int64_t start = start_of(tile, visit) + row * columns;
        const std::int64_t n = tile.n * rows * tile.width;
        compute_block(blocks, start, n_visits * n, folded);
        for (std::int64_t v = 0; v < n_visits; ++v) folds.add_rows(folded, v * n, rows);
      }
      visit += n_visits;
    }
    folds.finish_panels((tile.group * panels.panels() + tile.panel) * columns + tile.column);
  }

  const FusedLoop& loop_;
  NativeCall& call_;
  LoopScratch& scratch_;
  LoopShape shape_;
  LoopOperands operands_;
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

#include "ops/kernels/nest_execution.h"

#include "ops/kernels/accumulators.h"
#include "ops/kernels/nest_blocks.h"
#include "ops/kernels/nest_pauses.h"
#include "ops/kernels/nest_threads.h"
#include "ops/kernels/rows_in_place.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace thunkvm {
namespace {

class Execution {
 public:
  Execution(const PlacedOperands& operands, Host& host)
      : operands_(operands),
        nest_(operands.nest),
        instance_(operands.instance),
        tiles_(operands.instance.tiles),
        host_(host) {}

  void run() const {
    const int threads = n_threads();
    if (threads > 1 && tiles_.n_tiles() == 1 && tiles_.are_sequences() &&
        tiles_.count() == instance_.size && Accumulators::has_pieces(nest_))
      return compute_pieces(threads);
    share_out(threads, tiles_.n_tiles(),
              [&](NestScratch& scratch, NestPauses::Thread& pauses, std::int64_t first,
                  std::int64_t end) {
                NestBlocks blocks(operands_, scratch);
                if (nest_.reductions.empty()) return compute_blocks(blocks, pauses, first, end);
                Tile tile = tiles_.tile(first);
                for (; first < end; ++first, tiles_.advance(tile))
                  compute_tile(blocks, scratch, pauses, tile);
              });
  }

 private:
  /// Which thread computes an element makes no difference to a bit.
  int n_threads() const {
    const NestThreads threads = nest_threads();
    return instance_.size >= threads.from ? threads.count : 1;
  }

  /// Calls `f(scratch, pauses, first, end)` for shares of n things, each on a thread.
  template <class F>
  void share_out(int threads, std::int64_t n, F&& f) const {
    NestPauses pauses(host_, nest_.cost);
    if (threads == 1) [[likely]] {
      NestPauses::Thread only(pauses, true);
      return f(*NestScratch::Lease(), only, std::int64_t{0}, n);
    }
    const std::int64_t share = (n + threads - 1) / threads;
    run_on_threads(threads, [&](int thread) {
      const std::int64_t first = thread * share, end = std::min(n, first + share);
      pauses.guard([&] {
        NestPauses::Thread own(pauses, thread == 0);
        if (first < end) f(*NestScratch::Lease(), own, first, end);
      });
    });
    pauses.rethrow_failure();
  }

  /// Tiles of which nothing is reduced: each is a block, or several follow each other.
  void compute_blocks(NestBlocks& blocks, NestPauses::Thread& pauses, std::int64_t first,
                      std::int64_t end) const {
    const std::int64_t behind = std::min(end * kNestBlock, instance_.size);
    const std::int64_t step = blocks.most_at_once();
    for (std::int64_t start = first * kNestBlock; start < behind; start += step) {
      blocks.compute(start, std::min(step, behind - start));
      pauses.computed(step);
    }
  }

  void compute_tile(NestBlocks& blocks, NestScratch& scratch, NestPauses::Thread& pauses,
                    const Tile& tile) const {
    if (has_whole_sequences()) return reduce_sequences(blocks, pauses, tile);
    const Accumulators sums(nest_, instance_, tile, scratch.states(instance_.states_bytes));
    sums.start();
    add_rows(blocks, sums, pauses, tile, 0, tiles_.rows());
    sums.finish(operands_.results, tiles_.result(tile));
  }

  /// True if what is reduced lies in memory as the nest meets it, and nothing is computed of it.
  bool needs_no_blocks() const { return instance_.is_in_place && instance_.gathered == 0; }
  /// True if the elements of each result are in one block, or follow each other in memory.
  bool has_whole_sequences() const {
    return tiles_.are_sequences() && tiles_.rows() <= (needs_no_blocks() ? kNestPiece : kNestBlock);
  }
  void reduce_sequences(NestBlocks& blocks, NestPauses::Thread& pauses, const Tile& tile) const {
    const std::int64_t start = tiles_.start(tile, 0, 0), rows = tiles_.rows();
    if (!needs_no_blocks()) blocks.compute(start, tile.n * rows);
    for (std::size_t k = 0; k < nest_.reductions.size(); ++k) {
      const auto& [reduction, operand] = nest_.reductions[k];
      const char* elements = blocks.at(operand, start);
      const auto out = static_cast<std::int64_t>(item_size(reduction->out));
      char* result = operands_.results[k] + tiles_.result(tile) * out;
      for (std::int64_t outer = 0; outer < tile.n; ++outer, result += out) {
        reduction->reduce(elements, rows, result);
        elements += rows * nest_.item_sizes[operand];
      }
    }
    pauses.computed(tile.n * rows);
  }

  /// Rows of a tile, for all its far reduced indices.
  void add_rows(NestBlocks& blocks, const Accumulators& sums, NestPauses::Thread& pauses,
                const Tile& tile, std::int64_t first, std::int64_t end) const {
    if (instance_.is_in_place) return add_rows_in_place(blocks, sums, pauses, tile, first, end);
    const char* reduced[kNestOperands];
    for (std::int64_t far = 0, n_far; far < tiles_.far_reduced(); far += n_far) {
      n_far = tiles_.far_reduced_at_once(far);
      for (std::int64_t row = first; row < end; row += tiles_.rows_at_once()) {
        const std::int64_t rows = std::min(tiles_.rows_at_once(), end - row);
        const std::int64_t start = tiles_.start(tile, far, row);
        const std::int64_t n = tile.n * rows * tile.width;
        blocks.compute(start, n_far * n);
        for (std::size_t f = 0; f < nest_.reductions.size(); ++f)
          reduced[f] = blocks.at(nest_.reductions[f].operand, start);
        for (std::int64_t v = 0; v < n_far; ++v) sums.add(reduced, v * n, rows);
        pauses.computed(n_far * n);
      }
    }
  }

  /// The same of inputs that are reduced as they are.
  void add_rows_in_place(const NestBlocks& blocks, const Accumulators& sums,
                         NestPauses::Thread& pauses, const Tile& tile, std::int64_t first,
                         std::int64_t end) const {
    const std::int64_t at_once = std::max<std::int64_t>(kNestPiece / tile.width, kReductionBlock);
    for (std::size_t k = 0; k < nest_.reductions.size(); ++k) {
      const std::size_t input = nest_.reductions[k].operand;
      const RowsInPlace rows(instance_.inputs[input], operands_.data[input],
                             nest_.item_sizes[input], tiles_.n_inner(), blocks.gathering(input),
                             blocks.scratch(input));
      for (std::int64_t far = 0; far < tiles_.far_reduced(); ++far) {
        std::int64_t start = tiles_.start(tile, far, 0);
        for (std::int64_t outer = 0; outer < tile.n; ++outer, start += tiles_.outer_pitch())
          for (std::int64_t row = first; row < end; row += at_once) {
            const std::int64_t n = std::min(at_once, end - row);
            rows.each_piece(start + row * tiles_.n_inner(), tile.inner, n,
                            [&](const char* piece, std::int64_t pitch, std::int64_t n_rows) {
                              sums.add(k, outer, piece, pitch, n_rows);
                            });
            pauses.computed(n * tile.width);
          }
      }
    }
  }

  /// One sequence, in pieces that threads share.
  void compute_pieces(int threads) const {
    const Tile tile = tiles_.whole();
    const std::int64_t n_pieces = (instance_.size + kNestPiece - 1) / kNestPiece;
    const std::size_t bytes = instance_.states_bytes;
    std::vector<std::max_align_t> memory(
        static_cast<std::size_t>(n_pieces) * bytes / sizeof(std::max_align_t) + 1);
    const auto piece = [&](std::int64_t k) {
      char* const states = reinterpret_cast<char*>(memory.data());
      return Accumulators(nest_, instance_, tile, states + static_cast<std::size_t>(k) * bytes);
    };
    share_out(threads, n_pieces,
              [&](NestScratch& scratch, NestPauses::Thread& pauses, std::int64_t first,
                  std::int64_t end) {
                NestBlocks blocks(operands_, scratch);
                for (; first < end; ++first) {
                  const Accumulators sums = piece(first);
                  sums.start();
                  add_rows(blocks, sums, pauses, tile, first * kNestPiece,
                           std::min((first + 1) * kNestPiece, instance_.size));
                }
              });
    for (std::int64_t k = 1; k < n_pieces; ++k) piece(0).append(piece(k));
    piece(0).finish(operands_.results, 0);
  }

  const PlacedOperands& operands_;
  const Nest& nest_;
  const ResolvedNest& instance_;
  const IterationTiles& tiles_;
  Host& host_;
};

/// One block, and what is reduced to numbers of it: no tiles are needed.
[[gnu::always_inline]] inline void compute_block(const PlacedOperands& operands) {
  const Nest& nest = operands.nest;
  const ResolvedNest& instance = operands.instance;
  if (NestBlocks::is_body_alone(operands))
    return nest.body(operands.data, operands.numbers, nest.element_functions.data(), nullptr,
                     whole_lanes(instance.size));
  const NestScratch::Lease scratch;
  NestBlocks blocks(operands, *scratch);
  blocks.compute_all();
  char* const* result = operands.results;
  for (const Nest::Reduction& reduction : nest.reductions)
    reduction.kernel->reduce(blocks.at(reduction.operand, 0), instance.size, *result++);
}

}  // namespace

void execute(const PlacedOperands& operands, Host& host) {
  const HostLeave leave(host, operands.instance.size * operands.nest.cost);
  if (operands.instance.is_block) [[likely]]
    compute_block(operands);
  else
    Execution(operands, host).run();
}

void execute_once(const Nest& nest, const IterationSpace& space, std::span<const Layout> inputs,
                  std::span<char* const> outputs, std::span<char* const> results, Host& host) {
  const InstanceMemory memory(nest);
  Resolution resolution(nest, *memory, space);
  for (const Layout& input : inputs) resolution.map(input);
  resolution.finish();
  PlacedOperands operands(nest, *memory, nullptr);
  char** data = operands.data;
  for (const Layout& input : inputs) *data++ = input.data;
  std::ranges::copy(outputs, data);
  std::ranges::copy(results, operands.results);
  execute(operands, host);
}

}  // namespace thunkvm

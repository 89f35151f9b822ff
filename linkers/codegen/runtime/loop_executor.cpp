#include "linkers/codegen/runtime/loop_executor.h"

#include "linkers/codegen/runtime/accumulators.h"
#include "linkers/codegen/runtime/call_memory.h"
#include "linkers/codegen/runtime/loop_blocks.h"
#include "linkers/codegen/runtime/loop_instance.h"
#include "linkers/codegen/runtime/loop_pauses.h"
#include "linkers/codegen/runtime/loop_threads.h"
#include "ops/kernels/array_kernel.h"
#include "vm/frame.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <new>

namespace thunkvm {
namespace {

/// One run of an instance. `data`: where its sources are.
class Execution {
 public:
  Execution(const LoopNest& nest, const LoopInstance& instance, NativeCall& call,
            const NumberBits* numbers, char* const* data, NumberBits* results)
      : nest_(nest),
        instance_(instance),
        tiles_(instance.tiles),
        call_(call),
        operands_(nest, instance, numbers) {
    find_inputs(data);
    for (std::size_t j = 0; const LoopNest::Output& output : nest_.outputs)
      make_output(output, j++, operands_.n++);
    for (std::size_t f = 0; f < nest_.reductions.size(); ++f) make_result(f, results);
  }

  void run() {
    const std::int64_t work = instance_.size * nest_.cost;
    {
      const HostLeave leave(*call_.activation->host, work);
      compute();
    }
    if (work >= kWorthLeaving) call_.activation->poll = true;
  }

 private:
  // ---- operands ----

  void find_inputs(char* const* data) {
    const OperandMap* map = instance_.inputs;
    const std::size_t n = operands_.n = nest_.inputs.size();
    const char* const numbers = reinterpret_cast<const char*>(operands_.numbers);
    for (std::size_t i = 0; i < n; ++i, ++map)
      operands_.data[i] =
          (map->source != kNone ? data[map->source] : const_cast<char*>(numbers)) + map->offset;
    for (std::uint64_t bits = instance_.surrounded; bits != 0; bits &= bits - 1)
      surround(static_cast<std::size_t>(std::countr_zero(bits)));
  }

  /// Writes the numbers that an input is padded with around it.
  void surround(std::size_t i) {
    const OperandMap& map = instance_.inputs[i];
    const NumberBits* const number = operands_.numbers + nest_.inputs[i].pad->fill;
    const std::int64_t before = map.pad_before;
    const std::int64_t end = before + (map.pad_axes.empty() ? 1 : map.pad_axes.front().length);
    char* const first = operands_.data[i] -= before * nest_.item_sizes[i];
    visit_bytes(nest_.item_sizes[i], [&]<class T>(T fill) {
      std::memcpy(&fill, number, sizeof(fill));
      T* const elements = reinterpret_cast<T*>(first);
      for (std::int64_t k = 0; k < before; ++k) elements[k] = fill;
      for (std::int64_t k = end; k < instance_.size; ++k) elements[k] = fill;
    });
  }

  /// An output whose elements are still to be computed: in its slot; in the memory of a dying input
  /// that is not read after the output is written; in that of the last call in the `_nogc` modes;
  /// else in new memory.
  void make_output(const LoopNest::Output& output, std::size_t j, std::size_t k) {
    if (((instance_.in_slots >> j) & 1u) != 0) {
      operands_.data[k] = CallMemory(call_).make_again(output.slot);
      return;
    }
    Cell& cell = call_.cells[output.registers[0]];
    Array array;
    for (std::uint64_t bits = output.may_take; bits != 0 && !array; bits &= bits - 1)
      array = take_fitting(
          call_.cells[nest_.sources[instance_.inputs[std::countr_zero(bits)].source].reg],
          output.dtype, instance_.shape);
    operands_.in_place |= static_cast<bool>(array);
    if (!array) array = output_array(*call_.activation, cell, output.dtype, instance_.shape);
    operands_.data[k] = array.data();
    if (instance_.size % kLoopLanes != 0 && !Array::padded(*array.body()))
      operands_.ends |= std::uint64_t{1} << k;
    cell.set_array(std::move(array));
    for (std::size_t r = 1; r < output.registers.size(); ++r)
      call_.cells[output.registers[r]] = cell;
  }

  void make_result(std::size_t f, NumberBits* results) {
    const LoopNest::Reduction& reduction = nest_.reductions[f];
    operands_.scratch |= std::uint64_t{1} << operands_.n++;
    const Dims shape = reduction.keepdims ? instance_.kept_as_ones : instance_.kept;
    if (shape.empty()) {
      results[f] = 0;
      results_[f] = reinterpret_cast<char*>(results + f);
      return;
    }
    Cell& cell = call_.cells[reduction.reg];
    cell.set_array(output_array(*call_.activation, cell, reduction.kernel->out, shape));
    results_[f] = cell.body()->data;
  }

  // ---- tiles ----

  /// How many threads the loop runs on. Which one computes an element makes no difference to a bit.
  int n_threads() const {
    const LoopThreads threads = loop_threads();
    return instance_.size >= threads.from ? threads.count : 1;
  }

  /// Calls `f(scratch, pauses, first, end)` for shares of n things, each on a thread.
  template <class F>
  void share_out(int threads, std::int64_t n, F&& f) {
    LoopPauses pauses(*call_.activation->host, nest_.cost);
    if (threads == 1) [[likely]] {
      LoopPauses::Thread only(pauses, true);
      return f(LoopScratch::of_thread(), only, std::int64_t{0}, n);
    }
    const std::int64_t share = (n + threads - 1) / threads;
    std::atomic<bool> no_memory = false;
    run_on_threads(threads, [&](int thread) {
      const std::int64_t first = thread * share, end = std::min(n, first + share);
      LoopPauses::Thread own(pauses, thread == 0);
      try {
        if (first < end) f(LoopScratch::of_thread(), own, first, end);
      } catch (const std::bad_alloc&) {
        no_memory = true;
      } catch (...) {  // what the host said, which `pauses` has
      }
    });
    if (no_memory) throw std::bad_alloc();
    if (pauses.failure()) std::rethrow_exception(pauses.failure());
  }

  void compute() {
    if (instance_.is_block) [[likely]]
      return compute_block();
    const int threads = n_threads();
    if (threads > 1 && tiles_.n_tiles() == 1 && tiles_.are_sequences() &&
        tiles_.count() == instance_.size && Accumulators::has_pieces(nest_))
      return compute_pieces(threads);
    share_out(threads, tiles_.n_tiles(),
              [&](LoopScratch& scratch, LoopPauses::Thread& pauses, std::int64_t first,
                  std::int64_t end) {
                LoopBlocks blocks(operands_, scratch);
                if (nest_.reductions.empty()) return compute_blocks(blocks, pauses, first, end);
                Tile tile = tiles_.tile(first);
                for (; first < end; ++first, tiles_.advance(tile))
                  compute_tile(blocks, scratch, pauses, tile);
              });
  }

  /// Tiles of which nothing is reduced: each is a block.
  void compute_blocks(LoopBlocks& blocks, LoopPauses::Thread& pauses, std::int64_t first,
                      std::int64_t end) const {
    const std::int64_t behind = std::min(end * kLoopBlock, instance_.size);
    for (std::int64_t start = first * kLoopBlock; start < behind; start += kLoopBlock) {
      blocks.compute(start, std::min<std::int64_t>(kLoopBlock, behind - start));
      pauses.computed(kLoopBlock);
    }
  }

  /// One block, and what is reduced to numbers of it: no tiles are needed.
  void compute_block() {
    LoopScratch& scratch = LoopScratch::of_thread();
    LoopBlocks blocks(operands_, scratch);
    blocks.compute(0, instance_.size);
    char** result = results_;
    for (const LoopNest::Reduction& reduction : nest_.reductions) {
      char* const state = scratch.states(instance_.states_bytes);
      reduction.kernel->start(state);
      reduction.kernel->add(state, blocks.at(reduction.operand, 0), instance_.size);
      reduction.kernel->finish(state, instance_.size, *result++);
    }
  }

  void compute_tile(LoopBlocks& blocks, LoopScratch& scratch, LoopPauses::Thread& pauses,
                    const Tile& tile) {
    const Accumulators sums(nest_, instance_, tile, scratch.states(instance_.states_bytes));
    sums.start();
    add_rows(blocks, sums, pauses, tile, 0, tiles_.rows());
    sums.finish(results_, tiles_.result(tile));
  }

  /// Rows of a tile, for all its far reduced indices.
  void add_rows(LoopBlocks& blocks, const Accumulators& sums, LoopPauses::Thread& pauses,
                const Tile& tile, std::int64_t first, std::int64_t end) {
    const char* reduced[kLoopOperands];
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

  /// One sequence, in pieces that threads share.
  void compute_pieces(int threads) {
    const Tile tile = tiles_.whole();
    const std::int64_t n_pieces = (instance_.size + kLoopPiece - 1) / kLoopPiece;
    const std::size_t bytes = instance_.states_bytes;
    std::vector<std::max_align_t> memory(
        static_cast<std::size_t>(n_pieces) * bytes / sizeof(std::max_align_t) + 1);
    const auto piece = [&](std::int64_t k) {
      char* const states = reinterpret_cast<char*>(memory.data());
      return Accumulators(nest_, instance_, tile, states + static_cast<std::size_t>(k) * bytes);
    };
    share_out(threads, n_pieces,
              [&](LoopScratch& scratch, LoopPauses::Thread& pauses, std::int64_t first,
                  std::int64_t end) {
                LoopBlocks blocks(operands_, scratch);
                for (; first < end; ++first) {
                  const Accumulators sums = piece(first);
                  sums.start();
                  add_rows(blocks, sums, pauses, tile, first * kLoopPiece,
                           std::min((first + 1) * kLoopPiece, instance_.size));
                }
              });
    for (std::int64_t k = 1; k < n_pieces; ++k) piece(0).append(piece(k));
    piece(0).finish(results_, 0);
  }

  const LoopNest& nest_;
  const LoopInstance& instance_;
  const IterationTiles& tiles_;
  NativeCall& call_;
  LoopOperands operands_;
  char* results_[kLoopOperands];  ///< by reduction: where its results go
};

/// Gives what goes to slots its lengths.
void lay_out_slots(const LoopNest& nest, const NativeCall& call, LoopInstance& instance) {
  const CallMemory memory(call);
  for (std::size_t j = 0; j < nest.outputs.size(); ++j) {
    const LoopNest::Output& output = nest.outputs[j];
    if (output.slot != kNone &&
        memory.make(output.slot, nest.room, output.dtype, instance.shape, instance.size))
      instance.in_slots |= std::uint64_t{1} << j;
  }
  for (const std::uint32_t slot : nest.shape_only) memory.make_shape_only(slot, instance.shape);
}

bool resolves(const LoopNest& nest, const LoopLayouts& layouts, LoopInstance& instance) {
  try {
    return resolve(nest, layouts, instance);
  } catch (const Error&) {
    return false;  // a member has no slice of its input: it says so itself
  }
}

/// The recorder of a call whose nodes' shapes are recorded; else null.
Recorder* asked_for_shapes(const NativeCall& call) {
  if (call.laps == nullptr) [[likely]]
    return nullptr;
  Recorder* const recorder = call.frame->recorder();
  return recorder->notes_shapes() ? recorder : nullptr;
}

/// That a run reads and writes: each operand once, what is repeated along an axis too.
std::uint64_t bytes_moved(const LoopNest& nest, const LoopInstance& instance) {
  std::int64_t bytes = 0;
  std::size_t k = 0;
  for (; k < nest.inputs.size(); ++k) {
    const OperandMap& map = instance.inputs[k];
    std::int64_t elements = map.kind == OperandMap::Kind::Identity ? instance.size : 1;
    if (map.kind != OperandMap::Kind::Identity && map.kind != OperandMap::Kind::Broadcast)
      for (const auto& axis : map.axes)
        if (axis.stride != 0) elements *= axis.length;
    bytes += elements * nest.item_sizes[k];
  }
  for (std::size_t j = 0; j < nest.outputs.size(); ++j)
    bytes += instance.size * nest.item_sizes[k++];
  return static_cast<std::uint64_t>(bytes);
}

/// As one pass. False if the members cannot run so.
bool run_at_once(const LoopNest& nest, NativeCall& call, const NumberBits* numbers,
                 NumberBits* results) {
  LoopInstance& instance = LoopInstance::of(nest, call);
  Recorder* const recorder = asked_for_shapes(call);
  const std::uint32_t first = nest.members.steps.front().node;
  char* data[kLoopOperands];
  if (!instance.fits(nest, call, data)) {
    if (!resolves(nest, LoopLayouts(nest, call), instance)) return false;
    lay_out_slots(nest, call, instance);
    instance.fits(nest, call, data);
    if (recorder != nullptr) [[unlikely]]
      recorder->note_loop(first, instance.shape, bytes_moved(nest, instance));
  } else if (recorder != nullptr) [[unlikely]] {
    recorder->note_loop_again(first, instance.shape);
  }
  for (const std::uint32_t slot : nest.shape_only) CallMemory(call).make_again(slot);
  if (nest.computes()) Execution(nest, instance, call, numbers, data, results).run();
  return true;
}

/// Makes arrays of what members read and write in registers.
void move_slots(const LoopNest& nest, NativeCall& call) {
  const CallMemory memory(call);
  for (const LoopNest::Source& value : nest.slot_values)
    if (value.shape_only)
      memory.move_lengths_to(call.cells[value.reg], value.slot, value.dtype, value.ndim);
    else
      memory.move_to(call.cells[value.reg], value.slot, value.dtype, value.ndim);
  for (const LoopNest::Output& output : nest.outputs)
    if (output.slot != kNone) memory[output.slot].data = nullptr;
  for (const std::uint32_t slot : nest.shape_only) memory[slot].data = nullptr;
}

bool run_members(const LoopNest& nest, NativeCall& call, const NumberBits* given,
                 NumberBits* results) {
  for (std::size_t k = 0; k < nest.numbers.size(); ++k) {
    const LoopNest::Number& number = nest.numbers[k];
    if (number.local) store_number(call.cells[number.reg], given[k], number.dtype);
  }
  for (std::size_t i = 0; i < nest.members.steps.size(); ++i)
    if (!run_native_step(call, nest.members, i)) return false;
  for (std::size_t f = 0; f < nest.reductions.size(); ++f) {
    Cell& cell = call.cells[nest.reductions[f].reg];
    if (!cell.is_scalar()) continue;
    results[f] = 0;
    std::memcpy(&results[f], cell.address(), item_size(nest.reductions[f].kernel->out));
    cell.clear();
  }
  for (const LoopNest::Number& number : nest.numbers)
    if (number.local) call.cells[number.reg].clear();
  for (const std::uint32_t reg : nest.internal) call.cells[reg].clear();
  return true;
}

}  // namespace

bool run_loop(const LoopNest& nest, NativeCall& call, const NumberBits* numbers,
              NumberBits* results) {
  try {
    if (run_at_once(nest, call, numbers, results)) {
      if (!call.activation->poll || NativeSupport::poll(*call.frame)) return true;
      note_after(call, nest.members);
      return false;
    }
    move_slots(nest, call);
  } catch (...) {  // no memory
    call.activation->fail_current();
    NativeSupport::fail(*call.frame, nest.members.steps.front().node);
    note_after(call, nest.members);
    return false;
  }
  return run_members(nest, call, numbers, results);
}

}  // namespace thunkvm

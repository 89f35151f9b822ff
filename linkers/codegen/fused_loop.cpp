#include "linkers/codegen/fused_loop.h"

#include "linkers/codegen/packing.h"

#include <algorithm>
#include <cstring>

namespace thunkvm {
namespace {

constexpr std::int64_t kBlockBytes = (kLoopBlock + kLoopLanes) * 8;
constexpr std::int64_t kTailBytes = kLoopLanes * 8;

/// What loops of one thread compute in.
struct Scratch {
  std::vector<char> blocks;
  std::vector<Packer> packers;
  std::vector<std::max_align_t> states;
};
Scratch& scratch_of_thread() {
  static thread_local Scratch scratch;
  return scratch;
}

std::int64_t bytes_of(DType dtype) { return static_cast<std::int64_t>(item_size(dtype)); }

}  // namespace

void store_number(Cell& cell, NumberBits bits, DType dtype) {
  visit_dtype(dtype, "a number", [&]<class T>(std::type_identity<T>) {
    if constexpr (fits_cell<T>) {
      T value;
      std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
      cell.set(value);
    }
  });
}

// One run of a loop: its shape and where its operands are.
class FusedLoop::Run {
 public:
  Run(const FusedLoop& loop, NativeCall& call, const NumberBits* numbers)
      : loop_(loop), call_(call), numbers_(numbers) {}

  /// False if the members cannot run as one pass.
  bool find_shape() {
    const std::size_t n = loop_.inputs.size();
    for (std::size_t i = 0; i < n; ++i) bodies_[i] = call_.cells[loop_.inputs[i].reg].body();
    std::fill_n(shape_, loop_.ndim, 1);
    bool alike = true;
    for (std::size_t i = 0; i < n; ++i) {
      alike &= bodies_[i]->ndim == loop_.ndim &&
               std::equal(bodies_[i]->dims, bodies_[i]->dims + loop_.ndim, bodies_[0]->dims);
      if (!broadcast(shape_, *bodies_[i])) return false;
    }
    size_ = 1;
    for (const std::int64_t length : shape()) size_ *= length;
    if (size_ == 0) return false;
    alike_ = alike;
    return alike || std::ranges::all_of(loop_.sources, [&](std::uint32_t inputs) {
             std::int64_t source[kMaxDims];
             std::fill_n(source, loop_.ndim, 1);
             for (std::size_t i = 0; i < n; ++i)
               if (((inputs >> i) & 1u) != 0) broadcast(source, *bodies_[i]);
             return std::equal(source, source + loop_.ndim, shape_);
           });
  }

  void compute(NumberBits* results) {
    find_operands();
    if (!loop_.folds.empty()) start_folds(results);
    {
      const HostLeave leave(*call_.activation->host, size_ * loop_.cost);
      for_each_block([&](std::int64_t start, std::int64_t n) { block(start, n); });
    }
    if (size_ * loop_.cost >= kWorthLeaving) call_.activation->poll = true;
  }

 private:
  Dims shape() const { return {shape_, static_cast<std::size_t>(loop_.ndim)}; }

  bool broadcast(std::int64_t* shape, const ArrayBody& body) const {
    const int missing = loop_.ndim - body.ndim;
    for (int axis = 0; axis < body.ndim; ++axis) {
      std::int64_t& length = shape[missing + axis];
      if (body.dims[axis] == length || body.dims[axis] == 1) continue;
      if (length != 1) return false;
      length = body.dims[axis];
    }
    return true;
  }

  bool is_whole(const ArrayBody& body) const {
    return body.contiguous && (alike_ || (body.ndim == loop_.ndim &&
                                          std::equal(body.dims, body.dims + loop_.ndim, shape_)));
  }

  // Stores an output whose elements are still to be computed, and returns their memory: that of a
  // dying input that is not read after the output is written, else that of the last call in the
  // `_nogc` modes, else new.
  char* make_output(std::size_t j) {
    const Output& output = loop_.outputs[j];
    Cell& cell = call_.cells[output.reg];
    for (std::size_t i = 0; i < loop_.inputs.size(); ++i) {
      const Input& input = loop_.inputs[i];
      if (!input.dies || ((output.may_take >> i) & 1u) == 0 || ((taken_ >> i) & 1u) != 0 ||
          input.dtype != output.dtype || !is_whole(*bodies_[i]))
        continue;
      Array array = call_.cells[input.reg].take_array();
      if (array.exclusive()) {
        taken_ |= 1u << i;
        cell.set_array(std::move(array));
        return cell.body()->data;
      }
      call_.cells[input.reg].set_array(std::move(array));
    }
    cell.set_array(new_array(output.reg, output.dtype, shape()));
    return cell.body()->data;
  }

  Array new_array(std::uint32_t reg, DType dtype, Dims shape) {
    Cell& cell = call_.cells[reg];
    if (call_.activation->keep && cell.is_array() && cell.dtype() == dtype) {
      const ArrayBody& body = *cell.body();
      if (body.contiguous && body.ndim == shape.size() &&
          std::equal(shape.begin(), shape.end(), body.dims)) {
        Array kept = cell.take_array();
        if (kept.exclusive()) return kept;
      }
    }
    return Array::allocate(dtype, shape);
  }

  void find_operands() {
    const std::size_t n_inputs = loop_.inputs.size();
    n_ = n_inputs + loop_.outputs.size() + loop_.folds.size();
    Scratch& scratch = scratch_of_thread();
    if (const std::size_t bytes = n_ * (kBlockBytes + kTailBytes); scratch.blocks.size() < bytes)
      scratch.blocks.resize(bytes);
    scratch_ = scratch.blocks.data();
    if (scratch.packers.size() < n_inputs) scratch.packers.resize(n_inputs);
    packers_ = scratch.packers.data();
    std::size_t k = 0;
    for (std::size_t i = 0; i < n_inputs; ++i, ++k) {
      direct_[k] = is_whole(*bodies_[i]) ? bodies_[i]->data : nullptr;
      item_sizes_[k] = bytes_of(loop_.inputs[i].dtype);
      if (direct_[k] == nullptr) packers_[i] = Packer(*bodies_[i], shape(), 0);
    }
    for (std::size_t j = 0; j < loop_.outputs.size(); ++j, ++k) {
      direct_[k] = make_output(j);
      item_sizes_[k] = bytes_of(loop_.outputs[j].dtype);
    }
    for (std::size_t f = 0; f < loop_.folds.size(); ++f, ++k) {
      direct_[k] = nullptr;
      item_sizes_[k] = bytes_of(loop_.folds[f].fold->in);
    }
  }

  char* scratch(std::size_t operand) const {
    return scratch_ + static_cast<std::int64_t>(operand) * (kBlockBytes + kTailBytes);
  }
  char* tail(std::size_t operand) const { return scratch(operand) + kBlockBytes; }

  void start_folds(NumberBits* results) {
    const int kept = loop_.ndim - loop_.reduced;
    row_ = 1;
    for (int axis = kept; axis < loop_.ndim; ++axis) row_ *= shape_[axis];
    std::size_t bytes = 0;
    for (std::size_t f = 0; f < loop_.folds.size(); ++f) {
      const Fold& fold = loop_.folds[f];
      if (kept == 0 && !fold.keepdims) {
        results[f] = 0;
        fold_results_[f] = reinterpret_cast<char*>(results + f);
      } else {
        std::int64_t shape[kMaxDims];
        std::copy_n(shape_, kept, shape);
        std::fill_n(shape + kept, loop_.reduced, 1);
        Cell& cell = call_.cells[fold.reg];
        cell.set_array(
            new_array(fold.reg, fold.fold->out,
                      {shape, static_cast<std::size_t>(fold.keepdims ? loop_.ndim : kept)}));
        fold_results_[f] = cell.body()->data;
      }
      state_offsets_[f] = bytes;
      bytes += (fold.fold->state_bytes + 15) / 16 * 16;
    }
    std::vector<std::max_align_t>& states = scratch_of_thread().states;
    if (states.size() * sizeof(std::max_align_t) < bytes)
      states.resize(bytes / sizeof(std::max_align_t) + 1);
    states_ = reinterpret_cast<char*>(states.data());
    for (std::size_t f = 0; f < loop_.folds.size(); ++f) loop_.folds[f].fold->start(state(f));
  }

  void* state(std::size_t f) { return states_ + state_offsets_[f]; }

  template <class F>
  void for_each_block(F&& f) {
    // A sequence that is folded starts with a block of its own; short ones come several at a time.
    const std::int64_t row = loop_.folds.empty() ? size_ : row_;
    const std::int64_t stride =
        row > kLoopBlock ? kLoopBlock : std::max<std::int64_t>(kLoopBlock / row, 1) * row;
    const std::int64_t stretch = row > kLoopBlock ? row : size_;
    for (std::int64_t first = 0; first < size_; first += stretch)
      for (std::int64_t start = first; start < first + stretch; start += stride)
        f(start, std::min(stride, first + stretch - start));
  }

  void block(std::int64_t start, std::int64_t n) {
    const std::int64_t whole = n & -kLoopLanes, rest = n - whole;
    const std::size_t n_inputs = loop_.inputs.size();
    const std::size_t n_direct = n_inputs + loop_.outputs.size();
    for (std::size_t i = 0; i < n_inputs; ++i)
      if (direct_[i] == nullptr) {
        packers_[i].next(scratch(i), n);
        if (rest != 0)
          std::memset(scratch(i) + n * item_sizes_[i], 0,
                      static_cast<std::size_t>((kLoopLanes - rest) * item_sizes_[i]));
      }
    if (whole != 0) {
      for (std::size_t k = 0; k < n_; ++k)
        blocks_[k] = direct_[k] != nullptr ? direct_[k] + start * item_sizes_[k] : scratch(k);
      loop_.body(blocks_, numbers_, loop_.element_loops.data(), whole);
    }
    if (rest != 0) {
      for (std::size_t k = 0; k < n_; ++k) {
        const std::int64_t bytes = item_sizes_[k];
        blocks_[k] = direct_[k] != nullptr ? tail(k) : scratch(k) + whole * bytes;
        if (k < n_inputs && direct_[k] != nullptr) {
          std::memcpy(tail(k), direct_[k] + (start + whole) * bytes,
                      static_cast<std::size_t>(rest * bytes));
          std::memset(tail(k) + rest * bytes, 0,
                      static_cast<std::size_t>((kLoopLanes - rest) * bytes));
        }
      }
      loop_.body(blocks_, numbers_, loop_.element_loops.data(), kLoopLanes);
      for (std::size_t k = n_inputs; k < n_direct; ++k)
        std::memcpy(direct_[k] + (start + whole) * item_sizes_[k], tail(k),
                    static_cast<std::size_t>(rest * item_sizes_[k]));
    }
    for (std::size_t f = 0; f < loop_.folds.size(); ++f) {
      const std::size_t k = loop_.folds[f].operand;
      const char* values = direct_[k] != nullptr ? direct_[k] + start * item_sizes_[k] : scratch(k);
      fold(f, values, item_sizes_[k], start, n);
    }
  }

  void fold(std::size_t f, const char* values, std::int64_t bytes, std::int64_t start,
            std::int64_t n) {
    const BlockFold& fold = *loop_.folds[f].fold;
    for (std::int64_t done = 0; done < n;) {
      const std::int64_t in_row = (start + done) % row_;
      const std::int64_t m = std::min(n - done, row_ - in_row);
      fold.add(state(f), values + done * bytes, m);
      done += m;
      if (in_row + m < row_) continue;
      fold.finish(state(f), row_, fold_results_[f]);
      fold_results_[f] += bytes_of(fold.out);
      fold.start(state(f));
    }
  }

  const FusedLoop& loop_;
  NativeCall& call_;
  const NumberBits* numbers_;
  const ArrayBody* bodies_[kLoopOperands];  ///< by input
  std::int64_t shape_[kMaxDims];
  std::int64_t size_ = 0;
  std::int64_t row_ = 0;     ///< elements of a sequence that is folded
  bool alike_ = false;       ///< all inputs have the loop's shape
  std::uint32_t taken_ = 0;  ///< bit i: input i's memory is an output's
  // By operand: inputs, outputs, folds.
  std::size_t n_ = 0;
  char* direct_[kLoopOperands];  ///< the memory of a whole one; null: it goes through scratch
  char* blocks_[kLoopOperands];
  std::int64_t item_sizes_[kLoopOperands];
  char* scratch_ = nullptr;
  Packer* packers_ = nullptr;  ///< by input
  // By fold.
  char* fold_results_[kLoopOperands];
  std::size_t state_offsets_[kLoopOperands];
  char* states_ = nullptr;
};

bool FusedLoop::run(NativeCall& call, const NumberBits* numbers, NumberBits* results) const {
  try {
    Run run(*this, call, numbers);
    if (run.find_shape()) {
      run.compute(results);
      return !call.activation->poll || NativeSupport::poll(*call.frame);
    }
  } catch (...) {  // no memory
    call.activation->fail_current();
    NativeSupport::fail(*call.frame, members.steps.front().node);
    for (const auto& [first, end] : members.after)
      NativeSupport::note_not_reached(*call.frame, first, end);
    return false;
  }
  return run_members(call, numbers, results);
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

bool run_native_step(NativeCall& call, const NativeSteps& steps, std::size_t i) {
  const Step& step = steps.steps[i];
  Activation& activation = *call.activation;
  if (step.run(activation, step.operands) == Status::Done) [[likely]] {
    if (!activation.poll || NativeSupport::poll(*call.frame)) return true;
  } else {
    NativeSupport::fail(*call.frame, step.node);
  }
  for (std::size_t k = i + 1; k < steps.indices.size(); ++k)
    NativeSupport::note_not_reached(*call.frame, steps.indices[k], steps.indices[k] + 1);
  for (const auto& [first, end] : steps.after)
    NativeSupport::note_not_reached(*call.frame, first, end);
  return false;
}

}  // namespace thunkvm

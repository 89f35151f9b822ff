#include "linkers/user_code/kernel_run.h"

#include "linkers/user_code/crash_report.h"
#include "linkers/user_code/input_guard.h"
#include "linkers/user_code/limits.h"
#include "ops/kernels/array_kernel.h"
#include "thunks/array.h"
#include "thunks/demand.h"
#include "thunks/host.h"
#include "vm/clock.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace thunkvm {

// The structs of thunkvm/c/kernel_source.py.
struct ArrayView {
  char* data;
  const std::int64_t* shape;
  const std::int64_t* strides;
  std::int64_t size;
  std::int32_t ndim;
  std::int32_t contiguous;
};
struct CallView {
  int (*output)(CallView*, int, const std::int64_t*);
  int (*view)(CallView*, int, int, char*, const std::int64_t*, const std::int64_t*);
  int (*fail)(CallView*, const char*, const char*, ...);
  int (*force)(CallView*, int);
};

namespace {

/// A number of up to 16 bytes.
struct Number {
  alignas(16) char bytes[16];
};

/// `n` values that begin as zero; in this object itself where they are few, as nearly always.
template <class T>
class Few {
 public:
  explicit Few(std::size_t n) : more_(n > kFewOperands ? new T[n]() : nullptr) {}
  T* begin() { return more_ ? more_.get() : few_; }
  T& operator[](std::size_t i) { return begin()[i]; }

 private:
  T few_[kFewOperands] = {};
  std::unique_ptr<T[]> more_;
};

/// The registers of an eager run.
struct Registers {
  Activation& activation;
  const Operands& operands;

  Cell& input(int i) const { return activation.input(operands, i); }
  /// An input's memory, for the C to write to.
  Array overwritten(int i) const {
    Cell& cell = input(i);
    const bool is_ours =
        operands.dies(i) && is_named_once(operands, i) && Array::exclusive(*cell.body());
    return is_ours ? cell.take_array() : cell.array().copy();
  }
  Array allocate(int j, DType dtype, Dims dims) const {
    return output_array(activation, operands, j, dtype, dims);
  }
  Cell& output(int j) const { return activation.output(operands, j); }
};

/// The values of a lazy run.
struct Demanded {
  Demand& demand;
  std::vector<const Cell*> inputs;  ///< null before the C forced it
  std::vector<Cell> outputs;

  const Cell& input(int i) const {
    const Cell* const cell = inputs[static_cast<std::size_t>(i)];
    if (cell == nullptr)
      throw Error(ErrorKind::Runtime, "input " + std::to_string(i) +
                                          " is not there yet: call tv_force(call, " +
                                          std::to_string(i) + ") first.");
    return *cell;
  }
  Array overwritten(int i) const { return input(i).array().copy(); }
  Array allocate(int, DType dtype, Dims dims) const { return Array::allocate(dtype, dims); }
  Cell& output(int j) { return outputs[static_cast<std::size_t>(j)]; }
};

/// One run of a kernel: what its C gets.
template <class Values>
class Run : public CallView {
 public:
  Run(const UserKernel& kernel, Values values)
      : CallView{&make_output, &make_view, &note_failure, &force_input},
        kernel_(kernel),
        values_(std::move(values)),
        n_inputs_(kernel.inputs.size()),
        n_outputs_(kernel.outputs.size()),
        views_(n_inputs_ + n_outputs_),
        numbers_(n_inputs_ + n_outputs_),
        arrays_(n_inputs_ + n_outputs_) {}

  /// For the eager one.
  void compute() {
    for (std::size_t i = 0; i < n_inputs_; ++i) take_input(i);
    prepare_outputs();
    std::int64_t work = 0;
    for (std::size_t i = 0; i < n_inputs_; ++i) work += views_[i].size;
    const bool leaves = kernel_.leaves.value_or(work >= kWorthLeaving ||
                                                kernel_.is_slow.load(std::memory_order_relaxed));
    int status;
    {
      const HostLeave leave(*values_.activation.host, leaves ? kWorthLeaving : 0);
      const std::uint64_t begin = Clock::now();
      status = run();
      const double seconds = static_cast<double>(Clock::now() - begin) * Clock::seconds_per_tick();
      if (seconds > kLongKernel) {
        kernel_.is_slow.store(true, std::memory_order_relaxed);
        values_.activation.poll = true;
      }
    }
    finish(status);
  }

  /// For the lazy one.
  void compute_on_demand() {
    if (kernel_.checks_inputs) inputs_stay_.emplace(kernel_.op, kernel_.destroyed);
    prepare_outputs();
    const int status = run();
    if (ended_) std::rethrow_exception(ended_);
    if (status != 0 && !error_ && exception_.empty() && failed_) std::rethrow_exception(failed_);
    finish(status);
    if (inputs_stay_) inputs_stay_->check();
    for (std::size_t j = 0; j < n_outputs_; ++j)
      values_.demand.set_output(static_cast<int>(j), std::move(values_.outputs[j]));
  }

  /// After a failure: the report shows what was taken out of a register.
  void give_back() noexcept {
    for (std::size_t i = 0; i < n_inputs_; ++i)
      if (arrays_[i] && values_.input(static_cast<int>(i)).empty())
        values_.input(static_cast<int>(i)).set_array(std::move(arrays_[i]));
  }

 private:
  void prepare_outputs() {
    for (std::size_t j = 0; j < n_outputs_; ++j) {
      ArrayView& out = views_[n_inputs_ + j];
      out.ndim = static_cast<std::int32_t>(kernel_.outputs[j].shape.size());
      if (out.ndim == 0) out = {number(n_inputs_ + j), nullptr, nullptr, 1, 0, 1};
    }
  }
  int run() {
    begin_report();
    const int status = kernel_.run(this, views_.begin(), views_.begin() + n_inputs_);
    report_.reset();
    return status;
  }
  void begin_report() { report_.emplace(&location_, &kFirst); }
  void finish(int status) {
    if (error_) std::rethrow_exception(error_);
    if (status != 0 || !exception_.empty()) raise(status);
    for (std::size_t j = 0; j < n_outputs_; ++j) store_output(j);
  }

  static Run& of(CallView* call) { return *static_cast<Run*>(call); }

  char* number(std::size_t k) { return numbers_[k].bytes; }

  void look_at(std::size_t k, const ArrayBody& body) {
    std::int64_t size = 1;
    for (int axis = 0; axis < body.ndim; ++axis) size *= body.dims[axis];
    views_[k] = {body.data, body.dims, body.dims + body.ndim, size, body.ndim, body.contiguous};
  }

  void take_input(std::size_t i) {
    const int index = static_cast<int>(i);
    const Cell& cell = values_.input(index);
    if (cell.is_scalar()) {  // a copy, since the C could write to it
      views_[i] = {number(i), nullptr, nullptr, 1, 0, 1};
      std::memcpy(views_[i].data, cell.address(), item_size(kernel_.inputs[i]));
      return;
    }
    if (!std::ranges::binary_search(kernel_.destroyed, static_cast<std::uint32_t>(i)))
      return look_at(i, *cell.body());
    arrays_[i] = values_.overwritten(index);
    look_at(i, *arrays_[i].body());
  }

  const UserKernel::Output& output(int j) const {
    if (j < 0 || static_cast<std::size_t>(j) >= n_outputs_)
      throw Error(ErrorKind::Index, "the C of " + kernel_.op + " made output " + std::to_string(j) +
                                        ", but there are " + std::to_string(n_outputs_) + ".");
    return kernel_.outputs[static_cast<std::size_t>(j)];
  }
  Dims checked_shape(int j, const std::int64_t* shape) const {
    const UserKernel::Output& out = output(j);
    const Dims dims(shape, out.shape.size());
    for (std::size_t axis = 0; axis < dims.size(); ++axis)
      if (out.shape[axis] != kUnknownLength && out.shape[axis] != dims[axis])
        throw Error(ErrorKind::Value,
                    "the C of " + kernel_.op + " made output " + std::to_string(j) + " of shape " +
                        format_shape(dims) + ", whose axis " + std::to_string(axis) +
                        " has to have length " + std::to_string(out.shape[axis]) + ".");
    return dims;
  }
  void set_output(int j, Array array) {
    const std::size_t k = n_inputs_ + static_cast<std::size_t>(j);
    arrays_[k] = std::move(array);
    look_at(k, *arrays_[k].body());
  }

  template <class Make>
  int guarded_call(const Make& make) noexcept {
    try {
      make();
      return 0;
    } catch (...) {  // no exception may pass through C
      error_ = std::current_exception();
      return -1;
    }
  }
  static int make_output(CallView* call, int j, const std::int64_t* shape) {
    Run& run = of(call);
    return run.guarded_call([&] {
      const Dims dims = run.checked_shape(j, shape);
      if (dims.empty()) return;  // a number has its memory
      run.set_output(j, run.values_.allocate(j, run.output(j).dtype, dims));
    });
  }
  static int make_view(CallView* call, int j, int i, char* data, const std::int64_t* shape,
                       const std::int64_t* strides) {
    Run& run = of(call);
    return run.guarded_call([&] {
      const Dims dims = run.checked_shape(j, shape);
      const std::vector<std::uint32_t>& allowed = run.output(j).looks_at;
      const auto k = static_cast<std::size_t>(i);
      if (i < 0 || k >= run.n_inputs_ ||
          std::ranges::find(allowed, static_cast<std::uint32_t>(i)) == allowed.end())
        throw Error(ErrorKind::Value, "the C of " + run.kernel_.op + " made output " +
                                          std::to_string(j) + " a view of input " +
                                          std::to_string(i) + ": say view_map = {" +
                                          std::to_string(j) + ": [" + std::to_string(i) + "]}.");
      const Cell& cell = run.values_.input(i);
      const Array from = run.arrays_[k] ? run.arrays_[k] : cell.to_array();
      run.set_output(j, from.view(dims, Dims(strides, dims.size()), data));
    });
  }
  static int note_failure(CallView* call, const char* exception, const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    char text[kLongestFailure];
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    Run& run = of(call);
    run.guarded_call([&] {
      run.exception_ = exception;
      run.message_ = text;
    });
    return -1;
  }

  /// The input is there for an eager run. A lazy one has it computed, and where that cannot be, the
  /// C is told to return: nothing is thrown through it.
  static int force_input(CallView* call, int i) {
    Run& run = of(call);
    if constexpr (requires { run.values_.demand; }) {
      if (run.ended_) return -1;
      run.report_.reset();
      const int status = run.forced(i);
      run.begin_report();
      return status;
    }
    return run.guarded_call([&] { run.check_input(i); });
  }
  void check_input(int i) const {
    if (i < 0 || static_cast<std::size_t>(i) >= n_inputs_)
      throw Error(ErrorKind::Index, "the C of " + kernel_.op + " asked for input " +
                                        std::to_string(i) + ", but there are " +
                                        std::to_string(n_inputs_) + ".");
  }
  int forced(int i) noexcept {
    if (guarded_call([&] { check_input(i); }) != 0) return -1;
    const auto k = static_cast<std::size_t>(i);
    try {
      if (values_.inputs[k] != nullptr) return 0;
      const Cell& cell = values_.demand.force(i);
      if (inputs_stay_) inputs_stay_->keep(i, cell);
      values_.inputs[k] = &cell;
      take_input(k);
      return 0;
    } catch (const std::exception&) {
      failed_ = std::current_exception();
    } catch (...) {  // the call is over
      ended_ = std::current_exception();
    }
    return -1;
  }

  [[noreturn]] void raise(int status) const {
    if (!exception_.empty()) throw KernelFailure(exception_, message_);
    throw Error(ErrorKind::Runtime, "the C of " + kernel_.op + " returned " +
                                        std::to_string(status) +
                                        " without saying why: return tv_fail(call, "
                                        "\"ValueError\", \"...\").");
  }

  void store_output(std::size_t j) {
    const UserKernel::Output& out = kernel_.outputs[j];
    const std::size_t k = n_inputs_ + j;
    Cell& cell = values_.output(static_cast<int>(j));
    if (!out.shape.empty()) {
      if (!arrays_[k])
        throw Error(ErrorKind::Runtime, "the C of " + kernel_.op + " did not make output " +
                                            std::to_string(j) + ": call tv_output(call, " +
                                            std::to_string(j) + ", shape) first.");
      cell.set_array(std::move(arrays_[k]));
      return;
    }
    if (arrays_[k]) return cell.set_array(std::move(arrays_[k]));
    visit_dtype(out.dtype, "an output", [&]<class T>(std::type_identity<T>) {
      T value;
      std::memcpy(static_cast<void*>(&value), number(k), sizeof value);
      cell.set(value);
    });
  }

  static constexpr int kFirst = 0;

  const UserKernel& kernel_;
  const char* const location_ = kernel_.location.c_str();
  std::optional<CrashReport> report_;
  Values values_;
  const std::size_t n_inputs_, n_outputs_;
  Few<ArrayView> views_;
  Few<Number> numbers_;
  Few<Array> arrays_;  ///< inputs that are overwritten, and outputs
  std::exception_ptr error_;
  std::exception_ptr failed_;  ///< lazily: what computing the last input that failed threw
  std::exception_ptr ended_;   ///< lazily: what ends the body
  std::optional<InputGuard> inputs_stay_;
  std::string exception_, message_;
};

void run_kernel(const UserKernel& kernel, Activation& activation, const Operands& operands) {
  std::optional<InputGuard> inputs_stay;
  if (kernel.checks_inputs) inputs_stay.emplace(kernel.op, kernel.destroyed, activation, operands);
  Run run(kernel, Registers{activation, operands});
  try {
    run.compute();
    if (inputs_stay) inputs_stay->check();
  } catch (...) {
    run.give_back();
    throw;
  }
}

void run_lazy_kernel(const UserKernel& kernel, Demand& demand) {
  Run run(kernel, Demanded{demand, std::vector<const Cell*>(kernel.inputs.size()),
                           std::vector<Cell>(kernel.outputs.size())});
  run.compute_on_demand();
}

void run_eager(Activation& activation, const Operands& operands) {
  run_kernel(*static_cast<const UserKernel*>(operands.state), activation, operands);
}

}  // namespace

ThunkCode kernel_thunk(std::shared_ptr<const UserKernel> kernel, bool is_lazy) {
  if (is_lazy) return straight_line([kernel](Demand& demand) { run_lazy_kernel(*kernel, demand); });
  ThunkCode thunk;
  thunk.eager = &guarded<&run_eager>;
  thunk.state = std::move(kernel);
  return thunk;
}

}  // namespace thunkvm

// frame.cpp: the values that a call of a program holds, and how they are let go.
#include "vm/frame.h"

#include "vm/interpreter.h"

#include <algorithm>

namespace thunkvm {

namespace {

/// The registers that end with a call: each once, and no constant, which a program may name as an
/// output.
std::vector<std::uint32_t> call_registers(const Program& program) {
  std::vector<std::uint32_t> result;
  for (const auto* list : {&program.inputs, &program.shared, &program.outputs, &program.updates})
    result.insert(result.end(), list->begin(), list->end());
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  std::vector<bool> constant(program.n_registers);
  for (const auto& [index, value] : program.constants) constant[index] = true;
  std::erase_if(result, [&](std::uint32_t index) { return constant[index]; });
  return result;
}

}  // namespace

Frame::Frame(std::shared_ptr<const Program> program)
    : program_(std::move(program)),
      cells_(program_->n_registers),
      done_(program_->bodies.size()),
      lazies_(program_->lazies.size()),
      counted_(program_->loops.size()),
      ends_(call_registers(*program_)),
      counters_(program_->n_counters),
      until_poll_(kThunksPerPoll) {
  for (const auto& [index, value] : program_->constants) cells_[index] = value;
  for (std::size_t i = 0; i < lazies_.size(); ++i)
    lazies_[i].computed.resize(program_->lazies[i].operands.n_outputs);
  entered_.reserve(lazies_.size());
  bound_.reserve(program_->bound.size());
  for (const ThunkCode& code : program_->bound) {
    bound_.push_back(code.make ? code.make() : nullptr);
    if (bound_.back() == nullptr)
      throw Error(ErrorKind::Runtime,
                  "thunk " + std::to_string(bound_.size() - 1) + " of the program (" +
                      std::string(name(code.form)) +
                      ") has no maker or its maker gave nothing: ThunkCode::make has to return "
                      "a BoundThunk");
    bound_pointers_.push_back(bound_.back().get());
  }
  activation_.cells = cells_.data();
  activation_.bound = bound_pointers_.data();
  activation_.retain_intermediates = program_->retain_intermediates;
}

void Frame::use(std::shared_ptr<const NativeCode> code) {
  native_ = std::move(code);
  native_call_ = {};
  native_memory_.clear();
  if (native_ == nullptr) return;
  if (recorder_ != nullptr) recorder_->have_groups(native_->groups.size());
  native_memory_.resize((native_->memory_bytes + sizeof(Line) - 1) / sizeof(Line));
  native_call_ = {.cells = cells_.data(),
                  .counters = counters_.data(),
                  .done = done_.data(),
                  .services = native_->services,
                  .functions = native_->functions.data(),
                  .code = native_.get(),
                  .frame = this,
                  .activation = &activation_,
                  .memory = reinterpret_cast<char*>(native_memory_.data()),
                  .recorder = recorder_.get()};
}

void Frame::record(std::unique_ptr<Recorder> recorder) {
  recorder_ = std::move(recorder);
  if (native_ != nullptr) use(native_);
}

Frame::~Frame() { abandon(); }

Status Frame::run(Host& host, Tracer* tracer, FailureObserver* observer) {
  if (activation_.failure.error) [[unlikely]]
    activation_.failure = Failure{};
  activation_.host = &host;
  tracer_ = tracer;
  const Status status = Interpreter::run(*this, tracer);
  if (status == Status::Failed) [[unlikely]] {
    if (observer != nullptr) observer->failed(*this);
    abandon();
  }
  return status;
}

void Frame::fail_body(std::uint32_t body) {
  done_[body] = kFailed;
  failures_.insert_or_assign(body, activation_.failure);
  failed_bodies_.push_back(body);
}

void Frame::release(std::uint32_t lazy) noexcept {
  LazyState& state = lazies_[lazy];
  if (!state.entered || state.released) return;
  state.released = true;
  bound_pointers_[program_->lazies[lazy].operands.bound]->reset();
}

void Frame::drop_failed() {
  if (!program_->retain_intermediates) {
    const BodyContents& contents = *program_->contents;
    for (const std::uint32_t body : failed_bodies_) {
      for (const std::uint32_t lazy : contents.lazies(body)) release(lazy);
      for (const std::uint32_t index : contents.registers(body)) cells_[index].clear();
    }
  }
  failed_bodies_.clear();
}

void Frame::reset_bodies() noexcept {
  for (const std::uint32_t memo : done_list_) done_[memo] = 0;
  done_list_.clear();
  if (!failures_.empty()) failures_.clear();
  failed_bodies_.clear();
  for (const std::uint32_t index : entered_) reset_lazy(index);
  entered_.clear();
}

void Frame::reset_lazy(std::uint32_t index) noexcept {
  const Lazy& lazy = program_->lazies[index];
  LazyState& state = lazies_[index];
  release(index);
  counters_[lazy.counter + 1] += std::count(state.computed.begin(), state.computed.end(), 1);
  std::fill_n(done_.begin() + lazy.first_body, lazy.operands.n_inputs, 0);
  std::fill(state.computed.begin(), state.computed.end(), 0);
  state.waiting.clear();
  state.failure = Failure{};
  state.raising = kNone;
  state.entered = state.released = false;
  // An output that it computed and nobody demanded has no retire in the program.
  if (!program_->retain_intermediates)
    for (int j = 0; j < lazy.operands.n_outputs; ++j) cells_[lazy.operands.output(j)].clear();
}

void Frame::begin_loop(std::uint32_t loop) noexcept {
  counted_[loop] = counters_[program_->loops[loop].counter];
  if (recorder_ != nullptr) recorder_->steps.begin(loop, recorder_->last);
  reset_step(loop);
}

void Frame::reset_step(std::uint32_t index) noexcept {
  const ProgramLoop& loop = program_->loops[index];
  if (!failures_.empty()) [[unlikely]] {
    const auto forget = [&](std::uint32_t body) {
      failures_.erase(body);
      std::erase(failed_bodies_, body);
    };
    for (const std::uint32_t body : loop.bodies) forget(body);
    for (const std::uint32_t lazy : loop.lazies)
      for (int i = 0; i < program_->lazies[lazy].operands.n_inputs; ++i)
        forget(program_->lazies[lazy].first_body + static_cast<std::uint32_t>(i));
  }
  for (const std::uint32_t body : loop.bodies) done_[body] = 0;
  for (const std::uint32_t lazy : loop.lazies)
    if (lazies_[lazy].entered) reset_lazy(lazy);
}

void Frame::finish() noexcept {
  for (const std::uint32_t index : ends_) cells_[index].clear();
  if (!done_list_.empty() || !entered_.empty()) reset_bodies();
}

void Frame::abandon() noexcept {
  for (std::uint32_t loop = 0; loop < counted_.size(); ++loop) reset_step(loop);
  reset_bodies();
  resumes_.clear();
  nesting_ = 0;
  activation_.poll = false;
  for (Cell& cell : cells_) cell.clear();
  for (const auto& [index, value] : program_->constants) cells_[index] = value;
}

void Frame::add_node_runs(std::vector<std::uint64_t>& runs) const {
  for (const NodeCounter& entry : program_->node_counters)
    runs[entry.node] += counters_[entry.counter];
  for (const auto& [range, times] : not_reached_)
    for (StepIndex step = range.first; step != range.second; ++step) {
      const ProgramNode node = program_->steps[step].node;
      if (node != kNone) runs[node] -= times;
    }
}

void Frame::reset_counters() {
  std::fill(counters_.begin(), counters_.end(), 0);
  not_reached_.clear();
}

bool Frame::empty() const {
  if (program_->retain_intermediates)
    return std::all_of(ends_.begin(), ends_.end(),
                       [&](std::uint32_t index) { return cells_[index].empty(); });
  std::vector<bool> constant(cells_.size());
  for (const auto& [index, value] : program_->constants) constant[index] = true;
  for (std::size_t i = 0; i < cells_.size(); ++i)
    if (!cells_[i].empty() && !constant[i]) return false;
  return true;
}

FramePool::FramePool(std::shared_ptr<const Program> program,
                     std::function<std::unique_ptr<Recorder>()> recorder)
    : program_(std::move(program)), recorder_(std::move(recorder)) {}

FramePool::~FramePool() = default;

Frame* FramePool::find_or_make() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Frame* frame = idle_.back();
      idle_.pop_back();
      return frame;
    }
  }
  // Made without the lock: the makers of bound thunks may be a host's, which waits for locks of its
  // own.
  auto frame = std::make_unique<Frame>(program_);
  if (recorder_) frame->record(recorder_());
  const std::lock_guard lock(mutex_);
  idle_.reserve(frames_.size() + 1);
  frames_.push_back(std::move(frame));
  return frames_.back().get();
}

void FramePool::keep_idle(Frame* frame) noexcept {
  const std::lock_guard lock(mutex_);
  idle_.push_back(frame);
}

void FramePool::gather() {
  if (Frame* frame = last_.exchange(nullptr, std::memory_order_acquire)) idle_.push_back(frame);
}

std::vector<std::uint64_t> FramePool::counters() {
  const std::lock_guard lock(mutex_);
  gather();
  std::vector<std::uint64_t> sums(program_->n_counters);
  for (const Frame* frame : idle_)
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += frame->counters()[i];
  return sums;
}

std::vector<std::uint64_t> FramePool::node_runs() {
  const std::lock_guard lock(mutex_);
  gather();
  std::vector<std::uint64_t> sums(program_->n_nodes);
  for (const Frame* frame : idle_) frame->add_node_runs(sums);
  return sums;
}

void FramePool::each_idle(const std::function<void(Frame&)>& visit) {
  const std::lock_guard lock(mutex_);
  gather();
  for (Frame* frame : idle_) visit(*frame);
}

void FramePool::reset_counters() {
  const std::lock_guard lock(mutex_);
  gather();
  for (Frame* frame : idle_) frame->reset_counters();
}

bool FramePool::registers_empty() {
  const std::lock_guard lock(mutex_);
  gather();
  return std::all_of(idle_.begin(), idle_.end(), [](const Frame* frame) { return frame->empty(); });
}

std::size_t FramePool::size() {
  const std::lock_guard lock(mutex_);
  return frames_.size();
}

}  // namespace thunkvm

#include "linkers/function.h"

#include "linkers/codegen/emit/emitted_code.h"
#include "linkers/compiler/compiler.h"
#include "linkers/failed_node.h"
#include "linkers/value_check.h"
#include "ops/control/loop.h"
#include "ops/graph/shape_facts.h"
#include "ops/rewrites/inferred_shapes.h"
#include "ops/rewrites/rewrite.h"
#include "thunks/log.h"
#include "thunks/read_only.h"
#include "vm/clock.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <span>
#include <unordered_set>

namespace thunkvm {
namespace {

// Which registers in `order`, outputs and then updates, are named for the last time, and hold no
// constant.
std::vector<std::uint8_t> last_uses(const Program& program,
                                    const std::vector<std::uint32_t>& order) {
  std::vector<std::uint8_t> seen(program.n_registers), takes(order.size());
  for (const auto& [index, value] : program.constants) seen[index] = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    takes[k] = seen[order[k]] == 0;
    seen[order[k]] = 1;
  }
  return takes;
}

// A shared variable can only become what functions that use it were built for.
void check_type(const Type& have, const Variable& value, const std::string& name) {
  const Type& given = value.type();
  const TensorType *a = have.tensor(), *b = given.tensor();
  const bool fits = a != nullptr && b != nullptr
                        ? a->dtype() == b->dtype() && a->ndim() == b->ndim()
                        : a == nullptr && b == nullptr && have.equals(given);
  if (!fits)
    throw Error(ErrorKind::Type,
                "the update of shared variable " + name + " (" + have.text() + ") is " +
                    value.text() + ", a " + given.text() +
                    "; dtype and number of dimensions have to stay: cast or reshape it.");
}

// Whether what the value is known to have is what the target asks for.
bool has_lengths(const StaticShape& known, const StaticShape& wanted) {
  for (std::size_t axis = 0; axis < wanted.size(); ++axis)
    if (wanted[axis] != kUnknownLength && wanted[axis] != known[axis]) return false;
  return true;
}

// A value that shares memory with nothing else.
Cell make_own(Cell value, const Type& type) {
  if (value.is_array())
    return Array::exclusive(*value.body()) ? std::move(value)
                                           : Cell::of_array(value.array().copy());
  return value.is_object() ? type.copy(value) : std::move(value);
}

// "'x'", or its number.
std::string argument_name(const Variable& input, std::size_t i) {
  return input.name().empty() ? std::to_string(i) : "'" + std::string(input.name()) + "'";
}

/// A frame of the pool, for as long as a call lasts.
class PooledFrame {
 public:
  explicit PooledFrame(FramePool& pool) : pool_(pool), frame_(pool.acquire()) {}
  ~PooledFrame() { pool_.release(frame_); }
  PooledFrame(const PooledFrame&) = delete;
  PooledFrame& operator=(const PooledFrame&) = delete;
  Frame& operator*() const { return *frame_; }

 private:
  FramePool& pool_;
  Frame* const frame_;
};

// The failure of a call: an Error with the node that it comes from, anything else as it is.
[[noreturn]] void rethrow(const Linked& linked, const std::string& name, const Failure& failure) {
  try {
    std::rethrow_exception(failure.error);
  } catch (const Error& error) {
    if (typeid(error) != typeid(Error) || failure.node >= linked.nodes().size()) throw;
    const Variable& output = linked.failed_node(failure);
    std::string text = std::string(error.what()) + "\n  " + failed_node_text(name, output);
    if (const std::string origin = output.node()->origin_text(); !origin.empty())
      text += ", made at " + origin;
    throw Error(error.kind(), text);
  }
}

}  // namespace

/// A turn of one thread of a plain program, and the host that lets others in while it waits.
class Function::Turn final : public Host {
 public:
  explicit Turn(std::mutex& turns) : turn_(turns) {}
  Turn(std::mutex& turns, std::try_to_lock_t) : turn_(turns, std::try_to_lock) {}
  explicit operator bool() const { return turn_.owns_lock(); }
  void leave() override { turn_.unlock(); }
  void enter() override { turn_.lock(); }

 private:
  std::unique_lock<std::mutex> turn_;
};

Function::Function(FunctionGraph graph, const Mode& mode, FunctionOptions options)
    : name_(std::move(options.name)),
      graph_(std::move(graph)),
      linked_(make(mode, options)),
      frames_(linked_.program),
      compilation_(linked_, when_, emission_) {
  for (const Ref<SharedValue>& value : linked_.shared) shared_.push_back(value.get());
  const Program& program = *linked_.program;
  std::vector<std::uint32_t> order = program.outputs;
  order.insert(order.end(), program.updates.begin(), program.updates.end());
  output_takes_ = last_uses(program, order);
  update_takes_.assign(output_takes_.begin() + static_cast<std::ptrdiff_t>(program.outputs.size()),
                       output_takes_.end());
  output_takes_.resize(program.outputs.size());
  if (options.compile && when_ == CompileWhen::Now) compile();
}

Function::~Function() = default;

Linked Function::make(const Mode& mode, const FunctionOptions& options) {
  when_ = mode.compiles();
  check_updates(options);
  const std::uint64_t begin = Clock::now();
  graph_ = open_loops(graph_);
  if (const std::vector<std::string> rewrites = mode.rewrites(); !rewrites.empty()) {
    Rewritten rewritten = rewrite(graph_, rewrites);
    graph_ = std::move(rewritten.graph);
    removed_ = std::move(rewritten.removed);
  }
  graph_ = with_inferred_shapes(graph_);
  const std::uint64_t rewritten_at = Clock::now();
  const LoadingCost before = loading_cost_of_thread();
  const LinkerRow& row = linker(mode.linker);
  if (row.compared && !options.traced)
    throw Error(ErrorKind::Value, "the linker '" + mode.linker +
                                      "' compares each node with another implementation, which a "
                                      "tracer runs: make the function with `traced`, and call it "
                                      "with one, or choose the linker 'c|py'.");
  const HostThunks thunks = options.thunks ? options.thunks(graph_, row) : HostThunks{};
  LinkChoice choice = choose_link(row, thunks, !mode.gc, mode.fuses(), options.traced);
  choice.link.mutable_inputs = options.mutable_inputs;
  if (!choice.emits) when_ = CompileWhen::Never;
  emission_ = choice.emission;
  Linked linked = link(graph_, choice.link);
  if (when_ != CompileWhen::Never && emission_.fuse)
    linked.shapes = std::make_shared<const ShapeFacts>(linked.schedule->nodes);
  const double tick = Clock::seconds_per_tick();
  const double linking = static_cast<double>(Clock::now() - rewritten_at) * tick;
  const LoadingCost after = loading_cost_of_thread();
  const double in_c = after.seconds - before.seconds;
  making_ = {.rewrite = static_cast<double>(rewritten_at - begin) * tick,
             .link = std::max(0.0, linking - in_c),
             .compile = in_c,
             .cache_hits = after.cache_hits - before.cache_hits};
  const Program& program = *linked.program;
  log().debug(
      "linked {} nodes: {} instructions, {} thunks, {} branches, {} memo bodies, {} lazy thunks, "
      "in {:.3f} ms (rewrites {:.3f} ms){}",
      program.n_nodes, program.code.size(), program.steps.size(), program.branches.size(),
      linked.schedule->memos.size(), program.lazies.size(), 1e3 * (making_.rewrite + making_.link),
      1e3 * making_.rewrite, linked.verified ? ", verified" : "");
  return linked;
}

void Function::check_updates(const FunctionOptions& options) {
  const std::vector<std::string>& names = options.update_names;
  lengths_to_check_.resize(graph_.updates.size());
  std::unordered_set<const SharedValue*> seen;
  for (std::size_t k = 0; k + options.n_conditional < graph_.updates.size(); ++k) {
    const Update& update = graph_.updates[k];
    const std::string name = k < names.size() ? names[k] : "number " + std::to_string(k);
    check_type(update.target->type(), update.value, name);
    if (!seen.insert(update.target.get()).second)
      throw Error(ErrorKind::Value,
                  "shared variable " + name + " has two updates; it can have one.");
    const TensorType* const type = update.target->type().tensor();
    const bool known =
        type == nullptr || has_lengths(update.value.type().tensor()->shape(), type->shape());
    if (!known) lengths_to_check_[k] = "the update of " + name;
  }
}

std::vector<Cell> Function::operator()(std::vector<Cell> arguments, Tracer* tracer) {
  Host host;
  return call(std::move(arguments), host, tracer);
}

std::vector<Cell> Function::call(std::vector<Cell> arguments, Host& host, Tracer* tracer) {
  const std::size_t n_inputs = graph_.inputs.size();
  if (arguments.size() != n_inputs)
    throw Error(ErrorKind::Type, name_ + " takes " + std::to_string(n_inputs) + " arguments, but " +
                                     std::to_string(arguments.size()) + " were given");
  if (compilation_.waits())
    if (Turn turn(turns_, std::try_to_lock); turn) compilation_.follow(&turn);
  const PooledFrame frame(frames_);
  Call call(*this, *frame);
  call.use(compilation_);
  for (std::size_t i = 0; i < n_inputs; ++i) {
    check_value(arguments[i], graph_.inputs[i].type(),
                [&] { return "argument " + argument_name(graph_.inputs[i], i) + " of " + name_; });
    call.argument(i) = std::move(arguments[i]);
  }
  if (call.reads_shared()) call.read_shared(false);
  if (call.run(host, tracer, nullptr) != Status::Done)
    rethrow(linked_, name_, (*frame).take_failure());
  std::vector<Cell> outputs;
  outputs.reserve(graph_.outputs.size());
  for (std::size_t j = 0; j < graph_.outputs.size(); ++j)
    outputs.push_back(make_own(call.take(j), graph_.outputs[j].type()));
  Updates updates = call.take_updates(make_own);
  call.finish();
  updates.commit();
  return outputs;
}

Compilation::State Function::compile() {
  Turn turn(turns_);
  compilation_.compile(turn);
  return compilation_.state();
}

Compilation::State Function::compiled() {
  const Turn turn(turns_);
  return compilation_.state();
}

std::string Function::c_source() {
  Turn turn(turns_);
  const EmittedCode* const code = compilation_.code(turn);
  return code == nullptr ? std::string() : code->readable();
}

std::vector<std::uint64_t> Function::node_runs() {
  const Turn turn(turns_);
  return recordings_.node_runs(frames_);
}

std::shared_ptr<Recording> Function::record(const RecordOptions& options, Host& host) {
  auto recording = std::make_shared<Recording>(linked_, options, when_, emission_);
  recording->compilation().keep_pace_with(compilation_);
  if (compilation_.ready() != nullptr) recording->compilation().compile(host);
  recordings_.add(recording);
  return recording;
}

std::shared_ptr<Recording> Function::record_apart(const RecordOptions& options) const {
  return std::make_shared<Recording>(linked_, options, CompileWhen::Never, emission_);
}

bool Call::is_apart(std::size_t i) const {
  const std::uint32_t own = program().inputs[i];
  if (!frame_.cell(own).is_array()) return false;
  const std::span<const char> memory = Array::reach(*frame_.cell(own).body());
  const auto meets = [&](std::uint32_t other) {
    const Cell& cell = frame_.cell(other);
    if (other == own || !cell.is_array()) return false;
    const std::span<const char> others = Array::reach(*cell.body());
    if (memory.empty() || others.empty()) return false;
    const std::less<const char*> before;
    return before(memory.data(), others.data() + others.size()) &&
           before(others.data(), memory.data() + memory.size());
  };
  return std::ranges::none_of(program().inputs, meets) &&
         std::ranges::none_of(program().shared, meets);
}

void Call::read_shared(bool read_only) {
  const std::vector<SharedValue*>& shared = function_.shared_;
  std::vector<Cell> values(shared.size());
  SharedValue::snapshot(shared, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    Cell& value = values[i];
    if (read_only && value.is_array())
      value = Cell::of_array(thunkvm::read_only(value.take_array()));
    frame_.cell(program().shared[i]) = std::move(value);
  }
}

Cell Call::take_update(std::size_t k) {
  Cell& cell = frame_.cell(program().updates[k]);
  const std::string& name = function_.lengths_to_check_[k];
  if (!name.empty() && !cell.empty())
    check_lengths(cell, *function_.linked_.targets[k]->type().tensor(), name);
  return function_.update_takes_[k] != 0 ? std::move(cell) : Cell(cell);
}

}  // namespace thunkvm

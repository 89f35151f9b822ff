// loop_opening.cpp: from closed loops to open ones.
#include "ops/control/loop_opening.h"

#include "ops/control/conditional.h"
#include "ops/control/empty_history.h"
#include "ops/control/loop.h"
#include "ops/control/loop_tape.h"
#include "ops/graph/extents.h"
#include "ops/graph/functions.h"
#include "ops/graph/node_index.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace thunkvm {
namespace {

using Pairs = std::vector<std::pair<Variable, Variable>>;
using Variables = std::unordered_set<Variable, VariableHash>;

/// The values that loops collect of which nothing but the last one is read, and the nodes that read
/// it (`y[-1]`): no other is kept.
class LastOnes {
 public:
  /// `by`: the node that reads the value; null: something else does.
  void note_reader(const Variable& v, Apply* by) {
    if (!is_collected(v)) return;
    std::vector<Apply*>& readers = readers_[v];
    Apply* const reader = by != nullptr && reads_last(*by) ? by : nullptr;
    if (std::ranges::find(readers, reader) == readers.end()) readers.push_back(reader);
  }
  /// The nodes that read the last one; none where others are read.
  std::span<Apply* const> of(const Variable& collected) const {
    const auto found = readers_.find(collected);
    if (found == readers_.end() || std::ranges::find(found->second, nullptr) != found->second.end())
      return {};
    return found->second;
  }

 private:
  static bool is_collected(const Variable& v) {
    const LoopOp* const op = closed_loop(*v.node());
    if (op == nullptr) return false;
    const LoopOutputs place = op->outputs();
    return v.index() >= place.collected(0) && v.index() < place.steps();
  }
  static bool reads_last(const Apply& node) {
    return node.op()->proto() != nullptr && node.op()->proto()->name == "subtensor" &&
           node.op()->attributes().get<std::vector<std::string>>("index") ==
               std::vector<std::string>{"-1"};
  }

  std::unordered_map<Variable, std::vector<Apply*>, VariableHash> readers_;
};

/// The values of a graph with closed loops that somebody may demand, in bodies too: the least set
/// with the roots, what the test of a loop may read of which something is demanded, and from step
/// to step the next values of the states that are. Of a conditional's outputs each stands by
/// itself.
///
/// A body may be that of several nodes, and parts of it may stand in other bodies: a value is
/// demanded in one of them, whatever is demanded of it in the others.
class Liveness {
 public:
  explicit Liveness(std::span<const Variable> roots) {
    for (const Variable& root : roots) mark({kOutermost, root});
    while (!pending_.empty()) {
      const Place at = pending_.back();
      pending_.pop_back();
      if (const LoopOp* loop = closed_loop(*at.value.node()))
        mark_output(*loop, at);
      else if (const auto stands = stands_for_.find(at); stands != stands_for_.end())
        for (const Place& read : stands->second) mark(read);
      else if (const Conditional* conditional = conditional_of(*at.value.node()))
        mark_output(*conditional, at);
      else if (nodes_.insert({at.body, at.value.node()->output(0)}).second)
        for (const Variable& input : at.value.node()->inputs())
          mark({at.body, input}, at.value.node());
    }
  }
  /// A value of the graph itself.
  bool contains(const Variable& v) const { return live_.contains({kOutermost, v}); }
  /// A value of the body of a loop that stands in the graph.
  bool contains(const Variable& v, Apply& loop) const {
    const auto body = bodies_.find({kOutermost, loop.output(0)});
    return body != bodies_.end() && live_.contains({body->second, v});
  }
  const LastOnes& last_ones() const { return last_ones_; }

 private:
  /// The graph itself, or the body of one loop that stands in it or in such a body.
  using Body = std::size_t;
  static constexpr Body kOutermost = 0;

  struct Place {
    Body body;
    Variable value;
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct PlaceHash {
    std::size_t operator()(const Place& at) const {
      return VariableHash()(at.value) ^ at.body * 0x9e3779b97f4a7c15u;
    }
  };

  void mark(const Place& at, Apply* by = nullptr) {
    if (at.body == kOutermost) last_ones_.note_reader(at.value, by);
    if (live_.insert(at).second) pending_.push_back(at);
  }
  void mark_output(const Conditional& conditional, const Place& at) {
    Apply& node = *at.value.node();
    mark({at.body, node.input(0)});
    for (std::uint32_t arm = 0; arm < conditional.n_arms; ++arm)
      mark({at.body, node.input(static_cast<int>(conditional.arm_input(arm, at.value.index())))});
  }
  void mark_output(const LoopOp& op, const Place& at) {
    const LoopBody& body = op.body();
    const LoopOutputs place = op.outputs();
    const Body inside = body_of(op, at);
    const std::uint32_t output = at.value.index();
    if (output < place.collected(0))
      mark({inside, body.states[output % place.n_states]});
    else if (output < place.steps())
      mark_collected(body, at, inside, output - place.collected(0));
  }
  // Whoever asks for what the steps left asks for its lengths too, where none ran.
  void mark_collected(const LoopBody& body, const Place& at, Body inside, std::uint32_t i) {
    mark({inside, body.collected[i]});
    if (has_known_lengths(body.collected[i].type())) return;
    if (const auto state = std::ranges::find(body.nexts, body.collected[i]);
        state != body.nexts.end())
      mark({at.body, at.value.node()->input(static_cast<int>(state - body.nexts.begin()))});
  }
  // The body of a loop; what its leaves stand for, and what every step demands, when first met.
  Body body_of(const LoopOp& op, const Place& at) {
    Apply& node = *at.value.node();
    const auto [known, is_new] = bodies_.try_emplace({at.body, node.output(0)}, bodies_.size() + 1);
    const Body inside = known->second;
    if (!is_new) return inside;
    const LoopBody& body = op.body();
    for (std::size_t i = 0; i < body.states.size(); ++i)
      stands_for_[{inside, body.states[i]}] = {{inside, body.nexts[i]},
                                               {at.body, node.input(static_cast<int>(i))}};
    for (std::size_t i = 0; i < body.captures.size(); ++i)
      stands_for_[{inside, body.captures[i]}] = {
          {at.body, node.input(static_cast<int>(body.states.size() + i))}};
    mark({inside, body.test});
    if (body.limit) mark({inside, body.limit});
    return inside;
  }

  std::unordered_set<Place, PlaceHash> live_, nodes_;  // a node by its first output
  std::unordered_map<Place, Body, PlaceHash> bodies_;  // by the loop's first output
  std::unordered_map<Place, std::vector<Place>, PlaceHash> stands_for_;
  std::vector<Place> pending_;
  LastOnes last_ones_;
};

/// The states of an open loop as they are put together: those that have a value when it begins
/// first.
struct OpenState {
  Variable leaf, next, given;
};

/// A value that an open loop leaves.
struct Left {
  std::vector<Variable> before;  ///< the variables that it stands for
  Variable value;
  Variable of_no_steps;  ///< instead of it, where it is the rows of no step; null: it is right
};

/// Opens one loop. `waiting`: values that are kept if they are computed, and demanded by nobody.
class Opening {
 public:
  Opening(Apply& node, const LoopOp& op, const Liveness& live, const Variables& waiting)
      : node_(node), op_(op), body_(op.body()), live_(live), waiting_(waiting) {}

  /// Adds what stands for each output that is used to `replaced`.
  void run(Pairs& replaced) {
    const OriginOf scope(node_);
    const LoopOutputs place = op_.outputs();
    const std::size_t n_states = body_.states.size();
    Pairs inside;
    for (std::size_t i = 0; i < body_.captures.size(); ++i)
      if (live_.contains(body_.captures[i], node_))
        inside.emplace_back(body_.captures[i], node_.input(static_cast<int>(n_states + i)));
    now_.resize(n_states);
    for (std::uint32_t i = 0; i < n_states; ++i) {
      if (!is_live(i)) continue;
      now_[i] = value_now(i);
      inside.emplace_back(body_.states[i], now_[i]);
    }
    // What a step computes, in the graph outside.
    std::vector<Variable> roots = {body_.test};
    if (body_.limit) roots.push_back(body_.limit);
    for (std::uint32_t i = 0; i < n_states; ++i)
      if (is_live(i)) roots.push_back(body_.nexts[i]);
    for (std::uint32_t i = 0; i < body_.collected.size(); ++i)
      if (is_used(place.collected(i))) roots.push_back(body_.collected[i]);
    roots = substitute(roots, inside);
    auto root = roots.begin();
    const Variable test = *root++;
    const Variable limit = body_.limit ? *root++ : Variable();
    for (std::uint32_t i = 0; i < n_states; ++i) {
      if (!is_live(i)) continue;
      const Variable next = *root++;
      if (is_state_[i]) states_[state_at_[i]].next = next;
    }
    // What it leaves.
    for (std::uint32_t i = 0; i < n_states; ++i) {
      if (is_used(place.last(i)) || is_there_anyway(i)) leave(node_.output(place.last(i)), now_[i]);
      if (is_used(place.history(i))) leave(node_.output(place.history(i)), tape_of(now_[i]));
    }
    for (std::uint32_t i = 0; i < body_.collected.size(); ++i)
      if (is_used(place.collected(i))) leave_collected(i, *root++);
    if (is_used(place.steps())) leave(node_.output(place.steps()), step());
    if (is_used(place.finished()))
      leave(node_.output(place.finished()),
            limit ? ifelse(limit, Variable::number(true), is_false(test)) : Variable::number(true));
    const std::vector<Variable> outputs = open(limit ? lazy_and(limit, test) : test);
    for (std::size_t j = 0; j < outputs.size(); ++j)
      for (const Variable& before : leaves_[j].before)
        replaced.emplace_back(before, with_lengths(outputs[j], leaves_[j].of_no_steps));
  }

 private:
  bool is_live(std::uint32_t state) const { return live_.contains(body_.states[state], node_); }
  bool is_used(std::uint32_t output) const { return live_.contains(node_.output(output)); }
  /// Whether the last value of a state that somebody waits for is there without being demanded:
  /// steps demand each, and there is a first one if none runs.
  bool is_there_anyway(std::uint32_t state) const {
    return is_live(state) && node_.input(static_cast<int>(state)).is_leaf() &&
           waiting_.contains(node_.output(op_.outputs().last(state)));
  }
  std::size_t add_state(const Variable& leaf, const Variable& next, const Variable& given) {
    states_.push_back({leaf, next, given});
    return states_.size() - 1;
  }

  /// A state's value in a step. A first value that has to be computed is demanded where the state
  /// is read before anything was carried: it is a branch, of which the graph takes care.
  Variable value_now(std::uint32_t i) {
    is_state_.resize(body_.states.size());
    state_at_.resize(body_.states.size());
    const Variable first = node_.input(static_cast<int>(i));
    if (body_.nexts[i] == body_.states[i]) return first;  // it does not change
    is_state_[i] = true;
    const Variable leaf = leaf_like(body_.states[i]);
    state_at_[i] = add_state(leaf, {}, first.is_leaf() ? first : Variable());
    return first.is_leaf() ? leaf : ifelse(is_first(), first, leaf);
  }
  const Variable& is_first() {
    if (!is_first_) {
      is_first_ = Variable::input(TensorType::scalar(DType::Bool), "first");
      add_state(is_first_, Variable::number(false), Variable::number(true));
    }
    return is_first_;
  }
  const Variable& step() {
    if (!step_) {
      step_ = Variable::input(TensorType::scalar(DType::Int64), "step");
      add_state(step_, step_ + Variable::number(std::int64_t{1}),
                Variable::number(std::int64_t{0}));
    }
    return step_;
  }
  Variable tape_of(const Variable& value) {
    const Variable empty = empty_tape(value.type());
    const Variable tape = leaf_like(empty);
    add_state(tape, append_to_tape(tape, step(), value), empty);
    return rows_of_tape(tape, step());
  }
  static Variable is_false(const Variable& test) {
    return ifelse(test, Variable::number(false), Variable::number(true));
  }
  /// What a step collects: of all steps, or of the last one alone. Where there was none the error
  /// is that of an index into nothing.
  void leave_collected(std::uint32_t i, const Variable& value) {
    const Variable output = node_.output(op_.outputs().collected(i));
    const std::span<Apply* const> readers = live_.last_ones().of(output);
    if (readers.empty()) {
      leave(output, tape_of(value));
      leaves_.back().of_no_steps = empty_history(body_, i, node_.inputs());
      return;
    }
    const Variable latest = leaf_like(value);
    add_state(latest, value, {});
    const std::vector<std::string> last = {"-1"};
    const Variable nothing = call_op("subtensor", {empty_tape(value.type())}, {{"index", last}});
    std::vector<Variable> before;
    for (Apply* reader : readers) before.push_back(reader->output(0));
    leaves_.push_back({std::move(before), ifelse(is_first(), nothing, latest), {}});
  }
  void leave(const Variable& output, Variable value) {
    leaves_.push_back({{output}, std::move(value), {}});
  }
  /// The rows of a tape; where there are none, nobody knows their lengths but who would make them.
  static Variable with_lengths(const Variable& rows, const Variable& of_no_steps) {
    if (!of_no_steps) return rows;
    return ifelse(eq(extents_of(rows).front(), extent(0)), of_no_steps, rows);
  }

  std::vector<Variable> open(const Variable& test) {
    std::ranges::stable_partition(states_, [](const OpenState& s) { return bool(s.given); });
    const auto n_given = static_cast<std::uint32_t>(
        std::ranges::count_if(states_, [](const OpenState& s) { return bool(s.given); }));
    std::vector<Variable> inputs;
    for (const OpenState& s : states_) inputs.push_back(s.leaf);
    inputs.push_back(test);
    for (const OpenState& s : states_) inputs.push_back(s.next);
    for (const Left& left : leaves_) inputs.push_back(left.value);
    for (std::uint32_t i = 0; i < n_given; ++i) inputs.push_back(states_[i].given);
    const Ref<const Op> op(new OpenLoopOp(op_.name(), static_cast<std::uint32_t>(states_.size()),
                                          static_cast<std::uint32_t>(leaves_.size()), n_given));
    return op->call(inputs);
  }

  Apply& node_;
  const LoopOp& op_;
  const LoopBody& body_;
  const Liveness& live_;
  const Variables& waiting_;
  std::vector<Variable> now_;          // by state of the body: its value in a step
  std::vector<bool> is_state_;         // by state of the body
  std::vector<std::size_t> state_at_;  // by state of the body, in `states_`
  std::vector<OpenState> states_;
  std::vector<Left> leaves_;
  Variable is_first_, step_;
};

/// A conditional becomes one for each output that somebody may demand, whatever the others are:
/// equal ones stay equal, and are merged. What the others alone read is then not in the graph.
void part(Apply& node, const Conditional& of_all, const Liveness& live, Pairs& replaced) {
  if (of_all.n_outputs == 1) return;
  for (const Variable& output : node.outputs())
    if (live.contains(output)) replaced.emplace_back(output, output_alone(of_all, output));
}

/// By node: whether it is a closed loop, or depends on one.
std::vector<bool> loops_and_dependents(const NodeIndex& order) {
  std::vector<bool> found(order.size());
  for (std::size_t n = 0; n < order.size(); ++n)
    found[n] = closed_loop(*order[n]) != nullptr ||
               std::ranges::any_of(order[n]->inputs(), [&](const Variable& input) {
                 return found[order.of(*input.node())];
               });
  return found;
}

/// Opens the loops that stand in the graph of the first `n_demanded` roots, each with what the
/// others ask of it; those in their bodies stand in the graph then. False if there are none.
bool open_outermost(std::vector<Variable>& roots, std::size_t n_demanded) {
  const std::span demanded = std::span(roots).first(n_demanded);
  const NodeIndex order = topological_order(demanded);
  const std::vector<bool> dependents = loops_and_dependents(order);
  if (std::ranges::find(dependents, true) == dependents.end()) return false;
  const Liveness live(demanded);
  const Variables waiting(roots.begin() + static_cast<std::ptrdiff_t>(n_demanded), roots.end());
  Pairs replaced;
  for (std::size_t n = 0; n < order.size(); ++n) {
    if (!dependents[n]) continue;
    Apply& node = *order[n];
    const LoopOp* const op = closed_loop(node);
    const auto is_used = [&](const Variable& output) { return live.contains(output); };
    if (op != nullptr && std::ranges::any_of(node.outputs(), is_used))
      Opening(node, *op, live, waiting).run(replaced);
    else if (const Conditional* conditional = conditional_of(node))
      part(node, *conditional, live, replaced);
  }
  roots = substitute(roots, replaced);
  return true;
}

}  // namespace

FunctionGraph open_loops(const FunctionGraph& graph) {
  if (!has_loops()) return graph;
  // An update that is made if its value is computed demands nothing: its graph comes last.
  std::vector<const Update*> updates;
  for (const Update& update : graph.updates) updates.push_back(&update);
  const auto waiting = std::ranges::stable_partition(
      updates, [](const Update* u) { return !u->if_computed || u->value.is_leaf(); });
  std::vector<Variable> roots = graph.outputs;
  for (const Update* update : updates) roots.push_back(update->value);
  const std::size_t n_demanded = roots.size() - waiting.size();
  bool any = false;
  for (const std::size_t n : {n_demanded, roots.size()})
    while (open_outermost(roots, n)) any = true;
  if (!any) return graph;
  FunctionGraph opened = graph;
  auto root = roots.begin();
  for (Variable& output : opened.outputs) output = *root++;
  for (const Update* update : updates)
    opened.updates[static_cast<std::size_t>(update - graph.updates.data())].value = *root++;
  return opened;
}

}  // namespace thunkvm

#include "linkers/codegen/plan/fusion.h"

#include "linkers/codegen/plan/index_maps.h"
#include "linkers/codegen/plan/limits.h"
#include "linkers/codegen/runtime/fused_nest.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace thunkvm {
namespace {

using Kind = StepForm::Kind;
using Verdict = ShapeFacts::Verdict;

template <class T>
void add_once(std::vector<T>& list, T item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

/// A backward pass finds the index maps whose values escape to other code than nests (IndexMaps); a
/// forward one puts nests together.
///
/// Nests grow at their end while nobody but their own members has read what they compute: until
/// then they may be run as late as at their next member. From then on they have a position, and
/// still take what needs nothing that comes after it. An index map is a member of each nest that
/// reads it. Where it turns out that other code reads it, its kernel runs just before that.
///
/// It ends without counting: each step is taken once, in order. What else adds a group is an index
/// map whose kernel is to run after all, and whose inputs that asks for first: these were made
/// before it, and IndexMaps hands out each map once.
class Fusion {
 public:
  Fusion(const Plan& plan, StepIndex first, StepIndex end)
      : plan_(plan), maps_(plan, first, end), hoisted_(find_hoisted(first, end)) {}

  std::vector<Group> run(std::span<const Statement> runs) {
    for (const StepIndex step : hoisted_)
      groups_.push_back({.kind = Group::Kind::Expression, .steps = {step}});
    for (const Statement& s : runs)
      if (!std::ranges::binary_search(hoisted_, s.step())) take(s.step());
    for (const StepIndex step : maps_.waiting())
      if (!mapped_in_.contains(plan_.output(step))) compute(plan_.output(step));
    for (std::size_t g = 0; g < nests_.size(); ++g)
      if (root(g) == g && nests_[g].open()) seal(g);
    for (std::size_t g = 0; g < nests_.size(); ++g)
      if (root(g) == g) fill_group(nests_[g]);
    place_dying(runs);
    return std::move(groups_);
  }

 private:
  static constexpr std::size_t kNoNest = SIZE_MAX, kOpen = SIZE_MAX;
  using Shape = std::vector<ShapeFacts::Length>;
  struct Nest {
    std::size_t position = kOpen;  // in groups_, once it has one
    int ndim = 0;
    Shape shape;          // of its first member, with what is known of the others'
    AxisSet reduced = 0;  // by its reductions
    std::size_t computing = 0;
    std::vector<StepIndex> steps;         // in order
    std::vector<std::uint32_t> operands;  // registers, each once
    std::vector<std::uint32_t> results;   // those of its reductions

    bool open() const { return position == kOpen; }
  };

  /// A step, and the index maps by way of which it reads its inputs.
  struct Reader {
    StepIndex step;
    std::vector<StepIndex> maps{};
  };

  /// The steps of [first, end) that compute a number of nothing that the segment computes but other
  /// such: they may come before all the others, and so divide no nest. In order.
  std::vector<StepIndex> find_hoisted(StepIndex first, StepIndex end) const {
    std::vector<StepIndex> hoisted;
    while (end > first && !plan_.step(end - 1).may_come_first()) --end;
    std::unordered_set<std::uint32_t> named, late;  // registers; of values that are not hoisted
    const auto is_late = [&](std::uint32_t reg) { return late.contains(reg); };
    for (StepIndex step = first; step < end; ++step) {
      const auto operands = plan_.operands(step), outputs = plan_.outputs(step);
      // Where a register had another value before, the step may not overtake who reads that.
      if (plan_.step(step).may_come_first() && !named.contains(outputs[0]) &&
          std::ranges::none_of(plan_.inputs(step), is_late))
        hoisted.push_back(step);
      else
        late.insert(outputs.begin(), outputs.end());
      named.insert(operands.begin(), operands.end());
    }
    return hoisted;
  }

  void take(StepIndex step) {
    const StepForm& form = plan_.step(step);
    if (plan_.is_rematerialised(step)) return;
    const bool fuse = plan_.options().fuse;
    const bool mapped = fuse && form.kind == Kind::Mapped;
    // What an index map reads may have become a value since.
    Reader reader{step, maps_.read_by(step)};
    for (const StepIndex map : reader.maps)
      if (!plan_.is_rematerialised(map) && !maps_.may_wait(map)) compute(plan_.output(map));
    // Lengths of arrays are made to be compared, and other vectors are not.
    for (int i = 0; const std::uint32_t reg : plan_.inputs(step))
      if (form.compares(i++) != maps_.is_lengths(reg)) compute(reg);
    if (!reader.maps.empty()) reader.maps = maps_.read_by(step);
    std::size_t nest = kNoNest;
    if (fuse && form.kind == Kind::Element) {
      nest = join(reader);
    } else if (mapped || (fuse && form.kind == Kind::Reduction)) {
      const int value = mapped ? form.map->value : 0;
      const std::size_t computing = nest_of(plan_.inputs(step)[value]);
      if (computing != kNoNest && (mapped ? takes_result(nests_[computing], reader)
                                          : takes_reduction(nests_[computing], reader)))
        nest = computing;
    }
    if (nest == kNoNest && mapped && maps_.may_wait(step)) return maps_.wait(step);
    if (nest == kNoNest) return take_alone(step);
    const std::vector<std::size_t> producers = producers_of(reader);
    add(nest, reader);
    seal_others(producers, nest);
    note_touched(step);
  }

  /// As a group of its own: what it reads is in memory by then.
  void take_alone(StepIndex step) {
    for (const std::uint32_t reg : plan_.inputs(step)) compute(reg);
    seal_others(producers_of({step}), kNoNest);
    note_touched(step);
    for (const std::uint32_t reg : plan_.outputs(step)) group_of_[reg] = groups_.size();
    const bool expression = plan_.step(step).is_expression();
    groups_.push_back(
        {.kind = expression ? Group::Kind::Expression : Group::Kind::Call, .steps = {step}});
  }

  /// The kernel of an index map, if the register is one's.
  void compute(std::uint32_t reg) {
    if (const StepIndex step = maps_.mark_computed(reg); step != kNone) take_alone(step);
  }

  void note_touched(StepIndex step) {
    const auto registers = plan_.operands(step);
    touched_.insert(registers.begin(), registers.end());
  }

  // ---- index maps ----

  /// True if a nest, or a new one over `ndim` axes, may do without the kernel of an index map.
  bool suits(StepIndex step, int ndim, std::size_t nest) const {
    const IndexMap& map = *plan_.step(step).map;
    const IndexMap::Rule rule = map.rule();
    const std::uint32_t value = plan_.inputs(step)[map.value];
    // What is to be in memory, and lengths, are there before the nest that computes them has run.
    if (nest != kNoNest &&
        ((rule.in_memory && nest_of(value) == nest) ||
         (rule.is_given_lengths && computes(nests_[nest], plan_.inputs(step)[map.lengths]))))
      return false;
    using Axes = IndexMap::Rule::Axes;
    const int own = rule.axes == Axes::OfValue ? plan_.node(step).input(map.value).ndim()
                                               : plan_.step(step).ndim;
    return rule.axes == Axes::Any || own == ndim;
  }

  /// A member whose value others may read: what it stands for is computed by the nest.
  bool is_output(const Nest& nest, StepIndex step) const {
    const IndexMap& map = *plan_.step(step).map;
    return map.rule().is_value && computes(nest, plan_.inputs(step)[map.value]);
  }
  bool computes(const Nest& nest, std::uint32_t reg) const {
    for (const StepIndex step : nest.steps)
      if (plan_.output(step) == reg)
        return plan_.step(step).kind == Kind::Element ||
               (plan_.step(step).kind == Kind::Mapped && is_output(nest, step));
    return false;
  }

  // ---- nests ----

  /// A nest that was merged into another one stands for that.
  std::size_t root(std::size_t nest) const {
    while (merged_into_[nest] != nest) nest = merged_into_[nest];
    return nest;
  }
  /// The nest that has the register's step; kNoNest: none has.
  std::size_t nest_of(std::uint32_t reg) const {
    const auto found = nest_of_.find(reg);
    return found == nest_of_.end() ? kNoNest : root(found->second);
  }

  /// The nests whose values a step reads, directly or by way of index maps.
  std::vector<std::size_t> producers_of(const Reader& reader) const {
    std::vector<std::size_t> result;
    const auto note = [&](StepIndex step) {
      for (const std::uint32_t reg : plan_.inputs(step))
        if (const std::size_t nest = nest_of(reg); nest != kNoNest) add_once(result, nest);
    };
    note(reader.step);
    for (const StepIndex mapped : reader.maps) note(mapped);
    return result;
  }

  /// Those, and nests that have an index map which the step reads too.
  std::vector<std::size_t> candidates_for(const Reader& reader) const {
    std::vector<std::size_t> result = producers_of(reader);
    for (const StepIndex mapped : reader.maps) {
      const auto found = mapped_in_.find(plan_.output(mapped));
      if (found != mapped_in_.end()) add_once(result, root(found->second));
    }
    return result;
  }

  /// A register is written again where two values share it: then the nest's order would matter.
  bool rewrites(const Nest& nest, StepIndex step) const {
    return std::ranges::count(nest.operands, plan_.output(step)) != 0;
  }

  /// True if the register is written before a nest with a position, or by nobody in the segment.
  bool comes_before(std::uint32_t reg, const Nest& nest) const {
    if (const std::size_t other = nest_of(reg); other != kNoNest)
      return &nests_[other] == &nest || nests_[other].position < nest.position;
    const auto group = group_of_.find(reg);
    return group == group_of_.end() || group->second < nest.position;
  }

  /// True if the step, and the index maps that it reads, may become members.
  bool takes(const Nest& nest, const Reader& reader) const {
    const std::size_t index = static_cast<std::size_t>(&nest - nests_.data());
    std::vector<StepIndex> steps = reader.maps;
    std::erase_if(steps, [&](auto mapped) { return std::ranges::count(nest.steps, mapped) != 0; });
    steps.push_back(reader.step);
    std::size_t registers = nest.operands.size();
    for (const StepIndex member : steps) {
      registers += plan_.inputs(member).size() + 1;
      for (const std::uint32_t reg : plan_.inputs(member))
        if (std::ranges::count(nest.results, reg) != 0) return false;
      if (rewrites(nest, member)) return false;
      if (!nest.open() && !comes_late(nest, member)) return false;
      if (plan_.step(member).kind == Kind::Mapped && !suits(member, nest.ndim, index)) return false;
    }
    return nest.computing < kNestMembers && registers <= kNestOperands;
  }

  /// True if a step that follows a nest with a position may become a member of it all the same.
  bool comes_late(const Nest& nest, StepIndex step) const {
    const auto is_before = [&](std::uint32_t reg) { return comes_before(reg, nest); };
    return std::ranges::all_of(plan_.inputs(step), is_before) &&
           !touched_.contains(plan_.output(step));
  }

  bool takes_reduction(const Nest& nest, const Reader& reader) const {
    const StepForm& form = plan_.step(reader.step);
    return nest.ndim == form.ndim && (nest.reduced == 0 || nest.reduced == form.reduced) &&
           computes(nest, plan_.inputs(reader.step)[0]) && takes(nest, reader);
  }
  bool takes_result(const Nest& nest, const Reader& reader) const {
    return is_output(nest, reader.step) && takes(nest, reader);
  }

  /// The nest that an elementwise step becomes a member of: that of its producers, as far as they
  /// may have its shape; one that is known to have it; or a new one. The kernels run of index maps
  /// that a new one cannot have as members.
  std::size_t join(Reader& reader) {
    const std::vector<std::size_t> candidates = candidates_for(reader);
    const Shape shape = shape_of(reader.step);
    const int ndim = plan_.step(reader.step).ndim;
    const auto takes_step = [&](std::size_t nest) {
      return nests_[nest].ndim == ndim &&
             plan_.shapes().compare(nests_[nest].shape, shape) != Verdict::Different &&
             takes(nests_[nest], reader);
    };
    std::size_t nest = kNoNest;
    for (const std::size_t candidate : candidates) {
      if (!nests_[candidate].open() || !takes_step(candidate)) continue;
      if (nest == kNoNest)
        nest = candidate;
      else if (can_merge(nests_[nest], nests_[candidate], plan_.operands(reader.step).size()))
        nest = merge(std::min(nest, candidate), std::max(nest, candidate));
    }
    if (nest != kNoNest) return nest;
    for (const std::size_t candidate : candidates)
      if (takes_step(candidate)) return candidate;
    const auto beside = last_of_shape_.find(shape);
    if (beside != last_of_shape_.end() && takes_step(root(beside->second)))
      return root(beside->second);
    nest = nests_.size();
    nests_.emplace_back().ndim = ndim;
    merged_into_.push_back(nest);
    for (const StepIndex mapped : reader.maps)
      if (!suits(mapped, ndim, kNoNest)) compute(plan_.output(mapped));
    reader.maps = maps_.read_by(reader.step);
    return nest;
  }

  /// The shape of what a step computes.
  Shape shape_of(StepIndex step) const {
    const auto shape = plan_.shapes().shape(plan_.node(step));
    return {shape.begin(), shape.end()};
  }
  /// With one more member, of so many registers.
  bool can_merge(const Nest& a, const Nest& b, std::size_t n_registers) const {
    return a.computing + b.computing < kNestMembers &&
           a.operands.size() + b.operands.size() + n_registers <= kNestOperands &&
           (a.reduced == 0 || b.reduced == 0 || a.reduced == b.reduced) &&
           plan_.shapes().compare(a.shape, b.shape) != Verdict::Different;
  }

  std::size_t merge(std::size_t into, std::size_t from) {
    Nest &a = nests_[into], &b = nests_[from];
    for (const StepIndex step : b.steps) add_step(a, step);
    a.shape = plan_.shapes().both(a.shape, b.shape);
    if (a.reduced == 0) a.reduced = b.reduced;
    a.results.insert(a.results.end(), b.results.begin(), b.results.end());
    a.computing += b.computing;
    b = {};
    merged_into_[from] = into;
    return into;
  }

  void add(std::size_t nest, const Reader& reader) {
    Nest& g = nests_[nest];
    for (const StepIndex mapped : reader.maps) {
      add_step(g, mapped);
      const std::uint32_t out = plan_.output(mapped);
      const bool output = is_output(g, mapped);
      (output ? nest_of_ : mapped_in_)[out] = nest;
      if (output) maps_.mark_computed(out);
    }
    const StepIndex step = reader.step;
    add_step(g, step);
    g.computing += plan_.step(step).kind != Kind::Mapped;
    if (plan_.step(step).kind == Kind::Reduction) {
      g.reduced = plan_.step(step).reduced;
      g.results.push_back(plan_.output(step));
    }
    nest_of_[plan_.output(step)] = nest;
    if (plan_.step(step).kind != Kind::Element) return;
    Shape shape = shape_of(step);
    g.shape = plan_.shapes().both(g.shape, shape);
    if (!shape.empty()) last_of_shape_[std::move(shape)] = nest;
  }

  void add_step(Nest& nest, StepIndex step) const {
    const auto at = std::ranges::lower_bound(
        nest.steps, step, [&](auto a, auto b) { return plan_.comes_before(a, b); });
    if (at != nest.steps.end() && *at == step) return;
    nest.steps.insert(at, step);
    for (const std::uint32_t reg : plan_.operands(step)) add_once(nest.operands, reg);
  }

  void seal_others(const std::vector<std::size_t>& nests, std::size_t but) {
    for (const std::size_t nest : nests)
      if (root(nest) != but && nests_[root(nest)].open()) seal(root(nest));
  }
  /// Gives the nest its position.
  void seal(std::size_t nest) {
    nests_[nest].position = groups_.size();
    groups_.emplace_back();
  }

  void fill_group(const Nest& nest) {
    const bool worth = nest.steps.size() > 1 || plan_.options().unfused;
    groups_[nest.position] = {.kind = worth ? Group::Kind::Nest : Group::Kind::Call,
                              .steps = nest.steps};
  }

  /// What dies in the segment does so after the last group that touches it.
  void place_dying(std::span<const Statement> runs) {
    std::unordered_map<std::uint32_t, std::size_t> last;
    for (std::size_t u = 0; u < groups_.size(); ++u)
      for (const StepIndex step : groups_[u].steps)
        for (const std::uint32_t reg : plan_.operands(step)) last[reg] = u;
    for (const Statement& s : runs)
      for (const std::uint32_t reg : plan_.schedule().dying_in(s)) {
        const auto found = last.find(reg);
        groups_[found == last.end() ? groups_.size() - 1 : found->second].retired.push_back(reg);
      }
  }

  const Plan& plan_;
  IndexMaps maps_;
  std::vector<Group> groups_;
  std::vector<Nest> nests_;
  std::vector<std::size_t> merged_into_;
  std::unordered_map<std::uint32_t, std::size_t> nest_of_;    // by register
  std::unordered_map<std::uint32_t, std::size_t> mapped_in_;  // the last nest that has an index map
  std::map<Shape, std::size_t> last_of_shape_;                // the last nest with such a member
  std::unordered_map<std::uint32_t, std::size_t> group_of_;   // what is in no nest, by register
  std::unordered_set<std::uint32_t> touched_;                 // registers
  const std::vector<StepIndex> hoisted_;                      // those that come before all others
};

}  // namespace

std::vector<Group> fuse(const Plan& plan, std::span<const Statement> runs) {
  return Fusion(plan, runs.front().step(), runs.back().step() + 1).run(runs);
}

}  // namespace thunkvm

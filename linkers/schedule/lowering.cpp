#include "linkers/schedule/lowering.h"

#include "linkers/schedule/schedule_builder.h"
#include "thunks/interrupt.h"

#include <algorithm>
#include <unordered_map>

namespace thunkvm {
namespace {

class Lowering {
 public:
  Lowering(const FlatGraph& graph, const Placement& placement, std::span<const Value> leaders,
           bool retain_intermediates)
      : graph_(graph),
        p_(placement),
        leaders_(leaders),
        b_(graph, retain_intermediates),
        cursor_(placement.first_statement),
        block_of_(placement.regions.n_regions(), kNone),
        memo_of_(graph.n_values(), kNone),
        is_done_(graph.n_values(), false) {}

  Schedule run(const FunctionGraph& function) {
    share_registers();
    b_.begin_root();
    lower_block(kRootRegion);
    b_.end();
    // Blocks may name further memos and lazies while they are lowered; both lists only grow.
    std::uint32_t lazy = 0;
    for (std::size_t m = 0, l = 0;
         m < memos_.size() || lazy < b_.n_lazies() || l < loops_.size();) {
      if (l < loops_.size()) {
        lower_loop(loops_[l++]);
        continue;
      }
      if (m < memos_.size()) {
        b_.begin_memo(static_cast<std::uint32_t>(m), block_of_[p_.home[memos_[m]]]);
        lower_block(p_.runs_in[memos_[m]]);
        b_.end();
        ++m;
        continue;
      }
      const std::uint32_t node = b_.lazy_node(lazy++);
      for (std::uint32_t i = 0; i < graph_.nodes[node]->n_inputs(); ++i) {
        b_.begin_input(node, i, block_of_[p_.opaque_region[node]]);
        lower_block(p_.input_region[node] + i);
        demand(graph_.input(node, i));
        b_.end();
      }
    }
    return b_.finish(function);
  }

 private:
  struct Task {
    // A stretch of a region's statements, up to `until`; or a branch, at `arm` and `member`.
    bool is_branch = false;
    Region region = kRootRegion;
    Value until = kNone;
    std::uint32_t branch = kNone, arm = 0, member = 0;
    std::uint32_t first_member = 0, n_members = 0;  // in `joined_`
    std::size_t done = 0;                           // before its arms, of `done_`
  };

  // An arm's value that is made in that arm, for that exit alone, is made in the conditional's own
  // register.
  void share_registers() {
    std::vector<bool> kept(graph_.n_values(), false);
    for (const auto* values : {&graph_.outputs, &graph_.conditional_updates})
      for (const Value v : *values)
        if (v != kNone) kept[v] = true;
    for (Value v = graph_.n_values(); v-- > 0;) {
      if (p_.key[v] == kNone) continue;
      const std::uint32_t node = graph_.node_of[v], key = p_.key[v];
      const Conditional& conditional = *graph_.conditional(node);
      for (std::uint32_t arm = 0; arm < conditional.n_arms; ++arm) {
        const Value from = arm_value(v, arm);
        if (p_.placed[from] != Placed::Unconditional ||
            p_.runs_in[from] != p_.regions.first_arm(key) + arm)
          continue;
        if (kept[from] || graph_.opaque(graph_.node_of[from]) ||
            graph_.loop(graph_.node_of[from]) != nullptr)
          continue;
        if (p_.uses[p_.first_use[from]].next != kNone) continue;
        b_.share(from, v);
        if (shares_register_.empty()) shares_register_.resize(graph_.n_values(), false);
        shares_register_[from] = true;
      }
    }
  }
  bool shares_register(Value from) const {
    return !shares_register_.empty() && shares_register_[from];
  }

  Value arm_value(Value conditional, std::uint32_t arm) const {
    const std::uint32_t node = graph_.node_of[conditional];
    const std::uint32_t output = conditional - graph_.first_value[node];
    return graph_.input(node, graph_.conditional(node)->arm_input(arm, output));
  }

  // Sees to it that a value that is not certain where it is used is there.
  void demand(Value v) {
    const std::uint32_t node = graph_.node_of[v];
    const Value statement = graph_.conditional(node) != nullptr ? v : graph_.first_value[node];
    if (p_.placed[v] == Placed::Memoised) {
      if (is_done_[statement]) return;
      is_done_[statement] = true;
      done_.push_back(statement);
      if (memo_of_[statement] == kNone) {
        memo_of_[statement] = b_.new_memo(node);
        memos_.push_back(statement);
      }
      b_.need(memo_of_[statement]);
    } else if (p_.placed[v] == Placed::OnDemand) {
      b_.demand(node, v - graph_.first_value[node]);
    }
  }

  // From here on only the first so many memos are known to be done.
  void forget(std::size_t done) {
    for (; done_.size() > done; done_.pop_back()) is_done_[done_.back()] = false;
  }

  void statement(Value v) {
    const std::uint32_t node = graph_.node_of[v];
    if (graph_.loop(node) != nullptr) {
      b_.loop(node);
      loops_.push_back(node);
    } else if (p_.alias[v] != kNone) {
      demand(p_.alias[v]);
      b_.move(v, p_.alias[v], node);
    } else if (graph_.opaque(node)) {
      b_.demand(node, v - graph_.first_value[node]);
    } else {
      Value previous = kNone;
      for (const Value value : graph_.inputs(node)) {
        if (value != previous) demand(value);
        previous = value;
      }
      b_.run(node);
    }
  }

  // A step of a loop: what is certain in it; what is tested; then what is left behind the loop, or
  // what the next step begins with.
  void lower_loop(std::uint32_t node) {
    const OpenLoopOp& loop = *graph_.loop(node);
    b_.begin_loop(node, block_of_[p_.runs_in[graph_.first_value[node]]]);
    lower_block(p_.loop_region[node]);
    demand(graph_.input(node, loop.test()));
    const std::uint32_t branch = b_.loop_branch(node);
    const std::size_t done = done_.size();
    for (std::uint32_t arm = 0; arm < 2; ++arm) {
      b_.begin_arm(branch, arm);
      lower_region(p_.regions.first_arm(p_.test_key[node]) + arm);
      if (arm == 0) {
        for (std::uint32_t j = 0; j < loop.n_left(); ++j) demand(graph_.input(node, loop.left(j)));
        b_.leave(node);
      } else {
        for (std::uint32_t i = 0; i < loop.n_states(); ++i)
          demand(graph_.input(node, loop.next(i)));
        b_.move_on(node);
        b_.again(node);
      }
      b_.end();
      forget(done);
    }
    b_.end();
  }

  // The statements of the root's, a memo body's or an input's region, arms included.
  void lower_block(Region region) {
    forget(0);
    lower_region(region);
  }
  void lower_region(Region region) {
    if (block_of_[region] == kNone) block_of_[region] = b_.open_block();
    b_.name_region(region);
    tasks_.push_back(Task{.region = region});
    while (!tasks_.empty()) {
      if (tasks_.back().is_branch)
        continue_branch();
      else
        continue_stretch();
    }
  }

  void continue_stretch() {
    Task& task = tasks_.back();
    Value& next = cursor_[task.region];
    while (next != kNone && (task.until == kNone || next <= task.until)) {
      poll_interrupt();
      const Value v = next;
      next = p_.next_statement[v];
      if (p_.key[v] == kNone) {
        statement(v);
      } else if (leaders_[v] == v) {
        waiting_[p_.key[v]].push_back(v);
        begin_branch(v);
        return;
      } else {
        waiting_[p_.key[v]].push_back(v);  // joins a later one
      }
    }
    tasks_.pop_back();
  }

  void begin_branch(Value leader) {
    Task task{.is_branch = true, .region = p_.runs_in[leader], .until = leader};
    task.first_member = static_cast<std::uint32_t>(joined_.size());
    auto waiting = waiting_.find(p_.key[leader]);
    joined_.insert(joined_.end(), waiting->second.begin(), waiting->second.end());
    task.n_members = static_cast<std::uint32_t>(waiting->second.size());
    waiting_.erase(waiting);
    const std::uint32_t key = p_.key[leader];
    const Value selector = p_.regions.selector(key);
    demand(selector);
    task.branch = b_.branch(selector, p_.regions.decoding(key), p_.regions.n_arms(key),
                            std::span(joined_).subspan(task.first_member));
    task.done = done_.size();
    tasks_.push_back(task);
  }

  void continue_branch() {
    Task& task = tasks_.back();
    const std::uint32_t key = p_.key[task.until], n_arms = p_.regions.n_arms(key);
    const Region arm = p_.regions.first_arm(key) + task.arm;
    if (task.member == 0) {
      b_.begin_arm(task.branch, task.arm);
      if (block_of_[arm] == kNone) block_of_[arm] = b_.open_block();
      b_.name_region(arm);
    } else {
      leave_arm(joined_[task.first_member + task.member - 1], task.arm);
    }
    if (task.member < task.n_members) {
      const Value member = joined_[task.first_member + task.member++];
      tasks_.push_back(Task{.region = arm, .until = member});
      return;
    }
    b_.end();
    task.member = 0;
    forget(task.done);
    if (++task.arm < n_arms) return;
    joined_.resize(task.first_member);
    tasks_.pop_back();
  }

  // The end of an arm, for one conditional: its value is moved out.
  void leave_arm(Value conditional, std::uint32_t arm) {
    const Value from = arm_value(conditional, arm);
    if (shares_register(from)) return;
    demand(from);
    b_.move(conditional, from, kNone);
  }

  const FlatGraph& graph_;
  const Placement& p_;
  const std::span<const Value> leaders_;
  ScheduleBuilder b_;
  std::vector<Value> cursor_;            // by region: the next statement to lower
  std::vector<std::uint32_t> block_of_;  // by region: the first block of it
  std::vector<std::uint32_t> memo_of_;   // by statement
  std::vector<Value> memos_;             // statements that are memos, in the order of their index
  std::vector<std::uint32_t> loops_;     // nodes, in the order in which they were met
  std::vector<bool> is_done_;            // by statement: a memo that has run here, on every path
  std::vector<Value> done_;              // those, in the order of their Needs
  std::vector<bool> shares_register_;    // by value: made in its conditional's register
  std::unordered_map<std::uint32_t, std::vector<Value>>
      waiting_;  // by key: met, and joined to a later one
  std::vector<Value> joined_;
  std::vector<Task> tasks_;
};

}  // namespace

Schedule lower(const FunctionGraph& function, const FlatGraph& graph, const Placement& placement,
               std::span<const Value> leaders, bool retain_intermediates) {
  return Lowering(graph, placement, leaders, retain_intermediates).run(function);
}

}  // namespace thunkvm

#include "linkers/lowering.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace thunkvm {
namespace {

// Statements whose needs are demanded together, before the first of them: as many as one loop of
// emitted code may have members. Of more, too many values would have to be kept at once.
constexpr int kAhead = 32;

class Lowering {
 public:
  Lowering(const FlatGraph& graph, Placement& placement, const Lifetimes& lifetimes, bool keep,
           Assembler& assembler)
      : graph_(graph),
        p_(placement),
        l_(lifetimes),
        keep_(keep),
        a_(assembler),
        cursor_(placement.first_statement),
        memo_of_(graph.n_values(), kNone),
        is_done_(graph.n_values(), false) {}

  void run() {
    share_registers();
    body(kRootRegion);
    a_.halt();
    // Bodies may name further memos and lazies while they are emitted; both lists only grow.
    std::size_t lazy = 0;
    for (std::size_t m = 0; m < memos_.size() || lazy < a_.n_lazies();) {
      if (m < memos_.size()) {
        a_.memo_body(static_cast<std::uint32_t>(m));
        body(p_.runs_in[memos_[m]]);
        a_.ret();
        ++m;
        continue;
      }
      const std::uint32_t node = a_.lazy_node(lazy++);
      for (std::uint32_t i = 0; i < graph_.nodes[node]->n_inputs(); ++i) {
        a_.input_body(node, i);
        body(p_.input_region[node] + i);
        demand(graph_.value(graph_.nodes[node]->input(static_cast<int>(i))));
        a_.ret();
      }
    }
  }

 private:
  struct Task {
    // A stretch of a region's statements, up to `until`; or a branch, at `arm` and `member`.
    bool is_branch = false;
    bool takes_selector = false;
    Region region = kRootRegion;
    Value until = kNoIndex;
    std::uint32_t branch = kNone, arm = 0, member = 0;
    std::uint32_t first_member = 0, n_members = 0;  // in `joined_`
    std::uint32_t first_jump = 0;                   // in `jumps_`
    std::size_t done = 0;                           // before its arms, of `done_`
  };

  // An arm's value that is made in that arm, for that exit alone, is made in the conditional's own
  // register.
  void share_registers() {
    for (Value v = graph_.n_values(); v-- > 0;) {
      if (p_.key[v] == kNoIndex) continue;
      const std::uint32_t node = graph_.node_of[v], key = p_.key[v];
      const Conditional& conditional = *graph_.conditional(node);
      for (std::uint32_t arm = 0; arm < conditional.n_arms; ++arm) {
        const Value from = arm_value(v, arm);
        if (p_.placed[from] != Placed::Certain ||
            p_.runs_in[from] != p_.regions.first_arm(key) + arm)
          continue;
        if (l_.kept[from] != 0 || graph_.opaque(graph_.node_of[from])) continue;
        if (p_.uses[p_.first_use[from]].next != kNoIndex) continue;
        a_.share(from, v);
        if (shared_.empty()) shared_.resize(graph_.n_values(), false);
        shared_[from] = true;
      }
    }
  }
  bool shares(Value from) const { return !shared_.empty() && shared_[from]; }

  Value arm_value(Value conditional, std::uint32_t arm) const {
    const std::uint32_t node = graph_.node_of[conditional];
    const std::uint32_t output = conditional - graph_.first_value[node];
    return graph_.value(graph_.nodes[node]->input(
        static_cast<int>(graph_.conditional(node)->arm_input(arm, output))));
  }

  // Sees to it that a value that is not certain where it is used is there.
  void demand(Value v) {
    const std::uint32_t node = graph_.node_of[v];
    const Value statement = graph_.conditional(node) != nullptr ? v : graph_.first_value[node];
    if (p_.placed[v] == Placed::Memo) {
      if (is_done_[statement]) return;
      is_done_[statement] = true;
      done_.push_back(statement);
      if (memo_of_[statement] == kNone) {
        memo_of_[statement] = a_.new_memo(node);
        memos_.push_back(statement);
      }
      a_.need(memo_of_[statement]);
    } else if (p_.placed[v] == Placed::Loose) {
      a_.lazy(node, v - graph_.first_value[node]);
    }
  }

  // From here on only the first so many memos are known to be done.
  void forget(std::size_t done) {
    for (; done_.size() > done; done_.pop_back()) is_done_[done_.back()] = false;
  }

  // Demands what the next statements need, up to a branch, so that they follow each other: all of
  // them will run. A body reads nothing of them: it hangs under a region further out.
  void demand_ahead(const Task& task) {
    int n = 0;
    for (Value v = cursor_[task.region];
         v != kNoIndex && n < kAhead && (task.until == kNoIndex || v <= task.until) &&
         (p_.key[v] == kNoIndex || l_.leader[v] != v);
         v = p_.next_statement[v], ++n) {
      const std::uint32_t node = graph_.node_of[v];
      if (p_.key[v] != kNoIndex || p_.alias[v] != kNoIndex || graph_.opaque(node)) continue;
      for (const Variable& variable : graph_.nodes[node]->inputs()) {
        const Value input = graph_.value(variable);
        if (p_.placed[input] == Placed::Memo) demand(input);
      }
    }
  }

  void statement(Value v) {
    const std::uint32_t node = graph_.node_of[v];
    collect(l_.after, v);
    if (p_.alias[v] != kNoIndex) {
      demand(p_.alias[v]);
      const auto source = std::find(retired_.begin(), retired_.end(), p_.alias[v]);
      const bool take = source != retired_.end();
      if (take) retired_.erase(source);
      a_.move(v, p_.alias[v], take, node);
      a_.retire(retired_);
    } else if (graph_.opaque(node)) {
      a_.lazy(node, v - graph_.first_value[node]);
      a_.retire(retired_);
    } else {
      Value previous = kNoIndex;
      for (const Variable& input : graph_.nodes[node]->inputs()) {
        const Value value = graph_.value(input);
        if (value != previous) demand(value);
        previous = value;
      }
      a_.run(node, retired_);
    }
    release();
  }

  // What ends at a place: the values in `retired_`, the thunks in `released_`.
  void collect(const ValueLists& lists, std::size_t slot, Value but = kNoIndex) {
    retired_.clear();
    released_.clear();
    if (keep_) return;
    lists.each(slot, [&](Value dead) {
      if (dead >= graph_.n_values())
        released_.push_back(dead - graph_.n_values());
      else if (dead != but)
        retired_.push_back(dead);
    });
  }
  void release() {
    for (const std::uint32_t node : released_) a_.release(node);
  }

  void body(Region region) {
    forget(0);
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
    for (int n = 0; next != kNoIndex && (task.until == kNoIndex || next <= task.until); ++n) {
      if (n % kAhead == 0) demand_ahead(task);
      graph_.poll();
      const Value v = next;
      next = p_.next_statement[v];
      if (p_.key[v] == kNoIndex) {
        statement(v);
      } else if (l_.leader[v] == v) {
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
    std::vector<std::uint32_t> nodes;
    auto waiting = waiting_.find(p_.key[leader]);
    for (Value member : waiting->second) {
      joined_.push_back(member);
      nodes.push_back(graph_.node_of[member]);
    }
    task.n_members = static_cast<std::uint32_t>(waiting->second.size());
    waiting_.erase(waiting);
    const std::uint32_t key = p_.key[leader];
    const Value selector = p_.regions.selector(key);
    demand(selector);
    task.takes_selector = dies_in_every_arm(selector, leader, p_.regions.n_arms(key));
    task.branch = a_.branch(selector, task.takes_selector, p_.regions.decoding(key),
                            p_.regions.n_arms(key), nodes);
    task.first_jump = static_cast<std::uint32_t>(jumps_.size());
    task.done = done_.size();
    tasks_.push_back(task);
  }

  // Whether every arm would retire the selector first thing: then the branch itself does.
  bool dies_in_every_arm(Value selector, Value leader, std::uint32_t n_arms) const {
    for (std::uint32_t arm = 0; arm < n_arms; ++arm) {
      bool dies = false;
      l_.at_entry.each(l_.arm_slot[leader] + arm,
                       [&](Value dead) { dies = dies || dead == selector; });
      if (!dies) return false;
    }
    return !keep_;
  }

  void continue_branch() {
    Task& task = tasks_.back();
    const Value leader = task.until;
    const std::uint32_t key = p_.key[leader], n_arms = p_.regions.n_arms(key);
    if (task.member == 0) {
      a_.target(task.branch, task.arm);
      retire_list(l_.at_entry, l_.arm_slot[leader] + task.arm,
                  task.takes_selector ? p_.regions.selector(key) : kNoIndex);
    } else {
      leave_arm(joined_[task.first_member + task.member - 1], task.arm);
    }
    if (task.member < task.n_members) {
      const Value member = joined_[task.first_member + task.member++];
      const Region arm = p_.regions.first_arm(key) + task.arm;
      tasks_.push_back(Task{.region = arm, .until = member});
      return;
    }
    task.member = 0;
    forget(task.done);
    if (++task.arm < n_arms) {
      jumps_.push_back(a_.jump());
      return;
    }
    for (std::size_t i = task.first_jump; i < jumps_.size(); ++i) a_.land(jumps_[i]);
    jumps_.resize(task.first_jump);
    joined_.resize(task.first_member);
    tasks_.pop_back();
    retire_list(l_.after, leader, kNoIndex);
  }

  // The end of an arm, for one conditional: its value is moved out.
  void leave_arm(Value conditional, std::uint32_t arm) {
    const Value from = arm_value(conditional, arm);
    collect(l_.at_exit, l_.arm_slot[conditional] + arm);
    const auto source = std::find(retired_.begin(), retired_.end(), from);
    const bool take = source != retired_.end();
    if (take) retired_.erase(source);
    if (!shares(from)) {
      demand(from);
      a_.move(conditional, from, take, kNone);
    }
    a_.retire(retired_);
    release();
  }

  void retire_list(const ValueLists& lists, std::size_t slot, Value but) {
    if (lists.empty(slot)) return;
    collect(lists, slot, but);
    a_.retire(retired_);
    release();
  }

  const FlatGraph& graph_;
  const Placement& p_;
  const Lifetimes& l_;
  const bool keep_;
  Assembler& a_;
  std::vector<Value> cursor_;           // by region: the next statement to emit
  std::vector<std::uint32_t> memo_of_;  // by statement
  std::vector<Value> memos_;            // statements that are memos, in the order of their index
  std::vector<bool> is_done_;           // by statement: a memo that has run here, on every path
  std::vector<Value> done_;             // those, in the order of their Needs
  std::vector<bool> shared_;            // by value: made in its conditional's register
  std::unordered_map<std::uint32_t, std::vector<Value>>
      waiting_;  // by key: met, and joined to a later one
  std::vector<Value> joined_;
  std::vector<std::uint32_t> jumps_;
  std::vector<Task> tasks_;
  std::vector<Value> retired_;
  std::vector<std::uint32_t> released_;
};

}  // namespace

void lower(const FlatGraph& graph, Placement& placement, const Lifetimes& lifetimes, bool keep,
           Assembler& assembler) {
  Lowering(graph, placement, lifetimes, keep, assembler).run();
}

}  // namespace thunkvm

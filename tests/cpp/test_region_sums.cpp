// test_region_sums.cpp: sums whose parts exist only in some regions: where they are, what they come
// to, and how large their graphs are.
#include "ops/control/conditional.h"
#include "ops/gradient/region_sums.h"
#include "ops/graph/functions.h"
#include "ops/graph/graph.h"
#include "tests/cpp/inputs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

Variable flag(const char* name) { return Variable::input(TensorType::scalar(DType::Bool), name); }
Variable integer(const char* name) {
  return Variable::input(TensorType::scalar(DType::Int64), name);
}

double number(const Cell& cell) {
  switch (cell.dtype()) {
    case DType::Bool: return cell.get<bool>() ? 1.0 : 0.0;
    case DType::Int64: return static_cast<double>(cell.get<std::int64_t>());
    default: return cell.get<double>();
  }
}

/// Values of conditionals, sums and comparisons, and the inputs that were asked for on the way.
class Evaluation {
 public:
  explicit Evaluation(std::vector<std::pair<Variable, double>> given) {
    for (const auto& [variable, value] : given) given_[variable.node()] = value;
  }

  double operator()(const Variable& v) {
    const Apply& node = *v.node();
    if (v.is_constant()) return number(v.constant_value());
    if (v.is_leaf()) {
      asked_.emplace_back(v.name());
      return given_.at(v.node());
    }
    if (const Conditional* conditional = node.op()->conditional())
      return (*this)(node.input(
          static_cast<int>(conditional->arm_input(arm(*conditional, (*this)(node.input(0))), 0))));
    const double a = (*this)(node.input(0)), b = (*this)(node.input(1));
    if (node.op()->name() == "add") return a + b;
    if (node.op()->name() == "eq") return a == b ? 1.0 : 0.0;
    throw std::logic_error("no such Op here: " + node.op()->name());
  }
  bool asked(const std::string& name) const {
    return std::find(asked_.begin(), asked_.end(), name) != asked_.end();
  }

 private:
  static std::uint32_t arm(const Conditional& conditional, double selector) {
    if (conditional.decoding == Decoding::Truth) return selector != 0.0 ? 1 : 0;
    return selector >= 0.0 && selector < conditional.n_arms ? static_cast<std::uint32_t>(selector)
                                                            : conditional.n_arms - 1;
  }

  std::map<const Apply*, double> given_;
  std::vector<std::string> asked_;
};

std::size_t n_nodes(const Variable& root) { return topological_order(std::span(&root, 1)).size(); }

/// The regions of an else-if chain: of clause i, the arm that is taken where c<i> is true.
struct Chain {
  explicit Chain(int n) {
    Region around = kRootRegion;
    for (int i = 0; i < n; ++i) {
      selectors.push_back(flag(("c" + std::to_string(i)).c_str()));
      const Region first = sums.regions().first_arm(
          sums.regions().open_arms(around, sums.number(selectors.back()), Decoding::Truth, 2));
      clauses.push_back(first + 1);
      around = first;
    }
    otherwise = around;
  }
  RegionSums sums;
  std::vector<Variable> selectors;
  std::vector<Region> clauses;
  Region otherwise = kRootRegion;
};

}  // namespace

TEST_CASE("parts in every arm are a sum that is there everywhere") {
  Chain chain(2);
  const Variable x = real("x"), y = real("y"), z = real("z");
  const std::vector<Contribution> parts = {
      {chain.otherwise, x}, {chain.clauses[0], y}, {chain.clauses[1], z}};
  const Partial sum = chain.sums.sum(kRootRegion, parts);
  REQUIRE(sum.everywhere());
  Evaluation second({{chain.selectors[0], 0}, {chain.selectors[1], 1}, {z, 5}});
  CHECK(second(sum.value) == 5.0);
  CHECK_FALSE(second.asked("x"));
  CHECK_FALSE(second.asked("y"));
}

TEST_CASE("a part is there where control gets to its region") {
  Chain chain(3);
  const Variable x = real("x");
  const std::vector<Contribution> parts = {{chain.clauses[2], x}};
  const Partial sum = chain.sums.sum(kRootRegion, parts);
  CHECK(sum.value == x);
  const auto& c = chain.selectors;
  CHECK(Evaluation({{c[0], 0}, {c[1], 0}, {c[2], 1}})(sum.present) == 1.0);
  CHECK(Evaluation({{c[0], 0}, {c[1], 0}, {c[2], 0}})(sum.present) == 0.0);
  Evaluation first({{c[0], 1}, {c[1], 0}, {c[2], 1}});
  CHECK(first(sum.present) == 0.0);
  CHECK_FALSE(first.asked("c1"));
  CHECK_FALSE(first.asked("c2"));
}

TEST_CASE("a part that is not there is not added, as a zero neither") {
  Chain chain(3);
  const Variable x = real("x"), y = real("y"), z = real("z"), w = real("w");
  const auto& c = chain.selectors;
  const std::vector<Contribution> parts = {{chain.clauses[2], x}, {chain.clauses[1], y}};
  const Variable total = chain.sums.total(parts, w);
  CHECK(Evaluation({{c[0], 0}, {c[1], 1}, {y, 3}})(total) == 3.0);
  CHECK(Evaluation({{c[0], 0}, {c[1], 0}, {c[2], 1}, {x, 4}})(total) == 4.0);
  CHECK(Evaluation({{c[0], 1}})(total) == 0.0);
  const std::vector<Contribution> more = {{kRootRegion, z}, {chain.clauses[2], x}};
  const Variable with_more = chain.sums.total(more, w);
  CHECK(Evaluation({{c[0], 1}, {z, 7}})(with_more) == 7.0);
  CHECK(Evaluation({{c[0], 0}, {c[1], 0}, {c[2], 1}, {x, 4}, {z, 7}})(with_more) == 11.0);
}

TEST_CASE("parts of selectors that have nothing to do with each other are added where both are") {
  RegionSums sums;
  const Variable c = flag("c"), d = flag("d"), x = real("x"), y = real("y"), w = real("w");
  const std::vector<Contribution> parts = {{sums.under(kRootRegion, c), x},
                                           {sums.under(kRootRegion, d), y}};
  const Variable total = sums.total(parts, w);
  CHECK(Evaluation({{c, 1}, {d, 1}, {x, 2}, {y, 3}})(total) == 5.0);
  CHECK(Evaluation({{c, 1}, {d, 0}, {x, 2}})(total) == 2.0);
  CHECK(Evaluation({{c, 0}, {d, 1}, {y, 3}})(total) == 3.0);
  CHECK(Evaluation({{c, 0}, {d, 0}})(total) == 0.0);
}

TEST_CASE("sums over a deep chain share the way to its clauses") {
  Chain chain(100);
  const Variable x = real("x");
  const std::vector<Contribution> parts = {{chain.clauses[99], x}};
  const std::size_t deepest = n_nodes(chain.sums.total(parts, x));
  std::vector<Variable> totals;
  for (const Region clause : chain.clauses) {
    const std::vector<Contribution> part = {{clause, x}};
    totals.push_back(chain.sums.total(part, x));
  }
  // Each further clause adds that it is taken, that control gets there, and the choice.
  CHECK(topological_order(totals).size() < deepest + 4 * chain.clauses.size());
}

TEST_CASE("a part of a wide switch does not name its other cases") {
  RegionSums sums;
  const Variable i = integer("i"), x = real("x"), w = real("w");
  const Region first = sums.regions().first_arm(
      sums.regions().open_arms(kRootRegion, sums.number(i), Decoding::IndexOrDefault, 100));
  const std::vector<Contribution> parts = {{first + 30, x}}, last = {{first + 99, x}};
  const Variable total = sums.total(parts, w), of_last = sums.total(last, w);
  CHECK(total.node()->n_inputs() == 3);
  CHECK(Evaluation({{i, 30}, {x, 2}})(total) == 2.0);
  CHECK(Evaluation({{i, 31}})(total) == 0.0);
  CHECK(Evaluation({{i, -5}})(total) == 0.0);
  CHECK(Evaluation({{i, -5}, {x, 2}})(of_last) == 2.0);
  CHECK(Evaluation({{i, 1000}, {x, 2}})(of_last) == 2.0);
}

}  // namespace thunkvm

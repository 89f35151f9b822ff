// orders.cpp: draws whose numbers depend on each other: orders, samples without repetition, counts
// of many kinds, and the states of further generators.
#include "ops/random/binomial.h"
#include "ops/random/bounded.h"
#include "ops/random/draw.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace thunkvm {

namespace {

[[noreturn]] void refuse(const DrawRules& rules, const std::string& words) {
  throw Error(ErrorKind::Value, "[" + rules.name + "] " + words);
}

/// The numbers 0 to n - 1 in any order, each as likely: R. A. Fisher, F. Yates.
void run_permutation(Activation& activation, const Operands& operands, const DrawRules& rules) {
  DrawRun run(activation, operands, rules);
  run.each_generator([&](Pcg64& bits, std::int64_t first, std::int64_t n) {
    std::int64_t* const order = run.out<std::int64_t>() + first;
    std::iota(order, order + n, std::int64_t{0});
    for (std::int64_t i = n - 1; i > 0; --i)
      std::swap(order[masked(bits, static_cast<std::uint64_t>(i))], order[i]);
  });
  run.finish();
}

void shuffle_tail(Pcg64& bits, std::int64_t n, std::int64_t first, std::int64_t* data) {
  Bounded<std::uint64_t> bounded;
  for (std::int64_t i = n - 1; i >= first; --i)
    std::swap(data[bounded(bits, static_cast<std::uint64_t>(i))], data[i]);
}

/// A set of numbers that are not negative, by open addressing.
class Chosen {
 public:
  explicit Chosen(std::int64_t size) {
    std::uint64_t mask = static_cast<std::uint64_t>(1.2 * static_cast<double>(size));
    for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
    places_.assign(mask + 1, -1);
  }
  /// False if it is in there already.
  bool insert(std::int64_t value) {
    std::size_t at = static_cast<std::size_t>(value) & (places_.size() - 1);
    for (; places_[at] != -1; at = (at + 1) & (places_.size() - 1))
      if (places_[at] == value) return false;
    places_[at] = value;
    return true;
  }

 private:
  std::vector<std::int64_t> places_;
};

/// R. W. Floyd's sample of few; of many the tail of a shuffle. NumPy has the limits.
void sample(Pcg64& bits, std::int64_t population, bool shuffled, std::int64_t n,
            std::int64_t* out) {
  if (population > 10000 && n > population / (shuffled ? 50 : 20)) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(population));
    std::iota(all.begin(), all.end(), std::int64_t{0});
    shuffle_tail(bits, population, std::max<std::int64_t>(population - n, 1), all.data());
    std::copy(all.end() - n, all.end(), out);
    return;
  }
  Chosen chosen(n);
  Bounded<std::uint64_t> bounded;
  for (std::int64_t j = population - n; j < population; ++j) {
    const auto value = static_cast<std::int64_t>(bounded(bits, static_cast<std::uint64_t>(j)));
    const bool is_new = chosen.insert(value);
    if (!is_new) chosen.insert(j);
    *out++ = is_new ? value : j;
  }
  if (shuffled) shuffle_tail(bits, n, 1, out - n);
}

template <bool kShuffled>
void run_sample(Activation& activation, const Operands& operands, const DrawRules& rules) {
  DrawRun run(activation, operands, rules);
  const auto [population, step] = run.parameter<std::int64_t>(0);
  run.each_generator(
      [&, population = population, step = step](Pcg64& bits, std::int64_t first, std::int64_t n) {
        if (n == 0) return;
        const std::int64_t of = population[first * step];
        if (n > of)
          refuse(rules, "Cannot take a larger sample than population when replace is False: " +
                            std::to_string(n) + " of " + std::to_string(of));
        sample(bits, of, kShuffled, n, run.out<std::int64_t>() + first);
      });
  run.finish();
}

/// How many of n fall to each of d kinds, by one binomial count after the other.
void run_multinomial(Activation& activation, const Operands& operands, const DrawRules& rules) {
  DrawRun run(activation, operands, rules);
  const auto [trials, trials_step] = run.parameter<std::int64_t>(0);
  const auto [p, p_step] = run.parameter<double>(1);
  const Dims shape = run.drawn_shape();
  if (shape.size() == 0) refuse(rules, "pvals must have at least one axis");
  const std::int64_t d = shape[shape.size() - 1];
  run.each_generator([&, trials = trials, trials_step = trials_step, p = p, p_step = p_step](
                         Pcg64& bits, std::int64_t first, std::int64_t n) {
    Binomial binomial;
    for (std::int64_t row = first; row < first + n; row += d) {
      std::int64_t* const counts = run.out<std::int64_t>() + row;
      const double* const of_kind = p + row * p_step;
      double sum = 0, left_p = 1;
      for (std::int64_t j = 0; j + 1 < d; ++j) sum += of_kind[j * p_step];
      if (sum > 1.0 + 1e-12) refuse(rules, "sum(pvals[:-1]) > 1.0");
      std::fill_n(counts, d, std::int64_t{0});
      std::int64_t left = trials[row * trials_step];
      for (std::int64_t j = 0; j + 1 < d && left > 0; ++j) {
        counts[j] = binomial(bits, left, of_kind[j * p_step] / left_p);
        left -= counts[j];
        left_p -= of_kind[j * p_step];
      }
      if (left > 0) counts[d - 1] = left;
    }
  });
  run.finish();
}

/// Further generators, from 256 random bits each, as PCG64 is seeded.
void run_split(Activation& activation, const Operands& operands, const DrawRules& rules) {
  DrawRun run(activation, operands, rules);
  const Dims shape = run.drawn_shape();
  if (shape.size() == 0 || shape[shape.size() - 1] != kStateWords)
    refuse(rules, "a state has 6 words: the last length of size must be 6");
  run.each_generator([&](Pcg64& bits, std::int64_t first, std::int64_t n) {
    std::uint64_t* const words = run.out<std::uint64_t>() + first;
    for (std::int64_t at = 0; at < n; at += kStateWords) {
      std::uint64_t seed[4];
      for (std::uint64_t& word : seed) word = bits.next64();
      Pcg64::seeded(seed).write(words + at);
    }
  });
  run.finish();
}

using None = std::tuple<>;
using Count = std::tuple<std::int64_t>;
using CountAndShares = std::tuple<std::int64_t, double>;

REGISTER_DRAW_RUN(permutation, std::int64_t, None, &run_permutation,
                  "The numbers from 0 to one less than their count in any order, all as likely.",
                  ">>> draw = tv.ops.random_permutation(tv.random.key(1), [5])\n"
                  ">>> tv.function([], draw[1])()\n"
                  "array([4, 0, 1, 2, 3])");

REGISTER_DRAW_RUN(sample, std::int64_t, Count, &run_sample<true>,
                  "Different numbers from 0 to `population` - 1, all as likely, in any order.",
                  ">>> draw = tv.ops.random_sample(tv.random.key(1), [3], 10)\n"
                  ">>> tv.function([], draw[1])()\n"
                  "array([4, 3, 7])",
                  {"population", "how many there are to choose from", Domain::NotNegative});

REGISTER_DRAW_RUN(sample_in_order, std::int64_t, Count, &run_sample<false>,
                  "Different numbers from 0 to `population` - 1, all as likely, but not in any "
                  "order.",
                  ">>> draw = tv.ops.random_sample_in_order(tv.random.key(1), [3], 10)\n"
                  ">>> tv.function([], draw[1])()\n"
                  "array([3, 4, 7])",
                  {"population", "how many there are to choose from", Domain::NotNegative});

REGISTER_DRAW_RUN(
    multinomial, std::int64_t, CountAndShares, &run_multinomial,
    "How many of `n` fall to each kind; the last axis has the kinds.",
    ">>> draw = tv.ops.random_multinomial(tv.random.key(1), [3], 10, [0.2, 0.3, 0.5])\n"
    ">>> tv.function([], draw[1])()\n"
    "array([2, 5, 3])",
    {"n", "the trials", Domain::NotNegative},
    {"pvals", "the probability of each kind", Domain::Unit});

REGISTER_DRAW_RUN(split, std::uint64_t, None, &run_split,
                  "The states of further generators, 6 words each along the last axis.",
                  ">>> draw = tv.ops.random_split(tv.random.key(1), [2, 6])\n"
                  ">>> tv.function([], draw[1].shape)()\n"
                  "array([2, 6])");

}  // namespace

}  // namespace thunkvm

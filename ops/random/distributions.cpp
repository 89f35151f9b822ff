// distributions.cpp: the draws of continuous numbers and of counts.
#include "ops/random/binomial.h"
#include "ops/random/continuous.h"
#include "ops/random/discrete.h"
#include "ops/random/draw.h"

namespace thunkvm {

namespace {

/// A draw by a function of bits and of parameters of one dtype.
template <auto kFunction, std::int64_t kCost>
struct DrawBy;
template <class T, class... P, T (*kFunction)(Pcg64&, P...), std::int64_t kCost>
struct DrawBy<kFunction, kCost> {
  using Value = T;
  using Types = std::tuple<P...>;
  static constexpr std::int64_t kWeight = kCost;
  T operator()(Pcg64& bits, P... parameters) const { return kFunction(bits, parameters...); }
};

struct BinomialDraw {
  using Value = std::int64_t;
  using Types = std::tuple<std::int64_t, double>;
  static constexpr std::int64_t kWeight = 64;
  std::int64_t operator()(Pcg64& bits, std::int64_t n, double p) { return binomial(bits, n, p); }
  Binomial binomial;
};

constexpr std::int64_t kQuick = 4, kSlow = 32;  // in additions

using RandomDraw = DrawBy<&continuous::uniform<double>, kQuick>;
REGISTER_DRAW(random, RandomDraw, "Numbers from 0 to 1, which is not one of them, all as likely.",
              ">>> draw = tv.ops.random_random(tv.random.key(1), [2])\n"
              ">>> tv.function([], draw[1])()\n"
              "array([0.51182162, 0.9504637 ])");

using Random32Draw = DrawBy<&continuous::uniform<float>, kQuick>;
REGISTER_DRAW(random32, Random32Draw,
              "Numbers in float32 from 0 to 1, which is not one of them, all as likely.",
              ">>> draw = tv.ops.random_random32(tv.random.key(1), [2])\n"
              ">>> tv.function([], draw[1])()\n"
              "array([0.47318864, 0.51182157], dtype=float32)");

using StandardNormalDraw = DrawBy<&standard_normal<double>, kQuick>;
REGISTER_DRAW(standard_normal, StandardNormalDraw, "Normal numbers of mean 0 and variance 1.",
              ">>> draw = tv.ops.random_standard_normal(tv.random.key(1), [2])\n"
              ">>> tv.function([], draw[1])()\n"
              "array([0.34558419, 0.82161814])");

using StandardNormal32Draw = DrawBy<&standard_normal<float>, kQuick>;
REGISTER_DRAW(standard_normal32, StandardNormal32Draw,
              "Normal numbers in float32 of mean 0 and variance 1.",
              ">>> draw = tv.ops.random_standard_normal32(tv.random.key(1), [2])\n"
              ">>> tv.function([], draw[1])()\n"
              "array([ 1.7291036, -1.4284534], dtype=float32)");

using StandardExponentialDraw = DrawBy<&standard_exponential<double>, kQuick>;
REGISTER_DRAW(standard_exponential, StandardExponentialDraw, "Exponential numbers of mean 1.",
              ">>> draw = tv.ops.random_standard_exponential(tv.random.key(1), [2])\n"
              ">>> tv.function([], draw[1])()\n"
              "array([1.07302903, 0.30845314])");

using StandardExponential32Draw = DrawBy<&standard_exponential<float>, kQuick>;
REGISTER_DRAW(standard_exponential32, StandardExponential32Draw,
              "Exponential numbers in float32 of mean 1.",
              ">>> draw = tv.ops.random_standard_exponential32(tv.random.key(1), [2])\n"
              ">>> tv.function([], draw[1])()\n"
              "array([0.7844819, 2.8062613], dtype=float32)");

using StandardGammaDraw = DrawBy<&continuous::standard_gamma<double>, kSlow>;
REGISTER_DRAW(standard_gamma, StandardGammaDraw, "Gamma numbers of scale 1.",
              ">>> draw = tv.ops.random_standard_gamma(tv.random.key(1), [2], 2.0)\n"
              ">>> tv.function([], draw[1])()\n"
              "array([2.15380748, 2.13069041])",
              {"shape", "the shape", Domain::NotNegative});

using StandardGamma32Draw = DrawBy<&continuous::standard_gamma<float>, kSlow>;
REGISTER_DRAW(standard_gamma32, StandardGamma32Draw, "Gamma numbers in float32 of scale 1.",
              ">>> draw = tv.ops.random_standard_gamma32(tv.random.key(1), [2], 2.0)\n"
              ">>> tv.function([], draw[1])()\n"
              "array([5.043841 , 3.3767087], dtype=float32)",
              {"shape", "the shape", Domain::NotNegative});

using BetaDraw = DrawBy<&continuous::beta, kSlow>;
REGISTER_DRAW(beta, BetaDraw, "Beta numbers.",
              ">>> draw = tv.ops.random_beta(tv.random.key(1), [2], 2.0, 3.0)\n"
              ">>> tv.function([], draw[1])()\n"
              "array([0.39905349, 0.62444794])",
              {"a", "the first parameter", Domain::Positive},
              {"b", "the second one", Domain::Positive});

using StandardLaplaceDraw = DrawBy<&continuous::standard_laplace, kSlow>;
REGISTER_DRAW(standard_laplace, StandardLaplaceDraw, "Laplace numbers of location 0 and scale 1.",
              ">>> draw = tv.ops.random_standard_laplace(tv.random.key(1), [2])\n"
              ">>> tv.function([], draw[1])()\n"
              "array([0.02392724, 2.31190229])");

using StandardGumbelDraw = DrawBy<&continuous::standard_gumbel, kSlow>;
REGISTER_DRAW(standard_gumbel, StandardGumbelDraw, "Gumbel numbers of location 0 and scale 1.",
              ">>> draw = tv.ops.random_standard_gumbel(tv.random.key(1), [2])\n"
              ">>> tv.function([], draw[1])()\n"
              "array([ 0.33257565, -1.10029403])");

using StandardLogisticDraw = DrawBy<&continuous::standard_logistic, kSlow>;
REGISTER_DRAW(standard_logistic, StandardLogisticDraw,
              "Logistic numbers of location 0 and scale 1.",
              ">>> draw = tv.ops.random_standard_logistic(tv.random.key(1), [2])\n"
              ">>> tv.function([], draw[1])()\n"
              "array([0.04729531, 2.95424416])");

using StandardCauchyDraw = DrawBy<&continuous::standard_cauchy, kSlow>;
REGISTER_DRAW(standard_cauchy, StandardCauchyDraw, "Cauchy numbers of location 0 and scale 1.",
              ">>> draw = tv.ops.random_standard_cauchy(tv.random.key(1), [2])\n"
              ">>> tv.function([], draw[1])()\n"
              "array([ 0.42061412, -0.25356654])");

using StandardTDraw = DrawBy<&continuous::standard_t, kSlow>;
REGISTER_DRAW(standard_t, StandardTDraw, "Student's t numbers.",
              ">>> draw = tv.ops.random_standard_t(tv.random.key(1), [2], 5.0)\n"
              ">>> tv.function([], draw[1])()\n"
              "array([ 0.28738752, -1.05822475])",
              {"df", "the degrees of freedom", Domain::Positive});

using FDraw = DrawBy<&continuous::f, kSlow>;
REGISTER_DRAW(f, FDraw, "F numbers.",
              ">>> draw = tv.ops.random_f(tv.random.key(1), [2], 5.0, 6.0)\n"
              ">>> tv.function([], draw[1])()\n"
              "array([1.0049201 , 2.41680924])",
              {"dfnum", "the degrees of freedom above", Domain::Positive},
              {"dfden", "those below", Domain::Positive});

using TriangularDraw = DrawBy<&continuous::triangular, kSlow>;
REGISTER_DRAW(triangular, TriangularDraw, "Numbers of a density that rises and falls in lines.",
              ">>> draw = tv.ops.random_triangular(tv.random.key(1), [2], 0.0, 1.0, 3.0)\n"
              ">>> tv.function([], draw[1])()\n"
              "array([1.28854733, 2.45482313])",
              {"left", "the least number"}, {"mode", "the likeliest one"},
              {"right", "the greatest one"});

using WaldDraw = DrawBy<&continuous::wald, kSlow>;
REGISTER_DRAW(wald, WaldDraw, "Inverse Gaussian numbers.",
              ">>> draw = tv.ops.random_wald(tv.random.key(1), [2], 1.0, 2.0)\n"
              ">>> tv.function([], draw[1])()\n"
              "array([1.27603928, 1.26254058])",
              {"mean", "the mean", Domain::Positive}, {"scale", "the scale", Domain::Positive});

using VonmisesDraw = DrawBy<&continuous::vonmises, kSlow>;
REGISTER_DRAW(vonmises, VonmisesDraw, "Angles from -pi to pi by the von Mises distribution.",
              ">>> draw = tv.ops.random_vonmises(tv.random.key(1), [2], 0.0, 2.0)\n"
              ">>> tv.function([], draw[1])()\n"
              "array([-0.69843656, -0.5369304 ])",
              {"mu", "the mode"}, {"kappa", "the concentration", Domain::NotNegative});

using PoissonDraw = DrawBy<&discrete::poisson, kSlow>;
REGISTER_DRAW(poisson, PoissonDraw, "Poisson counts.",
              ">>> draw = tv.ops.random_poisson(tv.random.key(1), [2], 4.0)\n"
              ">>> tv.function([], draw[1])()\n"
              "array([5, 3])",
              {"lam", "the mean", Domain::Mean});

using NegativeBinomialDraw = DrawBy<&discrete::negative_binomial, kSlow>;
REGISTER_DRAW(negative_binomial, NegativeBinomialDraw, "Failures before so many successes.",
              ">>> draw = tv.ops.random_negative_binomial(tv.random.key(1), [2], 3.0, 0.5)\n"
              ">>> tv.function([], draw[1])()\n"
              "array([3, 1])",
              {"n", "the successes", Domain::Positive},
              {"p", "the probability of a success", Domain::OverZero});

using GeometricDraw = DrawBy<&discrete::geometric, kSlow>;
REGISTER_DRAW(geometric, GeometricDraw, "Trials up to the first success.",
              ">>> draw = tv.ops.random_geometric(tv.random.key(1), [2], 0.25)\n"
              ">>> tv.function([], draw[1])()\n"
              "array([4, 2])",
              {"p", "the probability of a success", Domain::OverZero});

using LogseriesDraw = DrawBy<&discrete::logseries, kSlow>;
REGISTER_DRAW(logseries, LogseriesDraw, "Counts by the logarithmic series.",
              ">>> draw = tv.ops.random_logseries(tv.random.key(1), [2], 0.75)\n"
              ">>> tv.function([], draw[1])()\n"
              "array([3, 7])",
              {"p", "its parameter", Domain::BelowOne});

using ZipfDraw = DrawBy<&discrete::zipf, kSlow>;
REGISTER_DRAW(zipf, ZipfDraw, "Counts by the law of Zipf.",
              ">>> draw = tv.ops.random_zipf(tv.random.key(1), [2], 3.0)\n"
              ">>> tv.function([], draw[1])()\n"
              "array([1, 1])",
              {"a", "the exponent", Domain::OverOne});

REGISTER_DRAW(binomial, BinomialDraw, "Successes in so many trials.",
              ">>> draw = tv.ops.random_binomial(tv.random.key(1), [2], 10, 0.5)\n"
              ">>> tv.function([], draw[1])()\n"
              "array([5, 8])",
              {"n", "the trials", Domain::NotNegative},
              {"p", "the probability of a success", Domain::Unit});

}  // namespace

}  // namespace thunkvm

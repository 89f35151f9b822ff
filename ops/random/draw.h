// draw.h: an Op that draws an array of numbers, of which each is a function of random bits and of
// parameters.
//
// Its inputs are the state of a generator (kStateWords words, pcg64.h), the shape of what is drawn
// (a vector of integers), and the parameters, which broadcast to that shape. Its outputs are the
// state behind the draw, and the numbers. So a draw is a function like all others: equal states
// give equal numbers, and nothing is drawn twice unless a graph says so.
//
// The states of n generators, an n x kStateWords matrix, draw n arrays of that shape, each its own.
#pragma once

#include "ops/graph/declaration.h"
#include "ops/kernels/stretches.h"
#include "ops/random/pcg64.h"

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace thunkvm {

/// The values that a parameter may have.
enum class Domain : std::uint8_t {
  Any,
  NotNegative,
  Positive,
  Unit,
  OverZero,
  BelowOne,
  OverOne,
  Mean
};

/// Throws Error(Value) in NumPy's words if a value lies elsewhere. NaN is a number as others where
/// NumPy has it so.
void check_domain(Domain domain, const std::string& op, const char* name, double value);

struct DrawParameter {
  const char* name;
  const char* comment;
  Domain domain = Domain::Any;
};

/// All that a draw's Op does but its numbers.
struct DrawRules {
  std::string name;
  std::vector<DrawParameter> parameters;
  std::vector<DType> parameter_dtypes;
  DType drawn;
  void (*run)(Activation&, const Operands&, const DrawRules&) = nullptr;
};

/// The run of one draw: its states, its numbers, and its parameters as rows.
class DrawRun {
 public:
  DrawRun(Activation& activation, const Operands& operands, const DrawRules& rules);

  /// A parameter, broadcast: its first element, and the step from one to the next, 0 or 1.
  template <class T>
  std::pair<const T*, std::int64_t> parameter(std::size_t i) {
    const Array given =
        input_array(activation_, operands_, static_cast<int>(i) + 2).as_contiguous();
    const T* const first = given.data_as<T>();
    const DrawParameter& proto = rules_.parameters[i];
    if (proto.domain != Domain::Any)
      for (std::int64_t k = 0; k < given.size(); ++k)
        check_domain(proto.domain, rules_.name, proto.name, static_cast<double>(first[k]));
    const Array& kept = kept_.emplace_back(spread(given, proto.name));
    return {kept.data_as<T>(), kept.size() == 1 ? 0 : 1};
  }

  template <class T>
  T* out() const {
    return out_.data_as<T>();
  }

  /// Calls `f(bits, begin, end)` for stretches of the numbers of each generator; `fresh` before the
  /// first one of each.
  template <class Fresh, class F>
  void each_stretch(std::int64_t weight, Fresh&& fresh, F&& f) {
    LongWork work(*activation_.host, out_.size() * weight);
    for (std::int64_t lane = 0; lane < n_lanes_; ++lane) {
      fresh();
      Pcg64 bits(states_.data_as<std::uint64_t>() + lane * kStateWords);
      const std::int64_t first = lane * in_lane_;
      work.in_parts(in_lane_, weight, [&](std::int64_t begin, std::int64_t end) {
        Pcg64 local = bits;  // in the processor's registers meanwhile
        f(local, first + begin, first + end);
        bits = local;
      });
      bits.write(next_.data_as<std::uint64_t>() + lane * kStateWords);
    }
  }
  /// Calls `f(bits, first, n)` for the numbers of each generator, without pauses.
  template <class F>
  void each_generator(F&& f) {
    HostLeave leave(*activation_.host, out_.size());
    for (std::int64_t lane = 0; lane < n_lanes_; ++lane) {
      Pcg64 bits(states_.data_as<std::uint64_t>() + lane * kStateWords);
      f(bits, lane * in_lane_, in_lane_);
      bits.write(next_.data_as<std::uint64_t>() + lane * kStateWords);
    }
  }
  Dims drawn_shape() const { return out_.shape(); }
  /// Stores the numbers and the states behind them.
  void finish();

 private:
  Array spread(const Array& given, const char* name) const;

  Activation& activation_;
  const Operands& operands_;
  const DrawRules& rules_;
  std::vector<Array> kept_;
  Array states_, next_, out_;
  std::int64_t n_lanes_ = 1, in_lane_ = 1;
};

/// Runs `draw(bits, parameters...)` for each number.
///
/// Draw has Value (of a number), Types (a tuple, of the parameters) and kWeight (about how many
/// additions a number costs). One is made for each generator that draws.
template <class Draw>
void run_draw(Activation& activation, const Operands& operands, const DrawRules& rules) {
  using Types = typename Draw::Types;
  DrawRun run(activation, operands, rules);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto rows = std::make_tuple(run.parameter<std::tuple_element_t<I, Types>>(I)...);
    auto* const out = run.out<typename Draw::Value>();
    std::optional<Draw> draw;
    const bool of_numbers = (... && (std::get<I>(rows).second == 0));
    run.each_stretch(
        Draw::kWeight, [&] { draw.emplace(); },
        [&](Pcg64& bits, std::int64_t begin, std::int64_t end) {
          Draw local = *draw;  // as the bits are: nothing that is written may change it
          if (of_numbers && begin < end) {
            const Types numbers{std::get<I>(rows).first[0]...};
            for (std::int64_t k = begin; k < end; ++k)
              out[k] = local(bits, std::get<I>(numbers)...);
          } else {
            for (std::int64_t k = begin; k < end; ++k)
              out[k] = local(bits, std::get<I>(rows).first[k * std::get<I>(rows).second]...);
          }
          *draw = local;
        });
  }(std::make_index_sequence<std::tuple_size_v<Types>>{});
  run.finish();
}

template <class Tuple>
struct DTypesOf;
template <class... T>
struct DTypesOf<std::tuple<T...>> {
  static std::vector<DType> get() { return {dtype_of<T>...}; }
};

/// The declaration of a draw.
Declaration declare_draw(DrawRules rules, const char* comment, const char* example);

/// Registers `random_NAME`: its Draw, a comment, an example and its parameters.
#define REGISTER_DRAW(name, Draw, comment, example, ...) \
  REGISTER_DRAW_RUN(name, Draw::Value, Draw::Types, &run_draw<Draw>, comment, example, __VA_ARGS__)
/// The same with the numbers' type, the parameters' types (a tuple), and a function that runs it.
#define REGISTER_DRAW_RUN(name, Value, Types, run, comment, example, ...)                          \
  static const ::thunkvm::Declared random_##name##_declared =                                      \
      declare_draw({"random_" #name, {__VA_ARGS__}, DTypesOf<Types>::get(), dtype_of<Value>, run}, \
                   comment, example)

}  // namespace thunkvm

// test_function.cpp: functions as a C++ program calls them: values, updates, errors, threads,
// modes.
#include "linkers/function.h"
#include "ops/control/conditional.h"
#include "ops/gradient/gradient.h"
#include "ops/graph/functions.h"
#include "tests/cpp/inputs.h"
#include "thunks/error.h"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace thunkvm;

namespace {

Cell number(double value) { return Cell::of(value); }
Cell array(std::vector<double> values) {
  Array a = Array::allocate(DType::Float64, std::vector{std::int64_t(values.size())});
  std::copy(values.begin(), values.end(), a.data_as<double>());
  return Cell::of_array(std::move(a));
}
double value(const Cell& cell) { return cell.get<double>(); }
Ref<SharedValue> shared(double start) {
  return Ref<SharedValue>(new SharedValue(TensorType::scalar(DType::Float64), Cell::of(start)));
}

}  // namespace

TEST_CASE("a function computes its outputs in the order in which they were given") {
  const Variable x = real("x");
  Function f({.inputs = {x}, .outputs = {x + 1.0, x * 2.0}});
  const std::vector<Cell> outputs = f({number(5.0)});
  CHECK(value(outputs[0]) == 6.0);
  CHECK(value(outputs[1]) == 10.0);
}

TEST_CASE("every mode that needs no perform computes the same, and not the other arm") {
  const Variable x = real("x");
  const Variable y = ifelse(gt(x, Variable::number(0.0)), exp(x), neg(x));
  for (const char* mode : {"cvm", "c", "c|py", "cvm_nogc", "FAST_RUN"}) {
    CAPTURE(mode);
    Function f({.inputs = {x}, .outputs = {y}}, Mode::named(mode));
    CHECK(value(f({number(-3.0)})[0]) == 3.0);
    CHECK(value(f({number(0.5)})[0]) == doctest::Approx(1.6487212707001282));
    std::uint64_t exps = 0, negs = 0;
    for (const ProgramNode n : f.linked().nodes().indices()) {
      const std::string op = f.linked().nodes()[n].node()->op()->name();
      if (op == "exp") exps += f.node_runs()[n];
      if (op == "neg") negs += f.node_runs()[n];
    }
    CHECK(exps == 1);
    CHECK(negs == 1);
  }
}

TEST_CASE("the gradient of a branch is that of the arm that was taken") {
  const Variable x = real("x");
  const Variable y = ifelse(gt(x, Variable::number(0.0)), x * x, neg(x));
  const std::vector<Variable> wrt = {x};
  Function f({.inputs = {x}, .outputs = gradients(y, wrt)});
  CHECK(value(f({number(3.0)})[0]) == 6.0);
  CHECK(value(f({number(-3.0)})[0]) == -1.0);
}

TEST_CASE("an output shares no memory with an argument that the caller keeps") {
  const Variable x = vector("x");
  Function f({.inputs = {x}, .outputs = {x}});
  const Cell given = array({1.0, 2.0});
  const std::vector<Cell> outputs = f({given});
  CHECK(outputs[0].body()->data != given.body()->data);
  CHECK(outputs[0].array().data_as<double>()[1] == 2.0);
}

TEST_CASE("updates change together at the end of a call that succeeds") {
  const Ref<SharedValue> a = shared(1.0), b = shared(10.0);
  const Variable va = Variable::shared(a, "a"), vb = Variable::shared(b, "b");
  Function swap({.outputs = {va}, .updates = {{a, vb}, {b, va}}});
  CHECK(value(swap()[0]) == 1.0);
  CHECK(value(a->get()) == 10.0);
  CHECK(value(b->get()) == 1.0);
}

TEST_CASE("a call that fails says in which node, and changes nothing") {
  const Ref<SharedValue> n = shared(0.0);
  const Variable count = Variable::shared(n, "count"), x = vector("x"), y = vector("y");
  Function f({.inputs = {x, y}, .outputs = {x + y}, .updates = {{n, count + 1.0}}}, {},
             {.name = "plus"});
  CHECK_THROWS_WITH_AS(f({array({1.0, 2.0}), array({1.0, 2.0, 3.0})}),
                       doctest::Contains("In plus: node add.0, Op add"), Error);
  CHECK(value(n->get()) == 0.0);
  CHECK(f.frames().registers_empty());
  CHECK(f({array({1.0}), array({2.0})})[0].array().data_as<double>()[0] == 3.0);
  CHECK(value(n->get()) == 1.0);
}

TEST_CASE("an argument of another dtype, number of axes or length is refused by name") {
  const Variable x = Variable::input(TensorType::of(DType::Float64, {2}), "x");
  Function f({.inputs = {x}, .outputs = {x}}, {}, {.name = "f"});
  CHECK_THROWS_WITH_AS(f({Cell::of(std::int64_t{1})}),
                       "argument 'x' of f is int64 scalar, but vector float64 (2,) is wanted: "
                       "convert it, or declare the input otherwise.",
                       Error);
  CHECK_THROWS_WITH_AS(f({array({1.0, 2.0, 3.0})}),
                       "argument 'x' of f has shape (3,), but (2,) is wanted: axis 0 has length 3 "
                       "instead of 2.",
                       Error);
  CHECK_THROWS_WITH_AS(f({}), "f takes 1 arguments, but 0 were given", Error);
}

TEST_CASE("two updates of one shared variable, and one of another type, are refused") {
  const Ref<SharedValue> n = shared(0.0);
  const Variable count = Variable::shared(n, "count");
  CHECK_THROWS_WITH_AS(Function({.updates = {{n, count}, {n, count + 1.0}}}, {},
                                {.update_names = {"count", "count"}}),
                       "shared variable count has two updates; it can have one.", Error);
  CHECK_THROWS_WITH_AS(Function({.inputs = {}, .updates = {{n, cast(count, DType::Int64)}}}),
                       doctest::Contains("dtype and number of dimensions have to stay"), Error);
}

TEST_CASE("a mode that does not exist is answered with the nearest") {
  CHECK_THROWS_WITH_AS(Mode::named("cvmm"), doctest::Contains("Did you mean 'cvm'?"), Error);
  const Variable x = real("x");
  CHECK_THROWS_WITH_AS(Function({.inputs = {x}, .outputs = {x}}, {.linker = "jit"}),
                       "there is no linker 'jit'; the linkers are py, vm, cvm, c, c|py, c&py.",
                       Error);
  CHECK_THROWS_WITH_AS(Function({.inputs = {x}, .outputs = {x}}, {.linker = "cvmm"}),
                       doctest::Contains("Did you mean 'cvm'?"), Error);
  CHECK_THROWS_WITH_AS(
      Function({.inputs = {x}, .outputs = {x}}, {.linker = "vm", .compile = CompileWhen::Now}),
      "the linker 'vm' emits no C, so compile='now' has no meaning; leave it out, or choose one of "
      "cvm, c, c|py, c&py.",
      Error);
}

TEST_CASE("a mode that runs emitted C alone compiles it at once") {
  const Variable x = real("x");
  CHECK_THROWS_WITH_AS(
      Function({.inputs = {x}, .outputs = {exp(x)}},
               {.linker = "c", .compile = CompileWhen::Background}),
      "the linker 'c' runs emitted C alone, so it is compiled before the first call; "
      "compile='background' is for cvm.",
      Error);
}

TEST_CASE("a mode that compares nodes is refused where nobody compares") {
  const Variable x = real("x");
  CHECK_THROWS_WITH_AS(Function({.inputs = {x}, .outputs = {exp(x)}}, Mode::named("c&py")),
                       doctest::Contains("make the function with `traced`"), Error);
}

TEST_CASE("a mode that has performs alone names the Op that needs one") {
  const Variable x = real("x");
  CHECK_THROWS_WITH_AS(Function({.inputs = {x}, .outputs = {exp(x)}}, Mode::named("vm")),
                       doctest::Contains("[exp] has no thunk that this mode can run"), Error);
}

TEST_CASE("calls change over to emitted code once it is compiled, and give the same bits") {
  const Variable x = vector("x");
  Function f({.inputs = {x}, .outputs = {sum(exp(x) * x + 1.0)}});
  const double before = value(f({array({0.1, 0.2, 0.3})})[0]);
  CHECK(f.compile() == Compilation::State::Ready);
  CHECK(f.compilation().ready() != nullptr);
  CHECK(value(f({array({0.1, 0.2, 0.3})})[0]) == before);
  CHECK(f.c_source().find("sum") != std::string::npos);
}

TEST_CASE("many threads call one function while it is compiled in the background") {
  const Variable x = vector("x");
  const Ref<SharedValue> total = shared(0.0);
  const Variable held = Variable::shared(total, "total");
  Function f({.inputs = {x}, .outputs = {sum(x * 2.0) + held * 0.0}});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 500; ++k)
        if (value(f({array({double(t), double(k)})})[0]) != 2.0 * (t + k)) ++wrong;
    });
  threads.emplace_back([&] { f.compile(); });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(f.compiled() == Compilation::State::Ready);
  std::uint64_t sums = 0;
  for (const ProgramNode n : f.linked().nodes().indices())
    if (f.linked().nodes()[n].node()->op()->name() == "sum") sums += f.node_runs()[n];
  CHECK(sums == 2000);
}

TEST_CASE("a call writes to an argument that was moved in, if its input is mutable") {
  const Variable x = vector("x");
  const auto is_result_in_argument = [&](FunctionOptions options, bool keeps, const char* mode) {
    Function f({.inputs = {x}, .outputs = {exp(x)}}, Mode::named(mode), std::move(options));
    Cell argument = array({0.0, 0.0});
    const char* const memory = argument.body()->data;
    const Cell kept = keeps ? argument : Cell();
    std::vector<Cell> arguments;
    arguments.push_back(std::move(argument));
    const std::vector<Cell> outputs = f(std::move(arguments));
    CHECK(outputs[0].array().data_as<double>()[1] == 1.0);
    if (keeps) CHECK(kept.array().data_as<double>()[1] == 0.0);
    return outputs[0].body()->data == memory;
  };
  for (const char* mode : {"cvm", "c", "c|py"}) {
    CAPTURE(mode);
    CHECK(is_result_in_argument({.mutable_inputs = {0}}, false, mode));
    CHECK_FALSE(is_result_in_argument({.mutable_inputs = {0}}, true, mode));
    CHECK_FALSE(is_result_in_argument({}, false, mode));
  }
  CHECK_FALSE(is_result_in_argument({.mutable_inputs = {0}}, false, "cvm_nogc"));
}

TEST_CASE("an argument is apart where no other value of the call has a byte in its memory") {
  const Variable x = vector("x"), y = vector("y");
  const Cell kept = array({1.0, 2.0});
  const Ref<SharedValue> held(new SharedValue(x.type_ref(), kept));
  Function f({.inputs = {x, y}, .outputs = {x + y + Variable::shared(held, "held")}});
  Frame* const frame = f.frames().acquire();
  {
    Call call(f, *frame);
    const Array six = array({0.0, 1.0, 2.0, 3.0, 4.0, 5.0}).array();
    const auto part = [&](std::int64_t begin, std::int64_t length, std::int64_t step) {
      return Cell::of_array(
          six.view(std::vector{length}, std::vector{8 * step}, six.data_as<double>() + begin));
    };
    const auto is_apart = [&](const Cell& first, const Cell& second) {
      call.argument(0) = first;
      call.argument(1) = second;
      call.read_shared(false);
      return call.is_apart(0);
    };
    CHECK(is_apart(part(0, 3, 1), part(3, 3, 1)));
    CHECK(is_apart(part(2, 3, -1), part(3, 3, 1)));
    CHECK(is_apart(part(0, 3, 1), part(1, 0, 1)));
    CHECK_FALSE(is_apart(part(0, 4, 1), part(3, 3, 1)));
    CHECK_FALSE(is_apart(part(3, 3, -1), part(3, 3, 1)));
    CHECK_FALSE(is_apart(part(0, 3, 2), part(1, 3, 2)));
    CHECK_FALSE(is_apart(kept, part(0, 3, 1)));
    CHECK_FALSE(is_apart(number(1.0), part(0, 3, 1)));
  }
  f.frames().release(frame);
}

TEST_CASE("a tracer is told of each node of a traced function") {
  struct Names final : Tracer {
    std::vector<std::string> seen;
    const Function* function = nullptr;
    void before(const ThunkRun& run) override {
      seen.push_back(function->linked().nodes()[run.node].node()->op()->name());
    }
    void after(const ThunkRun&, Status) override {}
  };
  const Variable x = real("x");
  Function f({.inputs = {x}, .outputs = {exp(x) + 1.0}}, {}, {.traced = true});
  Names names;
  names.function = &f;
  f({number(1.0)}, &names);
  CHECK(names.seen == std::vector<std::string>{"exp", "add"});
}

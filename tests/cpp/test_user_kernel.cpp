// test_user_kernel.cpp: Ops whose node is a function of C on arrays, without Python.
#include "evaluate.h"
#include "linkers/compiler/compile_error.h"
#include "linkers/user_code/kernel_run.h"
#include "linkers/user_code/user_kernel.h"
#include "thunks/error.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

namespace thunkvm {
namespace {

/// The structs of a kernel's arguments, and its function's head.
constexpr const char* kHead =
    "typedef struct { double *data; const long *shape, *strides; long size; int ndim, contiguous; }"
    " tv_array;\n"
    "typedef struct tv_call tv_call;\n"
    "struct tv_call {\n"
    "  int (*output)(tv_call *, int, const long *);\n"
    "  int (*view)(tv_call *, int, int, char *, const long *, const long *);\n"
    "  int (*fail)(tv_call *, const char *, const char *, ...);\n"
    "};\n"
    "int kernel(tv_call *call, const tv_array *in, tv_array *out) {\n";

KernelSource source_of(const std::string& body) {
  return {.language = Language::C,
          .command = {},
          .module = {.text = kHead + body + "}\n", .flags = {}, .libraries = {}},
          .function = "kernel"};
}

/// An Op of one vector that makes another one, by the body of a function of C.
class InC final : public Op {
 public:
  explicit InC(std::string body, bool overwrites = false) : source_(source_of(body)) {
    if (overwrites) destroys_ = {{0, {0}}};
  }
  std::string name() const override { return "in_c"; }
  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    return {Apply::make1(*this, inputs, inputs[0].type_ref())};
  }
  const AliasMap& destroy_map() const override { return destroys_; }
  ThunkCode kernel(const Apply& node) const override {
    auto kernel = std::make_shared<UserKernel>(node);
    kernel->checks_inputs = true;
    Host host;
    kernel->load(source_, host);
    return kernel_thunk(std::move(kernel), /*is_lazy=*/false);
  }

 private:
  KernelSource source_;
  AliasMap destroys_;
};

Array two_numbers() {
  Array array = Array::zeros(DType::Float64, std::vector<std::int64_t>{2});
  array.data_as<double>()[0] = 1.0;
  array.data_as<double>()[1] = 4.0;
  return array;
}

/// The output for the input (1, 4).
Array result(const Ref<const Op>& op, const Array& input) {
  const Variable x = Variable::input(TensorType::of_ndim(DType::Float64, 1), "x");
  const Variable y = op->call(std::vector{x}).front();
  return run_kernel(*y.node(), {Cell::of_array(input)})[0].array();
}

constexpr const char* kDoubles =
    "  if (call->output(call, 0, in[0].shape)) return -1;\n"
    "  for (long i = 0; i < in[0].size; ++i) out[0].data[i] = 2 * in[0].data[i];\n"
    "  return 0;\n";

TEST_CASE("a kernel reads its inputs where they lie and makes its output") {
  const Array found = result(Ref<const Op>(new InC(kDoubles)), two_numbers());
  CHECK(found.data_as<double>()[0] == 2.0);
  CHECK(found.data_as<double>()[1] == 8.0);
}

TEST_CASE("an input that the C writes to is put back, and named") {
  const Array input = two_numbers();
  const Ref<const Op> op(new InC("  in[0].data[1] = 7;\n" + std::string(kDoubles)));
  CHECK_THROWS_WITH_AS(result(op, input),
                       "in_c wrote to its input 0, at element (1,), which its destroy_map does not "
                       "name; the value was put back. Say destroy_map = {0: [0]} if output 0 is "
                       "made in its memory, or work on a copy.",
                       Error);
  CHECK(input.data_as<double>()[1] == 4.0);
}

TEST_CASE("an input that it says it overwrites is a copy where others read it") {
  const Array input = two_numbers();
  const Ref<const Op> op(new InC("  in[0].data[1] = 7;\n" + std::string(kDoubles), true));
  CHECK(result(op, input).data_as<double>()[1] == 14.0);
  CHECK(input.data_as<double>()[1] == 4.0);
}

TEST_CASE("a failure that the C names is told by that name") {
  const Ref<const Op> op(
      new InC("  return call->fail(call, \"KeyError\", \"no %d\", in[0].ndim);\n"));
  try {
    result(op, two_numbers());
    FAIL("it ran");
  } catch (const KernelFailure& failure) {
    CHECK(failure.exception() == "KeyError");
    CHECK(std::string(failure.what()) == "no 1");
  }
}

TEST_CASE("kernels that are loaded ahead leave out a compiler's where one does not compile") {
  Host host;
  CHECK(load_kernels({source_of(kDoubles), source_of("  return 1;\n")}, host).size() == 2);
  CHECK(load_kernels({source_of(kDoubles), source_of("  return nothing;\n")}, host).empty());
  KernelSource other = source_of("  return nothing;\n");
  other.command = "gcc -O0";
  CHECK(load_kernels({source_of(kDoubles), other}, host).size() == 1);
}

}  // namespace
}  // namespace thunkvm

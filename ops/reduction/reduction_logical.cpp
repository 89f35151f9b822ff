// reduction_logical.cpp: `any` and `all`.
#include "ops/reduction/reduction.h"

namespace thunkvm {

namespace {

template <class T, bool kAny>
struct LogicalReducer {
  using In = T;
  using Acc = bool;
  static constexpr int kLanes = kReductionLanes;
  static constexpr bool kTree = false;
  static Acc identity() { return !kAny; }
  static Acc step(Acc a, In x) {
    bool truth;
    if constexpr (std::is_same_v<T, Half>)
      truth = (x.bits & 0x7fff) != 0;
    else
      truth = x != T(0);
    return merge(a, truth);
  }
  static Acc merge(Acc a, Acc b) { return kAny ? (a | b) : (a & b); }
  static bool same_in_any_order(Acc) { return true; }
};

template <bool kAny>
struct Logical {
  template <class T>
  struct Of {
    using Reducer = LogicalReducer<T, kAny>;
    using Out = bool;
    static constexpr const char* kNothing = nullptr;
    static bool finish(bool truth, std::int64_t) { return truth; }
  };
};

template <bool kAny>
class LogicalOp final : public OnePassReductionOp<Logical<kAny>::template Of> {
 public:
  explicit LogicalOp(const Attributes& attrs)
      : OnePassReductionOp<Logical<kAny>::template Of>(kAny ? "any" : "all", attrs) {}

  std::vector<Variable> grad(Apply&, std::span<const Variable>) const override {
    return {Variable()};
  }

 protected:
  DType result_dtype(DType) const override { return DType::Bool; }
};

}  // namespace

DECLARE_OP(any)
    .comment(
        "True where an element over the given axes is not zero (NaN is not); false "
        "where there are no elements.")
    .with(reduces)
    .output("out", "bool")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.any(x))([0.0, 2.0])\n"
        "np.True_")
    .made_by<LogicalOp<true>>();

DECLARE_OP(all)
    .comment(
        "True where no element over the given axes is zero (NaN is not), or where "
        "there are none.")
    .with(reduces)
    .output("out", "bool")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.all(x))([0.0, 2.0])\n"
        "np.False_")
    .made_by<LogicalOp<false>>();

}  // namespace thunkvm

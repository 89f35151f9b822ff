// slice_length.cpp: `slice_length`, how many elements of an axis a slice picks.
#include "ops/graph/declaration.h"
#include "ops/graph/extent_op.h"
#include "ops/indexing/indexing.h"

namespace thunkvm {

namespace {

class SliceLengthOp final : public ExtentOp {
 public:
  /// The slice is read once, as the index of a vector.
  explicit SliceLengthOp(const Attributes& attrs)
      : ExtentOp("slice_length", attrs),
        index_("slice_length", parse_index("slice_length", {attrs.get<std::string>("slice")}), 1) {
    if (index_.items()[0].kind != IndexItem::Kind::Slice || index_.items().size() != 1)
      fail(ErrorKind::Value, "slice is '" + attrs.get<std::string>("slice") +
                                 "', but must be start:stop:step, as in '1:' or '?:?:2'");
  }

  std::int64_t length(std::span<const std::int64_t> integers) const override {
    const IndexItem& slice = index_.items()[0];
    const auto value = [&](const IndexNumber& number) -> std::optional<std::int64_t> {
      if (number.from == IndexNumber::From::Absent) return std::nullopt;
      if (number.from == IndexNumber::From::Literal) return number.value;
      return integers[1 + static_cast<std::size_t>(number.value)];
    };
    return slice_length(integers[0], value(slice.start), value(slice.stop),
                        value(slice.step).value_or(1));
  }

 protected:
  void expect_count(std::size_t count) const override {
    const std::size_t wanted = 1 + static_cast<std::size_t>(index_.n_inputs());
    if (count != wanted)
      fail(ErrorKind::Type, "takes a length and an integer for each '?' in slice, " +
                                std::to_string(wanted) + " inputs, but got " +
                                std::to_string(count));
  }

 private:
  BasicIndex index_;
};

}  // namespace

DECLARE_OP(slice_length)
    .family("indexing")
    .comment("How many elements a slice picks of an axis of some length.")
    .input("length", "a 0-d integer, the length of the axis")
    .optional_inputs("integers", "0-d integers, one for each '?' in `slice`")
    .attr("slice", AttrType::String, "start:stop:step, each a number, '?' or left out")
    .output("out", "a 0-d int64")
    .example(
        ">>> n = tv.scalar(\"n\", dtype=\"int64\")\n"
        ">>> tv.function([n], tv.ops.slice_length(n, slice=\"1::2\"))(6)\n"
        "np.int64(3)")
    .made_by<SliceLengthOp>();

}  // namespace thunkvm

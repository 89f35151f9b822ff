#include "ops/linalg/matrix_rules.h"

namespace thunkvm {

std::vector<Variable> call_outputs(std::string_view name, std::initializer_list<Variable> inputs,
                                   const Attributes& attrs) {
  return OpRegistry::create(name, attrs)
      ->call(std::span<const Variable>(inputs.begin(), inputs.size()));
}

Variable diagonal_matrix(const Variable& rows) {
  // A row by the unit matrix of its length.
  const Variable n = length_of(rows, rows.ndim() - 1);
  const Variable unit = call_op("eye", {n, n}, {{"dtype", rows.dtype()}});
  return expand_dims(rows, {rows.ndim()}) * unit;
}

Variable diagonal_of(const Variable& matrices) {
  return call_op(
      "diagonal", {matrices},
      {{"axis1", std::int64_t{matrices.ndim() - 2}}, {"axis2", std::int64_t{matrices.ndim() - 1}}});
}

Variable half_lower(const Variable& x) {
  return cast_now(Variable::number(0.5), x.dtype()) * (lower_of(x) + lower_of(x, -1));
}
Variable lower_of(const Variable& x, std::int64_t k) { return call_op("tril", {x}, {{"k", k}}); }
Variable upper_of(const Variable& x, std::int64_t k) { return call_op("triu", {x}, {{"k", k}}); }

namespace {

Variable part(const Variable& x, const Variable& k, const std::vector<std::string>& index) {
  return call_op("subtensor", {x, k}, {{"index", index}});
}

}  // namespace

Variable columns_before(const Variable& x, const Variable& k) { return part(x, k, {"...", ":?"}); }
Variable columns_from(const Variable& x, const Variable& k) { return part(x, k, {"...", "?:"}); }
Variable rows_before(const Variable& x, const Variable& k) {
  return part(x, k, {"...", ":?", ":"});
}
Variable rows_from(const Variable& x, const Variable& k) { return part(x, k, {"...", "?:", ":"}); }

Variable pairwise_gaps(const Variable& w) {
  const Variable gaps = expand_dims(w, {w.ndim() - 1}) - expand_dims(w, {w.ndim()});
  const Variable equal = eq(gaps, weak_number(0.0));
  // Where they are equal 1 is divided by 1, so that no derivative of a derivative meets 1 / 0.
  return where(equal, zeros_like(gaps), 1.0 / where(equal, ones_like(gaps), gaps));
}

namespace {

Variable solve_triangle(const Variable& a, const Variable& b, bool lower) {
  return call_op("solve_triangular", {a, b},
                 {{"lower", lower}, {"transposed", false}, {"unit_diagonal", false}});
}

}  // namespace

Variable solve_lower(const Variable& a, const Variable& b) { return solve_triangle(a, b, true); }
Variable solve_upper(const Variable& a, const Variable& b) { return solve_triangle(a, b, false); }

}  // namespace thunkvm

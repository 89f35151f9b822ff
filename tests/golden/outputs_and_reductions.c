void nest_0(char *const *block, const tv_value *number, const tv_element_function *call, char *own, i64 n) {
  const f64 *const a0 = (const f64 *)block[0];
  const f64 *const a1 = (const f64 *)block[1];
  f64 *const o2 = (f64 *)block[2];
  const f64 s0 = number[0].f64;
#pragma omp simd
  for (i64 k = 0; k < (n & -16); ++k) {
    const f64 x_a0 = a0[k];
    const f64 x_a1 = a1[k];
    /* mul.0 */
    const f64 v0 = x_a0 * x_a0;
    /* add.1 */
    const f64 v1 = v0 + x_a1;
    /* sqrt.2 */
    const f64 v2 = __builtin_sqrt(v1);
    /* mul.3 */
    const f64 v3 = v2 * s0;
    o2[k] = v3;
  }
  TV_END_VECTORS;
}

u32 function_0(tv_call *call, u32 label) {
  // R[0] x, input 0
  // R[2] y, input 1
  // R[5] a, input 2
  // R[6] output 0
  // R[7] output 1
  // R[8] output 2
  tv_cell *const R = call->cells;
  u64 *const N = call->counters;
  const tv_services *const S = call->services;
  ++N[0];
  /* mul.0 */
  /* add.1 */
  /* sqrt.2 */
  /* mul.3 */
  /* sum.4 */
  // R[6], R[7] from R[0], R[2]
  {
    const tv_value numbers[] = {
      {.f64 = R[5].value.f64},
    };
    if (S->nest(call, 0, numbers, 0)) return TV_FAILED;
  }
  /* max.5 */
  // R[8] from R[6]
  if (S->run(call, 0)) return TV_FAILED;
  return 1;
}
